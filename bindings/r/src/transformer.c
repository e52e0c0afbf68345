/* SPDX-License-Identifier: MIT */
/* Transformers: what trainer.c does not do for them. */
#include "glue.h"

#include "entries.h"

SEXP r_transformer_bytes(SEXP context, SEXP n, SEXP sites, SEXP colors, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT);
  const int64_t rows = count_of(n, "n"), l = count_of(sites, "sites"), q = count_of(colors, "colors");
  int64_t bytes = 0;
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_transformer_bytes(c->handle, rows, l, q, options, &bytes);
  atp_options_destroy(options);
  finish(status);
  return count_from(bytes);
}

SEXP r_transformer_create(SEXP context, SEXP alignment, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT), *data = box_of(alignment, ALIGNMENT);
  SEXP pointer = PROTECT(new_pointer(TRANSFORMER, c));
  box *b = R_ExternalPtrAddr(pointer);
  hold(b, NEEDS_DATA, data); /* the library reads it as long as the transformer lives */
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_transformer_create(c->handle, data->handle, options, (atp_transformer **)&b->handle);
  atp_options_destroy(options);
  finish(status);
  UNPROTECT(1);
  return pointer;
}

/* The training data, which have the shape of everything else. */
static const atp_alignment *data_of(const box *b) { return b->needs[NEEDS_DATA]->handle; }

SEXP r_transformer_info(SEXP transformer) {
  static const char *const names[] = {"sites", "colors", "maps"};
  const box *b = box_of(transformer, TRANSFORMER);
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, count_from(atp_alignment_sites(data_of(b))));
  SET_VECTOR_ELT(list, 1, count_from(atp_alignment_colors(data_of(b))));
  SET_VECTOR_ELT(list, 2, count_from(atp_transformer_map_count(b->handle)));
  UNPROTECT(1);
  return list;
}

SEXP r_transformer_parts(SEXP transformer) {
  static const char *const names[] = {"name", "offset", "size"};
  const atp_transformer *t = transformer_of(transformer);
  const int64_t count = atp_transformer_part_count(t);
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, count));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, count));
  SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, count));
  for (int64_t k = 0; k < count; ++k) {
    const char *name = NULL;
    int64_t offset = 0, size = 0;
    finish(atp_transformer_part(t, k, &name, &offset, &size));
    SET_STRING_ELT(VECTOR_ELT(list, 0), k, Rf_mkCharCE(name, CE_UTF8));
    REAL(VECTOR_ELT(list, 1))[k] = (double)offset;
    REAL(VECTOR_ELT(list, 2))[k] = (double)size;
  }
  UNPROTECT(1);
  return list;
}

SEXP r_transformer_conditionals(SEXP transformer, SEXP sequences) {
  const box *b = box_of(transformer, TRANSFORMER);
  const int64_t q = atp_alignment_colors(data_of(b));
  int64_t n, sites;
  const uint8_t *bytes = sequences_of(sequences, q, 0, "sequences", &n, &sites);
  if (sites != atp_alignment_sites(data_of(b)))
    fail(ATP_E_SHAPE, "sequences has %.0f columns, expected %.0f: the sites of the training data", (double)sites,
         (double)atp_alignment_sites(data_of(b)));
  SEXP p = PROTECT(Rf_allocVector(REALSXP, n * sites * q));
  finish(atp_transformer_conditionals(b->handle, bytes, n, sites, REAL(p), n * sites * q));
  UNPROTECT(1);
  return p;
}

SEXP r_transformer_maps(SEXP transformer, SEXP alignment) {
  const box *b = box_of(transformer, TRANSFORMER);
  const atp_alignment *data = alignment_of(alignment);
  const int64_t sites = atp_alignment_sites(data_of(b)), size = atp_transformer_map_count(b->handle) * sites * sites;
  SEXP maps = PROTECT(Rf_allocVector(REALSXP, size));
  finish(atp_transformer_maps(b->handle, data, REAL(maps), size));
  UNPROTECT(1);
  return maps;
}
