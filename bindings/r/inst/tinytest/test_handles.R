# SPDX-License-Identifier: MIT
# Handles: how long they live, what R makes of copies of them, what comes back from files and other processes.
library(attopotts)

truth <- atp_model_random(sites = 6, colors = 4, seed = 3)
data <- atp_alignment(atp_sample(atp_sampler(truth, chains = 16), 200, thin = 2), colors = 4)
refused <- function(pattern, ...) {
  home <- parent.frame()
  for (call in eval(substitute(alist(...)))) expect_error(eval(call, home), pattern, info = deparse(call)[1])
}

# ---- a callback may close all that its call uses: the call ends as it does without ----
# In a process of its own, which a handle that is freed too early would end.
script <- tempfile(fileext = ".R")
writeLines(c(
  "library(attopotts)",
  "context <- atp_context(threads = 1)",
  "made <- function() {",
  "  model <- atp_model_random(6, 4, seed = 3, context = context)",
  "  sampler <- atp_sampler(model, chains = 16, context = context)",
  "  data <- atp_alignment(atp_sample(sampler, 200, thin = 2), colors = 4, context = context)",
  "  list(model = model, sampler = sampler, data = data, trainer = atp_trainer(data, test = data, truth = model, context = context),",
  "       network = atp_trainer(data, family = 'encoder', test = data, width = 6, epochs = 20, context = context),",
  "       sampling = atp_sampling(model, 100, context = context), large = atp_model_random(100, 20, seed = 3, context = context))",
  "}",
  "runs <- list(",
  "  train = function(h, f) atp_train(h$trainer, 5, progress = f), network = function(h, f) atp_train(h$network, 5, progress = f),",
  "  sample = function(h, f) atp_sample(h$sampler, 1e5, thin = 200, progress = f)$outcome,",
  "  sweep = function(h, f) atp_sweep(h$sampler, 2e6, progress = f),",
  "  wide = function(h, f) atp_start_wide(h$trainer, 4, 10, progress = f),",
  "  sampling = function(h, f) tryCatch(atp_run(h$sampling, progress = f)$outcome, error = function(e) 'closed'),",
  "  select = function(h, f) attr(atp_select_penalty(h$data, folds = 3, progress = f, context = context), 'outcome'),",
  "  tune = function(h, f) atp_tune_beta(h$large, 0.4, progress = f, context = context)$outcome,",
  "  task = function(h, f) attr(atp_dotattn_simulate(1, dimension = 9, runs = 5, progress = f, context = context), 'outcome'))",
  "for (name in names(runs)) {",
  "  h <- made()",
  "  calls <- 0",
  "  outcome <- runs[[name]](h, function(report) {",
  "    calls <<- calls + 1",
  "    for (x in h) atp_close(x)",
  "    atp_close(context)",
  "    gc()",
  "    for (k in 1:3) atp_model_random(6, 4, context = other)",
  "    calls > 5",
  "  })",
  "  cat(name, outcome, calls > 0, !any(vapply(h, atp_is_open, NA)), '\\n')",
  "  context <- atp_context(threads = 1)",
  "}"), script)
lines <- readLines(script)
writeLines(append(lines, "other <- atp_context(threads = 1)", 2), script)
ran <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = TRUE))
expect_null(attr(ran, "status"), info = paste(ran, collapse = "\n"))
for (name in c("train", "network", "sample", "sweep", "wide", "select", "tune", "task")) {
  expect_true(any(grepl(paste0("^", name, " \\w+ TRUE TRUE"), ran)), info = paste(c(name, ran), collapse = "\n"))
}
unlink(script)

# Memory that a callback gave up comes back with the next call; what a callback makes itself comes back at once.
context <- atp_context(threads = 1)
trainer <- atp_trainer(atp_alignment(atp_sequences(data), colors = 4, context = context), epochs = 5, tolerance = 1e-12, context = context)
within <- numeric()
atp_train(trainer, progress = function(report) {
  model <- atp_model(trainer)
  atp_close(model)
  within <<- c(within, atp_memory(context)[["bytes"]])
  FALSE
})
expect_identical(length(within), 5L)
expect_identical(length(unique(within)), 1L)
before <- atp_memory(context)[["bytes"]]
other <- atp_model_random(20, 4, context = context)
atp_sweep(atp_sampler(other, context = context), 1, progress = function(report) FALSE)
trained <- atp_trainer(data, epochs = 2, tolerance = 1e-12)
atp_train(trained, progress = function(report) atp_close(other))
invisible(gc())
expect_identical(atp_memory(context)[["bytes"]], before)
# A handler of a message may close the handle whose call said it.
file <- tempfile(fileext = ".fasta")
writeLines(c(">a", "ACDX", ">b", "ACDE"), file)
heard <- 0
closing <- function(condition) {
  heard <<- heard + 1
  atp_close(context)
  invokeRestart(if (inherits(condition, "message")) "muffleMessage" else "muffleWarning")
}
read <- withCallingHandlers(atp_read_alignment(file, alphabet = "-ACDE", context = context), message = closing, warning = closing)
expect_true(heard > 0)
expect_identical(atp_sequences(read), rbind(c(2L, 3L, 4L, 1L), c(2L, 3L, 4L, 5L)))
unlink(file)

