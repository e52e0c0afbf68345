# SPDX-License-Identifier: MIT

atp_frobenius <- function(model, gauge = "zero_sum", gap = NULL) {
  .Call(C_model_frobenius, model, .member(.atp_score_gauge, gauge, "gauge"), gap)
}

atp_epistatic_scores <- function(model, sequences, gap = "auto") {
  if (identical(gap, "auto")) gap <- atp_gap_color(model)
  .Call(C_model_epistatic_scores, model, .rows(sequences), gap)
}

atp_gap_color <- function(model) {
  gap <- .Call(C_model_gap_color, model)
  if (gap >= 0) gap + 1
}

atp_mean_field <- function(alignment, ..., context = NULL) {
  .Call(C_mean_field_model, .context(context), alignment, .options(...))
}

atp_mean_field_bytes <- function(n, sites, colors, ..., context = NULL) {
  .Call(C_mean_field_bytes, .context(context), n, sites, colors, .options(...))
}

atp_direct_information <- function(model, frequencies) {
  .Call(C_direct_information, model, .to_c(frequencies, c(NA, NA), "frequencies"))
}

atp_gaussian_scores <- function(alignment, score = "fn", gap = NULL, ...) {
  .Call(C_gaussian_scores, alignment, .options(...), .member(.atp_pair_score, score, "score"), gap)
}

atp_mutual_information <- function(alignment, ...) .Call(C_mutual_information, alignment, .options(...))

atp_asymptotics <- function(model, alignment = NULL, ..., context = NULL) {
  table <- .Call(C_table_create, .context(context), .atp_table_kind[["ASYMPTOTICS"]], 1)
  .Call(C_model_asymptotics, model, alignment, .options(...), table, FALSE)
  as.list(.table(table))
}

atp_coupling_errors <- function(model, alignment = NULL, ...) {
  .from_c(.Call(C_model_asymptotics, model, alignment, .options(...), NULL, TRUE))
}

atp_score_errors <- function(model, alignment, gap = NULL, ...) {
  found <- .from_c(.Call(C_model_score_errors, model, alignment, .options(...), gap))
  list(fn = found[1, , ], apc = found[2, , ])
}

atp_error_bytes <- function(model, sequences, scores = FALSE, ...) {
  if (scores) return(.Call(C_model_score_errors_bytes, model, sequences))
  .Call(C_model_asymptotics_bytes, model, sequences, .options(...))
}

atp_apc <- function(scores) .Call(C_scores_apc, .square(scores, "scores"))

.site_numbers <- function(numbers) if (!is.null(numbers)) .numbers(numbers, "numbers")

atp_rank <- function(scores, count = NULL, separation = 1, numbers = NULL, border = 0) {
  values <- .square(scores, "scores")
  all <- max(1, nrow(scores) * (nrow(scores) - 1) / 2)
  found <- .Call(C_scores_rank, values, .site_numbers(numbers), .numbers(c(separation, border), "rule"),
                 if (is.null(count)) all else min(count, all))
  pairs <- t(found$pairs)[seq_len(found$count), , drop = FALSE] + 1
  storage.mode(pairs) <- "integer"
  colnames(pairs) <- c("i", "j")
  pairs
}

atp_contacts <- function(model, count = NULL, separation = 1, gap = "auto", gauge = "zero_sum") {
  if (identical(gap, "auto")) gap <- atp_gap_color(model)
  scores <- atp_frobenius(model, gauge, gap)
  all <- max(1, nrow(scores) * (nrow(scores) - 1) / 2)
  rows <- .Call(C_table_create, .context(NULL), .atp_table_kind[["CONTACTS"]], if (is.null(count)) all else min(count, all))
  on.exit(.Call(C_close, rows))
  .Call(C_model_contacts, model, .member(.atp_score_gauge, gauge, "gauge"), gap, separation, rows)
  found <- .table(rows)
  if (nrow(atp_pairs(model)) == 0L) scores <- atp_apc(scores)
  sites <- atp_sites(model)
  i <- as.integer(found$site_i + 1)
  j <- as.integer(found$site_j + 1)
  table <- data.frame(i = i, j = j, number_i = sites$number[i], number_j = sites$number[j], residue_i = sites$residue[i],
                      residue_j = sites$residue[j], fn = found$fn, apc = found$apc, stringsAsFactors = FALSE)
  structure(table, class = c("atp_contacts", "data.frame"), scores = scores, numbers = sites$number)
}

summary.atp_contacts <- function(object, ...) {
  sites <- length(attr(object, "numbers"))
  best <- seq_len(min(nrow(object), max(1L, sites %/% 5L)))
  structure(list(pairs = nrow(object), sites = sites, best = object[best, , drop = FALSE]),
            class = "summary.atp_contacts")
}

