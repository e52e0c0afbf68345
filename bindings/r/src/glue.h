/* SPDX-License-Identifier: MIT */
/* What the entry points share: handles, numbers, errors, log lines, runs with callbacks.
 *
 * R leaves C functions by longjmp. So: (1) nothing here owns memory when R may jump, but through R's own objects; (2)
 * the library's frames are never on the stack between a jump and its target: callbacks stop R's jumps, ask the library
 * to end, and go on jumping when it has returned. */
#ifndef ATTOPOTTS_R_GLUE_H
#define ATTOPOTTS_R_GLUE_H

#include <attopotts_io.h>

#include <setjmp.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

/* ---- errors and messages ---- */

/* Raise an R error of class attopotts_error with a status and a text. */
void fail(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* To be called when the library has returned: hand its log lines to R, then raise what the status says, unless it is
 * ATP_OK. */
void finish(atp_status status);
/* The text of the last failure, of a context or of the latest call (NULL), with places as R counts them; in R's memory. */
const char *library_text(const atp_context *context);
/* Collects lines until finish(); for atp_context_set_log(). */
void keep_line(atp_log_level level, const char *text, void *user);

/* ---- handles ---- */

#define KINDS(DO) DO(context) DO(alignment) DO(model) DO(sampler) DO(sampling) DO(trainer) DO(masked) DO(task) DO(table)
#define NAMED(name) KIND_##name,
typedef enum kind { KINDS(NAMED) } kind;
#undef NAMED
enum { NEEDS_CONTEXT, NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH, NEEDS };

/* A handle of the library with what must outlive it. R runs finalizers in any order, so that references are counted
 * here. */
typedef struct box {
  kind kind;
  long references;
  void *handle;
  struct box *needs[NEEDS];
  int depth;        /* of the outermost call that uses it: how many calls of R's functions it is within */
  long late;        /* references that are given up once no call is under way */
  struct box *next; /* with such ones */
} box;

/* A new handle of R, not protected: a list of an external pointer, of the classes "atp_KIND" and "atp_handle". Its box needs a context
 * (NULL allowed) and is empty: the library fills box->handle. */
SEXP new_handle(kind kind, box *context);
/* Give up one reference to a box; the last one destroys the handle, then what it needs. */
void drop(box *b);
/* What atp_close() does to the external pointer of a handle. A handle lives as long as a call that uses it. */
void close_handle(SEXP pointer);
/* "open", which what serialize() took along is, too; "closed"; or "lost": what it did not take along. */
const char *state_of(SEXP pointer);
/* What serialize() writes of the pointer of a handle of a kind that has a state: a raw vector that is made then; NULL of others. */
SEXP saved_by(SEXP pointer, kind kind);
void define_saved(DllInfo *library);
/* Hold another box in a slot, NULL to let go of what is there. */
void hold(box *owner, int slot, box *needed);
/* The external pointer of a handle of this class; raises an error for anything else. */
SEXP pointer_of(SEXP handle, const char *class, const char *name);
/* The box of an open handle; raises an error for anything else. */
box *box_of(SEXP handle, kind kind, const char *name);
static inline box *new_box(SEXP handle) { return R_ExternalPtrAddr(VECTOR_ELT(handle, 0)); }

static inline atp_context *context_of(const box *b) { return b->kind == KIND_context ? b->handle : b->needs[NEEDS_CONTEXT]->handle; }

/* ---- arguments and results ---- */

/* A whole number, R integer or double, as int64_t. Factors, dates and the like are no numbers. */
int64_t count_of(SEXP value, const char *name);
/* An index that counts from 1 in R. */
int64_t index_of(SEXP value, const char *name);
/* A colour, which counts from 1 in R. */
int64_t color_of(SEXP value, const char *name, int64_t colors);
int int_of(SEXP value, const char *name);
double real_of(SEXP value, const char *name);
int flag_of(SEXP value, const char *name);
/* A string; NULL for NULL. */
const char *text_of(SEXP value, const char *name);
/* The numbers of a double vector; NULL for NULL. */
const double *reals_of(SEXP value, const char *name);
/* Whole numbers as an array in R's memory, freed when .Call returns; NULL for NULL. */
int64_t *counts_of(SEXP value, const char *name);
/* The same of sites that count from 1, as they count in C. */
int64_t *places_of(SEXP value, const char *name);
/* Errors for what has not this length (NULL allowed), is no raw vector, has not these columns. */
void check_length(SEXP value, const char *name, int64_t expected);
void check_raw(SEXP value, const char *name);
void check_columns(const char *name, int64_t columns, int64_t sites);
/* The k-th extent of an array of C: R's are reversed. */
int64_t extent_of(SEXP value, int rank, int k);
/* An array of doubles with the extents of C, reversed. */
SEXP new_array(int rank, const int64_t *extents);
/* Such an array filled with counts. */
SEXP reals_from(SEXP value, const int64_t *counts);
/* q^L of a model; 0 above 2^26. */
int64_t states_of(const atp_model *model);
/* An integer matrix [N x L] of colours 1..q as bytes [N][L] in R's memory; NA becomes ATP_MISSING where it is allowed.
 * colors 0: any. */
uint8_t *sequences_of(SEXP matrix, int64_t colors, int missing, const char *name, int64_t *n, int64_t *sites);
/* The way back. */
SEXP matrix_from(const uint8_t *sequences, int64_t n, int64_t sites);
/* A count as an R double; an error above 2^53. */
SEXP count_from(int64_t value);
SEXP text_from(const char *utf8);
/* A bag of options of an atp_option_owner or atp_task_kind, from a list of names and values (double); the caller destroys it. */
atp_options *options_of(atp_context *context, SEXP given, int owner);

/* ---- runs with callbacks ---- */

typedef struct run {
  SEXP function; /* NULL or a function of a list of numbers */
  SEXP keys;     /* named integers, .progress_keys: what to report */
  SEXP token;
  jmp_buf place;
  int jumped, interrupted, stop;
  const atp_progress *progress;
  double *rows; /* reports, where they are kept */
  int64_t count, capacity;
  int keep;
} run;

/* Prepare a run; protects one object. */
void run_begin(run *r, SEXP function, int keep);
/* The callback, with the run as its user data. */
int run_report(const atp_progress *progress, void *user);
/* After the call: stores the rows as `rows` in an environment (NULL: none), goes on with a jump of the callback, or
 * finishes the status. */
void run_end(run *r, atp_status status, SEXP environment);
/* list(outcome =, interrupted =, ...): the first two of a list's elements. */
void run_result(SEXP list, const run *r, atp_outcome outcome);

#endif