# ---- a handle is one object ----
refused("one object", truth[1] <- 2, truth[[1]] <- 2, truth$beta <- 2, truth[1], truth[[1]], names(truth) <- "a",
        length(truth) <- 3, c(truth, truth), rep(truth, 2), as.list(truth), lapply(truth, identity), dim(truth) <- 1, levels(truth) <- "a")
expect_identical(c(atp_beta(truth), truth$beta, truth[["beta"]]), c(1, 1, 1))
expect_identical(data$sequences, atp_sequences(data))
refused("has no energy, expected one of", truth$energy, truth[["energy"]])
refused("has no couplings, expected one of", data$couplings)
expect_identical(length(list(truth, truth)), 2L)
expect_stdout(str(truth), "<atp_model: 6 sites")
bare <- truth
attributes(bare) <- NULL
refused("model is list, expected atp_model", atp_beta(bare), atp_beta(unclass(truth)))
refused("expected atp_model", atp_beta(structure(list(), class = class(truth))), atp_beta(structure(list(1), class = class(truth))))
refused("is an atp_model, expected an atp_alignment", atp_weights(structure(unclass(truth), class = class(data))))
marked <- structure(truth, mark = 1)
expect_identical(atp_maps(marked), atp_maps(truth))

# ---- a class of a user's before that of the kind changes nothing ----
mine <- atp_model_random(4, 3, seed = 5)
said <- sub("atp_model", "mine", capture.output(print(mine)))
energy <- atp_energies(mine, rep(1, 4))
class(mine) <- c("mine", class(mine))
expect_equal(atp_colors(mine), 3)
expect_equal(atp_energies(mine, rep(1, 4)), energy)
expect_equal(capture.output(print(mine)), said)

# ---- equality: by what models and alignments hold, otherwise whether it is the same object ----
expect_true(all.equal(truth, truth))
expect_true(all.equal(truth, atp_copy(truth)))
expect_false(isTRUE(all.equal(truth, atp_model_random(6, 4, seed = 4))))
warmer <- atp_set_beta(atp_copy(truth), 0.5)
expect_true(any(grepl("beta", all.equal(truth, warmer))))
expect_false(isTRUE(all.equal(truth, atp_gauge(truth, "zero_sum"))))
expect_true(all.equal(data, atp_alignment(atp_sequences(data), colors = 4)))
expect_true(any(grepl("weights", all.equal(data, atp_set_weights(data[1:200], rep(2, 200))))))
expect_false(isTRUE(all.equal(truth, data)))
expect_true(grepl("two objects of class atp_sampler", all.equal(atp_sampler(truth), atp_sampler(truth))))
expect_identical(c(identical(truth, truth), identical(truth, atp_copy(truth))), c(TRUE, FALSE))
closed <- atp_copy(truth)
atp_close(closed)
expect_true(grepl("closed", all.equal(truth, closed)))

# ---- what comes back from a file of R's or another process: test_saved.R has what is taken along ----
again <- function(x) unserialize(serialize(x, NULL))
expect_stdout(print(again(atp_context(threads = 1))), "<atp_context, of another R session>")
refused("of another R session.*atp_context\\(\\)", atp_threads(again(atp_context(threads = 1))),
        atp_model_random(6, 4, context = again(atp_default_context())))
expect_error(atp_beta(again(closed)), "was closed")
left <- again(truth)
atp_close(left)
refused("was closed", atp_beta(left))
if (.Platform$OS.type == "unix") {
  # A forked process has the memory; what it makes comes back by its state.
  came <- parallel::mclapply(1:2, function(k) list(loss = atp_loss(truth, data), model = atp_copy(truth)), mc.cores = 2)
  expect_identical(came[[2]]$loss, atp_loss(truth, data))
  expect_true(all.equal(came[[1]]$model, truth))
}
# Copies of environments hold the same object.
one <- list2env(list(model = atp_copy(truth)))
two <- as.environment(as.list(one))
atp_set_beta(two$model, 0.5)
expect_identical(atp_beta(one$model), 0.5)
atp_close(one$model)
refused("was closed", atp_beta(two$model))
