# SPDX-License-Identifier: MIT
# Dot-product attention. Curves are those of replica.R.

# What is not given is that of H. Cui et al. (2024).

# A code with a row for every token, a vector for one column; A with a row for every token.
.dotattn_task <- function(code, teacher) {
  if (!is.matrix(code)) code <- matrix(.numbers(code, "code"), ncol = 1L)
  list(code = .to_c(code, dim(code), "code"), columns = ncol(code), tokens = nrow(code),
       teacher = .to_c(teacher, rep(nrow(code), 2L), "teacher"))
}

.branches <- function(table) {
  table$branch <- tolower(names(.atp_dotattn_branch))[match(table$branch, .atp_dotattn_branch)]
  table
}

atp_dotattn_curve <- function(alphas, branch = "semantic", omega = 0.3, sigma = 0.5, lambda = 0.01,
                              teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L), accuracy = 1e-3, max_iter = 10000,
                              progress = NULL, context = NULL) {
  result <- .ended(.Call(C_dotattn_curve, .context(context), .to_c(teacher, c(2L, 2L), "teacher"), omega, sigma, lambda,
                         .member(.atp_dotattn_branch, branch, "branch"), .numbers(alphas, "alphas"), accuracy,
                         max_iter, progress, .progress_keys))
  .branches(.curve(result$rows, .atp_dotattn_column, result$outcome))
}

atp_dotattn_transition <- function(omegas, sigma = 0.5, lambda = 0.01, teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L),
                                   accuracy = 1e-3, max_iter = 100000, progress = NULL, context = NULL) {
  result <- .ended(.Call(C_dotattn_transition, .context(context), .to_c(teacher, c(2L, 2L), "teacher"), sigma, lambda,
                         .numbers(omegas, "omegas"), accuracy, max_iter, progress, .progress_keys))
  table <- .curve(result$rows, .atp_dotattn_transition_column, result$outcome)
  structure(table, class = "data.frame")
}

atp_dotattn_linear <- function(omega = 0.3, sigma = 0.5, teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L)) {
  found <- .Call(C_dotattn_linear, .to_c(teacher, c(2L, 2L), "teacher"), omega, sigma)
  found$map <- .from_c(found$map, c(2L, 2L))
  found
}

atp_dotattn_tokens <- function(alphas, code = c(1, -1), teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L), omega = 0.3,
                               sigma = 0.5, lambda = 0.01, rank = 1, solution = "semantic", points = 4096, shifts = 8,
                               seed = 1, tolerance = 1e-8, max_iter = 500, progress = NULL, context = NULL) {
  task <- .dotattn_task(code, teacher)
  result <- .ended(.Call(C_dotattn_tokens, .context(context), task,
                         .numbers(c(omega, sigma, lambda), "c(omega, sigma, lambda)"), rank, .numbers(alphas, "alphas"),
                         .member(.atp_dotattn_start, solution, "solution"), points, shifts, seed, tolerance, max_iter,
                         progress, .progress_keys))
  .curve(result$rows, .atp_dotattn_tokens_column, result$outcome)
}

atp_dotattn_simulate <- function(alphas, dimension = 1000, code = c(1, -1),
                                 teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L), omega = 0.3, sigma = 0.5, lambda = 0.01,
                                 rank = 1, start = "semantic", optimizer = "lbfgs", steps = 5000, rate = 0,
                                 tolerance = 1e-5, fresh = 1000, runs = 10, seed = 1, progress = NULL, context = NULL) {
  task <- .dotattn_task(code, teacher)
  found <- .ended(.Call(C_dotattn_simulate, .context(context), dimension, task,
                        .numbers(c(omega, sigma, lambda), "c(omega, sigma, lambda)"), rank, .numbers(alphas, "alphas"),
                        .member(.atp_dotattn_start, start, "start"), .member(.atp_optimizer, optimizer, "optimizer"),
                        list(steps = steps, rate = rate, tolerance = tolerance, fresh = fresh, runs = runs), seed,
                        progress, .progress_keys))
  .curve(found$rows, .atp_dotattn_sim_column, found$outcome)
}

atp_dotattn_bytes <- function(n, context = NULL) .Call(C_dotattn_bytes, .context(context), n)

atp_dotattn_tokens_bytes <- function(n, tokens = 2, rank = 1, points = 4096, shifts = 8, context = NULL) {
  .Call(C_dotattn_tokens_bytes, .context(context), tokens, rank, n, points, shifts)
}

atp_dotattn_simulate_bytes <- function(alphas, dimension = 1000, tokens = 2, code_columns = 1, rank = 1,
                                       optimizer = "lbfgs", runs = 10, context = NULL) {
  .Call(C_dotattn_simulate_bytes, .context(context), dimension, tokens, code_columns, rank, .numbers(alphas, "alphas"),
        .member(.atp_optimizer, optimizer, "optimizer"), runs)
}
