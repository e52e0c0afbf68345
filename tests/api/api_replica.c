/* SPDX-License-Identifier: MIT */
/* Masked Gaussian systems and their learning curves: results, every status of systems with its text. api_task.c has what tasks refuse. */
#include "api_support.h"
#include "task_support.h"

#include <math.h>

enum { L = 12, P = L - 1, N = 3, R = 4, C = ATP_REPLICA_COLUMNS, S = ATP_REPLICA_SIM_COLUMNS };

static double precision[L * L], covariance[P * P], weights[P], noise, s[P], t[P], untouched[L * L];
static const double alphas[N] = {0.5, 1.0, 2.0};

static int make(void **state) {
  atp_context *context;
  atp_masked *masked;
  (void)state;
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  if (atp_replica_goe(L, 3, 1, precision, L * L) != ATP_OK) return 1;
  if (atp_masked_create_precision(context, precision, L, 4, &masked) != ATP_OK) return 1;
  noise = atp_masked_noise(masked);
  const int bad = atp_masked_covariance(masked, covariance, P * P) != ATP_OK || atp_masked_weights(masked, weights, P) != ATP_OK ||
                  atp_masked_spectrum(masked, s, t, P) != ATP_OK || atp_masked_parameters(masked) != P ||
                  atp_masked_context(masked) != context;
  atp_masked_destroy(masked);
  atp_context_destroy(context);
  return bad;
}

static void fill(void) {
  for (int k = 0; k < L * L; ++k) untouched[k] = -7;
}
static void assert_untouched(void) {
  for (int k = 0; k < L * L; ++k) assert_true(untouched[k] == -7);
}

static void goe(void **state) {
  (void)state;
  for (int i = 0; i < L; ++i) assert_true(precision[i * L + i] == 3);
  fill();
  assert_int_equal(atp_replica_goe(1, 3, 1, untouched, 1), ATP_E_VALUE);
  assert_int_equal(atp_replica_goe(32001, 3, 1, untouched, 1), ATP_E_VALUE);
  assert_int_equal(atp_replica_goe(L, 2, 1, untouched, L * L), ATP_E_VALUE);
  assert_int_equal(atp_replica_goe(L, 1e7, 1, untouched, L * L), ATP_E_VALUE);
  assert_int_equal(atp_replica_goe(L, NAN, 1, untouched, L * L), ATP_E_NOT_FINITE);
  assert_int_equal(atp_replica_goe(L, 3, -1, untouched, L * L), ATP_E_VALUE);
  assert_int_equal(atp_replica_goe(L, 3, 1, untouched, L), ATP_E_SHAPE);
  assert_untouched();
}

static void masks(void **state) {
  atp_context *context = *state;
  typedef atp_status mask(atp_context *, const double *, int64_t, int64_t, atp_masked **);
  mask *const both[2] = {atp_masked_create_precision, atp_masked_create_covariance};
  static const char *const names[2] = {"precision", "full"};
  for (int k = 0; k < 2; ++k) {
    atp_masked *m = (atp_masked *)context;
    char text[64];
    double bad[L * L];
    assert_int_equal(both[k](context, precision, 1, 0, &m), ATP_E_VALUE);
    assert_error(context, "sites is 1");
    assert_null(m);
    assert_int_equal(both[k](context, precision, L, L, &m), ATP_E_VALUE);
    assert_int_equal(both[k](context, precision, L, -1, &m), ATP_E_VALUE);
    assert_error(context, "site is -1");
    memcpy(bad, precision, sizeof bad);
    bad[5] = NAN;
    assert_int_equal(both[k](context, bad, L, 0, &m), ATP_E_NOT_FINITE);
    snprintf(text, sizeof text, "%s[0][5]", names[k]);
    assert_error(context, text);
    bad[5] = precision[5] + 1e-3;
    assert_int_equal(both[k](context, bad, L, 0, &m), ATP_E_SYMMETRY);
    snprintf(text, sizeof text, "%s[5][0]", names[k]);
    assert_error(context, text);
    bad[5] = precision[5];
    bad[3 * L + 3] = -1;
    snprintf(text, sizeof text, "%s is not positive definite", names[k]);
    for (int site = 0; site <= 3; site += 3) {
      assert_int_equal(both[k](context, bad, L, site, &m), ATP_E_VALUE);
      assert_error(context, text);
      assert_null(m);
    }
  }
}

