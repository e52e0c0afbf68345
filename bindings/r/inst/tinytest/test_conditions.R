# SPDX-License-Identifier: MIT
# Errors, callbacks, interrupts, memory, messages, printing.
library(attopotts)

truth <- atp_model_random(sites = 6, colors = 4, seed = 3)
data <- atp_alignment(atp_sample(atp_sampler(truth, chains = 16), 200, thin = 2), colors = 4)

caught <- function(expression) tryCatch(expression, error = identity)

# ---- errors have a class, a status and the library's text ----
e <- caught(atp_model_dense(array(NaN, c(2, 2, 2, 2))))
expect_inherits(e, "attopotts_error")
expect_inherits(e, "attopotts_input_error")
expect_identical(e$status, "ATP_E_NOT_FINITE")
expect_identical(as.character(conditionCall(e))[1], "atp_model_dense")
expect_true(grepl("couplings", conditionMessage(e)))
e <- caught(atp_read_alignment("no-such-file.fasta", "protein"))
expect_inherits(e, "attopotts_file_error")
expect_true(grepl("no-such-file.fasta", conditionMessage(e)))
expect_error(atp_read_model("no-such-file.h5"), class = "attopotts_file_error")
expect_error(atp_trainer(data, heads = 0), "ATP_E_OPTION_RANGE")
expect_error(atp_trainer(data, heads = 1.5), "ATP_E_OPTION_RANGE")
expect_error(atp_trainer(data, heads = NaN), "ATP_E_NOT_FINITE")
expect_error(atp_trainer(data, head = 2), "no option \"head\" here")
expect_error(atp_trainer(data, chains = 2), "no option \"chains\" here")
expect_error(atp_trainer(data, heads = c(1, 2)), "expected one number")
expect_error(atp_trainer(data, 2), "an option without a name")
expect_error(atp_trainer(data, map = "round"), "expected one of \"free\", \"softmax\", \"lowrank\"")
expect_error(atp_trainer(truth), "expected atp_alignment")
expect_error(atp_trainer("data"), "alignment is character, expected atp_alignment")
expect_error(atp_replica_limit(1.5, 1, 0), "ATP_E_VALUE")
expect_error(atp_replica_limit(2.5, "1", 0), "alphas is character")
expect_error(atp_replica_limit(2.5, NA, 0), "ATP_E_NOT_FINITE")
expect_error(atp_replica_goe(1e9, 3), "ATP_E_VALUE")
expect_error(atp_enumerate(atp_model_random(40, 10), probabilities = TRUE), "ATP_E_TOO_LARGE")
expect_error(atp_set_weights(data, 1:3), "ATP_E_SHAPE")
expect_error(atp_set_weights(data, rep(NaN, 200)), "ATP_E_NOT_FINITE")
expect_error(atp_model_heads(matrix(0, 3, 3), matrix(0, 2, 3)), "values has shape 1 x 2 x 3")
expect_error(atp_model_heads(matrix(1, 3, 3), matrix(0, 2, 2)), "ATP_E_SYMMETRY")
expect_error(atp_model_dense(matrix(0, 3, 3)), "couplings has shape 3 x 3")
expect_error(atp_model_random(-1, 5), "ATP_E_VALUE")
expect_error(atp_model_random(2.5, 5), "expected a whole number")
expect_error(atp_model_random(2^60, 5), "2\\^53")
expect_error(atp_model_random("10", 5), "sites is a character of length 1, expected one number")
expect_error(atp_model_random(1:2, 5), "of length 2, expected one number")
expect_error(atp_model_random(NA, 5), "ATP_E_VALUE")
expect_error(atp_set_beta(truth, NA_real_), "ATP_E_NOT_FINITE")
expect_error(atp_apc(1:3), "expected a square matrix")
expect_error(atp_set_simd("mmx"), "ATP_E_UNSUPPORTED", class = "attopotts_library_error")
expect_error(atp_set_threads(-1), "ATP_E_VALUE")
expect_error(atp_load_state(atp_sampler(truth), as.raw(1:10)), "ATP_E_FORMAT")
state <- atp_save_state(atp_sampler(truth, chains = 2))
state[length(state) - 20L] <- xor(state[length(state) - 20L], as.raw(1))
expect_error(atp_load_state(atp_sampler(truth, chains = 2), state), "ATP_E_CHECKSUM")
expect_error(atp_load_state(atp_sampler(truth, chains = 3), atp_save_state(atp_sampler(truth, chains = 2))),
             "ATP_E_MISMATCH")
