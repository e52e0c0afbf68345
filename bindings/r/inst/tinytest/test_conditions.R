# SPDX-License-Identifier: MIT
# Errors, callbacks, interrupts, memory, messages, printing.
library(attopotts)

truth <- atp_model_random(sites = 6, colors = 4, seed = 3)
data <- atp_alignment(atp_sample(atp_sampler(truth, chains = 16), 200, thin = 2), colors = 4)
network <- atp_trainer(data, family = "encoder", width = 6, epochs = 20)

caught <- function(expression) tryCatch(expression, error = identity)

# Each call ends in an error with this text.
refused <- function(pattern, ...) {
  home <- parent.frame()
  for (call in eval(substitute(alist(...)))) expect_error(eval(call, home), pattern, info = deparse(call)[1])
}

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
# Without MPI: the library of ranks is not there, or finds that MPI does not run.
refused("ATP_E_UNSUPPORTED.*libattopotts_mpi|ATP_E_STAGE.*MPI is not initialised", atp_set_ranks(0L))
expect_null(atp_set_ranks(NULL))
expect_equal(c(atp_rank_number(), atp_rank_count()), c(0, 1))
expect_identical(c(atp_rank_any(TRUE), atp_rank_any(FALSE)), c(TRUE, FALSE))
expect_null(atp_rank_fail("nobody hears this"))
expect_identical(atp_rank_traffic(), c(calls = 0, sent = 0, received = 0, seconds = 0))
expect_inherits(caught(attopotts:::.wrong("E_RANK", "another")), "attopotts_rank_error")
expect_error(atp_set_simd("mmx"), "ATP_E_UNSUPPORTED", class = "attopotts_library_error")
# What is no option, out of range, not finite or no number; what is of another kind or shape.
refused("an option without a name", atp_trainer(data, 2))
refused("no option \"head\" here", atp_trainer(data, head = 2))
refused("ATP_E_OPTION: (a trainer|the task DOTATTN_TOKENS) has no option beta: a sampler has it", atp_trainer(data, beta = 2),
        atp_dotattn_tokens(1, beta = 2))
refused("ATP_E_OPTION_RANGE", atp_trainer(data, heads = 0), atp_trainer(data, heads = 1.5), atp_trainer(data, family = "encoder", width = -1))
refused("ATP_E_OPTION_RANGE.*shift", atp_replica_limit(1.5, 1, 0))
refused("ATP_E_OPTION_RANGE.*omega", atp_dotattn_tokens(1, omega = 2))
refused("ATP_E_OPTION_RANGE.*seed", atp_dotattn_simulate(1, seed = -1))
refused("ATP_E_OPTION_RANGE.*steps", atp_dotattn_simulate(1, steps = 0.5))
refused("ATP_E_NOT_FINITE", atp_trainer(data, heads = NaN), atp_replica_limit(2.5, NA, 0), atp_dotattn_curve(NaN),
        atp_set_weights(data, rep(NaN, 200)), atp_set_beta(truth, NA_real_))
refused("expected one number", atp_trainer(data, heads = c(1, 2)), atp_dotattn_tokens(1, omega = 1:2))
refused("is character of length 1, expected one number", atp_dotattn_tokens(1, omega = "1"))
refused("sites is a character of length 1, expected one number", atp_model_random("10", 5))
refused("of length 2, expected one number", atp_model_random(1:2, 5))
refused("expected a whole number", atp_model_random(2.5, 5))
refused("2\\^53", atp_model_random(2^60, 5))
refused("alphas is character", atp_replica_limit(2.5, "1", 0), atp_dotattn_simulate("1"))
refused("expected one of \"free\", \"softmax\", \"lowrank\"", atp_trainer(data, map = "round"))
refused("expected one of \"factored\", \"dense\", \"encoder\", \"dial\"", atp_trainer(data, family = "decoder"))
refused("expected one of \"semantic\", \"positional\", \"uninformed\"", atp_dotattn_curve(1, "both"))
refused("expected one of \"semantic\"", atp_dotattn_simulate(1, start = "cold"))
refused("alignment is character, expected atp_alignment", atp_trainer("data"))
refused("expected atp_alignment", atp_trainer(truth))
refused("ATP_E_UNSUPPORTED: family is encoder", atp_set_values(network, diag(4)), atp_start_wide(network, 4))
refused("expected atp_trainer", atp_parameters(data), atp_train("data"), atp_history(data))
refused("expected atp_model", atp_energies(atp_sampling(truth, 10), rep(1, 6)))
refused("ATP_E_VALUE", atp_replica_goe(1e9, 3), atp_model_random(-1, 5), atp_model_random(NA, 5), atp_set_threads(-1),
        atp_select(data, 190, 50), atp_alignment(rbind(c(1, 2)), colors = 1000), atp_gradient(network, rep(7, 200)),
        atp_dotattn_transition(1.5), atp_dotattn_linear(sigma = 0), atp_dotattn_tokens(1, points = 100))