static void systems(void **state) {
  atp_context *context = *state;
  atp_masked *m;
  double rho = noise, direct = noise, bad[P * P], values[P], projections[P];
  for (int k = 0; k < P; ++k) rho += s[k] * t[k];
  for (int i = 0; i < P; ++i)
    for (int j = 0; j < P; ++j) direct += weights[i] * covariance[i * P + j] * weights[j];
  assert_close(rho, direct, 1e-13, 0);
  assert_int_equal(atp_masked_create(context, covariance, weights, P, noise, &m), ATP_OK);
  assert_int_equal(atp_masked_spectrum(m, values, projections, P), ATP_OK);
  assert_memory_equal(values, s, sizeof values);
  assert_memory_equal(projections, t, sizeof projections);
  fill();
  assert_int_equal(atp_masked_spectrum(m, untouched, untouched + P, P - 1), ATP_E_SHAPE);
  assert_int_equal(atp_masked_covariance(m, untouched, P), ATP_E_SHAPE);
  assert_int_equal(atp_masked_weights(m, untouched, P + 1), ATP_E_SHAPE);
  atp_masked_destroy(m);
  assert_int_equal(atp_masked_create(context, covariance, weights, 0, noise, &m), ATP_E_VALUE);
  assert_int_equal(atp_masked_create(context, covariance, weights, P, -1, &m), ATP_E_VALUE);
  memcpy(bad, covariance, sizeof bad);
  bad[1] += 1;
  assert_int_equal(atp_masked_create(context, bad, weights, P, noise, &m), ATP_E_SYMMETRY);
  bad[P] += 1;
  assert_int_equal(atp_masked_create(context, bad, weights, P, noise, &m), ATP_OK);
  assert_int_equal(atp_masked_spectrum(m, untouched, untouched + P, P), ATP_E_VALUE);
  assert_error(context, "not positive definite");
  assert_untouched();
  atp_masked_destroy(m);
  bad[1] = INFINITY;
  assert_int_equal(atp_masked_create(context, bad, weights, P, noise, &m), ATP_E_NOT_FINITE);
  assert_int_equal(atp_masked_create(context, covariance, bad, P, noise, &m), ATP_E_NOT_FINITE);
  assert_null(m);
}

static task_case curve(atp_task_kind kind, double lambda) {
  const task_case c = {kind,
                       {{ATP_OPT_LAMBDA, lambda}, {ATP_OPT_NOISE, noise}, {0}},
                       {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, {ATP_ARRAY_PROJECTIONS, t, P, 1}, {0}}};
  return c;
}