expect_error(data[c(1, 2, 4)], "equal steps")
expect_error(atp_select(data, 0, 5), "indices count from 1")
expect_error(atp_select(data, 190, 50), "ATP_E_VALUE")

# ---- colours count from 1 ----
expect_error(atp_alignment(rbind(c(1, 9), c(1, 1)), colors = 4), "sequences\\[1, 2\\] is 9, expected 1..4")
expect_error(atp_alignment(rbind(c(1, 2), c(0, 1)), colors = 4), "sequences\\[2, 1\\] is 0.*colours count from 1")
expect_error(atp_alignment(rbind(c(1, 2.5))), "is 2.5")
expect_error(atp_alignment(rbind(c(1, NA)), colors = 4), "sequences\\[1, 2\\] is NA")
expect_error(atp_alignment(matrix("A", 2, 2), colors = 4), "expected a matrix of integers")
expect_error(atp_alignment(rbind(c(1, 2)), colors = 1000), "ATP_E_VALUE")
expect_error(atp_energies(truth, matrix(1L, 2, 5)), "has 5 columns, expected 6")
expect_error(atp_energies(truth, matrix(5L, 2, 6)), "is 5, expected 1..4")
expect_error(atp_energies(truth, array(1L, c(1, 2, 3))), "not a matrix")
expect_true(is.finite(atp_energies(truth, rep(NA, 5 + 1) * 1L)))

# ---- closed handles ----
closed <- atp_copy(truth)
expect_true(atp_is_open(closed))
atp_close(closed)
atp_close(closed)
expect_false(atp_is_open(closed))
e <- caught(atp_energies(closed, rep(1, 6)))
expect_identical(e$status, "ATP_E_NULL")
expect_true(grepl("closed", conditionMessage(e)))
expect_error(atp_sampler(closed), "closed")
expect_stdout(print(closed), "closed")
# What comes back from a file of R's has no handle in it.
file <- tempfile()
saveRDS(truth, file)
expect_error(atp_beta(readRDS(file)), "another R session")
unlink(file)

# ---- what a handle needs outlives it ----
context <- atp_context(threads = 1)
model <- atp_model_random(5, 3, context = context)
atp_close(context)
rm(context)
invisible(gc())
expect_identical(length(atp_energies(model, rep(1, 5))), 1L)
trainer <- atp_trainer(atp_alignment(atp_sequences(data), colors = 4), test = data[1:50], truth = atp_copy(truth),
                       epochs = 5)
invisible(gc())
atp_train(trainer)
expect_true(is.finite(atp_history(trainer)$test_loss[1]) && is.finite(atp_history(trainer)$coupling_error[1]))

# ---- memory comes back, after errors too ----
context <- atp_context(threads = 1)
before <- atp_memory(context)[["bytes"]]
work <- function() {
  model <- atp_model_random(8, 4, context = context)
  sampler <- atp_sampler(model, context = context)
  samples <- atp_alignment(atp_sample(sampler, 64), colors = 4, context = context)
  trainer <- atp_trainer(samples, context = context, epochs = 2)
  atp_train(trainer)
  atp_model(trainer)
  caught(atp_trainer(samples, heads = 0, context = context))
  caught(atp_alignment(rbind(1:2), colors = 2, weights = -1, context = context))
  caught(atp_train(trainer, progress = function(p) stop("no")))
  caught(atp_sweep(sampler, 1e9, progress = function(p) stop("no")))
  caught(atp_tune_beta(model, 0.4, progress = function(p) stop("no"), context = context))
  caught(atp_model_heads(matrix(NaN, 3, 3), matrix(0, 2, 2), context = context))
}
for (k in 1:3) work()
invisible(gc())
expect_identical(atp_memory(context)[["bytes"]], before)

