/* SPDX-License-Identifier: MIT */
/* Learning curves through the C API: results, every status with its text, outputs untouched where a call fails. */
#include "counting.h"
#include "support.h"

#include <attopotts/replica.h>

#include <string.h>

enum { L = 12, P = L - 1, N = 3, R = 4 };

static double precision[L * L], covariance[P * P], teacher[P], noise, s[P], t[P];
static double work[100000];
static const double alphas[N] = {0.5, 1.0, 2.0};

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

static double untouched[4096];

/* A call that must fail: the status, the text, and every number of `untouched` as it was. */
#define FAILS(call, status, part)                                   \
  do {                                                              \
    for (int k = 0; k < 4096; ++k) untouched[k] = -7;               \
    outcome = (atp_outcome)77;                                      \
    assert_int_equal((call), (status));                             \
    assert_text(part);                                              \
    for (int k = 0; k < 4096; ++k) assert_true(untouched[k] == -7); \
    assert_int_equal(outcome, 77);                                  \
  } while (0)

static int make(void **state) {
  (void)state;
  if (atp_replica_goe(L, 3, 1, precision, L * L) != ATP_OK) return 1;
  if (atp_replica_mask_precision(precision, L, 4, covariance, P * P, teacher, P, &noise, work, 100000) != ATP_OK) return 1;
  return atp_replica_spectrum(covariance, P * P, teacher, P, s, t, P, work, 100000) != ATP_OK;
}

static void columns(void **state) {
  (void)state;
  for (int k = 0; k < ATP_REPLICA_COLUMNS; ++k) {
    assert_non_null(atp_replica_column_name(k));
    assert_int_equal(atp_replica_column_find(atp_replica_column_name(k)), k);
  }
  assert_int_equal(atp_replica_column_find("eg"), ATP_REPLICA_EG);
  assert_int_equal(atp_replica_column_find("free_energy"), ATP_REPLICA_FREE_ENERGY);
  assert_int_equal(atp_replica_column_find("outcome"), ATP_REPLICA_OUTCOME);
  assert_int_equal(atp_replica_column_find("EG"), -1);
  assert_int_equal(atp_replica_column_find(NULL), -1);
  assert_null(atp_replica_column_name(-1));
  assert_null(atp_replica_column_name(ATP_REPLICA_COLUMNS));
}

static void goe(void **state) {
  (void)state;
  atp_outcome outcome;
  for (int i = 0; i < L; ++i) assert_true(precision[i * L + i] == 3);
  FAILS(atp_replica_goe(1, 3, 1, untouched, 1), ATP_E_VALUE, "sites is 1");
  FAILS(atp_replica_goe(32001, 3, 1, untouched, 1), ATP_E_VALUE, "sites is 32001");
  FAILS(atp_replica_goe(L, 2, 1, untouched, L * L), ATP_E_VALUE, "shift is 2, must be > 2");
  FAILS(atp_replica_goe(L, -3, 1, untouched, L * L), ATP_E_VALUE, "shift is -3");
  FAILS(atp_replica_goe(L, 1e7, 1, untouched, L * L), ATP_E_VALUE, "shift is 10000000");
  FAILS(atp_replica_goe(L, NAN, 1, untouched, L * L), ATP_E_NOT_FINITE, "shift is");
  FAILS(atp_replica_goe(L, 3, 1, untouched, L), ATP_E_SHAPE, "size is 12, must be 144");
}

