# SPDX-License-Identifier: MIT
# Transformers: what trainer.R does not do for them.

atp_transformer <- function(alignment, ..., test = NULL, truth = NULL, context = NULL) {
  .with_state(.Call(C_transformer_create, .context(context), alignment, .options(...)), test, truth)
}

atp_transformer_bytes <- function(n, sites, colors, ..., context = NULL) {
  .Call(C_transformer_bytes, .context(context), n, sites, colors, .options(...))
}

atp_parts <- function(transformer) {
  parts <- lapply(seq_len(.Call(C_transformer_part_count, transformer)) - 1, function(k) .Call(C_transformer_part, transformer, k))
  stats::setNames(lapply(parts, function(part) seq.int(part$offset + 1, length.out = part$size)),
                  vapply(parts, function(part) part$name, ""))
}

atp_attention_maps <- function(transformer, alignment) .from_c(.Call(C_transformer_maps, transformer, alignment))
