# SPDX-License-Identifier: MIT

# Rows [alphas][columns] as a data frame with words for outcomes.
.curve <- function(rows, columns, outcome) {
  table <- as.data.frame(matrix(rows, ncol = length(columns), byrow = TRUE,
                                dimnames = list(NULL, tolower(names(columns)))))
  if (!is.null(table$outcome)) table$outcome <- .Call(C_outcome_names, as.integer(table$outcome))
  structure(table, class = c("atp_curve", "data.frame"), outcome = outcome)
}

atp_replica_goe <- function(sites, shift, seed = 1) .Call(C_replica_goe, sites, shift, seed)

atp_replica_mask_precision <- function(precision, site = 1) {
  .Call(C_replica_mask, .square(precision, "precision"), nrow(precision), site, TRUE)
}

atp_replica_mask_covariance <- function(covariance, site = 1) {
  .Call(C_replica_mask, .square(covariance, "covariance"), nrow(covariance), site, FALSE)
}

atp_replica_spectrum <- function(covariance, teacher) {
  .Call(C_replica_spectrum, .square(covariance, "covariance"), .numbers(teacher, "teacher"))
}

atp_replica_square <- function(eigenvalues, projections, noise, alphas, lambda, temperature = 0) {
  found <- .Call(C_replica_square, .numbers(eigenvalues, "eigenvalues"), .numbers(projections, "projections"), noise,
                 .numbers(alphas, "alphas"), lambda, temperature)
  .curve(found$rows, .atp_replica_column, found$outcome)
}

atp_replica_square_saddle <- function(eigenvalues, projections, noise, alphas, lambda, temperature = 0,
                                      max_iter = 1000) {
  found <- .Call(C_replica_square_saddle, .numbers(eigenvalues, "eigenvalues"), .numbers(projections, "projections"),
                 noise,
                 .numbers(alphas, "alphas"), lambda, temperature, max_iter)
  .curve(found$rows, .atp_replica_column, found$outcome)
}

atp_replica_limit <- function(shift, alphas, lambda, temperature = 0) {
  found <- .Call(C_replica_limit, shift, .numbers(alphas, "alphas"), lambda, temperature)
  .curve(found$rows, .atp_replica_column, found$outcome)
}

atp_replica_convex <- function(eigenvalues, projections, alphas, lambda, loss = "logistic", noise = 0, delta = 1,
                               max_iter = 1000) {
  found <- .Call(C_replica_convex, .numbers(eigenvalues, "eigenvalues"), .numbers(projections, "projections"), noise,
                 .member(.atp_replica_loss, loss, "loss"), delta, .numbers(alphas, "alphas"), lambda, max_iter)
  structure(.curve(found$rows, .atp_replica_column, found$outcome), optimum = found$optimum)
}

atp_replica_simulate <- function(masked, alphas, lambda, realisations, seed = 1, progress = NULL, context = NULL) {
  teacher <- .numbers(masked$teacher, "masked$teacher")
  result <- .ended(.Call(C_replica_simulate, .context(context), .square(masked$covariance, "masked$covariance"),
                         teacher, masked$noise,
                         .numbers(alphas, "alphas"), lambda, realisations, seed, progress, .progress_keys))
  .curve(result$rows, .atp_replica_sim_column, result$outcome)
}

atp_replica_simulate_bytes <- function(parameters, alphas, lambda, realisations, context = NULL) {
  .Call(C_replica_simulate_bytes, .context(context), parameters, .numbers(alphas, "alphas"), lambda, realisations)
}

print.atp_curve <- function(x, ...) {
  cat("<atp_curve: ", nrow(x), " points, ", attr(x, "outcome"), ">\n", sep = "")
  print.data.frame(x[intersect(c("alpha", "lambda", "eg", "eg_sem", "et", "et_sem", "rho", "outcome"), names(x))], ...)
  invisible(x)
}

summary.atp_curve <- function(object, ...) {
  finite <- which(is.finite(object$eg))
  best <- finite[which.min(object$eg[finite])]
  structure(list(points = nrow(object), outcome = attr(object, "outcome"), alpha = range(object$alpha), best = best,
                 best_alpha = object$alpha[best], best_eg = object$eg[best]), class = "summary.atp_curve")
}

print.summary.atp_curve <- function(x, ...) {
  cat("Learning curve of ", x$points, " points, alpha ", paste(format(x$alpha, trim = TRUE), collapse = " to "), ", ",
      x$outcome, "\n",
      sep = "")
  if (length(x$best)) cat("  smallest generalisation loss ", format(x$best_eg), " at alpha ", format(x$best_alpha),
                          "\n", sep = "")
  invisible(x)
}

plot.atp_curve <- function(x, what = c("eg", "et"), xlab = expression(alpha), ylab = "loss", main = "learning curve",
                           log = "x", ...) {
  what <- intersect(what, names(x))
  curves <- as.matrix(as.data.frame(unclass(x)[what]))
  curves[!is.finite(curves)] <- NA
  simulated <- !is.null(x$eg_sem)
  colors <- grDevices::hcl.colors(max(2L, length(what)), "Dark 3")[seq_along(what)]
  graphics::matplot(x$alpha, curves, type = if (simulated) "p" else "l", pch = 20L, lty = seq_along(what),
                    col = colors, xlab = xlab,
                    ylab = ylab, main = main, log = log, ...)
  if (simulated) {
    for (k in seq_along(what)) {
      error <- x[[paste0(what[k], "_sem")]]
      shown <- which(is.finite(error) & error > 0)
      graphics::segments(x$alpha[shown], (curves[, k] - error)[shown], x$alpha[shown], (curves[, k] + error)[shown],
                         col = colors[k])
    }
  }
  words <- c(eg = "generalisation", et = "training")
  graphics::legend("topright", legend = ifelse(what %in% names(words), words[what], what), col = colors, bty = "n",
                   lty = if (simulated) 0 else seq_along(what), pch = if (simulated) 20L else NA)
  invisible(x)
}
