# SPDX-License-Identifier: MIT
# Transformers: what trainer.R does not do for them.

atp_transformer <- function(alignment, ..., test = NULL, truth = NULL, context = NULL) {
  options <- .options(2L, list(...))
  pointer <- .Call(C_transformer_create, .context(context), .pointer(alignment, "atp_alignment"), options$keys,
                   options$values)
  .new_learner(pointer, "atp_transformer", test, truth)
}

atp_transformer_bytes <- function(n, sites, colors, ..., context = NULL) {
  options <- .options(2L, list(...))
  .Call(C_transformer_bytes, .context(context), n, sites, colors, options$keys, options$values)
}

atp_parts <- function(transformer) {
  pointer <- .pointer(transformer, "atp_transformer")
  parts <- lapply(seq_len(.Call(C_transformer_part_count, pointer)) - 1, function(k) .Call(C_transformer_part, pointer, k))
  stats::setNames(lapply(parts, function(part) seq.int(part$offset + 1, length.out = part$size)),
                  vapply(parts, function(part) part$name, ""))
}

atp_attention_maps <- function(transformer, alignment) {
  .from_c(.Call(C_transformer_maps, .pointer(transformer, "atp_transformer"), .pointer(alignment, "atp_alignment")))
}
