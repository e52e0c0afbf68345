# SPDX-License-Identifier: MIT

# The text of an alignment file with these strings as its records. A line end or ">" would begin another one; a blank ends a name.
.records <- function(sequences) {
  bad <- is.na(sequences) | grepl("[^!-=?-~]", sequences) | !nzchar(sequences)
  if (any(bad)) {
    .wrong("E_VALUE", "sequences[", which(bad)[1L], "] is ", encodeString(sequences[bad][1L], quote = "\""),
           ", expected one or more symbols, without blanks")
  }
  names <- names(sequences)
  bad <- is.na(names) | grepl("[ \t-\r]", names)
  if (any(bad)) {
    .wrong("E_VALUE", "names(sequences)[", which(bad)[1L], "] is ", encodeString(names[bad][1L], quote = "\""), ", expected no blanks")
  }
  if (is.null(names)) list(text = paste0(sequences, "\n", collapse = ""), format = "aln")
  else list(text = enc2utf8(paste0(">", names, "\n", sequences, "\n", collapse = "")), format = "fasta")
}

.alignment_of_strings <- function(sequences, colors, alphabet, ..., context) {
  records <- .records(sequences)
  result <- .Call(C_alignment_parse, .context(context), records$text, nchar(records$text, "bytes"), alphabet,
                  .options(format = records$format, ...))
  if (!is.null(colors) && !identical(.numbers(colors, "colors"), atp_colors(result))) {
    .wrong("E_CONFLICT", "colors is ", format(colors), ", the alphabet has ", atp_colors(result), " symbols")
  }
  result
}

atp_alignment <- function(sequences, colors = NULL, weights = NULL, alphabet = NULL, ..., context = NULL) {
  if (!is.null(alphabet)) .string(alphabet, "alphabet")
  if (is.character(sequences) && is.null(dim(sequences))) {
    result <- .alignment_of_strings(sequences, colors, alphabet, ..., context = context)
    return(if (is.null(weights)) result else atp_set_weights(result, weights))
  }
  if (...length()) .wrong("E_OPTION", "sequences are ", .kinds(sequences), ": options of the reader are for strings")
  sequences <- .rows(sequences)
  if (is.null(colors)) {
    named <- c(protein = 21, rna = 5, dna = 5)
    colors <- if (!is.null(alphabet)) if (alphabet %in% names(named)) named[[alphabet]] else nchar(alphabet)
              else if (is.numeric(sequences) && length(sequences)) max(2, sequences, na.rm = TRUE) else 2
  }
  weights <- if (!is.null(weights)) .numbers(weights, "weights")
  result <- .Call(C_alignment_create, .context(context), sequences, colors, weights)
  if (!is.null(alphabet)) atp_set_alphabet(result, alphabet)
  result
}

atp_read_alignment <- function(path, alphabet = NULL, ..., context = NULL) {
  .Call(C_alignment_read, .context(context), .path(path), alphabet, .options(...))
}

atp_read_alignment_part <- function(path, part, parts, alphabet = NULL, ..., context = NULL) {
  .Call(C_alignment_read_part, .context(context), .path(path), part, parts, alphabet, .options(...))
}

atp_write_alignment <- function(alignment, path, format = "hdf5") {
  .change(alignment, "write", "atp_alignment", .member(.atp_format, format, "format"), .path(path))
}

atp_select <- function(alignment, first = 1, count, stride = 1) {
  n <- nrow(alignment)
  if (missing(count)) count <- max(0, 1 + (n - first) %/% stride)
  .Call(C_alignment_select, alignment, first, count, stride)
}

# Rows by number, from the end, by truth values or by name, in any order and several times: x[i] or x[i, ].
`[.atp_alignment` <- function(x, i, j) {
  if (!missing(j)) .wrong("E_VALUE", "columns are not taken from an alignment: atp_focus() and atp_filter() choose them")
  if (missing(i)) return(x)
  if (is.logical(i) && length(i) > nrow(x)) .wrong("E_VALUE", length(i), " truth values for ", nrow(x), " sequences")
  rows <- if (is.character(i)) match(i, atp_names(x)) else seq_len(nrow(x))[i]
  if (anyNA(rows)) {
    .wrong("E_VALUE", "there is no sequence ", format(if (length(i) == length(rows)) i[is.na(rows)][1L] else NA), " of ", nrow(x))
  }
  .Call(C_alignment_take, x, rows - 1)
}