# ---- reports and stopping ----
trainer <- atp_trainer(data, epochs = 50, tolerance = 1e-12, test = data, truth = truth)
seen <- list()
outcome <- atp_train(trainer, progress = function(report) {
  seen[[length(seen) + 1L]] <<- report
  report$step >= 3
})
expect_identical(outcome, "cancelled")
expect_identical(length(seen), 3L)
expect_identical(atp_epochs(trainer), 3)
expect_true(all(c("train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm") %in% names(seen[[1]])))
expect_false("energy" %in% names(seen[[1]]))
expect_true(atp_train(trainer, 10) %in% c("cancelled", "converged", "max_iter", "stalled"))
history <- atp_history(trainer)
expect_identical(history$step, as.double(seq_len(nrow(history))))
expect_identical(history$train_loss[1:3], sapply(seen, `[[`, "train_loss"))
expect_false(is.unsorted(history$seconds))
# Only TRUE stops: what an assignment or cat() gives does not.
losses <- numeric()
trainer <- atp_trainer(data, epochs = 4, tolerance = 1e-12)
atp_train(trainer, progress = function(report) losses <<- c(losses, report$train_loss))
expect_identical(length(losses), 4L)
atp_request_stop(trainer)
expect_error(atp_train(trainer, progress = "no"), "expected a function or NULL")
expect_error(atp_train(trainer, -1), "ATP_E_VALUE")

# ---- a callback that fails: its own error, and training goes on afterwards ----
trainer <- atp_trainer(data, epochs = 50, tolerance = 1e-12)
mine <- structure(class = c("mine", "error", "condition"), list(message = "from the callback", call = NULL))
e <- caught(atp_train(trainer, progress = function(report) stop(mine)))
expect_identical(e, mine)
expect_identical(atp_epochs(trainer), 1)
expect_identical(nrow(atp_history(trainer)), 1L)
atp_train(trainer, 1)
expect_identical(atp_epochs(trainer), 2)
# Every other way out: a restart, a return to an outer function, a message that is handled outside.
expect_identical(withRestarts(atp_train(trainer, progress = function(report) invokeRestart("out", 7)),
                              out = function(x) x), 7)
expect_identical(callCC(function(out) atp_train(trainer, progress = function(report) out(8))), 8)
expect_identical(tryCatch(atp_train(trainer, progress = function(report) message("x")), message = function(m) 9), 9)
expect_identical(atp_epochs(trainer), 5)
heard <- 0
withCallingHandlers(atp_train(trainer, 2, progress = function(report) warning("careful")), warning = function(w) {
  heard <<- heard + 1
  invokeRestart("muffleWarning")
})
expect_identical(heard, 2)
# A callback may use the library.
atp_train(trainer, 2, progress = function(report) atp_epochs(trainer) < 0 || is.na(atp_loss(atp_model(trainer), data)))
expect_identical(atp_epochs(trainer), 9)

# ---- interrupts: the call ends at the next step, the state is kept, the run goes on ----
if (.Platform$OS.type == "unix") {
  interrupt <- function(report) {
    if (report$step == 2) tools::pskill(Sys.getpid(), tools::SIGINT)
    FALSE
  }
  trainer <- atp_trainer(data, epochs = 1000, tolerance = 0)
  how <- tryCatch(atp_train(trainer, progress = interrupt), interrupt = function(i) "interrupted")
  expect_identical(how, "interrupted")
  expect_true(atp_epochs(trainer) %in% 2:4)
  expect_identical(nrow(atp_history(trainer)), as.integer(atp_epochs(trainer)))
  before <- atp_epochs(trainer)
  atp_train(trainer, 3)
  expect_identical(atp_epochs(trainer), before + 3)
  same <- atp_trainer(data, epochs = 1000, tolerance = 0)
  atp_train(same, before + 3)
  expect_identical(atp_parameters(trainer), atp_parameters(same))
  # A long run, and a signal from outside.
  sampler <- atp_sampler(atp_model_random(64, 20, seed = 1), chains = 64)
  how <- tryCatch({
    system(paste0("(sleep 1; kill -INT ", Sys.getpid(), ")"), wait = FALSE)
    atp_sweep(sampler, 1e9, progress = function(report) report$seconds > 20)
  }, interrupt = function(i) class(i)[1])
  expect_identical(how, "attopotts_interrupt")
  expect_true(atp_sweeps(sampler) > 0 && atp_sweeps(sampler) < 1e9)
  expect_identical(atp_sweep(sampler, 5), "converged")
}

