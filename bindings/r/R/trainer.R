# SPDX-License-Identifier: MIT
# Trainers; and transformers, where they do the same.

.learner <- c("atp_trainer", "atp_transformer")

.new_learner <- function(pointer, class, test, truth) {
  learner <- .handle(pointer, class, state = new.env(parent = emptyenv()))
  if (!is.null(test)) atp_set_test(learner, test)
  if (!is.null(truth)) atp_set_truth(learner, truth)
  learner
}

atp_trainer <- function(alignment, ..., test = NULL, truth = NULL, context = NULL) {
  options <- .options(2L, list(...))
  pointer <- .Call(C_trainer_create, .context(context), .pointer(alignment, "atp_alignment"), options$keys,
                   options$values)
  .new_learner(pointer, "atp_trainer", test, truth)
}

atp_trainer_bytes <- function(n, sites, colors, ..., context = NULL) {
  options <- .options(2L, list(...))
  .Call(C_trainer_bytes, .context(context), n, sites, colors, options$keys, options$values)
}

.trainer_info <- function(trainer) {
  list(parameters = .tell(trainer, "parameter_count", .learner), epochs = atp_epochs(trainer))
}

# Training starts afresh, or goes on from an earlier epoch: the reports that follow it are history no more.
.forget <- function(trainer, epochs = 0) {
  state <- .subset2(trainer, "state")
  if (!is.null(state$history)) state$history <- state$history[, state$history["step", ] <= epochs, drop = FALSE]
  state$outcome <- NULL
}

atp_set_test <- function(trainer, alignment) {
  .change(trainer, "set_test", .learner, if (is.null(alignment)) NULL else .pointer(alignment, "atp_alignment"))
}
atp_set_truth <- function(trainer, model) {
  .change(trainer, "set_truth", .learner, if (is.null(model)) NULL else .pointer(model, "atp_model"))
}

atp_set_values <- function(trainer, values) {
  values <- .one_head(values)
  .Call(C_trainer_set_values, .pointer(trainer, "atp_trainer"), .to_c(values, rep(NA, length(dim(values))), "values"))
  .forget(trainer)
  invisible(trainer)
}

atp_parameters <- function(trainer) .tell(trainer, "parameters", .learner)

atp_set_parameters <- function(trainer, parameters) {
  .tell(trainer, "set_parameters", .learner, .numbers(parameters, "parameters"))
  .forget(trainer)
  invisible(trainer)
}

atp_gradient <- function(trainer, masked_sites = NULL) {
  found <- if (is.null(masked_sites)) .tell(trainer, "gradient", .learner)
           else .tell(trainer, "masked_gradient", .learner, .numbers(masked_sites, "masked_sites"))
  list(loss = found$loss, objective = found[[length(found) - 1L]], gradient = found$gradient)
}

atp_start_wide <- function(trainer, heads, iterations = 100, progress = NULL) {
  result <- .Call(C_trainer_start_wide, .pointer(trainer, "atp_trainer"), heads, iterations, progress, .progress_keys)
  .forget(trainer)
  invisible(.ended(result)$outcome)
}

atp_start_from <- function(trainer, wide) {
  .Call(C_trainer_start_from, .pointer(trainer, "atp_trainer"), .pointer(wide, "atp_trainer"))
  .forget(trainer)
  invisible(trainer)
}

atp_train <- function(trainer, epochs = Inf, progress = NULL) {
  state <- .subset2(trainer, "state")
  # Whatever ends the run - an error of the callback, Ctrl-C - what was reported is kept.
  on.exit({
    rows <- state$rows
    if (!is.null(rows)) {
      rownames(rows) <- names(.progress_keys)
      rows <- rows[.history_columns, , drop = FALSE]
      # Steps count from the start of the training, seconds from the start of the call.
      rows["seconds", ] <- rows["seconds", ] + if (length(state$history)) max(0, state$history["seconds", ]) else 0
      state$history <- cbind(state$history, rows)
      state$rows <- NULL
    }
  })
  if (is.numeric(epochs) && identical(as.double(epochs), Inf)) epochs <- 2^40
  result <- .tell(trainer, "run", .learner, epochs, progress, .progress_keys, state)
  state$outcome <- if (!result$interrupted) result$outcome
  invisible(.ended(result)$outcome)
}

.history_columns <- c("step", "seconds", "train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm",
                      "rate", "objective")

atp_history <- function(trainer) {
  .pointer(trainer, .learner)
  history <- .subset2(trainer, "state")$history
  if (is.null(history)) {
    history <- matrix(double(), length(.history_columns), 0L, dimnames = list(.history_columns, NULL))
  }
  as.data.frame(t(history))
}

atp_epochs <- function(trainer) .tell(trainer, "epochs", .learner)
atp_model <- function(trainer) .model(.tell(trainer, "model", .learner))

print.atp_trainer <- function(x, ...) {
  if (atp_is_open(x)) {
    info <- .trainer_info(x)
    outcome <- .subset2(x, "state")$outcome
    cat("<", class(x)[1L], ": ", info$parameters, " parameters, ", info$epochs, " epochs done",
        if (!is.null(outcome)) paste0(", ", outcome), ">\n",
        sep = "")
  } else {
    cat("<", class(x)[1L], ", closed>\n", sep = "")
  }
  invisible(x)
}

summary.atp_trainer <- function(object, ...) {
  history <- atp_history(object)
  last <- history[nrow(history), , drop = FALSE]
  kind <- if (inherits(object, "atp_transformer")) "Transformer" else "Trainer"
  structure(c(list(kind = kind), .trainer_info(object), list(outcome = .subset2(object, "state")$outcome,
                                                             last = last[!vapply(last, anyNA, NA)])),
            class = "summary.atp_trainer")
}

print.summary.atp_trainer <- function(x, ...) {
  cat(x$kind, " of ", x$parameters, " parameters, ", x$epochs, " epochs done",
      if (!is.null(x$outcome)) paste0(", ", x$outcome), "\n", sep = "")
  if (nrow(x$last)) {
    cat("Last report:\n")
    print(x$last, row.names = FALSE, ...)
  }
  invisible(x)
}

plot.atp_trainer <- function(x, xlab = "epoch", ylab = "loss (nats per site)", main = "learning curve", log = "", ...) {
  history <- atp_history(x)
  if (!nrow(history)) .wrong("E_STAGE", "nothing to plot: it has not run")
  shown <- c(train_loss = "training", test_loss = "test", optimal_loss = "optimal")
  shown <- shown[vapply(history[names(shown)], function(column) any(is.finite(column)), NA)]
  curves <- as.matrix(history[names(shown)])
  colors <- grDevices::hcl.colors(3L, "Dark 3")[seq_along(shown)]
  graphics::matplot(history$step, curves, type = "l", lty = seq_along(shown), col = colors, xlab = xlab, ylab = ylab,
                    main = main,
                    log = log, ...)
  graphics::legend("topright", legend = shown, lty = seq_along(shown), col = colors, bty = "n")
  invisible(history)
}