refused("ATP_E_SHAPE", atp_set_weights(data, 1:3), atp_set_parameters(network, 1:3), atp_gradient(network, 1:2),
        atp_dotattn_curve(1, teacher = diag(3)))
refused("values has shape 1 x 2 x 3", atp_model_heads(matrix(0, 3, 3), matrix(0, 2, 3)))
refused("couplings has shape 3 x 3", atp_model_dense(matrix(0, 3, 3)))
refused("expected a square matrix", atp_apc(1:3))
refused("teacher is of 2 tokens, must be of 3", atp_dotattn_tokens(1, c(1, 0, -1)))
refused("ATP_E_SYMMETRY", atp_model_heads(matrix(1, 3, 3), matrix(0, 2, 2)))
refused("ATP_E_TOO_LARGE", atp_enumerate(atp_model_random(40, 10), probabilities = TRUE))
refused("ATP_E_CONFLICT", atp_trainer(data, family = "encoder", heads = 2))
refused("ATP_E_UNSUPPORTED", atp_model(network), atp_model(atp_trainer(data, family = "dial", dial = 0.5)))
refused("no sequence", data[1e6], data["unknown"], data[NA], data[c(1, NA)])
refused("truth values", data[rep(TRUE, 1e4)])
refused("columns are not taken", data[1, 2])
refused("n is", data[0], data[integer()], atp_sample_rows(data, 1e6), atp_sample_rows(data, 0))
refused("expected a whole number", atp_sample_rows(data, 2.5))
refused("expected atp_alignment", atp_sample_rows(truth, 2))
other <- atp_alignment(matrix(1L, 4, 5), colors = 4)
for (use in list(atp_loss, atp_attention_maps, atp_set_test)) refused("ATP_E_SHAPE", use(network, other))
# States that are damaged, or of another run.
state <- atp_save_state(atp_sampler(truth, chains = 2))
damaged <- replace(state, length(state) - 20L, xor(state[length(state) - 20L], as.raw(1)))
refused("ATP_E_FORMAT", atp_load_state(atp_sampler(truth), as.raw(1:10)))
refused("ATP_E_CHECKSUM", atp_load_state(atp_sampler(truth, chains = 2), damaged))
refused("ATP_E_MISMATCH", atp_load_state(atp_sampler(truth, chains = 3), state),
        atp_load_state(atp_trainer(data, family = "encoder", width = 8, epochs = 20), atp_save_state(network)))
refused("ATP_E_", atp_load_state(network, atp_save_state(atp_trainer(data))))

# ---- colours, sequences and sites count from 1 ----
refused("sequences\\[1, 2\\] is 9, expected 1..4", atp_alignment(rbind(c(1, 9), c(1, 1)), colors = 4))
refused("sequences\\[2, 1\\] is 0.*colours count from 1", atp_alignment(rbind(c(1, 2), c(0, 1)), colors = 4))
refused("is 2.5", atp_alignment(rbind(c(1, 2.5))))
refused("sequences\\[1, 2\\] is NA", atp_alignment(rbind(c(1, NA)), colors = 4))
refused("is NA", atp_conditionals(network, rep(NA, 6) * 1))
refused("expected a matrix of integers", atp_alignment(matrix("A", 2, 2), colors = 4))
refused("has 5 columns, expected 6", atp_energies(truth, matrix(1L, 2, 5)), atp_conditionals(network, matrix(1L, 2, 5)))
refused("is 5, expected 1..4", atp_energies(truth, matrix(5L, 2, 6)), atp_conditionals(network, rep(5, 6)))
refused("not a matrix", atp_energies(truth, array(1L, c(1, 2, 3))))
refused("indices count from 1", atp_select(data, 0, 5))
refused("sites count from 1", atp_gradient(network, rep(0, 200)))
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
refused("closed", atp_sampler(closed))
expect_stdout(print(closed), "closed")