print.summary.atp_contacts <- function(x, ...) {
  .say(x$pairs, " ranked pairs of ", x$sites, " sites; the best ", nrow(x$best), ":")
  print.data.frame(x$best, row.names = FALSE, ...)
  invisible(x)
}

atp_read_distances <- function(path, sites, numbers = NULL, context = NULL) {
  found <- .Call(C_distances_read, .context(context), .path(path), .site_numbers(numbers), sites, TRUE)
  list(distances = found$distances, pairs = found$counts[1L], used = found$counts[2L])
}

atp_write_scores <- function(scores, path, format = "ccmpred", numbers = NULL, residues = NULL, context = NULL) {
  if (length(residues) > 1L) residues <- paste(residues, collapse = "")
  values <- .square(scores, "scores")
  .Call(C_scores_write, .context(context), values, .site_numbers(numbers), residues,
        .member(.atp_score_format, format, "format"), .path(path))
  invisible(scores)
}

atp_read_scores <- function(path, context = NULL) {
  found <- .Call(C_scores_read, .context(context), .path(path))
  found$scores <- t(found$scores)
  found
}

# Pairs of sites as the library takes them.
.pair_list <- function(pairs) {
  if (inherits(pairs, "atp_contacts")) pairs <- as.matrix(as.data.frame(pairs)[c("i", "j")])
  if (!is.matrix(pairs) || ncol(pairs) != 2L) {
    .wrong("E_SHAPE", "pairs is no matrix of two columns, as atp_rank() gives it")
  }
  t(array(.numbers(pairs, "pairs"), dim(pairs)))
}

atp_overlap <- function(pairs, others, context = NULL) {
  .Call(C_pairs_overlap, .context(context), .pair_list(pairs), .pair_list(others))
}

atp_precision <- function(pairs, distances, cutoff = 8, absent = "excluded") {
  if (inherits(distances, "list")) distances <- distances$distances
  curve <- .Call(C_pairs_precision, .pair_list(pairs), .square(distances, "distances"), cutoff,
                 .member(.atp_absent, absent, "absent"))
  curve[!is.nan(curve)]
}

atp_mutants <- function(model, sequence, pseudolikelihood = TRUE) {
  found <- .Call(C_model_mutants, model, .rows(sequence), pseudolikelihood)
  names(found) <- c("energy", "log_pseudolikelihood")
  alphabet <- atp_alphabet(model)
  found <- lapply(found[!vapply(found, is.null, NA)], function(x) {
    x <- .from_c(x)
    if (nzchar(alphabet)) colnames(x) <- strsplit(alphabet, "")[[1L]]
    x
  })
  structure(found, class = "atp_mutants", sequence = as.vector(.rows(sequence)), numbers = atp_sites(model)$number)
}

print.atp_mutants <- function(x, ...) {
  print(lapply(x, identity), ...)
  invisible(x)
}

atp_model_independent <- function(alignment, gaps = "state", pseudocount = -1, context = NULL) {
  .Call(C_model_create_independent, .context(context), alignment, .member(.atp_gaps, gaps, "gaps"), pseudocount)
}

# The mutations of mutants, one on each line, as the library takes them.
.changes <- function(model, sequence, mutants) {
  text <- paste(mutants, collapse = "\n")
  found <- .Call(C_mutations_parse, model, sequence, text, nchar(text) %/% 3 + 1)
  found$changes[, seq_len(found$count), drop = FALSE]
}

atp_score_mutations <- function(model, sequence, mutants, independent = NULL) {
  sequence <- .rows(sequence)
  changes <- .changes(model, sequence, mutants)
  scores <- .Call(C_model_score_mutants, model, sequence, changes, length(mutants))
  table <- data.frame(mutant = mutants, mutations = tabulate(changes[1L, ] + 1, length(mutants)), energy = scores[1L, ],
                      log_pseudolikelihood = scores[2L, ], stringsAsFactors = FALSE)
  if (!is.null(independent)) {
    table$independent <- -.Call(C_model_score_mutants, independent, sequence, changes, length(mutants))[1L, ]
  }
  table
}

atp_mutations_offset <- function(model, sequence, mutants) {
  found <- .Call(C_mutations_offset, model, .rows(sequence), paste(mutants, collapse = "\n"))
  stats::setNames(found, c("residues", "agreeing", "offset", "fitting"))
}

atp_double_mutants <- function(model, sequence, pairs) {
  if (is.null(dim(pairs))) pairs <- matrix(pairs, 1L)
  if (ncol(pairs) != 2L) .wrong("E_SHAPE", "pairs is no matrix of two columns, as atp_rank() gives it")
  .from_c(.Call(C_model_double_mutants, model, .rows(sequence), t(array(.numbers(pairs, "pairs"), dim(pairs)))))
}

