/* SPDX-License-Identifier: MIT */
/* Dot-product attention through the C API: results, every status with its text, outputs untouched where a call fails. */
#include "support.h"

#include <attopotts/dotattn.h>

#include <string.h>

/* Sanitizers take ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { N = 2 };
#else
enum { N = 3 };
#endif
enum { C = ATP_DOTATTN_COLUMNS, T = ATP_DOTATTN_TRANSITION_COLUMNS };

static atp_context *context;
static const double map[4] = {0.6, 0.4, 0.4, 0.6};
static const double alphas[3] = {1.5, 0.8, 1.0};
static double rows[N * C], untouched[64];
static atp_outcome outcome;

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

#define FAILS(call, status, part)                                 \
  do {                                                            \
    for (int k = 0; k < 64; ++k) untouched[k] = -7;               \
    outcome = (atp_outcome)77;                                    \
    assert_int_equal((call), (status));                           \
    assert_text(part);                                            \
    for (int k = 0; k < 64; ++k) assert_true(untouched[k] == -7); \
    assert_int_equal(outcome, 77);                                \
  } while (0)

static int make(void **state) {
  (void)state;
  return atp_context_create(NULL, NULL, NULL, &context) != ATP_OK;
}
static int end(void **state) {
  (void)state;
  atp_context_destroy(context);
  return 0;
}

static void columns(void **state) {
  (void)state;
  for (int k = 0; k < C; ++k) {
    assert_non_null(atp_dotattn_column_name(k));
    assert_int_equal(atp_dotattn_column_find(atp_dotattn_column_name(k)), k);
  }
  assert_int_equal(atp_dotattn_column_find("eg_linear"), ATP_DOTATTN_EG_LINEAR);
  assert_int_equal(atp_dotattn_column_find("thetahat"), ATP_DOTATTN_THETAHAT);
  assert_int_equal(atp_dotattn_column_find("EG"), -1);
  assert_null(atp_dotattn_column_name(-1));
  assert_null(atp_dotattn_column_name(C));
  for (int k = 0; k < T; ++k) assert_non_null(atp_dotattn_transition_column_name(k));
  assert_string_equal(atp_dotattn_transition_column_name(ATP_DOTATTN_TRANSITION_ALPHA_LINEAR), "alpha_linear");
  assert_string_equal(atp_dotattn_transition_column_name(ATP_DOTATTN_TRANSITION_OUTCOME), "outcome");
  assert_null(atp_dotattn_transition_column_name(-1));
  assert_null(atp_dotattn_transition_column_name(T));
}

/* Holds for every row: bounds of the order parameters, and the equations of the prior. */
static void check_row(const double *row) {
  const double rho = 0.25, stiffness = 0.01 + rho * row[ATP_DOTATTN_VHAT];
  assert_int_equal((int)row[ATP_DOTATTN_OUTCOME], ATP_OUTCOME_CONVERGED);
  assert_true(row[ATP_DOTATTN_Q] > 0 && row[ATP_DOTATTN_V] > 0 && row[ATP_DOTATTN_EG] > 0 && row[ATP_DOTATTN_ET] > 0);
  assert_true(row[ATP_DOTATTN_THETA] * row[ATP_DOTATTN_THETA] <= rho * row[ATP_DOTATTN_Q]);
  assert_true(rho * row[ATP_DOTATTN_M] * row[ATP_DOTATTN_M] <= row[ATP_DOTATTN_Q]);
  assert_true(row[ATP_DOTATTN_RESIDUAL] <= 1e-8 && row[ATP_DOTATTN_QUADRATURE] <= 1e-2 && row[ATP_DOTATTN_ITERATIONS] > 0);
  assert_close(row[ATP_DOTATTN_V], rho / stiffness, 2e-8, 0);
  assert_close(row[ATP_DOTATTN_M], row[ATP_DOTATTN_MHAT] / stiffness, 4e-8, 0);
  assert_close(row[ATP_DOTATTN_THETA], rho * rho * row[ATP_DOTATTN_THETAHAT] / stiffness, 4e-8, 0);
  assert_close(row[ATP_DOTATTN_Q],
               rho *
                   (rho * row[ATP_DOTATTN_QHAT] + row[ATP_DOTATTN_MHAT] * row[ATP_DOTATTN_MHAT] +
                    rho * rho * row[ATP_DOTATTN_THETAHAT] * row[ATP_DOTATTN_THETAHAT]) /
                   (stiffness * stiffness),
               4e-8, 0);
}

static int stop_after_one(const atp_progress *progress, void *user) {
  assert_true(atp_progress_value(progress, ATP_PROGRESS_TOTAL) == N);
  return ++*(int *)user >= 1;
}

