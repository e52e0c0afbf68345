# SPDX-License-Identifier: MIT
# Dot-product attention. What is not given is that of the library, mostly of H. Cui et al. (2024).

atp_dotattn_curve <- function(alphas, branch = "semantic", ..., teacher = NULL) {
  .task("DOTATTN_CURVE", list(alphas = alphas, teacher = teacher), branch = branch, ...)
}

atp_dotattn_transition <- function(omegas, ..., teacher = NULL) {
  .task("DOTATTN_TRANSITION", list(omegas = omegas, teacher = teacher), ...)
}

atp_dotattn_tokens <- function(alphas, code = NULL, teacher = NULL, ...) {
  .task("DOTATTN_TOKENS", list(alphas = alphas, code = code, teacher = teacher), ...)
}

atp_dotattn_simulate <- function(alphas, code = NULL, teacher = NULL, ...) {
  .task("DOTATTN_SIMULATION", list(alphas = alphas, code = code, teacher = teacher), ...)
}

atp_dotattn_dynamics <- function(times, code = NULL, teacher = NULL, ...) {
  .task("DOTATTN_DYNAMICS", list(times = times, code = code, teacher = teacher), ...)
}

atp_dotattn_trajectories <- function(times, code = NULL, teacher = NULL, ...) {
  .task("DOTATTN_TRAJECTORY", list(times = times, code = code, teacher = teacher), ...)
}

atp_dotattn_linear <- function(omega = 0.3, sigma = 0.5, teacher = matrix(c(0.6, 0.4, 0.4, 0.6), 2L)) {
  found <- .Call(C_dotattn_linear, .to_c(teacher, c(2L, 2L), "teacher"), omega, sigma, TRUE)
  found$map <- .from_c(found$map)
  found
}