atp_epistasis <- function(model, sequence, doubles) {
  changes <- t(as.matrix(doubles[, c("site_i", "color_i", "site_j", "color_j")])) - 1
  found <- .Call(C_model_epistasis, model, .rows(sequence), array(.numbers(changes, "doubles"), dim(changes)))
  data.frame(energy = found$delta_energy, epistasis = found$epistasis)
}

atp_count_doubles <- function(model, sequence, gap = "auto") {
  if (identical(gap, "auto")) gap <- atp_gap_color(model)
  .Call(C_model_count_doubles, model, .rows(sequence), gap)
}

atp_best_doubles <- function(model, sequence, count, gap = "auto") {
  if (identical(gap, "auto")) gap <- atp_gap_color(model)
  found <- .Call(C_model_best_doubles, model, .rows(sequence), gap, count)
  doubles <- found$doubles + 1
  data.frame(site_i = doubles[1L, ], color_i = doubles[2L, ], site_j = doubles[3L, ], color_j = doubles[4L, ],
             energy = found$delta_energy)
}

atp_agreement <- function(measure, x, y, draws = 1000, seed = 1, top = 1, context = NULL) {
  settings <- .numbers(c(draws, seed, top), "settings")
  stats::setNames(.Call(C_agreement_interval, .context(context), .member(.atp_agreement, measure, "measure"), .numbers(x, "x"),
                        .numbers(y, "y"), settings), c("value", "low", "high"))
}

atp_average_mutants <- function(model, sequence, mutants, measured) {
  found <- .Call(C_mutants_average, .context(NULL), .changes(model, .rows(sequence), mutants), .numbers(measured, "measured"))
  data.frame(first = found$first + 1, average = found$average)
}

atp_count_within_errors <- function(expected, values, errors, factor) {
  n <- length(expected)
  .Call(C_count_within_errors, .numbers(expected, "expected"), .to_c(values, n, "values"), .to_c(errors, n, "errors"), factor)
}

atp_bootstrap_errors <- function(values) {
  errors <- .from_c(.Call(C_bootstrap_errors, .context(NULL), .to_c(values, c(NA, NA), "values")))
  stats::setNames(as.data.frame(errors), tolower(names(.atp_bootstrap_column)))
}

atp_mutants_agreement <- function(scores, measured, mutations, threshold = NaN, draws = 500, seed = 1, top = 0, context = NULL) {
  table <- .Call(C_table_create, .context(context), .atp_table_kind[["MEASURED"]], 4 * (1 + length(scores) %/% 10))
  on.exit(.Call(C_close, table))
  .Call(C_mutants_agreement, .numbers(scores, "scores"), .numbers(measured, "measured"), .numbers(mutations, "mutations"),
        .numbers(c(draws, seed, top), "settings"), threshold, table)
  .table(table)
}

.comparison <- function(numbers) {
  dimnames(numbers) <- list(tolower(names(.atp_comparison_column)), tolower(names(.atp_comparison_row)))
  t(numbers)
}

atp_compare_statistics <- function(data, samples) .comparison(.Call(C_statistics_compare, data, samples))

atp_compare_parts <- function(data, samples, splits = 10, seed = 1) {
  numbers <- .Call(C_statistics_parts, data, samples, splits, seed)$numbers
  list(mean = .comparison(numbers[, , 1L]), deviation = .comparison(numbers[, , 2L]))
}

atp_samples_quality <- function(data, samples, ..., context = NULL) {
  rows <- .Call(C_table_create, .context(context), .atp_table_kind[["QUALITY"]], .atp_quality_rows)
  on.exit(.Call(C_close, rows))
  distances <- .Call(C_table_create, .context(context), .atp_table_kind[["DISTANCES"]], nrow(atp_sites(data)) + 1)
  on.exit(.Call(C_close, distances), add = TRUE)
  .Call(C_samples_quality, data, samples, .options(...), rows, distances)
  statistics <- names(.atp_quality)[.atp_quality < .atp_quality[["VARIANCE_1"]]]
  numbers <- outer(names(.atp_comparison_column), statistics, function(column, row) paste(row, column, sep = "_"))
  measures <- .table(rows)
  measures$measure <- tolower(c(numbers, setdiff(names(.atp_quality), statistics)))
  structure(list(measures = measures, distances = .table(distances)), class = "atp_quality")
}

atp_principal_components <- function(data, samples = NULL, components = 2) {
  found <- .Call(C_statistics_components, data, samples, components, nrow(data) + if (is.null(samples)) 0 else nrow(samples))
  coordinates <- .from_c(found$coordinates)
  of_data <- seq_len(nrow(data))
  list(data = coordinates[of_data, , drop = FALSE], samples = coordinates[-of_data, , drop = FALSE], variances = found$variances)
}
