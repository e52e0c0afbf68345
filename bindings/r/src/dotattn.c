/* SPDX-License-Identifier: MIT */
/* Dot-product attention. Rows come out as the library writes them, [alphas][columns]; R code makes columns of them. */
#include "glue.h"

#include "entries.h"

#include <stdint.h>

/* list(code, columns, tokens, teacher) and c(omega, sigma, lambda). */
typedef struct task {
  const double *code, *teacher;
  int64_t tokens, columns, code_size, teacher_size;
  double omega, sigma, lambda;
} task;

static task task_of(SEXP arrays, SEXP numbers) {
  SEXP code = VECTOR_ELT(arrays, 0), teacher = VECTOR_ELT(arrays, 3);
  task t = {.code = reals_of(code, "code"), .teacher = reals_of(teacher, "teacher")};
  t.columns = count_of(VECTOR_ELT(arrays, 1), "code_columns");
  t.tokens = count_of(VECTOR_ELT(arrays, 2), "tokens");
  t.code_size = Rf_xlength(code), t.teacher_size = Rf_xlength(teacher);
  const double *values = reals_of(numbers, "c(omega, sigma, lambda)");
  if (Rf_xlength(numbers) != 3)
    fail(ATP_E_VALUE, "omega, sigma and lambda are %.0f numbers, expected one each", (double)Rf_xlength(numbers));
  t.omega = values[0], t.sigma = values[1], t.lambda = values[2];
  return t;
}

static const char *const result_names[] = {"outcome", "interrupted", "rows"};

/* list(outcome, interrupted, rows), the rows not yet filled; protects one object. */
static SEXP begun(int64_t n, int columns) {
  SEXP list = PROTECT(list_from(3, result_names));
  SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, n * columns));
  return list;
}

/* After run_begin() and the call; frees what begun() and run_begin() protected. */
static SEXP ended(SEXP list, run *r, atp_status status, atp_outcome outcome) {
  run_end(r, status, R_NilValue);
  run_result(list, r, outcome);
  UNPROTECT(2);
  return list;
}

#define ROWS(list) REAL(VECTOR_ELT(list, 2)), Rf_xlength(VECTOR_ELT(list, 2))

SEXP r_dotattn_curve(SEXP context, SEXP teacher, SEXP omega, SEXP sigma, SEXP lambda, SEXP branch, SEXP alphas,
                     SEXP accuracy, SEXP max_iter, SEXP progress, SEXP keys) {
  box *c = box_of(context, CONTEXT);
  const double *a = reals_of(teacher, "teacher"), *points = reals_of(alphas, "alphas");
  const double w = real_of(omega, "omega"), s = real_of(sigma, "sigma"), penalty = real_of(lambda, "lambda"),
               fine = real_of(accuracy, "accuracy");
  const int kind_of_branch = int_of(branch, "branch");
  const int64_t most = count_of(max_iter, "max_iter"), n = Rf_xlength(alphas);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = begun(n, ATP_DOTATTN_COLUMNS);
  run r;
  run_begin(&r, progress, keys, 0);
  const atp_status status =
      atp_dotattn_curve(c->handle, a, Rf_xlength(teacher), w, s, penalty, (atp_dotattn_branch)kind_of_branch, points, n,
                        fine, most, run_report, &r, ROWS(list), &outcome);
  return ended(list, &r, status, outcome);
}

SEXP r_dotattn_transition(SEXP context, SEXP teacher, SEXP sigma, SEXP lambda, SEXP omegas, SEXP accuracy,
                          SEXP max_iter, SEXP progress, SEXP keys) {
  box *c = box_of(context, CONTEXT);
  const double *a = reals_of(teacher, "teacher"), *points = reals_of(omegas, "omegas");
  const double s = real_of(sigma, "sigma"), penalty = real_of(lambda, "lambda"), fine = real_of(accuracy, "accuracy");
  const int64_t most = count_of(max_iter, "max_iter"), n = Rf_xlength(omegas);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = begun(n, ATP_DOTATTN_TRANSITION_COLUMNS);
  run r;
  run_begin(&r, progress, keys, 0);
  const atp_status status = atp_dotattn_transition(c->handle, a, Rf_xlength(teacher), s, penalty, points, n, fine, most,
                                                   run_report, &r, ROWS(list), &outcome);
  return ended(list, &r, status, outcome);
}

SEXP r_dotattn_linear(SEXP teacher, SEXP omega, SEXP sigma) {
  static const char *const names[] = {"map", "loss"};
  const double *a = reals_of(teacher, "teacher"), w = real_of(omega, "omega"), s = real_of(sigma, "sigma");
  double loss = 0;
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, 4));
  finish(atp_dotattn_linear(a, Rf_xlength(teacher), w, s, REAL(VECTOR_ELT(list, 0)), 4, &loss));
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal(loss));
  UNPROTECT(1);
  return list;
}

