/* SPDX-License-Identifier: MIT */
/* Learning curves of convex losses: numbers and how they end. api_task.c has what is refused. */
#include "api_support.h"
#include "task_support.h"

#include <math.h>

enum { P = 20, N = 3, C = ATP_REPLICA_COLUMNS, ROWS = N * C };

static double s[P], t[P];
static const double alphas[N] = {0.5, 1.0, 4.0}, many[1] = {1e4};

static int make(void **state) {
  (void)state;
  for (int k = 0; k < P; ++k) {
    s[k] = 0.5 + 0.1 * k;
    t[k] = (1 + k % 3) / (double)P;
  }
  return 0;
}

/* With the noise of squares, unless the loss is logistic. */
static task_case convex(atp_replica_loss loss, double delta, double lambda) {
  const task_case c = {ATP_TASK_REPLICA_CONVEX,
                       {{ATP_OPT_LOSS, loss},
                        {ATP_OPT_DELTA, delta},
                        {ATP_OPT_LAMBDA, lambda},
                        {ATP_OPT_NOISE, loss == ATP_REPLICA_LOSS_LOGISTIC ? 0 : 0.3},
                        {0}},
                       {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, {ATP_ARRAY_PROJECTIONS, t, P, 1}, {0}}};
  return c;
}

static double run(atp_context *context, const task_case *c, double *rows, atp_outcome *outcome) {
  atp_task *task;
  atp_table *table;
  double optimum = -7;
  assert_int_equal(make_task(context, c, &task), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_REPLICA_CURVE, N, &table), ATP_OK);
  assert_int_equal(atp_task_run(task, table, NULL, NULL, outcome), ATP_OK);
  assert_int_equal(atp_table_values(table, rows, atp_table_rows(table) * C), ATP_OK);
  assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &optimum), ATP_OK);
  atp_table_destroy(table);
  atp_task_destroy(task);
  return optimum;
}

static void square_is_square(void **state) {
  atp_context *context = *state;
  double rows[ROWS], known[ROWS];
  atp_outcome outcome = ATP_OUTCOME_NONE;
  task_case square = convex(ATP_REPLICA_LOSS_SQUARE, 1, 0.01), closed = square;
  closed.kind = ATP_TASK_REPLICA_SQUARE;
  closed.options[0] = (task_option){ATP_OPT_LAMBDA, 0.01};
  closed.options[1] = (task_option){ATP_OPT_NOISE, 0.3};
  memset(&closed.options[2], 0, 2 * sizeof *closed.options);
  assert_int_equal(run_task(context, &closed, NULL, NULL, known, NULL), ATP_OK);
  assert_close(run(context, &square, rows, &outcome), 0.3, 1e-14, 0);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < ATP_REPLICA_ITERATIONS; ++c) assert_close(rows[k * C + c], known[k * C + c], 1e-9, 0);
  /* Huber with kinks far outside. */
  const task_case huber = convex(ATP_REPLICA_LOSS_HUBER, 1e6, 0.01);
  run(context, &huber, rows, NULL);
  for (int k = 0; k < N; ++k) assert_close(rows[k * C + ATP_REPLICA_EG], known[k * C + ATP_REPLICA_EG], 1e-9, 0);
}

static void logistic(void **state) {
  atp_context *context = *state;
  double rows[ROWS];
  atp_outcome outcome = ATP_OUTCOME_NONE;
  task_case c = convex(ATP_REPLICA_LOSS_LOGISTIC, 1, 0);
  c.inputs[0] = (task_input){ATP_ARRAY_ALPHAS, many, 1, 1};
  const double optimum = run(context, &c, rows, NULL);
  assert_close(rows[ATP_REPLICA_EG] - optimum, 0.5e-4, 1e-2, 0); /* 1 / (2 alpha) */
  assert_close(optimum - rows[ATP_REPLICA_ET], 0.5e-4, 1e-2, 0);
  /* Inputs that are normal given the label have the same law and another optimum. */
  task_case given = c;
  given.options[4] = (task_option){ATP_OPT_INPUTS, ATP_REPLICA_INPUTS_CAVITY};
  const double other = run(context, &given, rows, NULL);
  assert_close(rows[ATP_REPLICA_EG] - other, 0.5e-4, 1e-2, 0);
  assert_true(other < optimum - 1e-3);
  /* Few samples and no penalty: nothing holds w. Few iterations: no answer either, and it says so. */
  c = convex(ATP_REPLICA_LOSS_LOGISTIC, 1, 0);
  run(context, &c, rows, &outcome);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isinf(rows[ATP_REPLICA_EG]) && rows[ATP_REPLICA_ET] == 0 && rows[ATP_REPLICA_OUTCOME] == ATP_OUTCOME_DIVERGED);
  assert_true(rows[2 * C + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CONVERGED);
  c = convex(ATP_REPLICA_LOSS_LOGISTIC, 1, 0.1);
  c.options[4] = (task_option){ATP_OPT_MAX_ITER, 1};
  run(context, &c, rows, &outcome);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_true(rows[ATP_REPLICA_ITERATIONS] == 1 && rows[ATP_REPLICA_RESIDUAL] > 1e-12);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(square_is_square, context_setup, context_teardown),
                                          cmocka_unit_test_setup_teardown(logistic, context_setup, context_teardown)};

int main(void) { return cmocka_run_group_tests(tests, make, NULL) != 0; }
