# SPDX-License-Identifier: MIT
# Trainers: factored attention, dense couplings, encoders and dials.

.history_columns <- c("step", "seconds", "train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm", "rate",
                      "objective", "pearson", "slope", "field_error", "pearson_random", "slope_random", "pearson_natural",
                      "slope_natural", "mixing_sweeps", "density", "gain", "pearson_sites", "slope_sites", "pearson_pairs",
                      "slope_pairs", "pearson_test", "slope_test", "site_entropy", "sweeps", "swap_rate", "entropy",
                      "entropy_error", "log_z", "log_z_error", "pearson_test_sites",
                      "slope_test_sites", "pearson_test_pairs", "slope_test_pairs")

# A new one with what is kept of its runs: the reports, a column for each, and how the last run ended.
.with_state <- function(trainer, test, truth) {
  state <- attr(trainer, "state") <- new.env(parent = emptyenv())
  state$history <- matrix(double(), length(.history_columns), 0L, dimnames = list(.history_columns, NULL))
  if (!is.null(test)) atp_set_test(trainer, test)
  if (!is.null(truth)) atp_set_truth(trainer, truth)
  trainer
}

.state_of <- function(trainer) attr(trainer, "state")

# Options of a trainer of a list of pairs.
.dense_options <- function(...) {
  given <- list(...)
  if (is.null(given$family)) given$family <- "dense"
  do.call(.options, given)
}

atp_trainer <- function(alignment, ..., pairs = NULL, test = NULL, truth = NULL, context = NULL) {
  trainer <- if (is.null(pairs)) {
    .Call(C_trainer_create, .context(context), alignment, .options(...))
  } else {
    .Call(C_trainer_create_pairs, .context(context), alignment, .dense_options(...), .pair_list(pairs))
  }
  .with_state(.made(trainer, "atp_trainer", alignment, ..., pairs = pairs), test, truth)
}

atp_trainer_bytes <- function(n, sites, colors, ..., context = NULL) {
  .Call(C_trainer_bytes, .context(context), n, sites, colors, .options(...))
}

atp_trainer_pairs_bytes <- function(alignment, pairs, ...) {
  .Call(C_trainer_pairs_bytes, alignment, .dense_options(...), .pair_list(pairs))
}

atp_pairs <- function(x) t(.tell(x, "pairs", c("atp_model", "atp_trainer"))) + 1

# Training starts afresh, or goes on from an earlier epoch: the reports that follow it are history no more.
.forget <- function(trainer, epochs = 0) {
  state <- .state_of(trainer)
  state$history <- state$history[, state$history["step", ] <= epochs, drop = FALSE]
  state$outcome <- NULL
  invisible(trainer)
}

atp_set_test <- function(trainer, alignment) .change(trainer, "set_test", "atp_trainer", alignment)
atp_set_truth <- function(trainer, model) .change(trainer, "set_truth", "atp_trainer", model)

atp_set_values <- function(trainer, values) {
  values <- .one_head(values)
  .forget(.change(trainer, "set_values", "atp_trainer", .to_c(values, rep(NA, length(dim(values))), "values")))
}

atp_parameters <- function(trainer) .tell(trainer, "parameters", "atp_trainer")

atp_set_parameters <- function(trainer, parameters) {
  .forget(.change(trainer, "set_parameters", "atp_trainer", .numbers(parameters, "parameters")))
}

atp_gradient <- function(trainer, masked_sites = NULL) {
  found <- if (is.null(masked_sites)) .tell(trainer, "gradient", "atp_trainer")
           else .tell(trainer, "masked_gradient", "atp_trainer", .numbers(masked_sites, "masked_sites"))
  found[c("loss", "objective", "gradient")]
}

atp_parts <- function(trainer) {
  parts <- lapply(seq_len(.Call(C_trainer_part_count, trainer)) - 1, function(k) .Call(C_trainer_part, trainer, k))
  stats::setNames(lapply(parts, function(part) seq.int(part$offset + 1, length.out = part$size)),
                  vapply(parts, function(part) part$name, ""))
}

atp_attention_maps <- function(trainer, alignment) .from_c(.Call(C_trainer_maps, trainer, alignment))

atp_start_wide <- function(trainer, heads, iterations = 100, progress = NULL) {
  result <- .Call(C_trainer_start_wide, trainer, heads, iterations, progress)
  .forget(trainer)
  invisible(.ended(result)$outcome)
}

