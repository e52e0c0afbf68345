/* SPDX-License-Identifier: MIT */
#if defined __STRICT_ANSI__ && !defined _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* newlocale() */
#endif
#include "glue.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

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

/* How many calls of R's functions are under way from here: callbacks, handlers of conditions. */
static int inside;

static SEXP evaluate(void *call) { return Rf_eval(call, own_namespace()); }
static void leave(void *unused) {
  (void)unused;
  --inside;
}

/* Calls a function of the package with a number and a text, which the caller protects. */
static void call_with(const char *function, int number, SEXP text) {
  SEXP first = PROTECT(Rf_ScalarInteger(number)), call = PROTECT(Rf_lang3(Rf_install(function), first, text));
  ++inside;
  R_ExecWithCleanup(evaluate, call, leave, NULL);
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
  char text[2560];
  va_list arguments;
  va_start(arguments, format);
  /* With decimal points whatever Sys.setlocale() says. */
  const locale_t points = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(points);
  vsnprintf(text, sizeof text, format, arguments);
  uselocale(before);
  if (points != (locale_t)0) freelocale(points);
  va_end(arguments);
  raise(status, text);
}

static size_t digits_at(const char *text) { return strspn(text + (*text == '-'), "0123456789") + (*text == '-'); }

/* The library's text for R, whose places count from 1 in the order of C, pairs[2, 1]. Of its two texts the one counts from 0, pairs[1][0],
 * the other, which this changes, from 1 in the opposite order, pairs(1, 2): they differ in the places alone. */
static void places_for_r(char *text, const char *from_zero) {
  while (*text != '\0') {
    if (*text == '(' && *from_zero == '[') {
      *text++ = '[';
      for (const char *separator = ""; *from_zero == '['; separator = ", ") {
        text += sprintf(text, "%s%lld", separator, strtoll(from_zero + 1, NULL, 10) + 1);
        from_zero += strcspn(from_zero, "]") + 1;
      }
      *text++ = ']';
    } else if (digits_at(text) > (*text == '-')) {
      text += digits_at(text), from_zero += digits_at(from_zero);
    } else {
      ++text, ++from_zero;
    }
  }
}

const char *library_text(const atp_context *context) {
  const int64_t size = (context == NULL ? atp_last_error_from_one(NULL, 0) : atp_context_error_from_one(context, NULL, 0)) + 1;
  char *text = R_alloc((size_t)size, 1), *from_zero = R_alloc((size_t)size, 1);
  if (context == NULL) {
    atp_last_error_from_one(text, size);
    atp_last_error(from_zero, size);
  } else {
    atp_context_error_from_one(context, text, size);
    atp_context_error(context, from_zero, size);
  }
  places_for_r(text, from_zero);
  return text;
}

