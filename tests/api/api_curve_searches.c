/* SPDX-License-Identifier: MIT */
/* Learning curves: the smallest alpha of a target and the best penalty, against closed forms and against the rows beside them. */
#include "api_support.h"
#include "task_support.h"

#include <math.h>

enum { P = 6, C = ATP_REPLICA_COLUMNS };

static const double s[P] = {0.3, 0.5, 0.9, 1.1, 1.6, 2.4}, t[P] = {0.2, 0.1, 0.5, 0.05, 0.3, 0.4}, ones[P] = {1, 1, 1, 1, 1, 1};

#define SPECTRUM(values) \
  {ATP_ARRAY_EIGENVALUES, values, P, 1}, { ATP_ARRAY_PROJECTIONS, t, P, 1 }

/* Without a penalty e_g is alpha / (alpha - 1) times the best above alpha = 1, and below it never that small. */
static void limit_of_many_sites(void **state) {
  atp_context *context = *state;
  static const double targets[3] = {1.05, 1.2, 1.001};
  const task_case c = {
      ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_DIAGONAL_SHIFT, 2.5}, {ATP_OPT_LAMBDA, 0}, {0}}, {{ATP_ARRAY_TARGETS, targets, 3, 1}, {0}}};
  double rows[3 * C], optimum = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  for (int k = 0; k < 3; ++k) {
    const double *row = rows + k * C;
    assert_close(row[ATP_REPLICA_ALPHA], targets[k] / (targets[k] - 1), 2e-9, 0);
    assert_close(row[ATP_REPLICA_EG], 0.4 * targets[k], 1e-8, 0);
    assert_true(row[ATP_REPLICA_EG] <= 0.4 * targets[k]);
  }
  atp_task *task;
  atp_table *table;
  assert_int_equal(make_task(context, &c, &task), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_REPLICA_CURVE, 3, &table), ATP_OK);
  assert_int_equal(atp_task_run(task, table, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &optimum), ATP_OK);
  assert_close(optimum, 0.4, 1e-15, 0);
  atp_table_destroy(table);
  atp_task_destroy(task);
}

/* Inputs of one variance: the best penalty is noise / |w*|^2 for every alpha, and e_g follows from kappa in closed form. */
static void best_penalty_of_equal_inputs(void **state) {
  atp_context *context = *state;
  static const double alphas[4] = {0.2, 1, 1.7, 30};
  const double noise = 0.31, norm = 0.2 + 0.1 + 0.5 + 0.05 + 0.3 + 0.4, lambda = noise / norm;
  const atp_task_kind kinds[2] = {ATP_TASK_REPLICA_SQUARE, ATP_TASK_REPLICA_SADDLE};
  for (int k = 0; k < 2; ++k) {
    const task_case c = {
        kinds[k], {{ATP_OPT_NOISE, noise}, {ATP_OPT_BEST_LAMBDA, 1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, 4, 1}, SPECTRUM(ones), {0}}};
    double rows[4 * C];
    assert_int_equal(run_task(context, &c, NULL, NULL, rows, NULL), ATP_OK);
    for (int r = 0; r < 4; ++r) {
      /* alpha kappa^2 + (alpha - 1 - lambda) kappa = lambda */
      const double alpha = alphas[r], b = alpha - 1 - lambda, kappa = (sqrt(b * b + 4 * alpha * lambda) - b) / (2 * alpha),
                   part = 1 / (1 + kappa), eg = (kappa * kappa * part * part * norm + noise) / (1 - part * part / alpha);
      assert_close(rows[r * C + ATP_REPLICA_LAMBDA], lambda, 1e-5, 0);
      assert_close(rows[r * C + ATP_REPLICA_EG], eg, 1e-9, 0);
    }
  }
}

