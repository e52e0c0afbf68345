/* SPDX-License-Identifier: MIT */
/* Models. Arrays go in and out in C order; R code turns them. */
#include "glue.h"

#include "entries.h"

static SEXP adopted(SEXP pointer, atp_status status) {
  finish(status);
  UNPROTECT(1);
  return pointer;
}

/* In a function that returns adopted(): a protected pointer and the place of its handle. */
#define NEW_MODEL(context)                             \
  SEXP pointer = PROTECT(new_pointer(MODEL, context)); \
  atp_model **out = (atp_model **)&((box *)R_ExternalPtrAddr(pointer))->handle

SEXP r_model_heads(SEXP context, SEXP sites, SEXP colors, SEXP heads, SEXP maps, SEXP values, SEXP fields) {
  box *c = box_of(context, CONTEXT);
  const int64_t l = count_of(sites, "sites"), q = count_of(colors, "colors"), h = count_of(heads, "heads");
  const double *a = reals_of(maps, "maps"), *v = reals_of(values, "values"), *b = reals_of(fields, "fields");
  NEW_MODEL(c);
  return adopted(pointer, atp_model_create_heads(c->handle, l, q, h, a, v, b, out));
}

SEXP r_model_dense(SEXP context, SEXP sites, SEXP colors, SEXP couplings, SEXP fields) {
  box *c = box_of(context, CONTEXT);
  const int64_t l = count_of(sites, "sites"), q = count_of(colors, "colors");
  const double *j = reals_of(couplings, "couplings"), *b = reals_of(fields, "fields");
  NEW_MODEL(c);
  return adopted(pointer, atp_model_create_dense_f64(c->handle, l, q, j, b, out));
}

SEXP r_model_random(SEXP context, SEXP sites, SEXP colors, SEXP couplings, SEXP color_matrix, SEXP seed) {
  box *c = box_of(context, CONTEXT);
  const int64_t l = count_of(sites, "sites"), q = count_of(colors, "colors"), s = count_of(seed, "seed");
  const int law = int_of(couplings, "couplings"), matrix = int_of(color_matrix, "color_matrix");
  NEW_MODEL(c);
  return adopted(pointer,
                 atp_model_create_random(c->handle, l, q, (atp_couplings)law, (atp_color_matrix)matrix, s, out));
}

SEXP r_model_copy(SEXP model) {
  box *source = box_of(model, MODEL);
  NEW_MODEL(source->needs[NEEDS_CONTEXT]);
  return adopted(pointer, atp_model_copy(context_of(source), source->handle, out));
}

SEXP r_model_gauge(SEXP model, SEXP gauge) {
  box *source = box_of(model, MODEL);
  const int wanted = int_of(gauge, "gauge");
  NEW_MODEL(source->needs[NEEDS_CONTEXT]);
  return adopted(pointer, atp_model_gauge(context_of(source), source->handle, (atp_gauge)wanted, out));
}

SEXP r_model_read(SEXP context, SEXP path, SEXP format, SEXP alphabet) {
  box *c = box_of(context, CONTEXT);
  const char *file = text_of(path, "path"), *symbols = text_of(alphabet, "alphabet");
  const atp_model_format wanted = (atp_model_format)int_of(format, "format");
  NEW_MODEL(c);
  return adopted(pointer, atp_model_read_as(c->handle, file, wanted, symbols, out));
}

SEXP r_model_write(SEXP model, SEXP alignment, SEXP format, SEXP path) {
  box *b = box_of(model, MODEL);
  const atp_alignment *data = alignment == R_NilValue ? NULL : alignment_of(alignment);
  const atp_model_format wanted = (atp_model_format)int_of(format, "format");
  finish(atp_model_write_as(context_of(b), b->handle, data, wanted, text_of(path, "path")));
  return R_NilValue;
}

SEXP r_model_info(SEXP model) {
  static const char *const names[] = {"sites", "colors", "heads", "has_fields", "is_symmetric", "beta"};
  const atp_model *m = model_of(model);
  SEXP list = PROTECT(list_from(6, names));
  SET_VECTOR_ELT(list, 0, count_from(atp_model_sites(m)));
  SET_VECTOR_ELT(list, 1, count_from(atp_model_colors(m)));
  SET_VECTOR_ELT(list, 2, count_from(atp_model_heads(m)));
  SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(atp_model_has_fields(m)));
  SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(atp_model_is_symmetric(m)));
  SET_VECTOR_ELT(list, 5, Rf_ScalarReal(atp_model_beta(m)));
  UNPROTECT(1);
  return list;
}

SEXP r_model_set_beta(SEXP model, SEXP beta) {
  finish(atp_model_set_beta(model_of(model), real_of(beta, "beta")));
  return R_NilValue;
}