# ---- messages ----
file <- tempfile(fileext = ".fasta")
writeLines(c(">a", "ACDX", ">b", "ACDE"), file)
heard <- character()
read <- withCallingHandlers(atp_read_alignment(file, alphabet = "-ACDE"), attopotts_log = function(m) {
  heard <<- c(heard, conditionMessage(m))
  tryInvokeRestart(if (inherits(m, "message")) "muffleMessage" else "muffleWarning")
})
expect_true(any(grepl("X", heard)))
expect_identical(atp_names(read), c("a", "b"))
expect_identical(atp_sequences(read), rbind(c(2L, 3L, 4L, 1L), c(2L, 3L, 4L, 5L)))
expect_error(atp_read_alignment(file, alphabet = "-ACDE", unknown = "error"), "ATP_E_ALPHABET.*X")
expect_error(atp_read_alignment(file), "ATP_E_CONFLICT")
writeLines(c(">a", "ACD", ">b", "AC"), file)
expect_error(atp_read_alignment(file, alphabet = "-ACDE"), basename(file), class = "attopotts_input_error")
# ---- files ----
atp_set_alphabet(data, "ACDE")
atp_write_alignment(data[1:10], file, "fasta")
expect_identical(atp_file_kind(file), "fasta")
expect_identical(atp_sequences(atp_read_alignment(file, alphabet = "ACDE")), atp_sequences(data)[1:10, ])
atp_write_alignment(data, file, "integers")
expect_identical(atp_sequences(atp_read_alignment(file, colors = 4)), atp_sequences(data))
if (atp_has_feature("hdf5")) {
  atp_write_alignment(data, file)
  expect_identical(atp_sequences(atp_read_alignment(file)), atp_sequences(data))
  atp_write_model(truth, file)
  expect_identical(atp_maps(atp_read_model(file)), atp_maps(truth))
  expect_identical(atp_file_kind(file), "model")
}
unlink(file)

# ---- printing, summaries, pictures ----
pdf(NULL)
trainer <- atp_trainer(data, test = data, truth = truth, epochs = 10)
expect_error(plot(trainer), "has not run")
atp_train(trainer)
model <- atp_model(trainer)
contacts <- atp_contacts(model, separation = 1)
curve <- atp_replica_limit(2.5, c(0.5, 1, 2), 0.01)
simulated <- atp_replica_simulate(atp_replica_mask_precision(atp_replica_goe(20, 2.5)), c(0.5, 2), 0.01, 5)
shown <- list(atp_context(threads = 1), data, truth, atp_sampler(truth, temperatures = 2),
              atp_sample(atp_sampler(truth), 3), trainer,
              contacts, curve, simulated)
for (x in shown) expect_stdout(print(x), ".")
for (x in shown[-c(1, 5)]) expect_stdout(print(summary(x)), ".")
expect_silent(plot(trainer))
expect_silent(plot(model))
expect_silent(plot(contacts))
expect_silent(plot(contacts, 3, distances = matrix(5, 6, 6)))
expect_silent(plot(curve))
expect_silent(plot(simulated))
invisible(dev.off())

# ---- options, versions ----
table <- atp_option_table()
expect_true(all(c("seed", "l2_couplings", "format") %in% table$name))
expect_identical(table$words[table$name == "map"], "free softmax lowrank")
expect_true(atp_version() >= "0.1.0")
expect_true("scalar" %in% atp_simd_targets())
expect_true(is.logical(atp_has_feature("openmp")) && !atp_has_feature("no such thing"))
expect_true(nzchar(atp_blas_description()))
context <- atp_context(threads = 2, simd = "scalar")
expect_identical(atp_simd(context), "scalar")
expect_true(atp_threads(context) %in% 1:2)
caught(atp_set_simd("mmx", context))
expect_true(grepl("mmx", atp_last_error(context)))
