/* SPDX-License-Identifier: MIT */
#include "glue.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors and messages ---- */

typedef struct line {
  struct line *next;
  int level;
  char text[];
} line;

/* R has one thread: lines wait here until the library has returned. */
static line *first_line, **last_line = &first_line;

void keep_line(atp_log_level level, const char *text, void *user) {
  (void)user;
  const size_t size = strlen(text) + 1;
  line *added = malloc(sizeof *added + size);
  if (added == NULL) return;
  added->next = NULL, added->level = (int)level;
  memcpy(added->text, text, size);
  *last_line = added;
  last_line = &added->next;
}

static SEXP own_namespace(void) {
  SEXP namespace = R_FindNamespace(PROTECT(Rf_mkString("attopotts")));
  UNPROTECT(1);
  return namespace;
}

/* Calls a function of the package with a number and a text, which the caller protects. */
static void call_with(const char *function, int number, SEXP text) {
  SEXP first = PROTECT(Rf_ScalarInteger(number)), call = PROTECT(Rf_lang3(Rf_install(function), first, text));
  Rf_eval(call, own_namespace());
  UNPROTECT(2);
}

static void show_lines(void) {
  while (first_line != NULL) {
    line *shown = first_line;
    SEXP text = PROTECT(text_from(shown->text));
    const int level = shown->level;
    first_line = shown->next;
    if (first_line == NULL) last_line = &first_line;
    free(shown);
    call_with(".log", level, text);
    UNPROTECT(1);
  }
}

static void __attribute__((noreturn)) raise(int status, const char *text) {
  call_with(".raise", status, PROTECT(text_from(text)));
  Rf_error("%s", text); /* .raise() does not return */
}

void fail(int status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  raise(status, text);
}

void finish(atp_status status) {
  if (status == ATP_OK) {
    show_lines();
    return;
  }
  const int64_t size = atp_last_error(NULL, 0) + 1;
  char *text = R_alloc((size_t)size, 1);
  atp_last_error(text, size);
  show_lines();
  raise((int)status, text);
}

/* ---- handles ---- */

void drop(box *b) {
  if (b == NULL || --b->references > 0) return;
#define DESTROY(name) \
  case KIND_##name: atp_##name##_destroy(b->handle); break;
  switch (b->kind) { KINDS(DESTROY) }
#undef DESTROY
  for (int k = NEEDS - 1; k >= 0; --k) drop(b->needs[k]);
  free(b);
}

static void finalize(SEXP pointer) {
  box *b = R_ExternalPtrAddr(pointer);
  R_ClearExternalPtr(pointer);
  drop(b);
}

void hold(box *owner, int slot, box *needed) {
  if (needed != NULL) ++needed->references;
  drop(owner->needs[slot]);
  owner->needs[slot] = needed;
}

static SEXP tag(void) { return Rf_install("attopotts_handle"); }

#define CLASS(name) "atp_" #name,
static const char *const classes[] = {KINDS(CLASS)};
#undef CLASS

SEXP new_handle(kind kind, box *context) {
  SEXP handle = PROTECT(Rf_mkNamed(VECSXP, (const char *[]){"pointer", ""})), class = PROTECT(Rf_allocVector(STRSXP, 2));
  SEXP pointer = R_MakeExternalPtr(NULL, tag(), R_NilValue);
  SET_VECTOR_ELT(handle, 0, pointer);
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  SET_STRING_ELT(class, 0, Rf_mkChar(classes[kind]));
  SET_STRING_ELT(class, 1, Rf_mkChar("atp_handle"));
  Rf_setAttrib(handle, R_ClassSymbol, class);
  box *b = calloc(1, sizeof *b);
  if (b == NULL) fail(ATP_E_MEMORY, "no memory for a handle");
  b->kind = kind, b->references = 1;
  hold(b, NEEDS_CONTEXT, context);
  R_SetExternalPtrAddr(pointer, b);
  UNPROTECT(2);
  return handle;
}

SEXP pointer_of(SEXP handle, const char *class, const char *name) {
  SEXP pointer = TYPEOF(handle) == VECSXP && Rf_inherits(handle, class) ? VECTOR_ELT(handle, 0) : R_NilValue;
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != tag()) {
    SEXP found = Rf_getAttrib(handle, R_ClassSymbol);
    const char *what = found == R_NilValue ? Rf_type2char(TYPEOF(handle)) : CHAR(STRING_ELT(found, 0));
    fail(ATP_E_VALUE, "%s is %s, expected %s", name, what, class);
  }
  return pointer;
}

