/* SPDX-License-Identifier: MIT */
/* Alignments; what alignments and models share: sites and alphabets. */
#include "glue.h"

#include "entries.h"

#include <string.h>

SEXP r_alignment_create(SEXP context, SEXP sequences, SEXP colors, SEXP weights) {
  box *c = box_of(context, CONTEXT);
  const int64_t q = count_of(colors, "colors");
  int64_t n, sites;
  const uint8_t *bytes = sequences_of(sequences, q > 255 ? 255 : q, 0, "sequences", &n, &sites);
  const double *w = reals_of(weights, "weights");
  if (w != NULL && Rf_xlength(weights) != n)
    fail(ATP_E_SHAPE, "weights has length %.0f, expected %.0f", (double)Rf_xlength(weights), (double)n);
  SEXP pointer = PROTECT(new_pointer(ALIGNMENT, c));
  box *b = R_ExternalPtrAddr(pointer);
  finish(atp_alignment_create(c->handle, bytes, n, sites, q, w, (atp_alignment **)&b->handle));
  UNPROTECT(1);
  return pointer;
}

SEXP r_alignment_read(SEXP context, SEXP path, SEXP alphabet, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT);
  const char *file = text_of(path, "path"), *symbols = text_of(alphabet, "alphabet");
  SEXP pointer = PROTECT(new_pointer(ALIGNMENT, c));
  box *b = R_ExternalPtrAddr(pointer);
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_alignment_read(c->handle, file, symbols, options, (atp_alignment **)&b->handle);
  atp_options_destroy(options);
  finish(status);
  UNPROTECT(1);
  return pointer;
}

SEXP r_alignment_write(SEXP alignment, SEXP format, SEXP path) {
  box *b = box_of(alignment, ALIGNMENT);
  finish(atp_alignment_write(context_of(b), b->handle, (atp_format)int_of(format, "format"), text_of(path, "path")));
  return R_NilValue;
}

SEXP r_alignment_select(SEXP alignment, SEXP first, SEXP count, SEXP stride) {
  box *source = box_of(alignment, ALIGNMENT);
  const int64_t from = index_of(first, "first"), n = count_of(count, "count"), step = count_of(stride, "stride");
  SEXP pointer = PROTECT(new_pointer(ALIGNMENT, source->needs[NEEDS_CONTEXT]));
  box *b = R_ExternalPtrAddr(pointer);
  finish(atp_alignment_select(context_of(source), source->handle, from, n, step, (atp_alignment **)&b->handle));
  UNPROTECT(1);
  return pointer;
}

SEXP r_alignment_find(SEXP alignment, SEXP name) {
  int64_t index = 0;
  finish(atp_alignment_find(alignment_of(alignment), text_of(name, "name"), &index));
  return count_from(index + 1);
}

SEXP r_alignment_focus(SEXP alignment, SEXP name) {
  box *source = box_of(alignment, ALIGNMENT);
  const char *focus = text_of(name, "name");
  SEXP pointer = PROTECT(new_pointer(ALIGNMENT, source->needs[NEEDS_CONTEXT]));
  box *b = R_ExternalPtrAddr(pointer);
  finish(atp_alignment_focus(context_of(source), source->handle, focus, (atp_alignment **)&b->handle));
  UNPROTECT(1);
  return pointer;
}

/* list(pointer, counts) */
SEXP r_alignment_filter(SEXP alignment, SEXP keys, SEXP values) {
  static const char *const names[] = {"pointer", "counts"};
  box *source = box_of(alignment, ALIGNMENT);
  int64_t counts[3] = {0, 0, 0};
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, new_pointer(ALIGNMENT, source->needs[NEEDS_CONTEXT]));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, 3));
  box *b = R_ExternalPtrAddr(VECTOR_ELT(list, 0));
  atp_options *options = options_of(context_of(source), keys, values);
  const atp_status status =
      atp_alignment_filter(context_of(source), source->handle, options, counts, 3, (atp_alignment **)&b->handle);
  atp_options_destroy(options);
  finish(status);
  for (int k = 0; k < 3; ++k) REAL(VECTOR_ELT(list, 1))[k] = (double)counts[k];
  UNPROTECT(1);
  return list;
}

SEXP r_alignment_weigh(SEXP alignment, SEXP theta, SEXP rule) {
  finish(atp_alignment_weigh(alignment_of(alignment), real_of(theta, "theta"), (atp_weight_rule)int_of(rule, "rule")));
  return R_NilValue;
}

SEXP r_alignment_auto_theta(SEXP alignment) {
  double theta = 0;
  finish(atp_alignment_auto_theta(alignment_of(alignment), &theta));
  return Rf_ScalarReal(theta);
}

SEXP r_alignment_info(SEXP alignment) {
  static const char *const names[] = {"sequences", "sites", "colors", "effective_count", "origin"};
  const atp_alignment *a = alignment_of(alignment);
  SEXP list = PROTECT(list_from(5, names));
  SET_VECTOR_ELT(list, 0, count_from(atp_alignment_count(a)));
  SET_VECTOR_ELT(list, 1, count_from(atp_alignment_sites(a)));
  SET_VECTOR_ELT(list, 2, count_from(atp_alignment_colors(a)));
  SET_VECTOR_ELT(list, 3, Rf_ScalarReal(atp_alignment_effective_count(a)));
  SET_VECTOR_ELT(list, 4, text_from(atp_alignment_origin(a)));
  UNPROTECT(1);
  return list;
}

