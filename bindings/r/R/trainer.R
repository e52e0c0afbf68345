# SPDX-License-Identifier: MIT
# Trainers; and transformers, where they do the same.

.learner <- c("atp_trainer", "atp_transformer")

.history_columns <- c("step", "seconds", "train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm", "rate",
                      "objective")

# A new one with what is kept of its runs: the reports, a column for each, and how the last run ended.
.with_state <- function(learner, test, truth) {
  state <- attr(learner, "state") <- new.env(parent = emptyenv())
  state$history <- matrix(double(), length(.history_columns), 0L, dimnames = list(.history_columns, NULL))
  if (!is.null(test)) atp_set_test(learner, test)
  if (!is.null(truth)) atp_set_truth(learner, truth)
  learner
}

.state_of <- function(learner) attr(learner, "state")

# Options of a trainer of a list of pairs.
.dense_options <- function(...) {
  given <- list(...)
  if (is.null(given$family)) given$family <- "dense"
  do.call(.options, given)
}

atp_trainer <- function(alignment, ..., pairs = NULL, test = NULL, truth = NULL, context = NULL) {
  learner <- if (is.null(pairs)) {
    .Call(C_trainer_create, .context(context), alignment, .options(...))
  } else {
    .Call(C_trainer_create_pairs, .context(context), alignment, .dense_options(...), .pair_list(pairs))
  }
  .with_state(learner, test, truth)
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

atp_set_test <- function(trainer, alignment) .change(trainer, "set_test", .learner, alignment)
atp_set_truth <- function(trainer, model) .change(trainer, "set_truth", .learner, model)

atp_set_values <- function(trainer, values) {
  values <- .one_head(values)
  .Call(C_trainer_set_values, trainer, .to_c(values, rep(NA, length(dim(values))), "values"))
  .forget(trainer)
}

atp_parameters <- function(trainer) .tell(trainer, "parameters", .learner)

atp_set_parameters <- function(trainer, parameters) {
  .forget(.change(trainer, "set_parameters", .learner, .numbers(parameters, "parameters")))
}

atp_gradient <- function(trainer, masked_sites = NULL) {
  found <- if (is.null(masked_sites)) .tell(trainer, "gradient", .learner)
           else .tell(trainer, "masked_gradient", .learner, .numbers(masked_sites, "masked_sites"))
  list(loss = found$loss, objective = found[[length(found) - 1L]], gradient = found$gradient)
}

atp_start_wide <- function(trainer, heads, iterations = 100, progress = NULL) {
  result <- .Call(C_trainer_start_wide, trainer, heads, iterations, progress)
  .forget(trainer)
  invisible(.ended(result)$outcome)
}

atp_start_from <- function(trainer, wide) .forget(.change(trainer, "start_from", "atp_trainer", wide))

atp_train <- function(trainer, epochs = Inf, progress = NULL) {
  .check(trainer, .learner, "trainer")
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
  result <- .tell(trainer, "run", .learner, epochs, progress, state)
  state$outcome <- if (!result$interrupted) result$outcome
  invisible(.ended(result)$outcome)
}

atp_history <- function(trainer) {
  .check(trainer, .learner, "trainer")
  as.data.frame(t(.state_of(trainer)$history))
}

atp_epochs <- function(trainer) .tell(trainer, "epochs", .learner)
atp_model <- function(trainer) .tell(trainer, "model", .learner)

.told.atp_trainer <- function(x) {
  paste(c(paste(.tell(x, "parameter_count"), "parameters"), paste(atp_epochs(x), "epochs done"), .state_of(x)$outcome), collapse = ", ")
}
.told.atp_transformer <- .told.atp_trainer

summary.atp_trainer <- function(object, ...) {
  history <- atp_history(object)
  last <- history[nrow(history), , drop = FALSE]
  structure(list(kind = if (inherits(object, "atp_transformer")) "Transformer" else "Trainer",
                 parameters = .tell(object, "parameter_count"), epochs = atp_epochs(object), outcome = .state_of(object)$outcome,
                 last = last[!vapply(last, anyNA, NA)], told = .told(object)), class = "summary.atp_trainer")
}

print.summary.atp_trainer <- function(x, ...) {
  .say(x$kind, " of ", x$told)
  if (nrow(x$last)) {
    .say("Last report:")
    print(x$last, row.names = FALSE, ...)
  }
  invisible(x)
}

atp_select_penalty <- function(alignment, ..., progress = NULL, context = NULL) {
  context <- .context(context)
  table <- .Call(C_table_create, context, .atp_table_kind[["SELECTION"]], 100)
  outcome <- .ended(.Call(C_select_penalty, context, alignment, .options(...), table, progress))$outcome
  structure(.table(table), outcome = outcome)
}

atp_select_folds <- function(alignment, ...) .Call(C_select_folds, alignment, .options(...), nrow(atp_sequences(alignment)))