static void curves(void **state) {
  (void)state;
  double linear[4], loss, few[N * 9];
  assert_int_equal(atp_dotattn_linear(map, 4, 0.3, 0.5, linear, 4, &loss), ATP_OK);
  assert_close(linear[0] + linear[1], 1, 1e-14, 0);
  assert_close(linear[2] + linear[3], 1, 1e-14, 0);
  for (int branch = 1; branch <= 3; ++branch) {
    assert_int_equal(atp_dotattn_curve(context, map, 4, 0.3, 0.5, 0.01, (atp_dotattn_branch)branch, alphas, N, 1e-2, 10000, NULL, NULL,
                                       rows, N * C, &outcome),
                     ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    for (int k = 0; k < N; ++k) {
      const double *row = rows + k * C;
      check_row(row);
      assert_true(row[ATP_DOTATTN_ALPHA] == alphas[k] && row[ATP_DOTATTN_OMEGA] == 0.3 && row[ATP_DOTATTN_EG_LINEAR] == loss);
      assert_int_equal((int)row[ATP_DOTATTN_BRANCH], branch);
      assert_true((row[ATP_DOTATTN_THETA] > 0) == (branch == 1) && (row[ATP_DOTATTN_M] > 0) == (branch == 2));
      assert_true((row[ATP_DOTATTN_THETAHAT] != 0) == (branch == 1) && (row[ATP_DOTATTN_MHAT] != 0) == (branch == 2));
    }
  }
  /* Fewer columns, one thread: the same numbers. */
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  assert_int_equal(
      atp_dotattn_curve(context, map, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, alphas, N, 1e-2, 10000, NULL, NULL, few, N * 9, NULL),
      ATP_OK);
  for (int k = 0; k < N * 9; ++k) assert_true(few[k] == rows[k / 9 * C + k % 9]);
  /* Few iterations; a callback that stops. */
  assert_int_equal(
      atp_dotattn_curve(context, map, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_SEMANTIC, alphas, N, 1e-2, 3, NULL, NULL, rows, N * C, &outcome),
      ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  int calls = 0;
  assert_int_equal(atp_dotattn_curve(context, map, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, alphas, N, 1e-2, 10000, stop_after_one,
                                     &calls, rows, N * C, &outcome),
                   ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  int made = 0;
  for (int k = 0; k < N; ++k) {
    const int cancelled = rows[k * C + ATP_DOTATTN_OUTCOME] == ATP_OUTCOME_CANCELLED;
    assert_true(cancelled == (isnan(rows[k * C + ATP_DOTATTN_EG]) != 0));
    made += !cancelled;
  }
  assert_int_equal(made, 1);
}

static int warnings;
static void hear(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING && strstr(text, "teacher: row 1 sums to 1.2")) ++warnings;
}

/* A row sum of 1 + delta shifts the target by delta / 2 and adds rho omega^2 delta^2 / 4 to losses. */
static void rows_that_do_not_sum_to_one(void **state) {
  (void)state;
  const double wrong[4] = {0.6, 0.4, 0.5, 0.7}, right[4] = {0.6, 0.4, 0.4, 0.6};
  double a[C], b[C], linear[4];
  const double alpha = 1;
  assert_int_equal(atp_context_set_log(context, hear, NULL), ATP_OK);
  assert_int_equal(
      atp_dotattn_curve(context, wrong, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, &alpha, 1, 1e-2, 1000, NULL, NULL, a, C, NULL), ATP_OK);
  assert_int_equal(warnings, 1);
  assert_int_equal(
      atp_dotattn_curve(context, right, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, &alpha, 1, 1e-2, 1000, NULL, NULL, b, C, NULL), ATP_OK);
  assert_int_equal(warnings, 1);
  assert_int_equal(atp_context_set_log(context, NULL, NULL), ATP_OK);
  const double extra = 0.25 / 2 * 0.3 * 0.3 * 0.2 * 0.2 / 2;
  assert_close(a[ATP_DOTATTN_Q], b[ATP_DOTATTN_Q], 1e-7, 0);
  assert_close(a[ATP_DOTATTN_EG], b[ATP_DOTATTN_EG] + extra, 1e-7, 0);
  assert_close(a[ATP_DOTATTN_ET], b[ATP_DOTATTN_ET] + extra, 1e-7, 0);
  assert_close(a[ATP_DOTATTN_EG_LINEAR], b[ATP_DOTATTN_EG_LINEAR], 1e-7, 0);
  assert_int_equal(atp_dotattn_linear(wrong, 4, 0.3, 0.5, linear, 4, NULL), ATP_OK);
  assert_close(linear[2] + linear[3], 1.06, 1e-14, 0);
}

static void few_samples_without_penalty(void **state) {
  (void)state;
  const double few = 0.01;
  assert_int_equal(
      atp_dotattn_curve(context, map, 4, 0.3, 0.5, 0, ATP_DOTATTN_UNINFORMED, &few, 1, 1e-2, 10000, NULL, NULL, rows, C, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isnan(rows[ATP_DOTATTN_Q]) && isnan(rows[ATP_DOTATTN_EG]) && isnan(rows[ATP_DOTATTN_ET]));
}

static atp_status curve(const double *teacher, int64_t teacher_size, double omega, double sigma, double lambda, int branch, double alpha,
                        int64_t n, double accuracy, int64_t max_iter, int64_t size) {
  const double list[2] = {1, alpha};
  return atp_dotattn_curve(context, teacher, teacher_size, omega, sigma, lambda, (atp_dotattn_branch)branch, list, n, accuracy, max_iter,
                           NULL, NULL, untouched, size, &outcome);
}

static void wrong_values(void **state) {
  (void)state;
  const double nan_map[4] = {0.6, NAN, 0.4, 0.6}, huge[4] = {0.6, 0.4, 2000, 0.6};
  FAILS(curve(map, 3, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_SHAPE, "teacher_size is 3, must be 4");
  FAILS(curve(nan_map, 4, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_NOT_FINITE, "teacher[1]");
  FAILS(curve(huge, 4, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "teacher[2] is 2000");
  FAILS(curve(map, 4, -0.1, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "omega is -0.1, must be in 0..1");
  FAILS(curve(map, 4, 1.1, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "omega is 1.1");
  FAILS(curve(map, 4, NAN, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_NOT_FINITE, "omega is");
  FAILS(curve(map, 4, 0.3, 0, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "sigma is 0");
  FAILS(curve(map, 4, 0.3, -1, 0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "sigma is -1");
  FAILS(curve(map, 4, 0.3, 0.5, -0.01, 1, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "lambda is -0.01, must be in 0..");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 0, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "branch is 0, must be an atp_dotattn_branch");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 4, 1, 2, 1e-2, 10, 2), ATP_E_VALUE, "branch is 4");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 0, 2, 1e-2, 10, 2), ATP_E_VALUE, "alphas[1] is 0");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, NAN, 2, 1e-2, 10, 2), ATP_E_NOT_FINITE, "alphas[1]");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 1, 0, 1e-2, 10, 2), ATP_E_VALUE, "n_alphas is 0");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 1, 2, 0, 10, 2), ATP_E_VALUE, "accuracy is 0");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 0, 2), ATP_E_VALUE, "max_iter is 0");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 3), ATP_E_SHAPE, "size is 3, must be the 2 alphas times 1 to 18 columns");
  FAILS(curve(map, 4, 0.3, 0.5, 0.01, 1, 1, 2, 1e-2, 10, 2 * C + 2), ATP_E_SHAPE, "size is 38");
  const double omegas[2] = {0.3, 1.5};
  FAILS(atp_dotattn_transition(context, map, 4, 0.5, 0.01, omegas, 2, 1e-2, 10, NULL, NULL, untouched, 2, &outcome), ATP_E_VALUE,
        "omegas[1] is 1.5");
  FAILS(atp_dotattn_transition(context, map, 4, 0, 0.01, omegas, 1, 1e-2, 10, NULL, NULL, untouched, 2, &outcome), ATP_E_VALUE,
        "sigma is 0");
  FAILS(atp_dotattn_transition(context, map, 4, 0.5, 0.01, omegas, 0, 1e-2, 10, NULL, NULL, untouched, 2, &outcome), ATP_E_VALUE,
        "n_omegas is 0");
  FAILS(atp_dotattn_transition(context, map, 4, 0.5, 0.01, omegas, 1, 1e-2, 10, NULL, NULL, untouched, T + 1, &outcome), ATP_E_SHAPE,
        "size is 13");
  FAILS(atp_dotattn_linear(map, 4, 2, 0.5, untouched, 4, NULL), ATP_E_VALUE, "omega is 2");
  FAILS(atp_dotattn_linear(map, 4, 0.3, 0.5, untouched, 3, NULL), ATP_E_SHAPE, "map_size is 3, must be 4");
  FAILS(atp_dotattn_bytes(context, -1, (int64_t *)untouched), ATP_E_VALUE, "n_alphas is -1");
}

static void bytes(void **state) {
  (void)state;
  int64_t told = 0, none = 0;
  assert_int_equal(atp_dotattn_bytes(context, 1000, &told), ATP_OK);
  assert_int_equal(atp_dotattn_bytes(context, 0, &none), ATP_OK);
  assert_true(none > 0 && told >= none + 8000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(columns),
    cmocka_unit_test(curves),
    cmocka_unit_test(rows_that_do_not_sum_to_one),
    cmocka_unit_test(few_samples_without_penalty),
    cmocka_unit_test(wrong_values),
    cmocka_unit_test(bytes),
};

int main(void) { return cmocka_run_group_tests(tests, make, end) != 0; }