/* No other penalty is better, and the row is the one of its penalty. */
static void best_penalty(void **state) {
  atp_context *context = *state;
  static const double alphas[2] = {0.5, 2}, factors[] = {1e-6, 0.1, 0.8, 0.99, 1, 1.01, 1.2, 10, 1e6};
  const task_case best = {
      ATP_TASK_REPLICA_SQUARE, {{ATP_OPT_NOISE, 0.2}, {ATP_OPT_BEST_LAMBDA, 1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, 2, 1}, SPECTRUM(s), {0}}};
  double rows[2 * C], row[C];
  assert_int_equal(run_task(context, &best, NULL, NULL, rows, NULL), ATP_OK);
  for (int k = 0; k < 2; ++k)
    for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
      const task_case c = {ATP_TASK_REPLICA_SQUARE,
                           {{ATP_OPT_NOISE, 0.2}, {ATP_OPT_LAMBDA, factors[f] * rows[k * C + ATP_REPLICA_LAMBDA]}, {0}},
                           {{ATP_ARRAY_ALPHAS, alphas + k, 1, 1}, SPECTRUM(s), {0}}};
      assert_int_equal(run_task(context, &c, NULL, NULL, row, NULL), ATP_OK);
      assert_true(row[ATP_REPLICA_EG] >= rows[k * C + ATP_REPLICA_EG] * (1 - 1e-13));
      if (factors[f] == 1) assert_memory_equal(row, rows + k * C, sizeof row);
    }
}

/* Whole samples: M reaches the target, and M - 1 does not. */
static void whole_samples(void **state) {
  atp_context *context = *state;
  static const double targets[2] = {1.5, 1.02};
  for (int best = 0; best < 2; ++best) {
    const task_option penalty = best ? (task_option){ATP_OPT_BEST_LAMBDA, 1} : (task_option){ATP_OPT_LAMBDA, 0.05};
    const task_case c = {ATP_TASK_REPLICA_SQUARE,
                         {{ATP_OPT_NOISE, 0.2}, penalty, {ATP_OPT_PARAMETERS, 50}, {0}},
                         {{ATP_ARRAY_TARGETS, targets, 2, 1}, SPECTRUM(s), {0}}};
    double rows[2 * C], before[C];
    assert_int_equal(run_task(context, &c, NULL, NULL, rows, NULL), ATP_OK);
    for (int k = 0; k < 2; ++k) {
      const double alpha = rows[k * C + ATP_REPLICA_ALPHA], samples = nearbyint(50 * alpha), fewer = (samples - 1) / 50;
      assert_true(alpha == samples / 50);
      assert_true(rows[k * C + ATP_REPLICA_EG] <= targets[k] * 0.2);
      const task_case other = {
          ATP_TASK_REPLICA_SQUARE, {{ATP_OPT_NOISE, 0.2}, penalty, {0}}, {{ATP_ARRAY_ALPHAS, &fewer, 1, 1}, SPECTRUM(s), {0}}};
      assert_int_equal(run_task(context, &other, NULL, NULL, before, NULL), ATP_OK);
      assert_true(before[ATP_REPLICA_EG] > targets[k] * 0.2);
    }
  }
}