# ---- what a handle needs outlives it ----
context <- atp_context(threads = 1)
model <- atp_model_random(5, 3, context = context)
atp_close(context)
rm(context)
invisible(gc())
expect_identical(length(atp_energies(model, rep(1, 5))), 1L)
trainer <- atp_trainer(atp_alignment(atp_sequences(data), colors = 4), test = data[1:50], truth = atp_copy(truth), epochs = 5)
invisible(gc())
atp_train(trainer)
expect_true(is.finite(atp_history(trainer)$test_loss[1]) && is.finite(atp_history(trainer)$coupling_error[1]))

kept <- atp_trainer(atp_alignment(atp_sequences(data), colors = 4), family = "encoder", test = data[1:50], width = 4, epochs = 3)
invisible(gc())
atp_train(kept)
expect_true(all(is.finite(atp_history(kept)$test_loss)) && is.finite(atp_loss(kept, data)))
expect_stdout(print(kept), "<atp_trainer: .* parameters, 3 epochs done, max_iter>")
expect_stdout(print(summary(kept)), "Trainer of")
atp_close(kept)
expect_stdout(print(kept), "<atp_trainer, closed>")
for (use in list(atp_train, atp_parameters, atp_parts, atp_save_state)) refused("closed", use(kept))
refused("closed", atp_loss(kept, data))

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
  no <- function(report) stop("no")
  caught(atp_train(trainer, progress = no))
  caught(atp_sweep(sampler, 1e9, progress = no))
  caught(atp_tune_beta(model, 0.4, progress = no, context = context))
  caught(atp_model_heads(matrix(NaN, 3, 3), matrix(0, 2, 2), context = context))
  if (atp_has_feature("lapack"))
    atp_replica_simulate(atp_replica_mask_precision(diag(3), context = context), 1, 0.1, 2, context = context)
  caught(atp_dotattn_simulate(1, dimension = 9, runs = 1, progress = no, context = context))
}
for (k in 1:3) work()
kept <- atp_trainer(data, family = "encoder", width = 6, context = context)
invisible(gc())
expect_identical(atp_memory(context)[["bytes"]] - before, atp_trainer_bytes(200, 6, 4, family = "encoder", width = 6))
rm(kept)
invisible(gc())
expect_identical(atp_memory(context)[["bytes"]], before)

# ---- a memory limit ----
expect_identical(atp_memory_limit(context)[["limit"]], 0)
expect_true(atp_memory_limit(context)[["available"]] > 0)
atp_set_memory_limit(before + 10000, context)
expect_identical(atp_memory_limit(context)[["available"]], 10000)
expect_error(atp_model_random(100, 4, context = context), "ATP_E_MEMORY")
atp_set_memory_limit(0, context)
expect_inherits(atp_model_random(100, 4, context = context), "atp_model")

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
refused("expected a function or NULL", atp_train(trainer, progress = "no"))
refused("ATP_E_VALUE", atp_train(trainer, -1))

# ---- a callback that fails: its own error, and training goes on afterwards ----
mine <- structure(class = c("mine", "error", "condition"), list(message = "from the callback", call = NULL))
fails <- function(report) stop(mine)
trainer <- atp_trainer(data, epochs = 50, tolerance = 1e-12)
for (learner in list(trainer, network)) {
  expect_identical(caught(atp_train(learner, progress = fails)), mine)
  expect_identical(c(atp_epochs(learner), nrow(atp_history(learner))), c(1, 1))
  atp_train(learner, 1)
  expect_identical(atp_epochs(learner), 2)
  # Every other way out: a restart, a return to an outer function, a message that is handled outside.
  expect_identical(withRestarts(atp_train(learner, progress = function(report) invokeRestart("out", 7)), out = identity), 7)
  expect_identical(callCC(function(out) atp_train(learner, progress = function(report) out(8))), 8)
  expect_identical(tryCatch(atp_train(learner, progress = function(report) message("x")), message = function(m) 9), 9)
  expect_identical(atp_history(learner)$step, as.double(1:5))
  heard <- 0
  withCallingHandlers(atp_train(learner, 2, progress = function(report) warning("careful")), warning = function(w) {
    heard <<- heard + 1
    invokeRestart("muffleWarning")
  })
  expect_identical(heard, 2)
  # A callback may use the library.
  learned <- function() if (is.na(match("tokens", names(atp_parts(learner))))) atp_model(learner) else learner
  atp_train(learner, 2, progress = function(report) atp_epochs(learner) < 0 || is.na(atp_loss(learned(), data)))
  expect_identical(atp_epochs(learner), 9)
  expect_identical(atp_train(learner, progress = function(report) report$step >= 11), "cancelled")
}
atp_request_stop(network)
expect_identical(atp_train(network), "cancelled")