void finish(atp_status status) {
  if (status == ATP_OK) {
    show_lines();
    return;
  }
  const char *text = library_text(NULL);
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

/* Boxes whose references are given up when no call is under way. */
static box *waiting;

/* Gives up a reference to a box that `user` needs. A function of R that a call of this package makes may close what that call uses: that
 * waits for the end of the call. */
static void let_go(box *b, const box *user) {
  if (b == NULL) return;
  if (user->depth >= inside) {
    drop(b);
  } else if (b->late++ == 0) {
    b->next = waiting;
    waiting = b;
  }
}

static void drop_waiting(void) {
  while (inside == 0 && waiting != NULL) {
    box *b = waiting;
    waiting = b->next;
    b->references -= b->late - 1;
    b->late = 0;
    drop(b);
  }
}

static SEXP tag(void) { return Rf_install("attopotts_handle"); }

/* A pointer that is NULL and has this tag was closed; one with the other tag comes from serialize(). */
static SEXP closed_tag(void) { return Rf_install("attopotts_closed"); }

static box *take(SEXP pointer) {
  box *b = R_ExternalPtrAddr(pointer);
  if (b == NULL) return NULL;
  R_ClearExternalPtr(pointer);
  R_SetExternalPtrTag(pointer, closed_tag());
  return b;
}

static void finalize(SEXP pointer) { drop(take(pointer)); }

/* Whether serialize() took along the state of a handle, of which there is none here yet. */
static int is_stored(SEXP pointer) {
  return R_ExternalPtrAddr(pointer) == NULL && R_ExternalPtrTag(pointer) != closed_tag() &&
         TYPEOF(R_ExternalPtrProtected(pointer)) == RAWSXP;
}

void close_handle(SEXP pointer) {
  if (is_stored(pointer)) R_SetExternalPtrTag(pointer, closed_tag());
  R_SetExternalPtrProtected(pointer, R_NilValue);
  box *b = take(pointer);
  let_go(b, b);
}

void hold(box *owner, int slot, box *needed) {
  if (needed != NULL) ++needed->references;
  let_go(owner->needs[slot], owner);
  owner->needs[slot] = needed;
}

#define CLASS(name) "atp_" #name,
static const char *const classes[] = {KINDS(CLASS)};
#undef CLASS

SEXP new_handle(kind kind, box *context) {
  drop_waiting();
  SEXP handle = PROTECT(Rf_mkNamed(VECSXP, (const char *[]){"pointer", ""})), class = PROTECT(Rf_allocVector(STRSXP, 2));
  SEXP pointer = R_MakeExternalPtr(NULL, tag(), R_NilValue);
  SET_VECTOR_ELT(handle, 0, pointer);
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  SET_STRING_ELT(class, 0, Rf_mkChar(classes[kind]));
  SET_STRING_ELT(class, 1, Rf_mkChar("atp_handle"));
  Rf_setAttrib(handle, R_ClassSymbol, class);
  box *b = calloc(1, sizeof *b);
  if (b == NULL) fail(ATP_E_MEMORY, "no memory for a handle");
  b->kind = kind, b->references = 1, b->depth = inside;
  hold(b, NEEDS_CONTEXT, context);
  R_SetExternalPtrAddr(pointer, b);
  R_SetExternalPtrProtected(pointer, saved_by(pointer, kind));
  UNPROTECT(2);
  return handle;
}

/* Makes the handle of a state: a function of the package makes another one, whose box goes over to this pointer. */
static void revive(SEXP handle, SEXP pointer) {
  SEXP call = PROTECT(Rf_lang3(Rf_install(".revive"), handle, R_ExternalPtrProtected(pointer)));
  ++inside;
  SEXP made = PROTECT(R_ExecWithCleanup(evaluate, call, leave, NULL)), from = VECTOR_ELT(made, 0);
  box *b = take(from);
  b->depth = inside;
  R_SetExternalPtrAddr(pointer, b);
  R_SetExternalPtrProtected(pointer, saved_by(pointer, b->kind));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  UNPROTECT(2);
}

/* What R calls it: the first class, or the type. */
static const char *kind_of(SEXP value) {
  SEXP found = Rf_getAttrib(value, R_ClassSymbol);
  return found == R_NilValue ? Rf_type2char(TYPEOF(value)) : CHAR(STRING_ELT(found, 0));
}

SEXP pointer_of(SEXP handle, const char *class, const char *name) {
  const int listed = TYPEOF(handle) == VECSXP && Rf_xlength(handle) == 1 && Rf_inherits(handle, class);
  SEXP pointer = listed ? VECTOR_ELT(handle, 0) : R_NilValue;
  if (TYPEOF(pointer) != EXTPTRSXP || (R_ExternalPtrTag(pointer) != tag() && R_ExternalPtrTag(pointer) != closed_tag())) {
    fail(ATP_E_VALUE, "%s is %s, expected %s", name, Rf_inherits(handle, class) ? "no whole object" : kind_of(handle), class);
  }
  return pointer;
}

const char *state_of(SEXP pointer) {
  if (R_ExternalPtrAddr(pointer) != NULL || is_stored(pointer)) return "open";
  return R_ExternalPtrTag(pointer) == closed_tag() ? "closed" : "lost";
}

box *box_of(SEXP handle, kind kind, const char *name) {
  drop_waiting();
  SEXP pointer = pointer_of(handle, classes[kind], name);
  if (is_stored(pointer)) revive(handle, pointer);
  box *b = R_ExternalPtrAddr(pointer);
  if (b == NULL && strcmp(state_of(pointer), "lost") == 0)
    fail(ATP_E_NULL,
         "%s is an %s of another R session, which saveRDS(), save(), serialize() and parallel workers do not take along: make %s", name,
         classes[kind], kind == KIND_context ? "a new one with atp_context()" : "another one here");
  if (b == NULL || b->handle == NULL) fail(ATP_E_NULL, "%s is an %s that was closed", name, classes[kind]);
  if (b->kind != kind) fail(ATP_E_VALUE, "%s is an %s, expected an %s", name, classes[b->kind], classes[kind]);
  if (b->depth > inside) b->depth = inside;
  return b;
}

/* ---- arguments and results ---- */

static const double exact = 9007199254740992.0; /* 2^53: above it not every whole number is a double */

static int is_whole(double value) { return fabs(value) <= exact && value == trunc(value); }

static int64_t whole(double value, const char *name) {
  if (isnan(value)) fail(ATP_E_VALUE, "%s is %s, expected a whole number", name, R_IsNA(value) ? "NA" : "NaN");
  if (!is_whole(value)) fail(ATP_E_VALUE, "%s is %.17g, expected a whole number up to 2^53", name, value);
  return (int64_t)value;
}

/* Factors, dates, times and 64-bit integers of other packages keep something else in their numbers than they show. */
static int is_plain(SEXP value) {
  static const char *const others[] = {"factor", "Date", "POSIXt", "difftime", "integer64"};
  for (size_t k = 0; k < sizeof others / sizeof *others && OBJECT(value); ++k)
    if (Rf_inherits(value, others[k])) return 0;
  return 1;
}

double real_of(SEXP value, const char *name) {
  if ((TYPEOF(value) != REALSXP && TYPEOF(value) != INTSXP) || !is_plain(value) || Rf_xlength(value) != 1)
    fail(ATP_E_VALUE, "%s is a %s of length %.0f, expected one number", name, kind_of(value), (double)Rf_xlength(value));
  return Rf_asReal(value);
}

int flag_of(SEXP value, const char *name) {
  if (TYPEOF(value) != LGLSXP || Rf_xlength(value) != 1 || LOGICAL(value)[0] == NA_LOGICAL)
    fail(ATP_E_VALUE, "%s is a %s of length %.0f, expected TRUE or FALSE", name, kind_of(value), (double)Rf_xlength(value));
  return LOGICAL(value)[0];
}

int64_t count_of(SEXP value, const char *name) { return whole(real_of(value, name), name); }

int64_t index_of(SEXP value, const char *name) {
  const int64_t index = count_of(value, name);
  if (index < 1) fail(ATP_E_VALUE, "%s is %.0f, expected at least 1: indices count from 1", name, (double)index);
  return index - 1;
}

int64_t color_of(SEXP value, const char *name, int64_t colors) {
  const int64_t color = count_of(value, name);
  if (color < 1 || color > colors)
    fail(ATP_E_VALUE, "%s is %.0f, expected 1..%.0f (colours count from 1)", name, (double)color, (double)colors);
  return color - 1;
}

int int_of(SEXP value, const char *name) {
  const int64_t number = count_of(value, name);
  if (number < -2147483647 || number > 2147483647) fail(ATP_E_VALUE, "%s is %.0f, which is no integer of 32 bits", name, (double)number);
  return (int)number;
}

const char *text_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  if (TYPEOF(value) != STRSXP || Rf_xlength(value) != 1 || STRING_ELT(value, 0) == NA_STRING)
    fail(ATP_E_VALUE, "%s is a %s of length %.0f, expected one string", name, kind_of(value), (double)Rf_xlength(value));
  return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

const double *reals_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  if (TYPEOF(value) != REALSXP || !is_plain(value)) fail(ATP_E_VALUE, "%s is %s, expected double", name, kind_of(value));
  return REAL(value);
}

