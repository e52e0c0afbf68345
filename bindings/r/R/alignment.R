# SPDX-License-Identifier: MIT

.alignment <- function(pointer) .handle(pointer, "atp_alignment")

atp_alignment <- function(sequences, colors = NULL, weights = NULL, alphabet = NULL, context = NULL) {
  sequences <- .rows(sequences)
  if (is.null(colors)) {
    named <- c(protein = 21, rna = 5, dna = 5)
    colors <- if (!is.null(alphabet)) if (alphabet %in% names(named)) named[[alphabet]] else nchar(alphabet)
              else if (is.numeric(sequences) && length(sequences)) max(2, sequences, na.rm = TRUE) else 2
  }
  result <- .alignment(.Call(C_alignment_create, .context(context), sequences, colors,
                             if (is.null(weights)) NULL else .numbers(weights, "weights")))
  if (!is.null(alphabet)) atp_set_alphabet(result, alphabet)
  result
}

atp_read_alignment <- function(path, alphabet = NULL, ..., context = NULL) {
  options <- .options(3L, list(...))
  .alignment(.Call(C_alignment_read, .context(context), .path(path), alphabet, options$keys, options$values))
}

atp_write_alignment <- function(alignment, path, format = "hdf5") {
  .change(alignment, "write", "atp_alignment", .member(.atp_format, format, "format"), .path(path))
}

atp_select <- function(alignment, first = 1, count, stride = 1) {
  n <- nrow(alignment)
  if (missing(count)) count <- max(0, 1 + (n - first) %/% stride)
  .alignment(.Call(C_alignment_select, .pointer(alignment, "atp_alignment"), first, count, stride))
}

`[.atp_alignment` <- function(x, i) {
  rows <- seq_len(nrow(x))[i]
  step <- if (length(rows) > 1L) rows[2L] - rows[1L] else 1L
  if (anyNA(rows) || step < 1L || any(diff(rows) != step)) {
    .wrong("E_VALUE", "sequences can be chosen at equal steps, as by 1:100 or seq(1, 1000, 10)")
  }
  atp_select(x, if (length(rows)) rows[1L] else 1, length(rows), step)
}

atp_sequences <- function(alignment) .Call(C_alignment_sequences, .pointer(alignment, "atp_alignment"))
as.matrix.atp_alignment <- function(x, ...) atp_sequences(x)

.alignment_info <- function(x) {
  what <- c(sequences = "count", sites = "sites", colors = "colors", effective_count = "effective_count", origin = "origin")
  lapply(what, function(name) .tell(x, name, "atp_alignment"))
}

dim.atp_alignment <- function(x) {
  as.integer(c(.tell(x, "count", "atp_alignment"), .tell(x, "sites", "atp_alignment")))
}

atp_weights <- function(alignment) .Call(C_alignment_weights, .pointer(alignment, "atp_alignment"))
atp_set_weights <- function(alignment, weights) {
  .change(alignment, "set_weights", "atp_alignment", .numbers(weights, "weights"))
}
atp_find <- function(alignment, name) .Call(C_alignment_find, .pointer(alignment, "atp_alignment"), name)
atp_focus <- function(alignment, name) .alignment(.Call(C_alignment_focus, .pointer(alignment, "atp_alignment"), name))

atp_filter <- function(alignment, ...) {
  options <- .options(3L, list(...))
  found <- .Call(C_alignment_filter, .pointer(alignment, "atp_alignment"), options$keys, options$values)
  result <- .alignment(found$pointer)
  attr(result, "left_out") <- stats::setNames(found$counts, c("sequences", "columns", "duplicates"))
  result
}

atp_weigh <- function(alignment, theta = 0.2, rule = "inclusive") {
  pointer <- .pointer(alignment, "atp_alignment")
  if (identical(theta, "auto")) theta <- atp_auto_theta(alignment)
  .Call(C_alignment_weigh, pointer, theta, .member(.atp_weight_rule, rule, "rule"))
  invisible(alignment)
}

atp_auto_theta <- function(alignment) .Call(C_alignment_auto_theta, .pointer(alignment, "atp_alignment"))
atp_effective_count <- function(alignment) .Call(C_alignment_effective_count, .pointer(alignment, "atp_alignment"))

.labelled <- c("atp_alignment", "atp_model")

atp_colors <- function(x) .tell(x, "colors", .labelled)
atp_names <- function(alignment) .Call(C_alignment_names, .pointer(alignment, "atp_alignment"))
atp_origin <- function(alignment) .Call(C_alignment_origin, .pointer(alignment, "atp_alignment"))
atp_set_origin <- function(alignment, origin) .change(alignment, "set_origin", "atp_alignment", origin)
atp_alphabet <- function(x) .tell(x, "alphabet", .labelled)
atp_set_alphabet <- function(x, alphabet) .change(x, "set_alphabet", .labelled, alphabet)

atp_sites <- function(x) {
  number <- .tell(x, "site_numbers", .labelled)
  residues <- .tell(x, "site_residues", .labelled)
  residue <- if (nzchar(residues)) strsplit(residues, "")[[1L]] else rep(NA_character_, length(number))
  data.frame(number = number, residue = residue, stringsAsFactors = FALSE)
}

atp_set_sites <- function(x, numbers = NULL, residues = NULL) {
  if (!is.null(numbers)) numbers <- .numbers(numbers, "numbers")
  if (length(residues) > 1L) residues <- paste(residues, collapse = "")
  .tell(x, "set_sites", .labelled, numbers, residues)
  invisible(x)
}

atp_frequencies <- function(alignment, pseudocount = 0) {
  .from_c(.Call(C_alignment_frequencies, .pointer(alignment, "atp_alignment"), pseudocount))
}

atp_pair_frequencies <- function(alignment, pseudocount = 0) {
  .from_c(.Call(C_alignment_pair_frequencies, .pointer(alignment, "atp_alignment"), pseudocount))
}

atp_covariances <- function(alignment, pseudocount = 0) {
  .from_c(.Call(C_alignment_covariances, .pointer(alignment, "atp_alignment"), pseudocount))
}

atp_independent_loss <- function(alignment, frequencies = atp_frequencies(alignment)) {
  shape <- c(ncol(alignment), atp_colors(alignment))
  .Call(C_alignment_independent_loss, .pointer(alignment, "atp_alignment"), .to_c(frequencies, shape, "frequencies"))
}

print.atp_alignment <- function(x, ...) {
  if (atp_is_open(x)) cat("<atp_alignment: ", nrow(x), " sequences, ", ncol(x), " sites, ", atp_colors(x),
                          " colours>\n", sep = "")
  else cat("<atp_alignment, closed>\n")
  invisible(x)
}

summary.atp_alignment <- function(object, ...) {
  info <- .alignment_info(object)
  f <- atp_frequencies(object)
  entropy <- -rowSums(ifelse(f > 0, f * log(f), 0))
  structure(c(info, list(alphabet = atp_alphabet(object), entropy = entropy)), class = "summary.atp_alignment")
}

print.summary.atp_alignment <- function(x, ...) {
  cat("Alignment of ", x$sequences, " sequences, ", x$sites, " sites, ", x$colors, " colours\n", sep = "")
  cat("  sum of weights    ", format(x$effective_count), "\n", sep = "")
  if (nzchar(x$alphabet)) cat("  alphabet          ", x$alphabet, "\n", sep = "")
  if (nzchar(x$origin)) cat("  origin            ", x$origin, "\n", sep = "")
  cat("  entropy of sites  ", paste(format(range(x$entropy), digits = 3L), collapse = " to "), " nats\n", sep = "")
  invisible(x)
}