static SEXP copied(const atp_model *model, atp_status (*get)(const atp_model *, double *, int64_t), int64_t size) {
  SEXP values = PROTECT(Rf_allocVector(REALSXP, size));
  finish(get(model, REAL(values), size));
  UNPROTECT(1);
  return values;
}

SEXP r_model_maps(SEXP model) {
  const atp_model *m = model_of(model);
  return copied(m, atp_model_maps, atp_model_heads(m) * atp_model_sites(m) * atp_model_sites(m));
}

SEXP r_model_values(SEXP model) {
  const atp_model *m = model_of(model);
  return copied(m, atp_model_values, atp_model_heads(m) * atp_model_colors(m) * atp_model_colors(m));
}

SEXP r_model_fields(SEXP model) {
  const atp_model *m = model_of(model);
  return copied(m, atp_model_fields, atp_model_sites(m) * atp_model_colors(m));
}

SEXP r_model_couplings(SEXP model) {
  const atp_model *m = model_of(model);
  const int64_t row = atp_model_sites(m) * atp_model_colors(m);
  return copied(m, atp_model_couplings_f64, row * row);
}

/* Sequences of as many sites as the model. */
static const uint8_t *rows_of(const atp_model *m, SEXP sequences, int64_t *n) {
  int64_t sites;
  const uint8_t *bytes = sequences_of(sequences, atp_model_colors(m), 1, "sequences", n, &sites);
  if (sites != atp_model_sites(m))
    fail(ATP_E_SHAPE, "sequences has %.0f columns, expected %.0f: the model's sites", (double)sites,
         (double)atp_model_sites(m));
  return bytes;
}

SEXP r_model_conditionals(SEXP model, SEXP sequences) {
  const atp_model *m = model_of(model);
  int64_t n;
  const uint8_t *bytes = rows_of(m, sequences, &n);
  const int64_t size = n * atp_model_sites(m) * atp_model_colors(m);
  SEXP p = PROTECT(Rf_allocVector(REALSXP, size));
  finish(atp_model_conditionals(m, bytes, n, REAL(p), size));
  UNPROTECT(1);
  return p;
}

static SEXP of_each(SEXP model, SEXP sequences,
                    atp_status (*get)(const atp_model *, const uint8_t *, int64_t, double *)) {
  const atp_model *m = model_of(model);
  int64_t n;
  const uint8_t *bytes = rows_of(m, sequences, &n);
  SEXP values = PROTECT(Rf_allocVector(REALSXP, n));
  finish(get(m, bytes, n, REAL(values)));
  UNPROTECT(1);
  return values;
}

SEXP r_model_energies(SEXP model, SEXP sequences) { return of_each(model, sequences, atp_model_energies); }

SEXP r_model_log_pseudolikelihoods(SEXP model, SEXP sequences) {
  return of_each(model, sequences, atp_model_log_pseudolikelihoods);
}

SEXP r_model_loss(SEXP model, SEXP alignment) {
  box *b = box_of(model, MODEL);
  double loss = 0;
  finish(atp_model_loss(context_of(b), b->handle, alignment_of(alignment), &loss));
  return Rf_ScalarReal(loss);
}

SEXP r_model_coupling_error(SEXP model, SEXP truth) {
  box *b = box_of(model, MODEL);
  double error = 0;
  finish(atp_model_coupling_error(context_of(b), b->handle, model_of(truth), &error));
  return Rf_ScalarReal(error);
}

SEXP r_model_enumerate(SEXP model, SEXP pairs, SEXP probabilities) {
  static const char *const names[] = {"log_z", "energy", "marginals", "pairs", "probabilities"};
  const atp_model *m = model_of(model);
  const int64_t l = atp_model_sites(m), q = atp_model_colors(m), row = l * q;
  int64_t states = 1;
  for (int64_t i = 0; i < l && states <= (1 << 26); ++i) states *= q;
  const int small = states <= (1 << 26); /* else the library says that it is too large */
  const int with_pairs = small && Rf_asLogical(pairs) == TRUE,
            with_probabilities = small && Rf_asLogical(probabilities) == TRUE;
  SEXP list = PROTECT(list_from(5, names));
  SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, row));
  if (with_pairs) SET_VECTOR_ELT(list, 3, Rf_allocVector(REALSXP, row * row));
  if (with_probabilities) SET_VECTOR_ELT(list, 4, Rf_allocVector(REALSXP, states));
  double log_z = 0, energy = 0;
  finish(atp_model_enumerate(m, &log_z, &energy, REAL(VECTOR_ELT(list, 2)),
                             with_pairs ? REAL(VECTOR_ELT(list, 3)) : NULL,
                             with_probabilities ? REAL(VECTOR_ELT(list, 4)) : NULL));
  SET_VECTOR_ELT(list, 0, Rf_ScalarReal(log_z));
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal(energy));
  UNPROTECT(1);
  return list;
}