/* "pairs[2, 1]" of the k-th element of an array with the extents of C, reversed. */
static const char *element(SEXP value, R_xlen_t k, const char *name) {
  SEXP extents = Rf_getAttrib(value, R_DimSymbol);
  char *text = R_alloc(128, 1), *end = text + 128, *begin = end;
  *--begin = '\0', *--begin = ']';
  const int rank = extents == R_NilValue ? 1 : Rf_length(extents);
  for (int d = 0; d < rank && rank < 5; ++d) {
    const R_xlen_t extent = extents == R_NilValue ? Rf_xlength(value) : INTEGER(extents)[d];
    char index[24];
    const int length = snprintf(index, sizeof index, "%s%.0f", d < rank - 1 ? ", " : "[", (double)(k % extent + 1));
    memcpy(begin -= length, index, (size_t)length);
    k /= extent;
  }
  const size_t length = strlen(name);
  if (length < (size_t)(begin - text)) memcpy(begin -= length, name, length);
  return begin;
}

int64_t *counts_of(SEXP value, const char *name) {
  if (value == R_NilValue) return NULL;
  const double *numbers = reals_of(value, name);
  const R_xlen_t n = Rf_xlength(value);
  int64_t *counts = (int64_t *)R_alloc((size_t)n + 1, sizeof *counts);
  for (R_xlen_t k = 0; k < n; ++k) counts[k] = whole(numbers[k], is_whole(numbers[k]) ? name : element(value, k, name));
  return counts;
}