/* A point without a solution is reported; its other rows stay. */
static void outcomes(void **state) {
  atp_context *context = *state;
  double rows[N * C];
  atp_outcome outcome = ATP_OUTCOME_NONE;
  task_case c = curve(ATP_TASK_REPLICA_LIMIT, 0);
  memset(&c.inputs[1], 0, sizeof *c.inputs);
  memset(&c.options[1], 0, sizeof *c.options);
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isinf(rows[C + ATP_REPLICA_EG]));
  assert_true(rows[C + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_DIVERGED && rows[ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CONVERGED);
  assert_close(rows[2 * C + ATP_REPLICA_EG], 0.8, 1e-14, 0);
  c = curve(ATP_TASK_REPLICA_SQUARE, 0);
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  c = curve(ATP_TASK_REPLICA_SQUARE, 0.1);
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  for (int k = 0; k < N; ++k) assert_true(rows[k * C + ATP_REPLICA_ALPHA] == alphas[k] && rows[k * C + ATP_REPLICA_LAMBDA] == 0.1);
  c = curve(ATP_TASK_REPLICA_SADDLE, 1e-10);
  c.options[2] = (task_option){ATP_OPT_MAX_ITER, 3};
  assert_int_equal(run_task(context, &c, NULL, NULL, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_true(rows[ATP_REPLICA_ITERATIONS] == 3 && rows[ATP_REPLICA_RESIDUAL] > 1e-12);
}

struct calls {
  int made, stop_at;
  double step, total;
};

static int watch(const atp_progress *progress, void *user) {
  struct calls *calls = user;
  calls->step = atp_progress_value(progress, ATP_PROGRESS_STEP);
  calls->total = atp_progress_value(progress, ATP_PROGRESS_TOTAL);
  return ++calls->made == calls->stop_at;
}

static task_case simulation(double realisations) {
  const task_case c = {
      ATP_TASK_REPLICA_SIMULATION,
      {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_NOISE, noise}, {ATP_OPT_REALISATIONS, realisations}, {0}},
      {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_COVARIANCE, covariance, P, P}, {ATP_ARRAY_WEIGHTS, weights, P, 1}, {0}}};
  return c;
}

static void simulations(void **state) {
  atp_context *context = *state;
  double rows[N * S], again[N * S];
  atp_outcome outcome;
  struct calls calls = {0, 0, 0, 0};
  const task_case c = simulation(R);
  assert_int_equal(run_task(context, &c, watch, &calls, rows, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(calls.made, N);
  assert_true(calls.step == N * R && calls.total == N * R);
  for (int k = 0; k < N; ++k) {
    const double *row = rows + k * S;
    assert_true(row[ATP_REPLICA_SIM_SAMPLES] == floor(alphas[k] * P + 0.5) && row[ATP_REPLICA_SIM_REALISATIONS] == R);
    assert_true(row[ATP_REPLICA_SIM_EG] > noise && row[ATP_REPLICA_SIM_EG_SEM] > 0 && row[ATP_REPLICA_SIM_ET] > 0);
  }
  /* Ended after the second alpha: its rows stand, the third has none. */
  calls.made = 0;
  calls.stop_at = 2;
  assert_int_equal(run_task(context, &c, watch, &calls, again, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(calls.made, 2);
  assert_memory_equal(again, rows, 2 * S * sizeof *rows);
  assert_true(isnan(again[2 * S + ATP_REPLICA_SIM_EG]) && again[2 * S + ATP_REPLICA_SIM_REALISATIONS] == 0);
}

/* The standard error of the mean of two runs is half their difference; the first run of two is the one of one. */
static void errors_of_two_runs(void **state) {
  atp_context *context = *state;
  double one[N * S], two[N * S];
  for (int runs = 1; runs <= 2; ++runs) {
    const task_case c = simulation(runs);
    assert_int_equal(run_task(context, &c, NULL, NULL, runs == 1 ? one : two, NULL), ATP_OK);
  }
  for (int k = 0; k < N; ++k) {
    const double *x = one + k * S, *y = two + k * S;
    assert_true(isnan(x[ATP_REPLICA_SIM_EG_SEM]) && isnan(x[ATP_REPLICA_SIM_ET_SEM]));
    /* The mean is half way to the other run. */
    assert_close(y[ATP_REPLICA_SIM_EG_SEM], fabs(y[ATP_REPLICA_SIM_EG] - x[ATP_REPLICA_SIM_EG]), 1e-9, 0);
    assert_close(y[ATP_REPLICA_SIM_ET_SEM], fabs(y[ATP_REPLICA_SIM_ET] - x[ATP_REPLICA_SIM_ET]), 1e-9, 1e-12);
    assert_true(y[ATP_REPLICA_SIM_EG_SEM] > 0);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goe), TEST(masks), TEST(systems), TEST(outcomes), TEST(simulations), TEST(errors_of_two_runs),
  };
  return cmocka_run_group_tests(tests, make, NULL) != 0;
}
