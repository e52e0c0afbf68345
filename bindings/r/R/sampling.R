# SPDX-License-Identifier: MIT
# The whole protocol: ladder, burn-in, tests, sequences.

atp_sampling <- function(model, n, ..., context = NULL) {
  .made(.Call(C_sampling_create, .context(context), model, .options(...), n), "atp_sampling", model, n, ...)
}

atp_run <- function(sampling, progress = NULL) {
  outcome <- .ended(.Call(C_sampling_run, sampling, progress))$outcome
  if (outcome == "cancelled") return(list(alignment = NULL, numbers = NULL, difference = "", outcome = outcome))
  table <- .Call(C_table_create, .context(NULL), .atp_table_kind[["SAMPLING"]], 1)
  on.exit(.Call(C_close, table))
  .Call(C_sampling_report, sampling, table)
  numbers <- .table(table)
  list(alignment = .Call(C_sampling_alignment, sampling), numbers = unlist(numbers[names(numbers) != "outcome"]),
       difference = .Call(C_sampling_difference, sampling), outcome = outcome)
}

.walk <- function(sampling, kind, fill) {
  table <- .Call(C_table_create, .context(NULL), .atp_table_kind[[kind]], .Call(C_sampling_count, sampling))
  on.exit(.Call(C_close, table))
  fill(table)
  .table(table)
}

atp_trajectory <- function(sampling) {
  .walk(sampling, "TRAJECTORY", function(table) .Call(C_sampling_trajectory, sampling, table))
}

atp_forgetting <- function(sampling, independent) {
  .walk(sampling, "FORGETTING", function(table) .Call(C_sampling_forgetting, sampling, .rows(independent, "independent"), table))
}

atp_sample_equilibrium <- function(model, n, ..., progress = NULL, context = NULL) {
  atp_run(atp_sampling(model, n, ..., context = context), progress)
}