static void masks(void **state) {
  (void)state;
  atp_outcome outcome;
  int64_t doubles = -7;
  assert_int_equal(atp_replica_mask_workspace(L, &doubles), ATP_OK);
  assert_true(doubles >= P * P);
  double *const c = untouched, *const w = untouched + 1000, *const n = untouched + 2000;
  typedef atp_status mask(const double *, int64_t, int64_t, double *, int64_t, double *, int64_t, double *, double *, int64_t);
  mask *const both[2] = {atp_replica_mask_precision, atp_replica_mask_covariance};
  static const char *const names[2] = {"precision", "full"};
  for (int k = 0; k < 2; ++k) {
    char text[64];
    double bad[L * L];
    FAILS(both[k](precision, 1, 0, c, P * P, w, P, n, work, doubles), ATP_E_VALUE, "sites is 1");
    FAILS(both[k](precision, L, L, c, P * P, w, P, n, work, doubles), ATP_E_VALUE, "site is 12");
    FAILS(both[k](precision, L, -1, c, P * P, w, P, n, work, doubles), ATP_E_VALUE, "site is -1");
    FAILS(both[k](precision, L, 0, c, L * L, w, P, n, work, doubles), ATP_E_SHAPE, "covariance_size is 144, must be 121");
    FAILS(both[k](precision, L, 0, c, P * P, w, L, n, work, doubles), ATP_E_SHAPE, "teacher_size is 12, must be 11");
    FAILS(both[k](precision, L, 0, c, P * P, w, P, n, work, doubles - 1), ATP_E_BUFFER, "work_size");
    memcpy(bad, precision, sizeof bad);
    bad[5] = NAN;
    snprintf(text, sizeof text, "%s[5]", names[k]);
    FAILS(both[k](bad, L, 0, c, P * P, w, P, n, work, doubles), ATP_E_NOT_FINITE, text);
    bad[5] = precision[5] + 1e-3;
    snprintf(text, sizeof text, "%s[5][0]", names[k]);
    FAILS(both[k](bad, L, 0, c, P * P, w, P, n, work, doubles), ATP_E_SYMMETRY, text);
    bad[5] = precision[5];
    bad[3 * L + 3] = -1;
    snprintf(text, sizeof text, "%s is not positive definite", names[k]);
    FAILS(both[k](bad, L, 0, c, P * P, w, P, n, work, doubles), ATP_E_VALUE, text);
    FAILS(both[k](bad, L, 3, c, P * P, w, P, n, work, doubles), ATP_E_VALUE, text);
    doubles = -7;
    assert_int_equal(atp_replica_mask_workspace(L, &doubles), ATP_OK);
  }
  FAILS(atp_replica_mask_workspace(1, (int64_t *)untouched), ATP_E_VALUE, "sites is 1");
}

static void spectra(void **state) {
  (void)state;
  atp_outcome outcome;
  int64_t doubles = -7;
  assert_int_equal(atp_replica_spectrum_workspace(P, &doubles), ATP_OK);
  double rho = noise;
  for (int k = 0; k < P; ++k) rho += s[k] * t[k];
  double direct = noise;
  for (int i = 0; i < P; ++i)
    for (int j = 0; j < P; ++j) direct += teacher[i] * covariance[i * P + j] * teacher[j];
  assert_close(rho, direct, 1e-13, 0);
  double *const values = untouched, *const projections = untouched + 100;
  double bad[P * P];
  FAILS(atp_replica_spectrum(covariance, P * P, teacher, 0, values, projections, P, work, doubles), ATP_E_VALUE, "parameters is 0");
  FAILS(atp_replica_spectrum(covariance, P, teacher, P, values, projections, P, work, doubles), ATP_E_SHAPE,
        "covariance_size is 11, must be 121");
  FAILS(atp_replica_spectrum(covariance, P * P, teacher, P, values, projections, P - 1, work, doubles), ATP_E_SHAPE,
        "size is 10, must be 11");
  FAILS(atp_replica_spectrum(covariance, P * P, teacher, P, values, projections, P, work, doubles - 1), ATP_E_BUFFER, "work_size");
  memcpy(bad, covariance, sizeof bad);
  bad[1] += 1;
  FAILS(atp_replica_spectrum(bad, P * P, teacher, P, values, projections, P, work, doubles), ATP_E_SYMMETRY, "covariance[1][0]");
  bad[P] += 1;
  FAILS(atp_replica_spectrum(bad, P * P, teacher, P, values, projections, P, work, doubles), ATP_E_VALUE, "not positive definite");
  bad[1] = INFINITY;
  FAILS(atp_replica_spectrum(bad, P * P, teacher, P, values, projections, P, work, doubles), ATP_E_NOT_FINITE, "covariance[1]");
  bad[0] = NAN;
  FAILS(atp_replica_spectrum(covariance, P * P, bad, P, values, projections, P, work, doubles), ATP_E_NOT_FINITE, "teacher[0]");
  FAILS(atp_replica_spectrum_workspace(0, (int64_t *)untouched), ATP_E_VALUE, "parameters is 0");
}