box *box_of(SEXP handle, kind kind, const char *name) {
  box *b = R_ExternalPtrAddr(pointer_of(handle, classes[kind], name));
  if (b == NULL || b->handle == NULL) fail(ATP_E_NULL, "this %s is closed, or comes from another R session", classes[kind]);
  if (b->kind != kind) fail(ATP_E_VALUE, "%s is an %s, expected an %s", name, classes[b->kind], classes[kind]);
  return b;
}

/* ---- arguments and results ---- */

static const double exact = 9007199254740992.0; /* 2^53: above it not every whole number is a double */

static int64_t whole(double value, const char *name) {
  if (!(fabs(value) <= exact) || value != trunc(value)) fail(ATP_E_VALUE, "%s is %.17g, expected a whole number up to 2^53", name, value);
  return (int64_t)value;
}

double real_of(SEXP value, const char *name) {
  if ((TYPEOF(value) != REALSXP && TYPEOF(value) != INTSXP) || Rf_xlength(value) != 1)
    fail(ATP_E_VALUE, "%s is a %s of length %.0f, expected one number", name, Rf_type2char(TYPEOF(value)), (double)Rf_xlength(value));
  return Rf_asReal(value);
}

int64_t count_of(SEXP value, const char *name) { return whole(real_of(value, name), name); }

int64_t index_of(SEXP value, const char *name) {
  const int64_t index = count_of(value, name);
  if (index < 1) fail(ATP_E_VALUE, "%s is %.0f, expected at least 1: indices count from 1", name, (double)index);
  return index - 1;
}

int int_of(SEXP value, const char *name) {
  const int64_t number = count_of(value, name);
  if (number < -2147483647 || number > 2147483647) fail(ATP_E_VALUE, "%s is %.0f, which is no integer of 32 bits", name, (double)number);
  return (int)number;
}

const char *text_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  if (TYPEOF(value) != STRSXP || Rf_xlength(value) != 1 || STRING_ELT(value, 0) == NA_STRING)
    fail(ATP_E_VALUE, "%s is a %s of length %.0f, expected one string", name, Rf_type2char(TYPEOF(value)), (double)Rf_xlength(value));
  return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

const double *reals_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  if (TYPEOF(value) != REALSXP) fail(ATP_E_VALUE, "%s is %s, expected double", name, Rf_type2char(TYPEOF(value)));
  return REAL(value);
}

int64_t *counts_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  const double *numbers = reals_of(value, name);
  const R_xlen_t n = Rf_xlength(value);
  int64_t *counts = (int64_t *)R_alloc((size_t)n + 1, sizeof *counts);
  for (R_xlen_t k = 0; k < n; ++k) counts[k] = whole(numbers[k], name);
  return counts;
}

int64_t *places_of(SEXP value, const char *name) {
  int64_t *places = counts_of(value, name);
  if (places == NULL) return NULL;
  for (R_xlen_t k = 0; k < Rf_xlength(value); ++k) {
    if (places[k] < 1) fail(ATP_E_VALUE, "%s[%.0f] is %.0f: sites count from 1", name, (double)(k + 1), (double)places[k]);
    --places[k];
  }
  return places;
}

void check_length(SEXP value, const char *name, int64_t expected) {
  if (value != R_NilValue && Rf_xlength(value) != expected)
    fail(ATP_E_SHAPE, "%s has length %.0f, expected %.0f", name, (double)Rf_xlength(value), (double)expected);
}

void check_raw(SEXP value, const char *name) {
  if (TYPEOF(value) != RAWSXP) fail(ATP_E_VALUE, "%s is %s, expected a raw vector", name, Rf_type2char(TYPEOF(value)));
}

void check_columns(const char *name, int64_t columns, int64_t sites) {
  if (columns != sites) fail(ATP_E_SHAPE, "%s has %.0f columns, expected %.0f: the sites", name, (double)columns, (double)sites);
}

int64_t extent_of(SEXP value, int rank, int k) {
  SEXP extents = Rf_getAttrib(value, R_DimSymbol);
  if (rank == 1) return Rf_xlength(value);
  if (Rf_length(extents) != rank) return extents == R_NilValue && k == 0 ? 1 : Rf_xlength(value);
  return INTEGER(extents)[rank - 1 - k];
}

