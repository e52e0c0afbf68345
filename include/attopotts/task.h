/* SPDX-License-Identifier: MIT */
/** @file task.h
 *  Tasks: theory and simulation of masked Gaussian modelling and of dot-product attention. Each task takes options and arrays, and fills
 *  rows of a table.
 *
 *  Make a task with its numbers as options, set its arrays, make a table of its kind with room for its rows, and run it:
 *      atp_options_create(context, ATP_TASK_DOTATTN_CURVE, &options);
 *      atp_options_set_f64(options, ATP_OPT_OMEGA, 0.3);
 *      atp_task_create(context, ATP_TASK_DOTATTN_CURVE, options, &task);
 *      atp_task_set_array(task, ATP_ARRAY_ALPHAS, alphas, n, 1);
 *      atp_table_create(context, atp_task_table_kind(task), atp_task_rows(task), &table);
 *      atp_task_run(task, table, NULL, NULL, &outcome);
 *  A task copies options and arrays. It can run several times and gives the same rows each time. replica.h describes what the kinds
 *  ATP_TASK_REPLICA_... compute; dotattn.h, dotattn_tokens.h, dotattn_simulate.h and dotattn_dynamics.h describe the others.
 *
 *  Threads: a task belongs to one thread at a time. It uses the context's threads; results do not depend on their number.
 */
#ifndef ATTOPOTTS_TASK_H
#define ATTOPOTTS_TASK_H

#include <attopotts/dotattn.h>
#include <attopotts/dotattn_dynamics.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/dotattn_tokens.h>
#include <attopotts/options.h>
#include <attopotts/replica.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque task. */
typedef struct atp_task atp_task;

/** Kinds of tasks, with their arrays. A kind is the owner of its options (options.h). The table has a row for each alpha (TRANSITION: for
 *  each omega; DYNAMICS: for each time; TRAJECTORY: for each run and time, runs after each other). Theories of REPLICA_... also take
 *  TARGETS and the option parameters in place of ALPHAS, and SQUARE, SADDLE and LIMIT the option best-lambda in place of lambda. */
typedef enum atp_task_kind ATP_INT {
  ATP_TASK_REPLICA_SQUARE = 1,            /**< EIGENVALUES, PROJECTIONS, ALPHAS */
  ATP_TASK_REPLICA_SADDLE = 2,            /**< EIGENVALUES, PROJECTIONS, ALPHAS */
  ATP_TASK_REPLICA_LIMIT = 3,             /**< ALPHAS */
  ATP_TASK_REPLICA_CONVEX = 4,            /**< EIGENVALUES, PROJECTIONS, ALPHAS */
  ATP_TASK_REPLICA_SIMULATION = 5,        /**< COVARIANCE, WEIGHTS, ALPHAS */
  ATP_TASK_DOTATTN_CURVE = 6,             /**< ALPHAS, TEACHER */
  ATP_TASK_DOTATTN_TRANSITION = 7,        /**< OMEGAS, TEACHER */
  ATP_TASK_DOTATTN_TOKENS = 8,            /**< ALPHAS, TEACHER, CODE */
  ATP_TASK_DOTATTN_SIMULATION = 9,        /**< ALPHAS, TEACHER, CODE */
  ATP_TASK_REPLICA_POTTS = 10,            /**< EIGENVALUES, PROJECTIONS, COLOR_COVARIANCE, ALPHAS */
  ATP_TASK_REPLICA_POTTS_SIMULATION = 11, /**< COVARIANCE, WEIGHTS, COLOR_COVARIANCE, ALPHAS */
  ATP_TASK_DOTATTN_DYNAMICS = 12,         /**< TIMES, TEACHER, CODE */
  ATP_TASK_DOTATTN_TRAJECTORY = 13        /**< TIMES, TEACHER, CODE */
} atp_task_kind;

