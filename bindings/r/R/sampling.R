# SPDX-License-Identifier: MIT
# The whole protocol: ladder, burn-in, tests, sequences.

atp_sampling <- function(model, n, ..., context = NULL) {
  options <- .options(c(1L, 5L), list(...))
  .handle(.Call(C_sampling_create, .context(context), .pointer(model, "atp_model"), options$keys, options$values, n),
          "atp_sampling")
}

atp_run <- function(sampling, progress = NULL) {
  pointer <- .pointer(sampling, "atp_sampling")
  outcome <- .ended(.Call(C_sampling_run, pointer, progress, .progress_keys))$outcome
  if (outcome == "cancelled") return(list(alignment = NULL, numbers = NULL, difference = "", outcome = outcome))
  table <- .Call(C_table_create, .context(NULL), .atp_table_kind[["SAMPLING"]], 1)
  on.exit(.Call(C_close, table))
  .Call(C_sampling_report, pointer, table)
  numbers <- .table(table)
  list(alignment = .alignment(.Call(C_sampling_alignment, pointer)),
       numbers = unlist(numbers[names(numbers) != "outcome"]),
       difference = .Call(C_sampling_difference, pointer), outcome = outcome)
}

atp_sample_equilibrium <- function(model, n, ..., progress = NULL, context = NULL) {
  atp_run(atp_sampling(model, n, ..., context = context), progress)
}