SEXP r_alignment_sequences(SEXP alignment) {
  const atp_alignment *a = alignment_of(alignment);
  return matrix_from(atp_alignment_sequences_view(a), atp_alignment_count(a), atp_alignment_sites(a));
}

SEXP r_alignment_weights(SEXP alignment) {
  const atp_alignment *a = alignment_of(alignment);
  SEXP weights = PROTECT(Rf_allocVector(REALSXP, atp_alignment_count(a)));
  memcpy(REAL(weights), atp_alignment_weights_view(a), (size_t)atp_alignment_count(a) * sizeof(double));
  UNPROTECT(1);
  return weights;
}

SEXP r_alignment_set_weights(SEXP alignment, SEXP weights) {
  finish(atp_alignment_set_weights(alignment_of(alignment), reals_of(weights, "weights"), Rf_xlength(weights)));
  return R_NilValue;
}

SEXP r_alignment_names(SEXP alignment) {
  const atp_alignment *a = alignment_of(alignment);
  const int64_t n = atp_alignment_count(a);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (int64_t k = 0; k < n; ++k) SET_STRING_ELT(names, k, Rf_mkCharCE(atp_alignment_name(a, k), CE_UTF8));
  UNPROTECT(1);
  return names;
}

SEXP r_alignment_set_origin(SEXP alignment, SEXP text) {
  finish(atp_alignment_set_origin(alignment_of(alignment), text_of(text, "origin")));
  return R_NilValue;
}

SEXP r_alignment_frequencies(SEXP alignment, SEXP pseudocount) {
  const atp_alignment *a = alignment_of(alignment);
  const int64_t size = atp_alignment_sites(a) * atp_alignment_colors(a);
  SEXP f = PROTECT(Rf_allocVector(REALSXP, size));
  finish(atp_alignment_frequencies(a, real_of(pseudocount, "pseudocount"), REAL(f), size));
  UNPROTECT(1);
  return f;
}

static SEXP of_pairs(SEXP alignment, SEXP pseudocount,
                     atp_status (*get)(const atp_alignment *, double, double *, int64_t)) {
  const atp_alignment *a = alignment_of(alignment);
  const int64_t row = atp_alignment_sites(a) * atp_alignment_colors(a), size = row * row;
  SEXP f = PROTECT(Rf_allocVector(REALSXP, size));
  finish(get(a, real_of(pseudocount, "pseudocount"), REAL(f), size));
  UNPROTECT(1);
  return f;
}

SEXP r_alignment_pair_frequencies(SEXP alignment, SEXP pseudocount) {
  return of_pairs(alignment, pseudocount, atp_alignment_pair_frequencies);
}

SEXP r_alignment_covariances(SEXP alignment, SEXP pseudocount) {
  return of_pairs(alignment, pseudocount, atp_alignment_covariances);
}

SEXP r_alignment_independent_loss(SEXP alignment, SEXP frequencies) {
  double loss = 0;
  finish(atp_alignment_independent_loss(alignment_of(alignment), reals_of(frequencies, "frequencies"),
                                        Rf_xlength(frequencies), &loss));
  return Rf_ScalarReal(loss);
}

static int is_model(SEXP pointer) {
  const box *b = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  return b != NULL && b->kind == MODEL;
}

SEXP r_sites(SEXP owner) {
  static const char *const names[] = {"number", "residues"};
  const int model = is_model(owner);
  const box *b = box_of(owner, model ? MODEL : ALIGNMENT);
  const int64_t n = model ? atp_model_sites(b->handle) : atp_alignment_sites(b->handle);
  const int64_t *numbers = model ? atp_model_site_numbers_view(b->handle) : atp_alignment_site_numbers_view(b->handle);
  const char *residues = model ? atp_model_site_residues(b->handle) : atp_alignment_site_residues(b->handle);
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, n));
  for (int64_t i = 0; i < n; ++i) REAL(VECTOR_ELT(list, 0))[i] = (double)numbers[i];
  SET_VECTOR_ELT(list, 1, text_from(residues));
  UNPROTECT(1);
  return list;
}

SEXP r_set_sites(SEXP owner, SEXP numbers, SEXP residues) {
  const int model = is_model(owner);
  const box *b = box_of(owner, model ? MODEL : ALIGNMENT);
  const int64_t *given = counts_of(numbers, "numbers");
  const int64_t sites = model ? atp_model_sites(b->handle) : atp_alignment_sites(b->handle);
  const int64_t n = given == NULL ? sites : Rf_xlength(numbers);
  const char *text = text_of(residues, "residues");
  finish(model ? atp_model_set_sites(b->handle, given, n, text) : atp_alignment_set_sites(b->handle, given, n, text));
  return R_NilValue;
}

SEXP r_alphabet(SEXP owner) {
  const int model = is_model(owner);
  const box *b = box_of(owner, model ? MODEL : ALIGNMENT);
  return text_from(model ? atp_model_alphabet(b->handle) : atp_alignment_alphabet(b->handle));
}

SEXP r_set_alphabet(SEXP owner, SEXP symbols) {
  const int model = is_model(owner);
  const box *b = box_of(owner, model ? MODEL : ALIGNMENT);
  const char *text = text_of(symbols, "alphabet");
  finish(model ? atp_model_set_alphabet(b->handle, text) : atp_alignment_set_alphabet(b->handle, text));
  return R_NilValue;
}