/** Arrays of tasks. */
typedef enum atp_task_array ATP_INT {
  ATP_ARRAY_ALPHAS = 0,           /**< [n][1]: samples per parameter (REPLICA_...) or per dimension (DOTATTN_...) */
  ATP_ARRAY_OMEGAS = 1,           /**< [n][1]: positional shares of the teacher, 0..1 */
  ATP_ARRAY_TEACHER = 2,          /**< [L][L]: A of dot-product attention, L tokens (2 for CURVE and TRANSITION); the first index is the
                                      row. If a row does not sum to one, each run reports it to the context's log. Default: {{0.6, 0.4},
                                      {0.4, 0.6}} of [C24] */
  ATP_ARRAY_CODE = 3,             /**< [L][c], 1 <= c <= 4: positional code of L tokens; default: (1, -1) of [C24] */
  ATP_ARRAY_EIGENVALUES = 4,      /**< [p][1]: eigenvalues s_k > 0 of the inputs' covariance */
  ATP_ARRAY_PROJECTIONS = 5,      /**< [p][1]: t_k = (eigenvector_k . w*)^2 >= 0 */
  ATP_ARRAY_COVARIANCE = 6,       /**< [p][p]: S, symmetric, positive definite */
  ATP_ARRAY_WEIGHTS = 7,          /**< [p][1]: w* of the teacher */
  ATP_ARRAY_COLOR_COVARIANCE = 8, /**< [q][q], 2 <= q <= 255: K, symmetric, without negative eigenvalues; K_ab S_jk is the covariance of
                                      V(a, s_j) and V(b, s_k) */
  ATP_ARRAY_TIMES = 9,            /**< [n][1]: times of a dynamics, rising, 0..1e9 */
  ATP_ARRAY_TARGETS = 10          /**< [n][1]: ratios > 1 of e_g to the best possible one, in place of ALPHAS: each row is that of the
                                      smallest alpha whose e_g is at most so many times the best (REPLICA_SQUARE, _SADDLE, _LIMIT, _CONVEX,
                                      _POTTS) */
} atp_task_array;
/** Number of arrays of atp_task_array. */
#define ATP_ARRAYS 11

/** Results of a run in addition to its rows. */
typedef enum atp_task_number ATP_INT {
  ATP_TASK_OPTIMUM = 0 /**< theories of REPLICA_...: e_g of w = w*, the best possible one */
} atp_task_number;

/* ---- Stable: what most programs need ---- */

/** Makes a task; docs/options.md and atp_option_text() have the options of its kind.
 *  @param[in] kind     an atp_task_kind
 *  @param[in] options  (optional) of this kind, copied
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (kind; points not a power of two); ATP_E_CONFLICT (options of another owner, lambda with
 *          best-lambda, noise with the logistic loss, inputs CAVITY with another loss, cosines of a start whose squares sum to more than
 *          1); ATP_E_MEMORY
 *  Allocates: the task. Threads: one per context; collective. Since: 0.1, stable. */
ATP_API atp_status atp_task_create(atp_context *context, atp_task_kind kind, const atp_options *options, atp_task **out) ATP_NOEXCEPT;

/** Frees a task; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_task_destroy(atp_task *task) ATP_NOEXCEPT;

/** Sets or replaces an array of a task.
 *  @param[in] which   an atp_task_array
 *  @param[in] values  shape [rows][columns], finite, copied; @param[in] rows, columns  at least 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE; ATP_E_SYMMETRY (COVARIANCE); ATP_E_CONFLICT (an array that the
 *          kind does not use; ALPHAS where TARGETS are set, or TARGETS where ALPHAS are); ATP_E_MEMORY. If the call fails, the old array is
 *          kept.
 *  Allocates: the copy. Threads: one per handle. Since: 0.1, stable. */
ATP_API atp_status atp_task_set_array(atp_task *task, atp_task_array which, const double *values, int64_t rows,
                                      int64_t columns) ATP_NOEXCEPT;

/** Returns the kind of table that a run fills, an atp_table_kind; 0 for NULL.
 *  Allocates: no. Threads: one per handle. Since: 0.1, stable. */
