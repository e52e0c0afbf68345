/* SPDX-License-Identifier: MIT */
/* Versions, options, contexts. */
#include "glue.h"

#include "entries.h"

SEXP r_version(void) {
  static const char *const names[] = {"version", "number", "abi"};
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, text_from(atp_version_string()));
  SET_VECTOR_ELT(list, 1, Rf_ScalarInteger(atp_version_number()));
  SET_VECTOR_ELT(list, 2, Rf_ScalarInteger(atp_abi_version()));
  UNPROTECT(1);
  return list;
}

SEXP r_has_feature(SEXP name) { return Rf_ScalarLogical(atp_has_feature(text_of(name, "name")) != 0); }

SEXP r_blas_description(void) { return text_from(atp_blas_description()); }

SEXP r_simd_targets(void) {
  int n = 0;
  while (atp_simd_target(n) != NULL) ++n;
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (int k = 0; k < n; ++k) SET_STRING_ELT(names, k, Rf_mkChar(atp_simd_target(k)));
  UNPROTECT(1);
  return names;
}

/* c(name, sentence) */
SEXP r_status_text(SEXP status) {
  const int code = int_of(status, "status");
  SEXP text = PROTECT(Rf_allocVector(STRSXP, 2));
  SET_STRING_ELT(text, 0, Rf_mkChar(atp_status_name(code)));
  SET_STRING_ELT(text, 1, Rf_mkChar(atp_status_string(code)));
  UNPROTECT(1);
  return text;
}

SEXP r_outcome_names(SEXP outcomes) {
  const R_xlen_t n = Rf_xlength(outcomes);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (R_xlen_t k = 0; k < n; ++k) SET_STRING_ELT(names, k, Rf_mkChar(atp_outcome_name(INTEGER(outcomes)[k])));
  UNPROTECT(1);
  return names;
}

SEXP r_option_key(SEXP name) { return Rf_ScalarInteger(atp_option_from_name(text_of(name, "name"))); }

SEXP r_option_table(void) {
  static const char *const names[] = {"name", "key", "lowest", "highest", "default", "integer"};
  static const SEXPTYPE types[] = {STRSXP, INTSXP, REALSXP, REALSXP, REALSXP, LGLSXP};
  const int n = (int)atp_option_count();
  SEXP list = PROTECT(list_from(6, names));
  for (int k = 0; k < 6; ++k) SET_VECTOR_ELT(list, k, Rf_allocVector(types[k], n));
  for (int k = 0; k < n; ++k) {
    const int key = atp_option_at(k);
    SET_STRING_ELT(VECTOR_ELT(list, 0), k, Rf_mkChar(atp_option_name(key)));
    INTEGER(VECTOR_ELT(list, 1))[k] = key;
    finish(atp_option_bounds((atp_option)key, REAL(VECTOR_ELT(list, 2)) + k, REAL(VECTOR_ELT(list, 3)) + k,
                             REAL(VECTOR_ELT(list, 4)) + k, LOGICAL(VECTOR_ELT(list, 5)) + k));
  }
  UNPROTECT(1);
  return list;
}

SEXP r_context_create(void) {
  SEXP pointer = PROTECT(new_pointer(CONTEXT, NULL));
  box *b = R_ExternalPtrAddr(pointer);
  finish(atp_context_create(NULL, NULL, NULL, (atp_context **)&b->handle));
  finish(atp_context_set_log(b->handle, keep_line, NULL));
  UNPROTECT(1);
  return pointer;
}

SEXP r_context_threads(SEXP context) { return count_from(atp_context_threads(box_of(context, CONTEXT)->handle)); }

SEXP r_context_set_threads(SEXP context, SEXP threads) {
  finish(atp_context_set_threads(box_of(context, CONTEXT)->handle, count_of(threads, "threads")));
  return R_NilValue;
}

SEXP r_context_simd(SEXP context) { return text_from(atp_context_simd(box_of(context, CONTEXT)->handle)); }

SEXP r_context_set_simd(SEXP context, SEXP name) {
  finish(atp_context_set_simd(box_of(context, CONTEXT)->handle, text_of(name, "simd")));
  return R_NilValue;
}

SEXP r_context_memory(SEXP context) {
  int64_t count = 0, bytes = 0;
  finish(atp_context_memory(box_of(context, CONTEXT)->handle, &count, &bytes));
  SEXP both = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(both)[0] = (double)count, REAL(both)[1] = (double)bytes;
  UNPROTECT(1);
  return both;
}

SEXP r_context_memory_limit(SEXP context) {
  int64_t limit = 0, available = 0;
  finish(atp_context_memory_limit(box_of(context, CONTEXT)->handle, &limit, &available));
  SEXP both = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(both)[0] = (double)limit, REAL(both)[1] = (double)available;
  UNPROTECT(1);
  return both;
}

SEXP r_context_set_memory_limit(SEXP context, SEXP bytes) {
  finish(atp_context_set_memory_limit(box_of(context, CONTEXT)->handle, count_of(bytes, "bytes")));
  return R_NilValue;
}

SEXP r_context_error(SEXP context) {
  const atp_context *c = box_of(context, CONTEXT)->handle;
  const int64_t size = atp_context_error(c, NULL, 0) + 1;
  char *text = R_alloc((size_t)size, 1);
  atp_context_error(c, text, size);
  return text_from(text);
}

SEXP r_is_open(SEXP pointer) {
  const box *b = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  return Rf_ScalarLogical(b != NULL && b->handle != NULL);
}

/* What others still need is freed with the last of them. */
SEXP r_close(SEXP pointer) {
  if (Rf_asLogical(r_is_open(pointer)) != TRUE) return R_NilValue;
  box *b = R_ExternalPtrAddr(pointer);
  R_ClearExternalPtr(pointer);
  drop(b);
  return R_NilValue;
}