/* Any number of columns from 1 to all: the first ones. */
static void few_columns(void **state) {
  (void)state;
  double all[N * ATP_REPLICA_COLUMNS], few[N * 3 + 1];
  atp_outcome outcome = ATP_OUTCOME_NONE;
  few[N * 3] = -7;
  assert_int_equal(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, 0, all, N * ATP_REPLICA_COLUMNS, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, 0, few, N * 3, NULL), ATP_OK);
  for (int k = 0; k < N; ++k) {
    assert_true(all[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_ALPHA] == alphas[k]);
    assert_true(all[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_LAMBDA] == 0.1);
    assert_true(all[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CONVERGED);
    for (int c = 0; c < 3; ++c) assert_true(few[k * 3 + c] == all[k * ATP_REPLICA_COLUMNS + c]);
  }
  assert_true(few[N * 3] == -7);
  double simulated[N * ATP_REPLICA_SIM_COLUMNS];
  atp_context *context;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  assert_int_equal(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, simulated,
                                        N * ATP_REPLICA_SIM_COLUMNS, NULL),
                   ATP_OK);
  assert_int_equal(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, few, N * 3, NULL),
                   ATP_OK);
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < 3; ++c) assert_true(few[k * 3 + c] == simulated[k * ATP_REPLICA_SIM_COLUMNS + c]);
  atp_context_destroy(context);
}