ATP_API int atp_task_table_kind(const atp_task *task) ATP_NOEXCEPT;

/** Returns the number of rows that a run appends; 0 until ALPHAS (or TARGETS, OMEGAS or TIMES) are set, and for NULL. Allocates: no.
 *  Threads: one per handle. Since: 0.1, stable. */
ATP_API int64_t atp_task_rows(const atp_task *task) ATP_NOEXCEPT;

/** Runs a task and appends its rows to a table. A cancelled run appends all rows, too. Unfinished rows are NaN, with the outcome CANCELLED
 *  if the table has that column.
 *  @param[in]  table     of the kind atp_task_table_kind(), with room for atp_task_rows() more rows; untouched if the call fails
 *  @param[in]  progress  (optional) called with STEP and TOTAL: theory after each row, DOTATTN_TOKENS and DOTATTN_DYNAMICS with the number
 *                        of solved alphas or times of all shifts, simulations with the number of realisations or steps made in all runs.
 *                        DOTATTN_CURVE and DOTATTN_TRANSITION call it about every 0.05 s within a row, too, with the STEP of the last row
 *  @param[out] outcome   (optional) CANCELLED if the run was cancelled, else the outcome of the first row that did not converge, else
 *                        ATP_OUTCOME_CONVERGED
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (an array is missing); ATP_E_SHAPE and ATP_E_VALUE (arrays that do not match; a target that a
 *          student without samples or no alpha reaches); ATP_E_CONFLICT (a table of another kind); ATP_E_BUFFER (no room in the table);
 *          ATP_E_TOO_LARGE; ATP_E_MEMORY; ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: atp_task_bytes() through the context, freed before the call returns. Threads: one per handle; collective, parallel.
 *  Since: 0.1, stable. */
ATP_API atp_status atp_task_run(atp_task *task, atp_table *table, atp_progress_fn progress, void *user, atp_outcome *outcome) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Returns the shape of an array that was set, or of its default; 0 and 0 if there is none. @param[out] rows, columns  either may be NULL
 *  @return ATP_OK; ATP_E_NULL (task); ATP_E_VALUE (which). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_task_array_shape(const atp_task *task, atp_task_array which, int64_t *rows, int64_t *columns) ATP_NOEXCEPT;
/** Returns an array that was set, or its default. @param[out] values shape [rows][columns]; @param[in] size rows * columns
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (which); ATP_E_STAGE (there is none); ATP_E_SHAPE. Allocates: no. Threads: one per handle.
 *          Since: 0.1. */
ATP_API atp_status atp_task_get_array(const atp_task *task, atp_task_array which, double *values, int64_t size) ATP_NOEXCEPT;

/** Returns the context that the task was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_task_context(const atp_task *task) ATP_NOEXCEPT;
/** Returns the kind of a task, an atp_task_kind; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int atp_task_kind_of(const atp_task *task) ATP_NOEXCEPT;
/** Copies the options of the task to a bag of its kind. Automatic options have the values that the task uses.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (a bag of another owner). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_task_options(const atp_task *task, atp_options *options) ATP_NOEXCEPT;

/** Computes the memory that a run will allocate through the context, in bytes. @param[out] bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (an array is missing); ATP_E_SHAPE and ATP_E_VALUE (arrays that do not match); ATP_E_TOO_LARGE.
 *          Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_task_bytes(const atp_task *task, int64_t *bytes) ATP_NOEXCEPT;

/** Asks a running call to stop at its next report. Without a running call, the next run stops at its first report. With several ranks one
 *  request ends the run on all; ranks that were not asked first solve the alphas of DOTATTN_TOKENS that they are at. Signal handlers and
 *  other threads may call it. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_task_request_stop(atp_task *task) ATP_NOEXCEPT;

/** Returns a result of the last run in addition to its rows. @param[in] which an atp_task_number; @param[out] value
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_CONFLICT (the kind does not have it); ATP_E_STAGE (no run yet). Allocates: no.
 *          Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_task_value(const atp_task *task, atp_task_number which, double *value) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
