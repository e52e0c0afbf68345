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

.transformer_info <- function(transformer) .Call(C_transformer_info, .pointer(transformer, "atp_transformer"))

atp_parts <- function(transformer) {
  parts <- .Call(C_transformer_parts, .pointer(transformer, "atp_transformer"))
  stats::setNames(Map(function(offset, size) seq.int(offset + 1, length.out = size), parts$offset, parts$size),
                  parts$name)
}

atp_attention_maps <- function(transformer, alignment) {
  pointer <- .pointer(transformer, "atp_transformer")
  maps <- .Call(C_transformer_maps, pointer, .pointer(alignment, "atp_alignment"))
  info <- .transformer_info(transformer)
  .from_c(maps, c(info$maps, info$sites, info$sites))
}