SEXP r_dotattn_tokens(SEXP context, SEXP arrays, SEXP numbers, SEXP rank, SEXP alphas, SEXP solution, SEXP points,
                      SEXP shifts, SEXP seed, SEXP tolerance, SEXP max_iter, SEXP progress, SEXP keys) {
  box *c = box_of(context, CONTEXT);
  const task t = task_of(arrays, numbers);
  const double *at = reals_of(alphas, "alphas"), close = real_of(tolerance, "tolerance");
  const int64_t ranks = count_of(rank, "rank"), p = count_of(points, "points"), m = count_of(shifts, "shifts"),
                most = count_of(max_iter, "max_iter"), n = Rf_xlength(alphas);
  const int wanted = int_of(solution, "solution");
  const uint64_t key = seed_of(seed);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = begun(n, ATP_DOTATTN_TOKENS_COLUMNS);
  run r;
  run_begin(&r, progress, keys, 0);
  const atp_status status = atp_dotattn_tokens(
      c->handle, t.tokens, t.code, t.columns, t.code_size, ranks, t.teacher, t.teacher_size, t.omega, t.sigma, t.lambda,
      at, n, (atp_dotattn_start)wanted, p, m, key, close, most, run_report, &r, ROWS(list), &outcome);
  return ended(list, &r, status, outcome);
}

/* effort: list(steps, rate, tolerance, fresh, runs) */
SEXP r_dotattn_simulate(SEXP context, SEXP dimension, SEXP arrays, SEXP numbers, SEXP rank, SEXP alphas, SEXP start,
                        SEXP optimizer, SEXP effort, SEXP seed, SEXP progress, SEXP keys) {
  box *c = box_of(context, CONTEXT);
  const task t = task_of(arrays, numbers);
  const double *at = reals_of(alphas, "alphas");
  const int64_t d = count_of(dimension, "dimension"), ranks = count_of(rank, "rank"), n = Rf_xlength(alphas);
  const int from = int_of(start, "start"), by = int_of(optimizer, "optimizer");
  const int64_t steps = count_of(VECTOR_ELT(effort, 0), "steps"), fresh = count_of(VECTOR_ELT(effort, 3), "fresh"),
                runs = count_of(VECTOR_ELT(effort, 4), "runs");
  const double rate = real_of(VECTOR_ELT(effort, 1), "rate"), close = real_of(VECTOR_ELT(effort, 2), "tolerance");
  const uint64_t key = seed_of(seed);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = begun(n, ATP_DOTATTN_SIM_COLUMNS);
  run r;
  run_begin(&r, progress, keys, 0);
  const atp_status status =
      atp_dotattn_simulate(c->handle, d, t.tokens, t.code, t.columns, t.code_size, ranks, t.teacher, t.teacher_size,
                           t.omega, t.sigma, t.lambda, at, n, (atp_dotattn_start)from, (atp_optimizer)by, steps, rate,
                           close, fresh, runs, key, run_report, &r, ROWS(list), &outcome);
  return ended(list, &r, status, outcome);
}

SEXP r_dotattn_bytes(SEXP context, SEXP n) {
  int64_t bytes = 0;
  finish(atp_dotattn_bytes(box_of(context, CONTEXT)->handle, count_of(n, "n"), &bytes));
  return count_from(bytes);
}

SEXP r_dotattn_tokens_bytes(SEXP context, SEXP tokens, SEXP rank, SEXP n, SEXP points, SEXP shifts) {
  int64_t bytes = 0;
  finish(atp_dotattn_tokens_bytes(box_of(context, CONTEXT)->handle, count_of(tokens, "tokens"), count_of(rank, "rank"),
                                  count_of(n, "n"), count_of(points, "points"), count_of(shifts, "shifts"), &bytes));
  return count_from(bytes);
}

SEXP r_dotattn_simulate_bytes(SEXP context, SEXP dimension, SEXP tokens, SEXP columns, SEXP rank, SEXP alphas,
                              SEXP optimizer, SEXP runs) {
  int64_t bytes = 0;
  finish(atp_dotattn_simulate_bytes(box_of(context, CONTEXT)->handle, count_of(dimension, "dimension"),
                                    count_of(tokens, "tokens"), count_of(columns, "code_columns"),
                                    count_of(rank, "rank"), reals_of(alphas, "alphas"), Rf_xlength(alphas),
                                    (atp_optimizer)int_of(optimizer, "optimizer"), count_of(runs, "runs"), &bytes));
  return count_from(bytes);
}
