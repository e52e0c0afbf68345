# SPDX-License-Identifier: MIT

atp_sampler <- function(model, ..., context = NULL) {
  .made(.Call(C_sampler_create, .context(context), model, .options(...)), "atp_sampler", model, ...)
}

atp_sampler_bytes <- function(model, ...) .Call(C_sampler_bytes, model, .options(...))

atp_sweep <- function(sampler, sweeps, progress = NULL) {
  invisible(.ended(.Call(C_sampler_sweep, sampler, sweeps, progress))$outcome)
}

atp_sample <- function(sampler, n, thin = 1, energies = FALSE, progress = NULL) {
  result <- .ended(.Call(C_sampler_sample, sampler, n, thin, progress))
  found <- if (energies) .Call(C_sampler_sequence_energies, sampler, result$sequences)
  structure(list(sequences = result$sequences, energies = found, outcome = result$outcome), class = "atp_samples")
}

as.matrix.atp_samples <- function(x, ...) x$sequences

print.atp_samples <- function(x, ...) {
  .say("<atp_samples: ", nrow(x$sequences), " sequences of ", ncol(x$sequences), " sites, ", x$outcome, ">")
  invisible(x)
}

.sampler_info <- function(sampler) .info(sampler, c("chains", "sites", "temperatures", "sweeps"))

atp_sweeps <- function(sampler) .Call(C_sampler_sweeps, sampler)

atp_start <- function(sampler, sequences = NULL) {
  if (is.null(sequences)) .change(sampler, "start_random", "atp_sampler")
  else .change(sampler, "start_from", c("atp_sampler", "atp_sampling"), .rows(sequences))
}

# Masks travel as colours do, which count from 1.
.mask <- function(allowed) .rows(allowed, "allowed") + 1L

atp_restrict <- function(x, allowed) .change(x, "restrict", c("atp_sampler", "atp_sampling"), .mask(allowed))

# NULL is the target.
.rung <- function(sampler, rung) if (is.null(rung)) .Call(C_sampler_temperatures, sampler) else rung

atp_states <- function(sampler, rung = NULL) .Call(C_sampler_states, sampler, .rung(sampler, rung))
atp_state_energies <- function(sampler, rung = NULL) .Call(C_sampler_energies, sampler, .rung(sampler, rung))

atp_betas <- function(sampler) .Call(C_sampler_betas, sampler)
atp_set_betas <- function(sampler, betas) .change(sampler, "set_betas", "atp_sampler", .numbers(betas, "betas"))
atp_swap_rates <- function(sampler) .Call(C_sampler_swap_rates, sampler)

.fields.atp_sampler <- function(x) {
  list(betas = atp_betas, states = atp_states, energies = atp_state_energies, sweeps = atp_sweeps, swap_rates = atp_swap_rates)
}

.told.atp_sampler <- function(x) {
  info <- .sampler_info(x)
  chains <- if (info$temperatures > 1) paste(" ladders of", info$temperatures, "temperatures") else " chains"
  paste0(info$chains, chains, ", ", info$sites, " sites, ", info$sweeps, " sweeps made")
}

summary.atp_sampler <- function(object, ...) {
  structure(c(.sampler_info(object), list(betas = atp_betas(object), swap_rates = atp_swap_rates(object),
                                          energies = atp_state_energies(object))), class = "summary.atp_sampler")
}

print.summary.atp_sampler <- function(x, ...) {
  .say("Sampler of ", x$chains, if (x$temperatures > 1) " ladders" else " chains", ", ", x$sites, " sites, ", x$sweeps, " sweeps made")
  .say("  beta          ", .span(x$betas, digits = 4L, trim = TRUE), " (", x$temperatures, ")")
  if (x$temperatures > 1) .say("  swaps         ", .span(x$swap_rates, digits = 2L), " accepted")
  .say("  energies now  ", format(mean(x$energies), digits = 5L), " on average")
  invisible(x)
}

