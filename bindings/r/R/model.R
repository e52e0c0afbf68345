# SPDX-License-Identifier: MIT

.model_info <- function(x) .info(x, c("sites", "colors", "heads", "has_fields", "is_symmetric", "is_ordered", "beta"))

# A matrix counts as an array of one head.
.one_head <- function(x) if (is.matrix(x)) array(x, c(1L, dim(x))) else x

atp_model_heads <- function(maps, values, fields = NULL, context = NULL) {
  maps <- .one_head(maps)
  values <- .one_head(values)
  heads <- if (length(dim(maps)) == 3L) dim(maps)[1L] else NA
  sites <- if (length(dim(maps)) == 3L) dim(maps)[2L] else NA
  colors <- if (length(dim(values)) == 3L) dim(values)[2L] else NA
  .Call(C_model_create_heads, .context(context), as.double(c(sites, colors, heads)), .to_c(maps, c(heads, sites, sites), "maps"),
        .to_c(values, c(heads, colors, colors), "values"), .to_c(fields, c(sites, colors), "fields"))
}

atp_model_dense <- function(couplings, fields = NULL, context = NULL) {
  shape <- if (length(dim(couplings)) == 4L) dim(couplings) else c(NA, NA, NA, NA)
  .Call(C_model_create_dense_f64, .context(context), .to_c(couplings, shape[c(1L, 1L, 3L, 3L)], "couplings"),
        .to_c(fields, shape[c(1L, 3L)], "fields"))
}

atp_model_random <- function(sites, colors, couplings = "gaussian", color_matrix = "gaussian", seed = 1, context = NULL) {
  .Call(C_model_create_random, .context(context), sites, colors, .member(.atp_couplings, couplings, "couplings"),
        .member(.atp_color_matrix, color_matrix, "color_matrix"), seed)
}

atp_model_pairs <- function(sites, pairs, couplings, color_matrix = NULL, fields = NULL, context = NULL) {
  if (!is.null(color_matrix)) couplings <- .numbers(couplings, "couplings") %o% color_matrix
  colors <- if (length(dim(couplings)) == 3L) dim(couplings)[2L] else NA
  list <- .pair_list(pairs)
  .Call(C_model_create_pairs, .context(context), as.double(c(sites, colors, ncol(list))), list,
        .to_c(couplings, c(ncol(list), colors, colors), "couplings"), NULL, .to_c(fields, c(sites, colors), "fields"))
}

atp_model_lattice <- function(..., context = NULL) .Call(C_model_create_lattice, .context(context), .options(...))

atp_read_model <- function(path, format = "auto", alphabet = NULL, context = NULL) {
  .Call(C_model_read_as, .context(context), .path(path), .member(.atp_model_format, format, "format"), alphabet)
}

atp_write_model <- function(model, path, format = "hdf5", alignment = NULL) {
  .change(model, "write_as", "atp_model", alignment, .member(.atp_model_format, format, "format"), .path(path))
}

atp_copy <- function(model) .Call(C_model_copy, model)

atp_gauge <- function(model, gauge = c("zero_sum", "colors")) {
  .Call(C_model_gauge, model, .member(.atp_gauge, gauge[1L], "gauge"))
}

atp_keep_pairs <- function(model, pairs) .Call(C_model_keep_pairs, model, .pair_list(pairs))
atp_pair_couplings <- function(model) .from_c(.Call(C_model_pair_couplings, model))

atp_weigh_sites <- function(model, weights) .Call(C_model_weigh_sites, model, weights)

atp_beta <- function(model) .Call(C_model_beta, model)
atp_set_beta <- function(model, beta) .change(model, "set_beta", "atp_model", beta)
atp_is_symmetric <- function(model) .Call(C_model_is_symmetric, model)
atp_is_ordered <- function(model) .Call(C_model_is_ordered, model)
atp_order <- function(model) .Call(C_model_order, model) + 1
# Of a model or a trainer.
atp_set_order <- function(x, order = NULL) {
  .change(x, "set_order", c("atp_model", "atp_trainer"), if (!is.null(order)) .numbers(order, "order"))
  if (inherits(x, "atp_trainer")) .forget(x) else invisible(x)
}
atp_has_fields <- function(model) .Call(C_model_has_fields, model)
atp_maps <- function(model) .from_c(.Call(C_model_maps, model))
atp_values <- function(model) .from_c(.Call(C_model_values, model))
atp_fields <- function(model) .from_c(.Call(C_model_fields, model))
atp_couplings <- function(model) .from_c(.Call(C_model_couplings_f64, model))

atp_conditionals <- function(model, sequences) {
  .from_c(.tell(model, "conditionals", c("atp_model", "atp_trainer"), .rows(sequences, model = model)))
}

atp_energies <- function(model, sequences) .Call(C_model_energies, model, .rows(sequences, model = model))

