/* SPDX-License-Identifier: MIT */
/* Scores of pairs, precision, mutants, statistics. Score matrices are symmetric: R's order is the library's. */
#include "glue.h"

#include "entries.h"

SEXP r_frobenius(SEXP model, SEXP gauge, SEXP gap) {
  box *b = box_of(model, MODEL);
  const int64_t sites = atp_model_sites(b->handle);
  const int64_t without = gap == R_NilValue ? -1 : index_of(gap, "gap");
  const int wanted = int_of(gauge, "gauge");
  SEXP scores = PROTECT(Rf_allocMatrix(REALSXP, (int)sites, (int)sites));
  finish(atp_model_frobenius(context_of(b), b->handle, (atp_score_gauge)wanted, without, REAL(scores), sites * sites));
  UNPROTECT(1);
  return scores;
}

SEXP r_apc(SEXP scores, SEXP sites) {
  const int64_t l = count_of(sites, "sites");
  const double *from = reals_of(scores, "scores");
  SEXP corrected = PROTECT(Rf_allocMatrix(REALSXP, (int)l, (int)l));
  finish(atp_scores_apc(from, l, REAL(corrected), l * l));
  UNPROTECT(1);
  return corrected;
}

SEXP r_rank(SEXP scores, SEXP sites, SEXP numbers, SEXP separation, SEXP capacity) {
  const int64_t l = count_of(sites, "sites"), apart = count_of(separation, "separation"),
                wanted = count_of(capacity, "count");
  const int64_t *called = counts_of(numbers, "numbers"), all = l * (l - 1) / 2;
  const int64_t room = wanted < all ? wanted : all; /* no more than there are need a place */
  int64_t *pairs = (int64_t *)R_alloc(2 * (size_t)(room > 0 ? room : 0) + 1, sizeof *pairs), count = 0;
  finish(atp_scores_rank(reals_of(scores, "scores"), l, called, apart, pairs, wanted > 0 ? room : wanted, &count));
  SEXP matrix = PROTECT(Rf_allocMatrix(INTSXP, (int)count, 2));
  for (int64_t k = 0; k < count; ++k) {
    INTEGER(matrix)[k] = (int)pairs[2 * k] + 1;
    INTEGER(matrix)[k + count] = (int)pairs[2 * k + 1] + 1;
  }
  UNPROTECT(1);
  return matrix;
}

SEXP r_distances_read(SEXP context, SEXP path, SEXP numbers, SEXP sites) {
  static const char *const names[] = {"distances", "pairs", "used"};
  box *c = box_of(context, CONTEXT);
  const int64_t l = count_of(sites, "sites");
  const int64_t *called = counts_of(numbers, "numbers");
  if (l < 2 || l > 65536) fail(ATP_E_VALUE, "sites is %.0f, expected 2..65536", (double)l);
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, Rf_allocMatrix(REALSXP, (int)l, (int)l));
  int64_t pairs = 0, used = 0;
  finish(
      atp_distances_read(c->handle, text_of(path, "path"), called, l, REAL(VECTOR_ELT(list, 0)), l * l, &pairs, &used));
  SET_VECTOR_ELT(list, 1, count_from(pairs));
  SET_VECTOR_ELT(list, 2, count_from(used));
  UNPROTECT(1);
  return list;
}

SEXP r_precision(SEXP pairs, SEXP distances, SEXP sites, SEXP cutoff, SEXP absent) {
  const int64_t n = Rf_xlength(pairs) / 2, l = count_of(sites, "sites");
  const int64_t *columns = counts_of(pairs, "pairs");
  int64_t *rows = (int64_t *)R_alloc(2 * (size_t)n + 1, sizeof *rows);
  for (int64_t k = 0; k < n; ++k) rows[2 * k] = columns[k] - 1, rows[2 * k + 1] = columns[k + n] - 1;
  const int what = int_of(absent, "absent");
  int64_t counted = 0;
  SEXP curve = PROTECT(Rf_allocVector(REALSXP, n));
  finish(atp_pairs_precision(rows, n, reals_of(distances, "distances"), l, real_of(cutoff, "cutoff"), (atp_absent)what,
                             REAL(curve), &counted));
  curve = Rf_xlengthgets(curve, counted);
  UNPROTECT(1);
  return curve;
}

SEXP r_mutants(SEXP model, SEXP sequence, SEXP pseudolikelihood) {
  static const char *const names[] = {"energy", "log_pseudolikelihood"};
  box *b = box_of(model, MODEL);
  int64_t n, sites;
  const uint8_t *bytes = sequences_of(sequence, atp_model_colors(b->handle), 1, "sequence", &n, &sites);
  if (n != 1) fail(ATP_E_SHAPE, "sequence has %.0f rows, expected one sequence", (double)n);
  const int64_t size = atp_model_sites(b->handle) * atp_model_colors(b->handle);
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, size));
  if (Rf_asLogical(pseudolikelihood) == TRUE) SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, size));
  SEXP log = VECTOR_ELT(list, 1);
  finish(atp_model_mutants(context_of(b), b->handle, bytes, sites, REAL(VECTOR_ELT(list, 0)),
                           log == R_NilValue ? NULL : REAL(log), size));
  UNPROTECT(1);
  return list;
}

SEXP r_compare_statistics(SEXP data, SEXP samples) {
  box *b = box_of(data, ALIGNMENT);
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS));
  finish(atp_statistics_compare(context_of(b), b->handle, alignment_of(samples), REAL(numbers), Rf_xlength(numbers)));
  UNPROTECT(1);
  return numbers;
}