atp_tune_beta <- function(model, target = 0.3, ..., progress = NULL, context = NULL) {
  context <- .context(context)
  table <- .Call(C_table_create, context, .atp_table_kind[["TUNING"]], 1)
  .ended(.Call(C_tune_beta, context, model, .options(...), target, table, progress))
  as.list(.table(table))
}

atp_estimate_log_z <- function(model, ..., progress = NULL, context = NULL) {
  context <- .context(context)
  table <- .Call(C_table_create, context, .atp_table_kind[["PARTITION"]], 1)
  .ended(.Call(C_estimate_log_z, context, model, .options(...), table, progress))
  as.list(.table(table))
}

# A column for every chain.
.chains <- function(series) {
  if (is.matrix(series)) array(.numbers(series, "series"), dim(series)) else matrix(.numbers(series, "series"))
}

atp_autocorrelation_time <- function(series) {
  stats::setNames(unlist(.Call(C_autocorrelation_time, .chains(series))), c("tau", "error"))
}

atp_chain_mixing <- function(series, context = NULL) {
  found <- .Call(C_chain_mixing, .context(context), .chains(series))
  found <- stats::setNames(as.list(found), tolower(names(.atp_mixing_column)))
  found$outcome <- tolower(names(.atp_outcome))[match(found$outcome, .atp_outcome)]
  found
}

# NULL is none.
.reference <- function(reference) if (!is.null(reference)) .rows(reference, "reference")

atp_measure <- function(sampler, reads, thin = 1, reference = NULL, progress = NULL) {
  .Call(C_sampler_set_reference, sampler, .reference(reference))
  k <- .Call(C_sampler_temperatures, sampler)
  sites <- .Call(C_sampler_sites, sampler)
  width <- 1 + sites %/% 128
  rungs <- .Call(C_table_create, .context(NULL), .atp_table_kind[["RUNGS"]], k)
  overlaps <- .Call(C_table_create, .context(NULL), .atp_table_kind[["OVERLAPS"]], k * ((sites + width) %/% width))
  .ended(.Call(C_sampler_measure, sampler, reads, thin, rungs, overlaps, progress))
  list(rungs = .table(rungs), overlaps = .table(overlaps))
}

atp_enumerate_rungs <- function(model, betas, reference = NULL, context = NULL) {
  table <- .Call(C_table_create, .context(context), .atp_table_kind[["RUNGS"]], length(betas))
  .Call(C_model_enumerate_rungs, model, .numbers(betas, "betas"), .reference(reference), table)
  .table(table)
}

atp_split_rhat <- function(series) .Call(C_split_rhat, .chains(series))
atp_overlap_rhat <- function(sequences, chains, context = NULL) {
  .Call(C_overlap_rhat, .context(context), .rows(sequences), chains)
}

atp_hamming_histogram <- function(sequences) {
  structure(.Call(C_hamming_histogram, .rows(sequences)), class = "atp_hamming")
}

print.atp_hamming <- function(x, ...) {
  .say("<atp_hamming: ", sum(x$counts), " pairs, mean distance ", format(x$mean), " of the sites>")
  invisible(x)
}

.runner <- c("atp_sampler", "atp_sampling", "atp_trainer")

atp_save_state <- function(x) .tell(x, "save_state", .runner)

atp_load_state <- function(x, state) {
  .change(x, "load_state", .runner, state)
  invisible(if (inherits(x, "atp_trainer")) .forget(x, atp_epochs(x)) else x)
}

atp_write_state <- function(x, path, context = NULL) {
  .Call(C_file_write, .context(context), .path(path), atp_save_state(x))
  invisible(x)
}

atp_read_state <- function(x, path, context = NULL) atp_load_state(x, .Call(C_file_read, .context(context), .path(path)))

atp_request_stop <- function(x) .change(x, "request_stop", c(.runner, "atp_context"))

atp_clear_stop <- function(context = NULL) invisible(.Call(C_context_clear_stop, .context(context)))

atp_stop_requested <- function(context = NULL) .Call(C_context_stop_requested, .context(context)) != 0