static void curves(void **state) {
  (void)state;
  atp_outcome outcome;
  double *const rows = untouched;
  const int64_t size = N * ATP_REPLICA_COLUMNS;
  const double wrong_alphas[3][N] = {{0.5, 0, 1}, {0.5, -1, 1}, {0.5, NAN, 1}};
  const atp_status wrong_status[3] = {ATP_E_VALUE, ATP_E_VALUE, ATP_E_NOT_FINITE};
  for (int k = 0; k < 3; ++k) {
    FAILS(atp_replica_square(s, P, t, P, noise, wrong_alphas[k], N, 0.1, 0, rows, size, &outcome), wrong_status[k], "alphas[1]");
    FAILS(atp_replica_square_saddle(s, P, t, P, noise, wrong_alphas[k], N, 0.1, 0, 100, rows, size, &outcome), wrong_status[k],
          "alphas[1]");
    FAILS(atp_replica_limit(2.5, wrong_alphas[k], N, 0.1, 0, rows, size, &outcome), wrong_status[k], "alphas[1]");
  }
  FAILS(atp_replica_square(s, P, t, P - 1, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_SHAPE, "n_projections is 10, must be 11");
  FAILS(atp_replica_square(s, 0, t, 0, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "n_eigenvalues is 0");
  FAILS(atp_replica_square(s, P, t, P, -1, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "noise is -1");
  FAILS(atp_replica_square(s, P, t, P, NAN, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_NOT_FINITE, "noise is");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, 0, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "n_alphas is 0");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, -1e-3, 0, rows, size, &outcome), ATP_E_VALUE, "lambda is -0.001");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, NAN, 0, rows, size, &outcome), ATP_E_NOT_FINITE, "lambda is");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, -1, rows, size, &outcome), ATP_E_VALUE, "temperature is -1");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, INFINITY, rows, size, &outcome), ATP_E_NOT_FINITE, "temperature is");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, 0, rows, size + 1, &outcome), ATP_E_SHAPE, "size is 55");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, 0, rows, 0, &outcome), ATP_E_SHAPE, "size is 0");
  FAILS(atp_replica_square(s, P, t, P, noise, alphas, N, 0.1, 0, rows, size + N, &outcome), ATP_E_SHAPE, "size is 57");
  double bad[P];
  memcpy(bad, s, sizeof bad);
  bad[2] = 0;
  FAILS(atp_replica_square(bad, P, t, P, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "eigenvalues[2] is 0, must be > 0");
  bad[2] = NAN;
  FAILS(atp_replica_square(bad, P, t, P, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_NOT_FINITE, "eigenvalues[2]");
  FAILS(atp_replica_square(s, P, bad, P, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_NOT_FINITE, "projections[2]");
  bad[2] = -1;
  FAILS(atp_replica_square(s, P, bad, P, noise, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE,
        "projections[2] is -1, must be >= 0");
  FAILS(atp_replica_square_saddle(s, P, t, P, noise, alphas, N, 0.1, 0, 0, rows, size, &outcome), ATP_E_VALUE, "max_iter is 0");
  FAILS(atp_replica_square_saddle(s, P, t, P, noise, alphas, N, 0, 0, 100, rows, size, &outcome), ATP_E_VALUE, "alphas[0] = 0.5");
  FAILS(atp_replica_square_saddle(s, P, t, P - 1, noise, alphas, N, 0.1, 0, 100, rows, size, &outcome), ATP_E_SHAPE, "n_projections");
  FAILS(atp_replica_limit(2, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "shift is 2, must be > 2");
  FAILS(atp_replica_limit(1, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_VALUE, "shift is 1");
  FAILS(atp_replica_limit(NAN, alphas, N, 0.1, 0, rows, size, &outcome), ATP_E_NOT_FINITE, "shift is");
  FAILS(atp_replica_limit(2.5, alphas, N, -0.1, 0, rows, size, &outcome), ATP_E_VALUE, "lambda is -0.1");
  FAILS(atp_replica_limit(2.5, alphas, N, 0.1, 0, rows, 1, &outcome), ATP_E_SHAPE, "size is 1");
}

/* A point without a solution is reported; its other rows stay. */
static void outcomes(void **state) {
  (void)state;
  double rows[N * ATP_REPLICA_COLUMNS];
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(atp_replica_limit(2.5, alphas, N, 0, 0, rows, N * ATP_REPLICA_COLUMNS, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isinf(rows[ATP_REPLICA_COLUMNS + ATP_REPLICA_EG]));
  assert_true(rows[ATP_REPLICA_COLUMNS + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_DIVERGED);
  assert_true(rows[ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CONVERGED);
  assert_close(rows[2 * ATP_REPLICA_COLUMNS + ATP_REPLICA_EG], 0.8, 1e-14, 0);
  assert_int_equal(atp_replica_square(s, P, t, P, noise, alphas, N, 0, 0, rows, N * ATP_REPLICA_COLUMNS, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_int_equal(atp_replica_square_saddle(s, P, t, P, noise, alphas, N, 1e-10, 0, 3, rows, N * ATP_REPLICA_COLUMNS, &outcome), ATP_OK);
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

static void simulation(void **state) {
  (void)state;
  atp_context *context;
  struct counter counter = {0};
  atp_outcome outcome;
  const int64_t size = N * ATP_REPLICA_SIM_COLUMNS;
  int64_t bytes = -7;
  assert_int_equal(atp_context_create(counting_alloc, counting_free, &counter, &context), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 2), ATP_OK);
  FAILS(atp_replica_simulate(context, covariance, P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_SHAPE, "covariance_size is 11, must be 121");
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, 0, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "parameters is 0");
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, -1, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "noise is -1");
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, 0, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "n_alphas is 0");
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, -1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "lambda is -1");
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, 0, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "realisations is 0");
  FAILS(
      atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size + N, &outcome),
      ATP_E_SHAPE, "size is 24");
  double bad[P * P];
  memcpy(bad, covariance, sizeof bad);
  bad[0] = -1;
  FAILS(atp_replica_simulate(context, bad, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_VALUE, "not positive definite");
  bad[0] = NAN;
  FAILS(atp_replica_simulate(context, bad, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_NOT_FINITE, "covariance[0]");
  FAILS(atp_replica_simulate(context, covariance, P * P, bad, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_NOT_FINITE, "teacher[0]");
  const double many[N] = {0.5, 1, 1e9};
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, many, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_TOO_LARGE, "alpha 1e+09");
  FAILS(atp_replica_simulate_bytes(context, P, many, N, 0.1, R, (int64_t *)untouched), ATP_E_TOO_LARGE, "alpha 1e+09");
  FAILS(atp_replica_simulate_bytes(context, P, alphas, N, NAN, R, (int64_t *)untouched), ATP_E_NOT_FINITE, "lambda");
  counter.fail_at = counter.calls + 1;
  FAILS(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, NULL, NULL, untouched, size, &outcome),
        ATP_E_MEMORY, "NULL");
  counter.fail_at = 0;

  /* One allocation, of the size that was said. */
  double rows[N * ATP_REPLICA_SIM_COLUMNS], again[N * ATP_REPLICA_SIM_COLUMNS];
  int64_t before = 0, after = 0;
  assert_int_equal(atp_replica_simulate_bytes(context, P, alphas, N, 0.1, R, &bytes), ATP_OK);
  assert_true(bytes > 0);
  struct calls calls = {0, 0, 0, 0};
  assert_int_equal(atp_context_memory(context, &before, NULL), ATP_OK);
  assert_int_equal(
      atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, watch, &calls, rows, size, &outcome),
      ATP_OK);
  assert_int_equal(atp_context_memory(context, &after, NULL), ATP_OK);
  assert_int_equal(after - before, 1);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_int_equal(calls.made, N);
  assert_true(calls.step == N * R && calls.total == N * R);
  for (int k = 0; k < N; ++k) {
    const double *row = rows + k * ATP_REPLICA_SIM_COLUMNS;
    assert_true(row[ATP_REPLICA_SIM_SAMPLES] == floor(alphas[k] * P + 0.5) && row[ATP_REPLICA_SIM_REALISATIONS] == R);
    assert_true(row[ATP_REPLICA_SIM_EG] > noise && row[ATP_REPLICA_SIM_EG_SEM] > 0 && row[ATP_REPLICA_SIM_ET] > 0);
  }

  /* Stopped after the second alpha: its rows are written, the third has none. */
  calls.made = 0;
  calls.stop_at = 2;
  assert_int_equal(
      atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, R, 1, watch, &calls, again, size, &outcome),
      ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(calls.made, 2);
  assert_memory_equal(again, rows, 2 * ATP_REPLICA_SIM_COLUMNS * sizeof *rows);
  assert_true(isnan(again[2 * ATP_REPLICA_SIM_COLUMNS + ATP_REPLICA_SIM_EG]));
  assert_true(again[2 * ATP_REPLICA_SIM_COLUMNS + ATP_REPLICA_SIM_REALISATIONS] == 0);
  atp_context_destroy(context);
  assert_int_equal(counter.live, 0);
  assert_int_equal(counter.bad, 0);
}

/* The standard error of the mean of two runs is half their difference; the first run of two is the one of one. */
static void errors_of_two_runs(void **state) {
  (void)state;
  enum { SIZE = N * ATP_REPLICA_SIM_COLUMNS };
  double one[SIZE], two[SIZE];
  atp_context *context;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  for (int runs = 1; runs <= 2; ++runs)
    assert_int_equal(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, N, 0.1, runs, 1, NULL, NULL,
                                          runs == 1 ? one : two, SIZE, NULL),
                     ATP_OK);
  for (int k = 0; k < N; ++k) {
    const double *x = one + k * ATP_REPLICA_SIM_COLUMNS, *y = two + k * ATP_REPLICA_SIM_COLUMNS;
    assert_true(isnan(x[ATP_REPLICA_SIM_EG_SEM]) && isnan(x[ATP_REPLICA_SIM_ET_SEM]));
    /* The mean is half way to the other run. */
    assert_close(y[ATP_REPLICA_SIM_EG_SEM], fabs(y[ATP_REPLICA_SIM_EG] - x[ATP_REPLICA_SIM_EG]), 1e-9, 0);
    assert_close(y[ATP_REPLICA_SIM_ET_SEM], fabs(y[ATP_REPLICA_SIM_ET] - x[ATP_REPLICA_SIM_ET]), 1e-9, 1e-12);
    assert_true(y[ATP_REPLICA_SIM_EG_SEM] > 0);
  }
  atp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns),    cmocka_unit_test(goe),         cmocka_unit_test(masks),
      cmocka_unit_test(spectra),    cmocka_unit_test(curves),      cmocka_unit_test(outcomes),
      cmocka_unit_test(simulation), cmocka_unit_test(few_columns), cmocka_unit_test(errors_of_two_runs),
  };
  return cmocka_run_group_tests(tests, make, NULL) != 0;
}
