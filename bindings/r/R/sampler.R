# SPDX-License-Identifier: MIT

atp_sampler <- function(model, ..., context = NULL) {
  options <- .options(1L, list(...))
  .handle(.Call(C_sampler_create, .context(context), .pointer(model, "atp_model"), options$keys, options$values),
          "atp_sampler")
}

atp_sampler_bytes <- function(model, ...) {
  options <- .options(1L, list(...))
  .Call(C_sampler_bytes, .pointer(model, "atp_model"), options$keys, options$values)
}

atp_sweep <- function(sampler, sweeps, progress = NULL) {
  invisible(.ended(.Call(C_sampler_sweep, .pointer(sampler, "atp_sampler"), sweeps, progress, .progress_keys))$outcome)
}

atp_sample <- function(sampler, n, thin = 1, energies = FALSE, progress = NULL) {
  pointer <- .pointer(sampler, "atp_sampler")
  result <- .ended(.Call(C_sampler_sample, pointer, n, thin, progress, .progress_keys))
  found <- if (energies) .Call(C_sampler_sequence_energies, pointer, result$sequences)
  structure(list(sequences = result$sequences, energies = found, outcome = result$outcome), class = "atp_samples")
}

as.matrix.atp_samples <- function(x, ...) x$sequences

print.atp_samples <- function(x, ...) {
  cat("<atp_samples: ", nrow(x$sequences), " sequences of ", ncol(x$sequences), " sites, ", x$outcome, ">\n", sep = "")
  invisible(x)
}

.sampler_info <- function(sampler) {
  what <- c("chains", "sites", "temperatures", "sweeps")
  sapply(what, function(name) .tell(sampler, name, "atp_sampler"), simplify = FALSE)
}

atp_sweeps <- function(sampler) .Call(C_sampler_sweeps, .pointer(sampler, "atp_sampler"))

atp_start <- function(sampler, sequences = NULL) {
  pointer <- .pointer(sampler, "atp_sampler")
  if (is.null(sequences)) .Call(C_sampler_start_random, pointer)
  else .Call(C_sampler_start_from, pointer, .rows(sequences))
  invisible(sampler)
}

.target <- function(sampler) .Call(C_sampler_temperatures, .pointer(sampler, "atp_sampler"))

atp_states <- function(sampler, rung = NULL) {
  .Call(C_sampler_states, .pointer(sampler, "atp_sampler"), if (is.null(rung)) .target(sampler) else rung)
}

atp_state_energies <- function(sampler, rung = NULL) {
  .Call(C_sampler_energies, .pointer(sampler, "atp_sampler"), if (is.null(rung)) .target(sampler) else rung)
}

atp_betas <- function(sampler) .Call(C_sampler_betas, .pointer(sampler, "atp_sampler"))
atp_set_betas <- function(sampler, betas) .change(sampler, "set_betas", "atp_sampler", .numbers(betas, "betas"))
atp_swap_rates <- function(sampler) .Call(C_sampler_swap_rates, .pointer(sampler, "atp_sampler"))

print.atp_sampler <- function(x, ...) {
  if (atp_is_open(x)) {
    info <- .sampler_info(x)
    cat("<atp_sampler: ", info$chains, if (info$temperatures > 1) " ladders of " else " chains",
        if (info$temperatures > 1) paste(info$temperatures, "temperatures"), ", ", info$sites, " sites, ", info$sweeps,
        " sweeps made>\n",
        sep = "")
  } else {
    cat("<atp_sampler, closed>\n")
  }
  invisible(x)
}

summary.atp_sampler <- function(object, ...) {
  structure(c(.sampler_info(object), list(betas = atp_betas(object), swap_rates = atp_swap_rates(object),
                                          energies = atp_state_energies(object))), class = "summary.atp_sampler")
}

print.summary.atp_sampler <- function(x, ...) {
  cat("Sampler of ", x$chains, if (x$temperatures > 1) " ladders" else " chains", ", ", x$sites, " sites, ", x$sweeps,
      " sweeps made\n",
      sep = "")
  cat("  beta          ", paste(format(range(x$betas), digits = 4L, trim = TRUE), collapse = " to "), " (",
      x$temperatures, ")\n", sep = "")
  if (x$temperatures > 1) cat("  swaps         ", paste(format(range(x$swap_rates), digits = 2L), collapse = " to "),
                              " accepted\n", sep = "")
  cat("  energies now  ", format(mean(x$energies), digits = 5L), " on average\n", sep = "")
  invisible(x)
}

atp_tune_beta <- function(model, target = 0.3, ..., progress = NULL, context = NULL) {
  options <- .options(1L, list(...))
  context <- .context(context)
  table <- .Call(C_table_create, context, .atp_table_kind[["TUNING"]], 1)
  .ended(.Call(C_tune_beta, context, .pointer(model, "atp_model"), options$keys, options$values, target, table, progress,
               .progress_keys))
  as.list(.table(table))
}

# A column for every chain.
.chains <- function(series) {
  if (is.matrix(series)) array(.numbers(series, "series"), dim(series)) else matrix(.numbers(series, "series"))
}

atp_autocorrelation_time <- function(series) {
  stats::setNames(unlist(.Call(C_autocorrelation_time, .chains(series))), c("tau", "error"))
}

atp_split_rhat <- function(series) .Call(C_split_rhat, .chains(series))
atp_hamming_histogram <- function(sequences) .Call(C_hamming_histogram, .rows(sequences))

.runner <- c("atp_sampler", "atp_sampling", "atp_trainer", "atp_transformer")

atp_save_state <- function(x) .tell(x, "save_state", .runner)

atp_load_state <- function(x, state) {
  .tell(x, "load_state", .runner, state)
  if (inherits(x, .learner)) .forget(x, atp_epochs(x))
  invisible(x)
}

atp_write_state <- function(x, path, context = NULL) {
  .Call(C_file_write, .context(context), .path(path), atp_save_state(x))
  invisible(x)
}

atp_read_state <- function(x, path, context = NULL) {
  atp_load_state(x, .Call(C_file_read, .context(context), .path(path)))
}

atp_request_stop <- function(x) {
  if (inherits(x, "atp_context")) .Call(C_context_request_stop, .context(x)) else .change(x, "request_stop", .runner)
  invisible(x)
}

atp_clear_stop <- function(context = NULL) invisible(.Call(C_context_clear_stop, .context(context)))

atp_stop_requested <- function(context = NULL) .Call(C_context_stop_requested, .context(context)) != 0
