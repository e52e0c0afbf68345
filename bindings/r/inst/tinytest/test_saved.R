# SPDX-License-Identifier: MIT
# What saveRDS(), serialize() and other processes take along; rows of alignments; R's own generic functions.
library(attopotts)

truth <- atp_set_beta(atp_model_random(sites = 6, colors = 4, seed = 3), 0.7)
atp_set_alphabet(truth, "-ABC")
draw <- atp_sequences(atp_alignment(atp_sample(atp_sampler(truth, chains = 16), 80, thin = 2), colors = 4))
texts <- apply(matrix(c("-", "A", "B", "C")[draw], nrow(draw)), 1, paste, collapse = "")
data <- atp_alignment(setNames(texts, paste0("s", 1:80)), alphabet = "-ABC", weights = 1:80 / 10)
atp_set_sites(data, numbers = 3 * 1:6, residues = "ABCABC")
atp_set_origin(data, "of a test")
refused <- function(pattern, ...) {
  home <- parent.frame()
  for (call in eval(substitute(alist(...)))) expect_error(eval(call, home), pattern, info = deparse(call)[1])
}
file <- tempfile(fileext = ".rds")
ways <- list(
  rds = function(x) {
    saveRDS(x, file)
    readRDS(file)
  },
  old = function(x) {
    saveRDS(x, file, version = 2)
    readRDS(file)
  },
  text = function(x) unserialize(serialize(x, NULL, ascii = NA)))  # numbers to the last bit

# ---- models and alignments ----
dense <- atp_model_dense(atp_couplings(truth), fields = matrix(1:24 / 10, 6))
models <- list(truth, dense, atp_keep_pairs(dense, rbind(c(1, 2), c(3, 6))))
for (again in ways) {
  for (model in models) {
    found <- again(model)
    expect_true(all.equal(found, model))
    expect_true(atp_is_open(found))
    expect_identical(atp_energies(found, data), atp_energies(model, data))
    expect_true(all.equal(again(found), model))
    atp_set_beta(found, 2)
    expect_false(atp_beta(model) == 2)
  }
  found <- again(list(first = data, second = data))
  expect_true(all.equal(found$first, data))
  expect_identical(found$second$names, paste0("s", 1:80))
  # One object twice is one object twice.
  atp_set_weights(found$first, rep(1, 80))
  expect_identical(atp_weights(found$second), rep(1, 80))
  expect_identical(atp_weights(data), 1:80 / 10)
}

# ---- samplers and trainers go on ----
allowed <- matrix(1, 6, 4)
allowed[2, 3:4] <- 0
values <- matrix(sin(1:16), 4)
trainers <- list(
  factored = function() atp_trainer(data, epochs = 20, optimizer = "adam", batch = 16),
  tested = function() atp_trainer(data, family = "dense", epochs = 20, test = data[1:20], truth = truth),
  fixed = function() atp_set_values(atp_trainer(data, epochs = 20, colors_fixed = TRUE), values),
  ordered = function() atp_set_order(atp_trainer(data, family = "dense", objective = "autoregressive", epochs = 20), 6:1),
  likely = function() {
    trainer <- suppressWarnings(atp_trainer(data, family = "dense", objective = "likelihood", chains = 16, epochs = 20))
    suppressWarnings(atp_reintegrate(trainer, data[1:2], c(1, -1)))
  },
  pairs = function() atp_trainer(data, pairs = rbind(c(1, 4), c(2, 3)), epochs = 20),
  network = function() atp_trainer(data, family = "encoder", width = 4, epochs = 20))
for (again in ways) {
  for (name in names(trainers)) {
    trainer <- trainers[[name]]()
    atp_train(trainer, 3)
    found <- again(trainer)
    expect_identical(found$parameters, trainer$parameters, info = name)
    expect_identical(found$history, trainer$history, info = name)
    atp_train(trainer, 3)
    expect_false(identical(found$parameters, trainer$parameters), info = name)
    atp_train(found, 3)
    expect_identical(found$parameters, trainer$parameters, info = name)
    expect_identical(nrow(found$history), 6L, info = name)
  }
  sampler <- atp_restrict(atp_sampler(truth, chains = 8, temperatures = 3, seed = 5), allowed)
  atp_set_betas(sampler, c(0.1, 0.4, 0.9))
  atp_sweep(sampler, 4)
  found <- again(sampler)
  expect_identical(c(found$betas, found$sweeps), c(0.1, 0.4, 0.9, 4))
  drawn <- atp_sample(found, 40)
  expect_identical(drawn, atp_sample(sampler, 40))
  expect_true(all(drawn$sequences[, 2] <= 2))
  run <- atp_start(atp_sampling(truth, 10, protocol = "chain", beta = 0.5), matrix(1, 1, 6))
  expect_identical(atp_run(again(run))$alignment$sequences, atp_run(run)$alignment$sequences)
}
bare <- unserialize(serialize(structure(sampler, made = NULL), NULL))
refused("cannot be made again", atp_sweep(bare, 1))