/* The loss of the teacher of a convex loss, q colours: the alpha is the first whose loss is small enough. */
static void other_losses(void **state) {
  atp_context *context = *state;
  static const double target = 1.05, k2[4] = {1, -1, -1, 1};
  const task_case cases[2] = {{ATP_TASK_REPLICA_CONVEX,
                               {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_LOSS, ATP_REPLICA_LOSS_LOGISTIC}, {0}},
                               {{ATP_ARRAY_TARGETS, &target, 1, 1}, SPECTRUM(s), {0}}},
                              {ATP_TASK_REPLICA_POTTS,
                               {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_POINTS, 256}, {ATP_OPT_SHIFTS, 2}, {ATP_OPT_PARAMETERS, 10}, {0}},
                               {{ATP_ARRAY_TARGETS, &target, 1, 1}, SPECTRUM(s), {ATP_ARRAY_COLOR_COVARIANCE, k2, 2, 2}, {0}}}};
  for (int x = 0; x < 2; ++x) {
    double row[C], beside[C], optimum = 0;
    atp_task *task;
    atp_table *table;
    assert_int_equal(make_task(context, &cases[x], &task), ATP_OK);
    assert_int_equal(atp_task_rows(task), 1);
    assert_int_equal(atp_table_create(context, ATP_TABLE_REPLICA_CURVE, 1, &table), ATP_OK);
    assert_int_equal(atp_task_run(task, table, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(atp_table_values(table, row, C), ATP_OK);
    assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &optimum), ATP_OK);
    atp_table_destroy(table);
    atp_task_destroy(task);
    assert_true(row[ATP_REPLICA_EG] <= target * optimum);
    const double alpha = x == 0 ? row[ATP_REPLICA_ALPHA] * (1 - 1e-7) : row[ATP_REPLICA_ALPHA] - 0.1;
    task_case c = cases[x];
    c.inputs[0] = (task_input){ATP_ARRAY_ALPHAS, &alpha, 1, 1};
    assert_int_equal(run_task(context, &c, NULL, NULL, beside, NULL), ATP_OK);
    assert_true(beside[ATP_REPLICA_EG] > target * optimum);
  }
}

static int stop(const atp_progress *progress, void *user) {
  ++*(int *)user;
  return atp_progress_value(progress, ATP_PROGRESS_STEP) >= 1;
}

static void endings(void **state) {
  atp_context *context = *state;
  static const double targets[3] = {1.2, 1.1, 1.05}, large = 1.3, one = 1, near = 1 + 1e-12;
  task_case c = {
      ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_DIAGONAL_SHIFT, 2.5}, {ATP_OPT_LAMBDA, 0}, {0}}, {{ATP_ARRAY_TARGETS, targets, 3, 1}, {0}}};
  double rows[3 * C];
  int calls = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(run_task(context, &c, stop, &calls, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(calls, 1);
  assert_close(rows[ATP_REPLICA_ALPHA], 6, 2e-9, 0);
  assert_true(isnan(rows[C + ATP_REPLICA_EG]) && rows[C + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CANCELLED);
  c.inputs[0] = (task_input){ATP_ARRAY_TARGETS, &large, 1, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "targets[0] is 1.3, must be less than 1.25: without samples");
  c.inputs[0] = (task_input){ATP_ARRAY_TARGETS, &one, 1, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "targets[0] is 1, must be > 1");
  c.inputs[0] = (task_input){ATP_ARRAY_TARGETS, &near, 1, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "a smaller alpha than 1e+09 reaches");
  c.inputs[1] = (task_input){ATP_ARRAY_ALPHAS, targets, 3, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "alphas cannot be set: the task has targets");
  c.inputs[0] = c.inputs[1];
  c.inputs[1] = (task_input){ATP_ARRAY_TARGETS, targets, 3, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "targets cannot be set: the task has alphas");
  c.options[2] = (task_option){ATP_OPT_BEST_LAMBDA, 1};
  assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "lambda is 0 with best-lambda");
  /* Labels of two classes: without samples the loss is log 2. */
  const task_case labels = {ATP_TASK_REPLICA_CONVEX,
                            {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_LOSS, ATP_REPLICA_LOSS_LOGISTIC}, {0}},
                            {{ATP_ARRAY_TARGETS, &large, 1, 1}, SPECTRUM(s), {0}}};
  assert_int_equal(run_task(context, &labels, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "targets[0] is 1.3, must be less than 1.2913");
  /* The best possible loss is 0: no ratio to it. */
  const task_case noiseless = {
      ATP_TASK_REPLICA_SQUARE, {{ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_TARGETS, targets, 3, 1}, SPECTRUM(s), {0}}};
  assert_int_equal(run_task(context, &noiseless, NULL, NULL, NULL, NULL), ATP_E_VALUE);
  assert_error(context, "the best possible loss is 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(limit_of_many_sites), TEST(best_penalty_of_equal_inputs),
      TEST(best_penalty),        TEST(whole_samples),
      TEST(other_losses),        TEST(endings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
