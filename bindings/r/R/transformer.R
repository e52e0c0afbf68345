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
  parts <- .Call(C_transformer_parts, .pointer(transformer, "atp_transformer"))
  stats::setNames(Map(function(offset, size) seq.int(offset + 1, length.out = size), parts$offset, parts$size),
                  parts$name)
}

atp_attention_maps <- function(transformer, alignment) {
  .from_c(.Call(C_transformer_maps, .pointer(transformer, "atp_transformer"), .pointer(alignment, "atp_alignment")))
}