`[[.atp_alignment` <- function(x, i, ...) {
  if (is.numeric(i) && length(i) == 1L) return(atp_sequences(x[i])[1L, ])
  NextMethod()
}

head.atp_alignment <- function(x, n = 6L, ...) x[utils::head(seq_len(nrow(x)), n)]
tail.atp_alignment <- function(x, n = 6L, ...) x[utils::tail(seq_len(nrow(x)), n)]

atp_sample_rows <- function(alignment, n, replace = FALSE, seed = 1) {
  .check(alignment, "atp_alignment", "alignment")
  .Call(C_alignment_sample, alignment, n, as.double(replace), seed)
}

atp_rename <- function(alignment, names) .Call(C_alignment_rename, alignment, paste0(names, "\n", collapse = ""))

atp_sequences <- function(alignment) .Call(C_alignment_sequences, alignment)
as.matrix.atp_alignment <- function(x, ...) atp_sequences(x)

dim.atp_alignment <- function(x) as.integer(c(.Call(C_alignment_count, x), .Call(C_alignment_sites, x)))
length.atp_alignment <- function(x) nrow(x)
dimnames.atp_alignment <- function(x) {
  names <- atp_names(x)
  list(if (any(nzchar(names))) names, as.character(atp_sites(x)$number))
}

# A row for each sequence; symbols as one text, or the colours where symbols are not known.
as.data.frame.atp_alignment <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  colors <- atp_sequences(x)
  symbols <- strsplit(atp_alphabet(x), "")[[1L]]
  known <- length(symbols) > 0L
  texts <- apply(if (known) matrix(symbols[colors], nrow(colors)) else colors, 1L, paste, collapse = if (known) "" else " ")
  data.frame(name = atp_names(x), weight = atp_weights(x), sequence = texts, row.names = row.names, stringsAsFactors = FALSE)
}

nobs.atp_alignment <- function(object, ...) nrow(object)
weights.atp_alignment <- function(object, ...) atp_weights(object)
.fields.atp_alignment <- function(x) {
  list(sequences = atp_sequences, weights = atp_weights, colors = atp_colors, alphabet = atp_alphabet, names = atp_names,
       sites = atp_sites, columns = atp_columns, origin = atp_origin)
}

atp_weights <- function(alignment) .Call(C_alignment_weights, alignment)
atp_set_weights <- function(alignment, weights) {
  .change(alignment, "set_weights", "atp_alignment", .numbers(weights, "weights"))
}
atp_find <- function(alignment, name) .Call(C_alignment_find, alignment, name)
atp_focus <- function(alignment, name) .Call(C_alignment_focus, alignment, name)

atp_filter <- function(alignment, ...) {
  found <- .Call(C_alignment_filter, alignment, .options(...))
  structure(found$handle, left_out = stats::setNames(found$counts, c("sequences", "columns", "duplicates")))
}

atp_filter_identity <- function(alignment, identity) .Call(C_alignment_filter_identity, alignment, identity)

atp_split <- function(alignment, ...) {
  parts <- .Call(C_alignment_split, alignment, .options(...), nrow(alignment))
  list(training = alignment[parts == 1], test = alignment[parts == 2], parts = parts)
}

atp_weigh <- function(alignment, theta = 0.2, rule = "inclusive", progress = NULL) {
  if (identical(theta, "auto")) theta <- atp_auto_theta(alignment)
  .ended(.tell(alignment, "weigh", "atp_alignment", theta, .member(.atp_weight_rule, rule, "rule"), progress))
  invisible(alignment)
}