int64_t *places_of(SEXP value, const char *name) {
  int64_t *places = counts_of(value, name);
  if (places == NULL) return NULL;
  for (R_xlen_t k = 0; k < Rf_xlength(value); ++k) {
    if (places[k] < 1) fail(ATP_E_VALUE, "%s is %.0f: sites count from 1", element(value, k, name), (double)places[k]);
    --places[k];
  }
  return places;
}

void check_length(SEXP value, const char *name, int64_t expected) {
  if (value != R_NilValue && Rf_xlength(value) != expected)
    fail(ATP_E_SHAPE, "%s has length %.0f, expected %.0f", name, (double)Rf_xlength(value), (double)expected);
}

void check_raw(SEXP value, const char *name) {
  if (TYPEOF(value) != RAWSXP) fail(ATP_E_VALUE, "%s is %s, expected a raw vector", name, kind_of(value));
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
  for (int k = 0; k < rank; ++k)
    if (extents[k] > (rank == 1 ? exact : 2147483647.0))
      fail(ATP_E_TOO_LARGE, "an extent of %.0f is too large for an array of R", (double)extents[k]);
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
  if ((!real && TYPEOF(matrix) != INTSXP && TYPEOF(matrix) != LGLSXP) || !is_plain(matrix))
    fail(ATP_E_VALUE, "%s is %s, expected a matrix of integers", name, kind_of(matrix));
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

/* Names as R has them: _ for -. */
static void add_name(char *list, size_t room, const char *name) {
  const size_t length = strlen(list);
  snprintf(list + length, room - length, "%s%s", length == 0 ? "" : ", ", name);
  for (char *c = list + length; *c != '\0'; ++c)
    if (*c == '-') *c = '_';
}

/* Fails for a name that no option has, and lists those of the owner. */
static void __attribute__((noreturn)) no_option(const char *name, int owner) {
  char known[2048] = "";
  for (int64_t k = 0; k < atp_option_count(owner); ++k) add_name(known, sizeof known, atp_option_name(atp_option_at(owner, k)));
  fail(ATP_E_OPTION, "no option \"%s\" here, expected one of %s", name, known);
}

atp_options *options_of(atp_context *context, SEXP given, int owner) {
  SEXP name = VECTOR_ELT(given, 0);
  const double *value = REAL(VECTOR_ELT(given, 1));
  atp_options *options = NULL;
  for (R_xlen_t k = 0; k < Rf_xlength(name); ++k)
    if (atp_option_from_name(CHAR(STRING_ELT(name, k))) < 0) no_option(CHAR(STRING_ELT(name, k)), owner);
  atp_status status = atp_options_create(context, owner, &options);
  if (status != ATP_OK) finish(status); /* not on success: R may jump out of a message, and the bag is ours */
  for (R_xlen_t k = 0; k < Rf_xlength(name) && status == ATP_OK; ++k)
    status = atp_options_set_f64(options, (atp_option)atp_option_from_name(CHAR(STRING_ELT(name, k))), value[k]);
  if (status != ATP_OK) {
    atp_options_destroy(options);
    finish(status);
  }
  return options;
}

/* ---- runs with callbacks ---- */

void run_begin(run *r, SEXP function, int keep) {
  memset(r, 0, sizeof *r);
  if (function != R_NilValue && !Rf_isFunction(function))
    fail(ATP_E_VALUE, "progress is %s, expected a function or NULL", kind_of(function));
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

static int report_to(run *r, const atp_progress *progress) {
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

int run_report(const atp_progress *progress, void *user) {
  ++inside;
  const int answer = report_to(user, progress);
  --inside;
  return answer;
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