SEXP new_array(int rank, const int64_t *extents) {
  if (rank == 1) return Rf_allocVector(REALSXP, extents[0] > 0 ? extents[0] : 0);
  SEXP reversed = PROTECT(Rf_allocVector(INTSXP, rank));
  for (int k = 0; k < rank; ++k) INTEGER(reversed)[rank - 1 - k] = extents[k] > 0 ? (int)extents[k] : 0;
  SEXP value = Rf_allocArray(REALSXP, reversed);
  UNPROTECT(1);
  return value;
}

SEXP reals_from(SEXP value, const int64_t *counts) {
  for (R_xlen_t k = 0; k < Rf_xlength(value); ++k) REAL(value)[k] = (double)counts[k];
  return value;
}

int64_t states_of(const atp_model *model) {
  int64_t states = 1;
  for (int64_t i = 0; i < atp_model_sites(model); ++i) {
    states *= atp_model_colors(model);
    if (states > 1 << 26) return 0; /* the library says that it is too large */
  }
  return states;
}

enum { BLOCK = 64 };

uint8_t *sequences_of(SEXP matrix, int64_t colors, int missing, const char *name, int64_t *n, int64_t *sites) {
  const int real = TYPEOF(matrix) == REALSXP;
  if (!real && TYPEOF(matrix) != INTSXP && TYPEOF(matrix) != LGLSXP)
    fail(ATP_E_VALUE, "%s is %s, expected a matrix of integers", name, Rf_type2char(TYPEOF(matrix)));
  if (!Rf_isMatrix(matrix)) fail(ATP_E_SHAPE, "%s is not a matrix, expected one with a row for every sequence", name);
  const int64_t rows = Rf_nrows(matrix), columns = Rf_ncols(matrix), highest = colors > 0 ? colors : 255;
  uint8_t *bytes = (uint8_t *)R_alloc((size_t)(rows * columns) + 1, 1);
  const int *integers = real ? NULL : (TYPEOF(matrix) == INTSXP ? INTEGER(matrix) : LOGICAL(matrix));
  const double *reals = real ? REAL(matrix) : NULL;
  for (int64_t begin = 0; begin < rows; begin += BLOCK) {
    const int64_t end = begin + BLOCK < rows ? begin + BLOCK : rows;
    for (int64_t i = 0; i < columns; ++i) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t place = k + rows * i;
        const double value = real ? reals[place] : integers[place] == NA_INTEGER ? NA_REAL : integers[place];
        if (value >= 1 && value <= (double)highest && value == trunc(value)) {
          bytes[k * columns + i] = (uint8_t)((int)value - 1);
        } else if (isnan(value) && missing) {
          bytes[k * columns + i] = ATP_MISSING;
        } else if (isnan(value)) {
          fail(ATP_E_ALPHABET, "%s[%.0f, %.0f] is NA, expected 1..%d", name, (double)(k + 1), (double)(i + 1), (int)highest);
        } else {
          fail(ATP_E_ALPHABET, "%s[%.0f, %.0f] is %.15g, expected 1..%d (colours count from 1)", name, (double)(k + 1), (double)(i + 1),
               value, (int)highest);
        }
      }
    }
  }
  *n = rows, *sites = columns;
  return bytes;
}

SEXP matrix_from(const uint8_t *sequences, int64_t n, int64_t sites) {
  if (n > 2147483647 || sites > 2147483647) fail(ATP_E_TOO_LARGE, "%.0f sequences are too many for a matrix of R", (double)n);
  SEXP matrix = PROTECT(Rf_allocMatrix(INTSXP, (int)n, (int)sites));
  int *integers = INTEGER(matrix);
  for (int64_t begin = 0; begin < n; begin += BLOCK) {
    const int64_t end = begin + BLOCK < n ? begin + BLOCK : n;
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t k = begin; k < end; ++k) integers[k + n * i] = sequences[k * sites + i] + 1;
  }
  UNPROTECT(1);
  return matrix;
}

SEXP count_from(int64_t value) {
  if (value > (int64_t)exact || value < -(int64_t)exact) fail(ATP_E_TOO_LARGE, "a count of the library is above 2^53");
  return Rf_ScalarReal((double)value);
}

SEXP text_from(const char *utf8) { return Rf_ScalarString(Rf_mkCharCE(utf8 == NULL ? "" : utf8, CE_UTF8)); }

atp_options *options_of(atp_context *context, SEXP given) {
  const int *key = INTEGER(VECTOR_ELT(given, 0));
  const double *value = REAL(VECTOR_ELT(given, 1));
  atp_options *options = NULL;
  const atp_status made = atp_options_create(context, &options);
  if (made != ATP_OK) finish(made); /* not on success: R may jump out of a message, and the bag is ours */
  for (R_xlen_t k = 0; k < Rf_xlength(VECTOR_ELT(given, 0)); ++k) {
    const atp_status status = atp_options_set_f64(options, (atp_option)key[k], value[k]);
    if (status != ATP_OK) {
      atp_options_destroy(options);
      finish(status);
    }
  }
  return options;
}