# ---- interrupts: the call ends at the next step, the state is kept, the run goes on ----
if (.Platform$OS.type == "unix") {
  interrupted <- function(learner, step) tryCatch(atp_train(learner, progress = function(report) {
    if (report$step == step) tools::pskill(Sys.getpid(), tools::SIGINT)
    FALSE
  }), interrupt = function(i) "interrupted")
  expect_identical(interrupted(network, 13), "interrupted")
  expect_true(atp_epochs(network) %in% 13:15)
  expect_identical(atp_train(network), "max_iter")
  trainer <- atp_trainer(data, epochs = 1000, tolerance = 0)
  expect_identical(interrupted(trainer, 2), "interrupted")
  before <- atp_epochs(trainer)
  expect_true(before %in% 2:4)
  expect_identical(nrow(atp_history(trainer)), as.integer(before))
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
  expect_identical(atp_sweep(sampler, 5), "done")
}

# ---- tasks that are stopped ----
stopped <- atp_dotattn_simulate(1, dimension = 100, runs = 4, progress = function(report) TRUE)
expect_identical(attr(stopped, "outcome"), "cancelled")
expect_stdout(print(stopped), "1 points, cancelled")
expect_identical(caught(atp_dotattn_simulate(1, dimension = 100, runs = 2, progress = fails)), mine)
expect_identical(caught(atp_dotattn_curve(1, accuracy = 1, progress = fails)), mine)

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

# ---- a request to a context ----
context <- atp_context(threads = 1)
sampler <- atp_sampler(atp_model_random(10, 4, context = context), context = context)
expect_identical(atp_sweep(sampler, 1e9, progress = function(report) { atp_request_stop(context); FALSE }), "cancelled")
expect_true(atp_stop_requested(context))
expect_identical(atp_sweep(sampler, 5), "cancelled")
atp_clear_stop(context)
expect_false(atp_stop_requested(context))
expect_identical(atp_sweep(sampler, 5), "done")

# ---- printing, summaries, pictures ----
pdf(NULL)
trainer <- atp_trainer(data, test = data, truth = truth, epochs = 10)
expect_error(plot(trainer), "has not run")
atp_train(trainer)
model <- atp_model(trainer)
contacts <- atp_contacts(model, separation = 1)
curve <- atp_replica_limit(2.5, c(0.5, 1, 2), 0.01)
simulated <- curve
if (atp_has_feature("lapack"))
  simulated <- atp_replica_simulate(atp_replica_mask_precision(atp_replica_goe(20, 2.5)), c(0.5, 2), 0.01, 5)
shown <- list(atp_context(threads = 1), data, truth, atp_sampler(truth, temperatures = 2),
              atp_sample(atp_sampler(truth), 3), trainer, contacts, curve, simulated)
for (x in shown) expect_stdout(print(x), ".")
expect_stdout(print(atp_sampling(truth, 10)), "<atp_sampling: open>")
for (x in shown[-c(1, 5)]) expect_stdout(print(summary(x)), ".")
for (x in list(trainer, network, model, contacts, curve, simulated)) expect_silent(plot(x))
expect_silent(plot(contacts, 3, distances = matrix(5, 6, 6)))
invisible(dev.off())

# ---- options, versions ----
table <- atp_option_table()
expect_true(all(c("seed", "l2_couplings", "format", "test_samples") %in% table$name))
expect_identical(unique(table$words[table$name %in% c("map", "branch")]), c("free softmax lowrank", "semantic positional uninformed"))
expect_identical(table$default[table$of == "the task DOTATTN_DYNAMICS" & table$name == "points"], 1024)
expect_true(all(nzchar(table$text)))
expect_true(atp_version() >= "0.1.0")
expect_true("scalar" %in% atp_simd_targets())
expect_true(is.logical(atp_has_feature("threads")) && !atp_has_feature("no such thing"))
expect_true(nzchar(atp_blas_description()))
context <- atp_context(threads = 2, simd = "scalar")
expect_identical(atp_simd(context), "scalar")
expect_true(atp_threads(context) %in% 1:2)
caught(atp_set_simd("mmx", context))
expect_true(grepl("mmx", atp_last_error(context)))