atp_start_model <- function(trainer, model) .forget(.change(trainer, "start_model", "atp_trainer", model))
atp_start_chains <- function(trainer, chains) .forget(.change(trainer, "start_chains", "atp_trainer", chains))
atp_chains <- function(trainer) .tell(trainer, "chains", "atp_trainer")
atp_reintegrate <- function(trainer, tested, adjustments, strength = 0) {
  .forget(.change(trainer, "reintegrate", "atp_trainer", tested, .numbers(adjustments, "adjustments"), strength))
}
atp_start_from <- function(trainer, wide) .forget(.change(trainer, "start_from", "atp_trainer", wide))

atp_train <- function(trainer, epochs = Inf, progress = NULL) {
  .check(trainer, "atp_trainer", "trainer")
  state <- .state_of(trainer)
  # Whatever ends the run - an error of the callback, Ctrl-C - what was reported is kept.
  on.exit({
    rows <- state$rows
    if (!is.null(rows)) {
      rownames(rows) <- names(.progress_keys)
      rows <- rows[.history_columns, , drop = FALSE]
      # Steps count from the start of the training, seconds from the start of the call.
      rows["seconds", ] <- rows["seconds", ] + max(0, state$history["seconds", ])
      state$history <- cbind(state$history, rows)
      state$rows <- NULL
    }
  })
  if (is.numeric(epochs) && identical(as.double(epochs), Inf)) epochs <- 2^40
  result <- .tell(trainer, "run", "atp_trainer", epochs, progress, state)
  state$outcome <- if (!result$interrupted) result$outcome
  invisible(.ended(result)$outcome)
}

atp_history <- function(trainer) {
  .check(trainer, "atp_trainer", "trainer")
  as.data.frame(t(.state_of(trainer)$history))
}

atp_epochs <- function(trainer) .tell(trainer, "epochs", "atp_trainer")
atp_model <- function(trainer) .tell(trainer, "model", "atp_trainer")

.fields.atp_trainer <- function(x) {
  list(parameters = atp_parameters, parts = atp_parts, epochs = atp_epochs, history = atp_history, model = atp_model)
}

# Of the data that it learns from.
nobs.atp_trainer <- function(object, ...) nrow(attr(object, "made")$given[[1L]])
predict.atp_trainer <- function(object, newdata, ...) predict.atp_model(atp_model(object), newdata, ...)
logLik.atp_trainer <- function(object, alignment = attr(object, "made")$given[[1L]], ...) {
  logLik.atp_model(atp_model(object), alignment, ...)
}

.told.atp_trainer <- function(x) {
  paste(c(paste(.tell(x, "parameter_count"), "parameters"), paste(atp_epochs(x), "epochs done"), .state_of(x)$outcome), collapse = ", ")
}

summary.atp_trainer <- function(object, ...) {
  history <- atp_history(object)
  last <- history[nrow(history), , drop = FALSE]
  structure(list(parameters = .tell(object, "parameter_count"), epochs = atp_epochs(object), outcome = .state_of(object)$outcome,
                 last = last[!vapply(last, anyNA, NA)], told = .told(object)), class = "summary.atp_trainer")
}

print.summary.atp_trainer <- function(x, ...) {
  .say("Trainer of ", x$told)
  if (nrow(x$last)) {
    .say("Last report:")
    print(x$last, row.names = FALSE, ...)
  }
  invisible(x)
}

atp_select_penalty <- function(alignment, ..., pairs = NULL, progress = NULL, context = NULL) {
  context <- .context(context)
  table <- .Call(C_table_create, context, .atp_table_kind[["SELECTION"]], 100)
  if (!is.null(pairs)) {
    options <- utils::modifyList(list(family = "dense"), list(...))
    .ended(.Call(C_select_penalty_pairs, alignment, do.call(.options, options), .pair_list(pairs), table, progress))
    path <- .table(table)
    return(structure(path, outcome = if (nrow(path)) "converged" else "cancelled"))
  }
  outcome <- .ended(.Call(C_select_penalty, context, alignment, .options(...), table, progress))$outcome
  structure(.table(table), outcome = outcome)
}

atp_select_folds <- function(alignment, ...) .Call(C_select_folds, alignment, .options(...), nrow(atp_sequences(alignment)))