/* ---- runs with callbacks ---- */

void run_begin(run *r, SEXP function, int keep) {
  memset(r, 0, sizeof *r);
  if (function != R_NilValue && !Rf_isFunction(function))
    fail(ATP_E_VALUE, "progress is %s, expected a function or NULL", Rf_type2char(TYPEOF(function)));
  r->function = function, r->keep = keep;
  r->keys = Rf_eval(Rf_install(".progress_keys"), own_namespace());
  r->token = PROTECT(R_MakeUnwindCont());
}

static void poll(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static SEXP call_function(void *user) {
  run *r = user;
  const int n = (int)Rf_xlength(r->keys), *key = INTEGER(r->keys);
  SEXP all = Rf_getAttrib(r->keys, R_NamesSymbol);
  int found = 0;
  for (int k = 0; k < n; ++k) found += !isnan(atp_progress_value(r->progress, (atp_progress_key)key[k]));
  SEXP report = PROTECT(Rf_allocVector(VECSXP, found)), names = PROTECT(Rf_allocVector(STRSXP, found));
  for (int k = 0, to = 0; k < n; ++k) {
    const double value = atp_progress_value(r->progress, (atp_progress_key)key[k]);
    if (isnan(value)) continue;
    SET_VECTOR_ELT(report, to, Rf_ScalarReal(value));
    SET_STRING_ELT(names, to++, STRING_ELT(all, k));
  }
  Rf_setAttrib(report, R_NamesSymbol, names);
  SEXP call = PROTECT(Rf_lang2(r->function, report));
  SEXP answer = Rf_eval(call, R_GlobalEnv);
  /* A function that ends in cat() or an assignment does not mean to stop: only TRUE does. */
  r->stop = TYPEOF(answer) == LGLSXP && Rf_xlength(answer) == 1 && LOGICAL(answer)[0] == TRUE;
  UNPROTECT(3);
  return R_NilValue;
}

static void caught(void *user, Rboolean jump) {
  if (jump) longjmp(((run *)user)->place, 1);
}

static void keep_row(run *r, const atp_progress *progress) {
  const int64_t n = Rf_xlength(r->keys);
  if (r->count == r->capacity) {
    const int64_t capacity = r->capacity == 0 ? 64 : 2 * r->capacity;
    double *rows = realloc(r->rows, (size_t)(capacity * n) * sizeof *rows);
    if (rows == NULL) return;
    r->rows = rows, r->capacity = capacity;
  }
  for (int64_t k = 0; k < n; ++k) r->rows[r->count * n + k] = atp_progress_value(progress, (atp_progress_key)INTEGER(r->keys)[k]);
  ++r->count;
}

int run_report(const atp_progress *progress, void *user) {
  run *r = user;
  if (r->keep) keep_row(r, progress);
  if (r->jumped || r->interrupted) return 1;
  if (!R_ToplevelExec(poll, NULL)) {
    r->interrupted = 1;
    return 1;
  }
  if (r->function == R_NilValue) return 0;
  r->progress = progress;
  r->stop = 0;
  /* R_UnwindProtect() catches every way out of the function - an error, a restart, a condition that is handled further
   * out - and the jump from caught() leads back here, across R's frames and ours alone. */
  if (setjmp(r->place)) {
    r->jumped = 1;
    return 1;
  }
  R_UnwindProtect(call_function, r, caught, r, r->token);
  return r->stop;
}

void run_end(run *r, atp_status status, SEXP environment) {
  if (r->rows != NULL && environment != R_NilValue) {
    const int n = (int)Rf_xlength(r->keys);
    SEXP rows = PROTECT(Rf_allocMatrix(REALSXP, n, (int)r->count));
    memcpy(REAL(rows), r->rows, (size_t)(r->count * n) * sizeof(double));
    Rf_defineVar(Rf_install("rows"), rows, environment);
    UNPROTECT(1);
  }
  free(r->rows);
  r->rows = NULL;
  if (r->jumped) R_ContinueUnwind(r->token);
  finish(status);
}

void run_result(SEXP list, const run *r, atp_outcome outcome) {
  SET_VECTOR_ELT(list, 0, text_from(atp_outcome_name((int)outcome)));
  SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(r->interrupted));
}