atp_conservation <- function(alignment, gaps = "state") {
  .Call(C_alignment_conservation, alignment, .member(.atp_gaps, gaps, "gaps"))
}

atp_summary <- function(alignment) {
  stats::setNames(.Call(C_alignment_summary, alignment), tolower(names(.atp_summary)))
}

atp_resample <- function(alignment, seed, sample) .Call(C_alignment_resample, alignment, seed, sample, nrow(alignment))

atp_scan_weights <- function(alignment, theta = 1:30 / 50, rule = "inclusive") {
  table <- .Call(C_table_create, .context(NULL), .atp_table_kind[["WEIGHTS"]], length(theta))
  on.exit(.Call(C_close, table))
  .Call(C_alignment_scan_weights, alignment, .numbers(theta, "theta"), .member(.atp_weight_rule, rule, "rule"), table)
  .table(table)
}

atp_auto_theta <- function(alignment) .Call(C_alignment_auto_theta, alignment)
atp_effective_count <- function(alignment) .Call(C_alignment_effective_count, alignment)

.labelled <- c("atp_alignment", "atp_model")

atp_colors <- function(x) .tell(x, "colors", .labelled)
atp_names <- function(alignment) .Call(C_alignment_names, alignment)
atp_origin <- function(alignment) .Call(C_alignment_origin, alignment)
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
  .change(x, "set_sites", .labelled, numbers, residues)
}

atp_columns <- function(x) {
  list(columns = .tell(x, "columns", .labelled) + 1, total = .tell(x, "total_columns", .labelled), border = .tell(x, "border", .labelled))
}

atp_set_columns <- function(x, columns = NULL, total = 0) {
  if (!is.null(columns)) columns <- .numbers(columns, "columns") - 1
  .change(x, "set_columns", .labelled, columns, total)
}

atp_for_model <- function(alignment, model) .Call(C_alignment_for_model, alignment, model)

atp_match_columns <- function(alignment, other) .Call(C_alignment_match, alignment, other)

atp_frequencies <- function(alignment, pseudocount = 0) .from_c(.Call(C_alignment_frequencies, alignment, pseudocount))

atp_residue_frequencies <- function(alignment) .from_c(.Call(C_alignment_residue_frequencies, alignment))

atp_pair_frequencies <- function(alignment, pseudocount = 0) {
  .from_c(.Call(C_alignment_pair_frequencies, alignment, pseudocount))
}

atp_covariances <- function(alignment, pseudocount = 0) .from_c(.Call(C_alignment_covariances, alignment, pseudocount))

atp_independent_loss <- function(alignment, frequencies = atp_frequencies(alignment)) {
  shape <- c(ncol(alignment), atp_colors(alignment))
  .Call(C_alignment_independent_loss, alignment, .to_c(frequencies, shape, "frequencies"))
}

.content.atp_alignment <- function(x) {
  list(sequences = atp_sequences(x), weights = atp_weights(x), colors = atp_colors(x), alphabet = atp_alphabet(x),
       names = atp_names(x), sites = atp_sites(x), origin = atp_origin(x))
}

.told.atp_alignment <- function(x) paste0(nrow(x), " sequences, ", ncol(x), " sites, ", atp_colors(x), " colours")

summary.atp_alignment <- function(object, ...) {
  f <- atp_frequencies(object)
  structure(c(list(sequences = nrow(object)), .info(object, c("sites", "colors", "effective_count", "origin", "alphabet")),
              list(entropy = -rowSums(ifelse(f > 0, f * log(f), 0)))), class = "summary.atp_alignment")
}

print.summary.atp_alignment <- function(x, ...) {
  .say("Alignment of ", x$sequences, " sequences, ", x$sites, " sites, ", x$colors, " colours")
  .say("  sum of weights    ", format(x$effective_count))
  if (nzchar(x$alphabet)) .say("  alphabet          ", x$alphabet)
  if (nzchar(x$origin)) .say("  origin            ", x$origin)
  .say("  entropy of sites  ", .span(x$entropy, digits = 3L), " nats")
  invisible(x)
}
