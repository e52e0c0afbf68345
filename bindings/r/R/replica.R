# SPDX-License-Identifier: MIT
# Tasks of theory and simulation: options by name, rows as a data frame.

# A table of the library as a data frame, with words where the unit is an enum.
.table <- function(table) {
  kind <- .Call(C_table_kind_of, table)
  told <- function(entry) vapply(seq_len(.Call(C_column_count, kind)) - 1, function(k) .call(entry, kind, k), "")
  units <- told(C_column_unit)
  columns <- stats::setNames(as.data.frame(.from_c(.Call(C_table_values, table))), told(C_column_name))
  for (k in which(startsWith(units, "atp_"))) {
    enum <- get(paste0(".", units[k]), envir = topenv())
    columns[[k]] <- tolower(names(enum))[match(columns[[k]], enum)]
  }
  structure(columns, class = c(if ("alpha" %in% names(columns)) "atp_curve", "atp_table", "data.frame"), units = units,
            descriptions = told(C_column_description), kind = names(.atp_table_kind)[match(kind, .atp_table_kind)])
}

.kinds_with_optimum <- paste0("REPLICA_", c("SQUARE", "SADDLE", "LIMIT", "CONVEX", "POTTS"))

# Run a task on its arrays, NULL for the library's own; `...` are options. `bytes`: the memory that it will ask for.
.task <- function(kind, arrays, ..., bytes = FALSE, progress = NULL, context = NULL) {
  context <- .context(context)
  task <- .Call(C_task_create, context, .atp_task_kind[[kind]], .options(...))
  on.exit(.Call(C_close, task))
  for (name in names(arrays)) {
    x <- arrays[[name]]
    if (is.null(x)) next
    .Call(C_task_set_array, task, .atp_task_array[[toupper(name)]], t(matrix(.numbers(x, name), NROW(x))))
  }
  if (bytes) return(.Call(C_task_bytes, task))
  rows <- .Call(C_table_create, context, .Call(C_task_table_kind, task), .Call(C_task_rows, task))
  on.exit(.Call(C_close, rows), add = TRUE)
  result <- .ended(.Call(C_task_run, task, rows, progress))
  structure(.table(rows), outcome = result$outcome,
            optimum = if (kind %in% .kinds_with_optimum) .Call(C_task_value, task, .atp_task_number[["OPTIMUM"]]))
}

atp_replica_goe <- function(sites, shift, seed = 1) {
  if (!isTRUE(sites <= 32000)) .wrong("E_VALUE", "sites must be 2 to 32000")
  .Call(C_replica_goe, sites, shift, seed)
}

# What a masked system is, as a list.
.masked <- function(system) {
  force(system)
  on.exit(.Call(C_close, system))
  list(covariance = .Call(C_masked_covariance, system), teacher = .Call(C_masked_weights, system),
       noise = .Call(C_masked_noise, system))
}

atp_replica_mask_precision <- function(precision, site = 1, context = NULL) {
  .masked(.Call(C_masked_create_precision, .context(context), .square(precision, "precision"), site))
}

atp_replica_mask_covariance <- function(covariance, site = 1, context = NULL) {
  .masked(.Call(C_masked_create_covariance, .context(context), .square(covariance, "covariance"), site))
}

atp_replica_spectrum <- function(covariance, teacher, context = NULL) {
  system <- .Call(C_masked_create, .context(context), .square(covariance, "covariance"),
                  .to_c(teacher, nrow(covariance), "teacher"), 0)
  on.exit(.Call(C_close, system))
  .Call(C_masked_spectrum, system)
}

.of_spectrum <- function(kind, eigenvalues, projections, alphas, targets, ...) {
  .task(kind, list(eigenvalues = eigenvalues, projections = projections, alphas = alphas, targets = targets), ...)
}

atp_replica_spin_glass <- function(beta, color_covariance, parameters = 1000, inputs = "cavity", context = NULL) {
  .masked(.Call(C_masked_create_spin_glass, .context(context), beta, .square(color_covariance, "color_covariance"), parameters,
                .member(.atp_replica_inputs, inputs, "inputs")))
}

atp_replica_potts_inputs <- function(model, alignment, inputs = "normal", context = NULL) {
  made <- .Call(C_masked_create_potts, .context(context), model, alignment, .member(.atp_replica_inputs, inputs, "inputs"))
  c(.masked(made$handle), list(color_covariance = made$color_covariance))
}

atp_replica_color_covariance <- function(values) .Call(C_replica_color_covariance, .square(values, "values"))

atp_replica_square <- function(eigenvalues, projections, noise, alphas = NULL, lambda = NULL, ..., targets = NULL) {
  .of_spectrum("REPLICA_SQUARE", eigenvalues, projections, alphas, targets, noise = noise, lambda = lambda, ...)
}

atp_replica_square_saddle <- function(eigenvalues, projections, noise, alphas = NULL, lambda = NULL, ..., targets = NULL) {
  .of_spectrum("REPLICA_SADDLE", eigenvalues, projections, alphas, targets, noise = noise, lambda = lambda, ...)
}

atp_replica_convex <- function(eigenvalues, projections, alphas = NULL, lambda = NULL, loss = "logistic", ..., targets = NULL) {
  .of_spectrum("REPLICA_CONVEX", eigenvalues, projections, alphas, targets, lambda = lambda, loss = loss, ...)
}

atp_replica_potts <- function(eigenvalues, projections, color_covariance, alphas = NULL, lambda = NULL, ..., targets = NULL) {
  .task("REPLICA_POTTS", list(eigenvalues = eigenvalues, projections = projections,
                              color_covariance = .square(color_covariance, "color_covariance"), alphas = alphas,
                              targets = targets),
        lambda = lambda, ...)
}

atp_replica_simulate_potts <- function(masked, color_covariance, alphas, lambda, realisations = 30, ...) {
  .task("REPLICA_POTTS_SIMULATION",
        list(covariance = masked$covariance, weights = masked$teacher,
             color_covariance = .square(color_covariance, "color_covariance"), alphas = alphas),
        lambda = lambda, realisations = realisations, ...)
}

atp_replica_limit <- function(shift, alphas = NULL, lambda = NULL, ..., targets = NULL) {
  .task("REPLICA_LIMIT", list(alphas = alphas, targets = targets), diagonal_shift = shift, lambda = lambda, ...)
}

atp_replica_simulate <- function(masked, alphas, lambda, realisations = 30, ...) {
  .task("REPLICA_SIMULATION", list(covariance = masked$covariance, weights = masked$teacher, alphas = alphas),
        noise = masked$noise, lambda = lambda, realisations = realisations, ...)
}

print.atp_curve <- function(x, ...) {
  .say("<atp_curve: ", nrow(x), " points, ", attr(x, "outcome"), ">")
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
  .say("Learning curve of ", x$points, " points, alpha ", .span(x$alpha, trim = TRUE), ", ", x$outcome)
  if (length(x$best)) .say("  smallest generalisation loss ", format(x$best_eg), " at alpha ", format(x$best_alpha))
  invisible(x)
}