# ---- a file for another session ----
saveRDS(list(model = truth, data = data, trainer = trainer), file)
script <- tempfile(fileext = ".R")
writeLines(c("x <- readRDS(commandArgs(TRUE))", "library(attopotts)", "print(x$model)", "atp_train(x$trainer, 2)",
             "cat(format(c(atp_loss(x$model, x$data), sum(abs(x$trainer$parameters))), digits = 17), sep = '\\n')"), script)
told <- system2(file.path(R.home("bin"), "Rscript"), c(script, file), stdout = TRUE)
atp_train(trainer, 2)
expect_true(grepl("6 sites, 4 colours", told[1]))
expect_equal(as.numeric(told[2:3]), c(atp_loss(truth, data), sum(abs(atp_parameters(trainer)))), tolerance = 1e-15)
workers <- parallel::makeCluster(1)
energies <- parallel::clusterApply(workers, list(truth), function(model, s) attopotts::atp_energies(model, s), atp_sequences(data))
back <- parallel::clusterCall(workers, function(x) x, data)
parallel::stopCluster(workers)
expect_identical(energies[[1]], atp_energies(truth, data))
expect_true(all.equal(back[[1]], data))
unlink(c(file, script))

# ---- rows ----
all <- atp_sequences(data)
for (rows in list(3, c(5, 2, 2, 80), -(4:80), 80:1, rep(c(TRUE, FALSE), 40), c("s7", "s1"))) {
  found <- data[rows]
  numbers <- if (is.character(rows)) c(7, 1) else seq_len(80)[rows]
  expect_identical(atp_sequences(found), all[numbers, , drop = FALSE])
  expect_identical(found$weights, numbers / 10)
  expect_identical(found$names, paste0("s", numbers))
  expect_identical(list(found$sites, found$alphabet, found$origin), list(data$sites, "-ABC", "of a test"))
}
expect_true(all.equal(data[3:4, ], data[3:4]))
expect_true(all.equal(data[], data))
expect_identical(data[[9]], all[9, ])
expect_identical(head(data)$names, paste0("s", 1:6))
expect_identical(head(data, -78)$names, c("s1", "s2"))
expect_identical(tail(data, 2)$names, c("s79", "s80"))
expect_identical(c(length(data), nobs(data)), c(80L, 80L))
expect_identical(weights(data), 1:80 / 10)
expect_identical(dimnames(data), list(paste0("s", 1:80), as.character(3 * 1:6)))
expect_null(rownames(atp_alignment(all, colors = 4)))
frame <- as.data.frame(data)
expect_identical(dim(frame), c(80L, 3L))
expect_identical(frame[7, "sequence"], texts[[7]])
expect_identical(as.data.frame(atp_alignment(rbind(c(2, 1), c(1, 1))))$sequence, c("2 1", "1 1"))
small <- atp_sample_rows(data, 10, seed = 4)
large <- atp_sample_rows(data, 30, seed = 4)
expect_true(all(small$names %in% large$names) && !anyDuplicated(large$names))
expect_identical(small$weights, match(small$names, data$names) / 10)
counts <- table(factor(atp_sample_rows(data, 80, replace = TRUE, seed = 7)$names, data$names))
expect_equal(as.numeric(counts) * 1:80 / 10, atp_resample(data, 7, 0), tolerance = 1e-14)

# ---- generic functions ----
expect_identical(predict(truth, data), atp_energies(truth, data))
expect_identical(predict(truth, data, "conditionals"), atp_conditionals(truth, data))
dense_trainer <- atp_trainer(data, family = "dense", fields = TRUE, epochs = 30)
atp_train(dense_trainer)
expect_identical(predict(dense_trainer, data, "log_pseudolikelihoods"), atp_log_pseudolikelihoods(dense_trainer$model, data))
# The likelihood, by the sum over all 4^6 states.
exact <- atp_enumerate(truth)$log_z
likelihood <- logLik(truth, data)
expect_equal(as.numeric(likelihood), sum(weights(data) * (-0.7 * atp_energies(truth, data) - exact)), tolerance = 1e-10)
expect_equal(attr(logLik(dense, data), "df"), 6 * 3 + 15 * 9)
expect_equal(AIC(logLik(dense_trainer)), 2 * (6 * 3 + 15 * 9) - 2 * as.numeric(logLik(dense_trainer$model, data)), tolerance = 1e-12)
expect_identical(nobs(dense_trainer), 80L)
drawn <- simulate(truth, 50, seed = 3, protocol = "chain", burn_in = 50, thin = 5)
expect_identical(dim(drawn), c(50L, 6L))
expect_identical(atp_sequences(simulate(truth, 50, seed = 3, protocol = "chain", burn_in = 50, thin = 5)), atp_sequences(drawn))
set.seed(1)
one <- attr(simulate(truth, 2, protocol = "chain", burn_in = 5, thin = 1), "seed")
set.seed(1)
expect_identical(attr(simulate(truth, 2, protocol = "chain", burn_in = 5, thin = 1), "seed"), one)
expect_true("couplings" %in% utils:::.DollarNames(truth, "coup"))