atp_log_pseudolikelihoods <- function(model, sequences) .Call(C_model_log_pseudolikelihoods, model, .rows(sequences, model = model))

atp_mean_log_p <- function(model, alignment, log_z = 0, log_z_error = 0) {
  stats::setNames(unlist(.Call(C_model_mean_log_p, model, alignment, log_z, log_z_error)), c("log_p", "error"))
}
atp_loss <- function(x, alignment) .tell(x, "loss", c("atp_model", "atp_trainer"), alignment)

atp_coupling_error <- function(model, truth) .Call(C_model_coupling_error, model, truth)

atp_map_like <- function(model, truth) .from_c(.Call(C_model_map_like, model, truth))

atp_enumerate <- function(model, pairs = FALSE, probabilities = FALSE) {
  found <- .Call(C_model_enumerate, model, TRUE, pairs)
  if (probabilities) found$probabilities <- .Call(C_model_probabilities, model)
  lapply(found[!vapply(found, is.null, NA)], .from_c)
}

.fields.atp_model <- function(x) {
  list(sites = atp_sites, colors = atp_colors, alphabet = atp_alphabet, beta = atp_beta, fields = atp_fields, couplings = atp_couplings,
       maps = atp_maps, values = atp_values, pairs = atp_pairs, columns = atp_columns)
}

predict.atp_model <- function(object, newdata, type = c("energies", "log_pseudolikelihoods", "conditionals"), ...) {
  switch(match.arg(type), energies = atp_energies(object, newdata), log_pseudolikelihoods = atp_log_pseudolikelihoods(object, newdata),
         conditionals = atp_conditionals(object, newdata))
}

# Samples in equilibrium; the seed is drawn by R's generator where it is not given.
simulate.atp_model <- function(object, nsim = 1, seed = NULL, ...) {
  if (is.null(seed)) seed <- sample.int(.Machine$integer.max, 1L)
  run <- atp_sample_equilibrium(object, nsim, seed = seed, ...)
  if (run$outcome == "max_iter") warning("the chains are not in equilibrium: ", run$difference, call. = FALSE)
  structure(run$alignment, seed = seed, outcome = run$outcome)
}

# Free parameters in a gauge: of fields, and of the couplings of each pair.
.free_parameters <- function(model) {
  q <- atp_colors(model)
  sites <- nrow(atp_sites(model))
  pairs <- if (nrow(atp_pairs(model))) nrow(atp_pairs(model)) else sites * (sites - 1) / 2
  (if (atp_has_fields(model)) sites * (q - 1) else 0) + if (.tell(model, "heads") == 0) pairs * (q - 1)^2 else NA
}

# The weighted log-likelihood of sequences, with log Z of atp_estimate_log_z(), which takes the options.
logLik.atp_model <- function(object, alignment, ...) {
  .check(alignment, "atp_alignment", "alignment")
  log_z <- atp_estimate_log_z(object, ...)
  each <- -log_z$beta * atp_energies(object, alignment) - log_z$log_z
  structure(sum(atp_weights(alignment) * each), error = sum(atp_weights(alignment)) * log_z$log_z_error, df = .free_parameters(object),
            nobs = nrow(alignment), class = "logLik")
}

.content.atp_model <- function(x) {
  info <- .model_info(x)
  c(info, list(alphabet = atp_alphabet(x), sites = atp_sites(x), fields = if (info$has_fields) atp_fields(x)),
    if (info$heads > 0) list(maps = atp_maps(x), values = atp_values(x)) else list(couplings = atp_couplings(x)))
}

.told.atp_model <- function(x) {
  info <- .model_info(x)
  kind <- if (info$heads == 0) "dense couplings" else paste(info$heads, if (info$heads == 1) "head" else "heads")
  paste0(info$sites, " sites, ", info$colors, " colours, ", kind, if (info$has_fields) ", fields", ", beta = ", format(info$beta))
}

summary.atp_model <- function(object, ...) {
  scores <- atp_frobenius(object)
  structure(c(.model_info(object), list(alphabet = atp_alphabet(object), scores = scores[upper.tri(scores)])),
            class = "summary.atp_model")
}

print.summary.atp_model <- function(x, ...) {
  .say("Potts model of ", x$sites, " sites and ", x$colors, " colours")
  .say("  couplings   ", if (x$heads == 0) "dense" else paste(x$heads, "heads"), ", ", if (x$is_symmetric) "symmetric" else "asymmetric")
  .say("  fields      ", if (x$has_fields) "yes" else "none")
  .say("  beta        ", format(x$beta))
  if (nzchar(x$alphabet)) .say("  alphabet    ", x$alphabet)
  .say("Frobenius norms of the couplings, times beta:")
  print(summary(x$scores), ...)
  invisible(x)
}
