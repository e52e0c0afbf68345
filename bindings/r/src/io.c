/* SPDX-License-Identifier: MIT */
/* Files: kinds, and bytes for saved states. */
#include "glue.h"

#include "entries.h"

SEXP r_scores_write(SEXP context, SEXP scores, SEXP sites, SEXP numbers, SEXP residues, SEXP format, SEXP path) {
  atp_context *c = box_of(context, CONTEXT)->handle;
  const int64_t l = count_of(sites, "sites"), *called = counts_of(numbers, "numbers");
  const atp_score_format wanted = (atp_score_format)int_of(format, "format");
  finish(atp_scores_write(c, reals_of(scores, "scores"), l, l * l, called, text_of(residues, "residues"), wanted,
                          text_of(path, "path")));
  return R_NilValue;
}

SEXP r_scores_read(SEXP context, SEXP path) {
  static const char *const names[] = {"scores", "numbers", "residues"};
  atp_context *c = box_of(context, CONTEXT)->handle;
  const char *file = text_of(path, "path");
  int64_t l = 0;
  finish(atp_scores_sites(c, file, &l));
  int64_t *numbers = (int64_t *)R_alloc((size_t)l, sizeof *numbers);
  char *residues = R_alloc((size_t)l + 1, 1);
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, Rf_allocMatrix(REALSXP, (int)l, (int)l));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, l));
  finish(atp_scores_read(c, file, REAL(VECTOR_ELT(list, 0)), l * l, numbers, residues));
  for (int64_t i = 0; i < l; ++i) REAL(VECTOR_ELT(list, 1))[i] = (double)numbers[i];
  SET_VECTOR_ELT(list, 2, text_from(residues));
  UNPROTECT(1);
  return list;
}

SEXP r_file_kind(SEXP context, SEXP path) {
  const char *kind_of_file = NULL;
  finish(atp_file_kind(box_of(context, CONTEXT)->handle, text_of(path, "path"), &kind_of_file));
  return text_from(kind_of_file);
}

SEXP r_file_write(SEXP context, SEXP path, SEXP bytes) {
  if (TYPEOF(bytes) != RAWSXP) fail(ATP_E_VALUE, "bytes is %s, expected a raw vector", Rf_type2char(TYPEOF(bytes)));
  finish(atp_file_write(box_of(context, CONTEXT)->handle, text_of(path, "path"), RAW(bytes), Rf_xlength(bytes)));
  return R_NilValue;
}

SEXP r_file_read(SEXP context, SEXP path) {
  atp_context *c = box_of(context, CONTEXT)->handle;
  const char *file = text_of(path, "path");
  int64_t size = 0;
  finish(atp_file_size(c, file, &size));
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, size));
  finish(atp_file_read(c, file, RAW(bytes), size));
  UNPROTECT(1);
  return bytes;
}
