/* SPDX-License-Identifier: MIT */
/* Entry points that generate.py does not write: lists of texts, and what R's memory has to be made for. */
#include "glue.h"

#include "entries.h"

#include <dlfcn.h>
#include <string.h>

SEXP r_simd_targets(void) {
  int n = 0;
  while (atp_simd_target(n) != NULL) ++n;
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (int k = 0; k < n; ++k) SET_STRING_ELT(names, k, Rf_mkChar(atp_simd_target(k)));
  UNPROTECT(1);
  return names;
}

SEXP r_context_create(void) {
  SEXP handle = PROTECT(new_handle(KIND_context, NULL));
  box *b = new_box(handle);
  finish(atp_context_create(NULL, NULL, NULL, (atp_context **)&b->handle));
  finish(atp_context_set_log(b->handle, keep_line, NULL));
  UNPROTECT(1);
  return handle;
}

/* The library of MPI ranks is loaded where it is asked for: not every machine has MPI. */
SEXP r_context_set_mpi(SEXP context, SEXP handle) {
  static const char library[] = "libattopotts_mpi.so.0";
  atp_status (*set_mpi)(atp_context *, int) = NULL;
  atp_context *c = box_of(context, KIND_context, "context")->handle;
  const int comm = int_of(handle, "comm");
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *found = loaded == NULL ? NULL : dlsym(loaded, "atp_context_set_mpi_f");
  if (found == NULL) fail(ATP_E_UNSUPPORTED, "%s was not found: build attopotts with MPI (%s)", library, dlerror());
  memcpy(&set_mpi, &found, sizeof set_mpi);
  finish(set_mpi(c, comm));
  return R_NilValue;
}

SEXP r_context_no_ranks(SEXP context) {
  finish(atp_context_set_ranks(box_of(context, KIND_context, "context")->handle, NULL));
  return R_NilValue;
}

SEXP r_context_any(SEXP context, SEXP flag) {
  int any = flag_of(flag, "flag");
  finish(atp_context_any(box_of(context, KIND_context, "context")->handle, &any));
  return Rf_ScalarLogical(any);
}

SEXP r_context_error(SEXP context) { return text_from(library_text(box_of(context, KIND_context, "context")->handle)); }

/* "open", "closed" or "lost". */
SEXP r_handle_state(SEXP x) { return text_from(state_of(pointer_of(x, "atp_handle", "x"))); }

/* Whether two handles are the same one. */
SEXP r_same_handle(SEXP x, SEXP y) { return Rf_ScalarLogical(pointer_of(x, "atp_handle", "x") == pointer_of(y, "atp_handle", "y")); }

/* What others still need is freed with the last of them. */
SEXP r_close(SEXP x) {
  close_handle(pointer_of(x, "atp_handle", "x"));
  return R_NilValue;
}

SEXP r_alignment_names(SEXP alignment) {
  const atp_alignment *a = box_of(alignment, KIND_alignment, "alignment")->handle;
  const int64_t n = atp_alignment_count(a);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (int64_t k = 0; k < n; ++k) SET_STRING_ELT(names, k, Rf_mkCharCE(atp_alignment_name(a, k), CE_UTF8));
  UNPROTECT(1);
  return names;
}

SEXP r_sampler_sample(SEXP sampler, SEXP count, SEXP thin, SEXP progress) {
  static const char *names[] = {"outcome", "interrupted", "sequences", ""};
  atp_sampler *s = box_of(sampler, KIND_sampler, "sampler")->handle;
  const int64_t n = count_of(count, "n"), between = count_of(thin, "thin"), sites = atp_sampler_sites(s);
  if (n < 1 || n > 2147483647) fail(ATP_E_VALUE, "n is %.0f, expected 1..2147483647", (double)n);
  uint8_t *bytes = (uint8_t *)R_alloc((size_t)(n * sites), 1);
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, 0);
  run_end(&r, atp_sampler_sample(s, between, bytes, n * sites, run_report, &r, &outcome), R_NilValue);
  run_result(list, &r, outcome);
  SET_VECTOR_ELT(list, 2, matrix_from(bytes, atp_sampler_drawn(s), sites));
  UNPROTECT(2);
  return list;
}

SEXP r_scores_read(SEXP context, SEXP path) {
  static const char *names[] = {"scores", "numbers", "residues", ""};
  atp_context *c = box_of(context, KIND_context, "context")->handle;
  const char *file = text_of(path, "path");
  int64_t l = 0;
  finish(atp_scores_sites(c, file, &l));
  int64_t *numbers = (int64_t *)R_alloc((size_t)l, sizeof *numbers);
  char *residues = R_alloc((size_t)l + 1, 1);
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, Rf_allocMatrix(REALSXP, (int)l, (int)l));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, l));
  finish(atp_scores_read(c, file, REAL(VECTOR_ELT(list, 0)), l * l, numbers, residues));
  for (int64_t i = 0; i < l; ++i) REAL(VECTOR_ELT(list, 1))[i] = (double)numbers[i];
  SET_VECTOR_ELT(list, 2, text_from(residues));
  UNPROTECT(1);
  return list;
}

SEXP r_file_read(SEXP context, SEXP path) {
  atp_context *c = box_of(context, KIND_context, "context")->handle;
  const char *file = text_of(path, "path");
  int64_t size = 0;
  finish(atp_file_size(c, file, &size));
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, size));
  finish(atp_file_read(c, file, RAW(bytes), size));
  UNPROTECT(1);
  return bytes;
}
