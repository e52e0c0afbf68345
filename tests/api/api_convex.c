/* SPDX-License-Identifier: MIT */
/* Learning curves of convex losses through the C API: results, every status with its text, outputs untouched where a call fails. */
#include "support.h"

#include <attopotts/replica.h>

#include <stdlib.h>
#include <string.h>

enum { P = 20, N = 3, ROWS = N * ATP_REPLICA_COLUMNS };

static double s[P], t[P], *work;
static int64_t doubles;
static const double alphas[N] = {0.5, 1.0, 4.0};

static int make(void **state) {
  (void)state;
  for (int k = 0; k < P; ++k) {
    s[k] = 0.5 + 0.1 * k;
    t[k] = (1 + k % 3) / (double)P;
  }
  if (atp_replica_convex_workspace(&doubles) != ATP_OK) return 1;
  work = malloc((size_t)doubles * sizeof *work);
  return work == NULL;
}

static int drop(void **state) {
  (void)state;
  free(work);
  return 0;
}

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

static void square_is_square(void **state) {
  (void)state;
  double rows[ROWS], known[ROWS], optimum = -7;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(atp_replica_square(s, P, t, P, 0.3, alphas, N, 0.01, 0, known, ROWS, NULL), ATP_OK);
  assert_int_equal(
      atp_replica_convex(s, P, t, P, 0.3, ATP_REPLICA_LOSS_SQUARE, 0, alphas, N, 0.01, 1000, work, doubles, rows, ROWS, &optimum, &outcome),
      ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  assert_close(optimum, 0.3, 1e-14, 0);
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < ATP_REPLICA_ITERATIONS; ++c)
      assert_close(rows[k * ATP_REPLICA_COLUMNS + c], known[k * ATP_REPLICA_COLUMNS + c], 1e-9, 0);
  /* Huber with kinks far outside; a few columns alone. */
  double few[3 * N];
  assert_int_equal(
      atp_replica_convex(s, P, t, P, 0.3, ATP_REPLICA_LOSS_HUBER, 1e6, alphas, N, 0.01, 1000, work, doubles, few, 3 * N, NULL, NULL),
      ATP_OK);
  for (int k = 0; k < N; ++k) assert_close(few[3 * k + ATP_REPLICA_EG], known[k * ATP_REPLICA_COLUMNS + ATP_REPLICA_EG], 1e-9, 0);
}

static void logistic(void **state) {
  (void)state;
  double rows[ROWS], optimum = -7;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  const double many[1] = {1e4};
  assert_int_equal(atp_replica_convex(s, P, t, P, 0, ATP_REPLICA_LOSS_LOGISTIC, NAN, many, 1, 0, 1000, work, doubles, rows,
                                      ATP_REPLICA_COLUMNS, &optimum, NULL),
                   ATP_OK);
  assert_close(rows[ATP_REPLICA_EG] - optimum, 0.5e-4, 1e-2, 0); /* 1 / (2 alpha) */
  assert_close(optimum - rows[ATP_REPLICA_ET], 0.5e-4, 1e-2, 0);
  /* Few samples and no penalty: nothing holds w. Few iterations: no answer either, and it says so. */
  assert_int_equal(
      atp_replica_convex(s, P, t, P, 0, ATP_REPLICA_LOSS_LOGISTIC, 0, alphas, N, 0, 1000, work, doubles, rows, ROWS, NULL, &outcome),
      ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(isinf(rows[ATP_REPLICA_EG]) && rows[ATP_REPLICA_ET] == 0 && rows[ATP_REPLICA_OUTCOME] == ATP_OUTCOME_DIVERGED);
  assert_true(rows[2 * ATP_REPLICA_COLUMNS + ATP_REPLICA_OUTCOME] == ATP_OUTCOME_CONVERGED);
  assert_int_equal(
      atp_replica_convex(s, P, t, P, 0, ATP_REPLICA_LOSS_LOGISTIC, 0, alphas, N, 0.1, 1, work, doubles, rows, ROWS, NULL, &outcome),
      ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_true(rows[ATP_REPLICA_ITERATIONS] == 1 && rows[ATP_REPLICA_RESIDUAL] > 1e-12);
}

/* The arguments of a call that must fail, as the good call has them. */
struct arguments {
  double *s, *t;
  int64_t ns, nt;
  double noise;
  atp_replica_loss loss;
  double delta;
  const double *alphas;
  int64_t n;
  double lambda;
  int64_t max_iter, work_size, size;
};

static void fails(struct arguments a, atp_status status, const char *part) {
  double rows[ROWS + 1], optimum = -7;
  atp_outcome outcome = (atp_outcome)77;
  for (int k = 0; k <= ROWS; ++k) rows[k] = -7;
  assert_int_equal(atp_replica_convex(a.s, a.ns, a.t, a.nt, a.noise, a.loss, a.delta, a.alphas, a.n, a.lambda, a.max_iter, work,
                                      a.work_size, rows, a.size, &optimum, &outcome),
                   status);
  assert_text(part);
  for (int k = 0; k <= ROWS; ++k) assert_true(rows[k] == -7);
  assert_true(optimum == -7 && (int)outcome == 77);
}

#define FAILS(member, value, status, part) \
  do {                                     \
    struct arguments bad = good;           \
    bad.member = (value);                  \
    fails(bad, (status), (part));          \
  } while (0)

static void statuses(void **state) {
  (void)state;
  const struct arguments good = {s, t, P, P, 0.3, ATP_REPLICA_LOSS_HUBER, 0.7, alphas, N, 0.01, 1000, doubles, ROWS};
  const double wrong[3][N] = {{0.5, 0, 1}, {0.5, 1e13, 1}, {0.5, NAN, 1}};
  double bad_s[P], bad_t[P];
  FAILS(nt, P - 1, ATP_E_SHAPE, "n_projections is 19, must be 20");
  FAILS(ns, 0, ATP_E_VALUE, "n_eigenvalues is 0");
  FAILS(noise, -1, ATP_E_VALUE, "noise is -1");
  FAILS(noise, INFINITY, ATP_E_NOT_FINITE, "noise is inf");
  FAILS(loss, (atp_replica_loss)0, ATP_E_VALUE, "loss is 0, must be an atp_replica_loss");
  FAILS(loss, (atp_replica_loss)4, ATP_E_VALUE, "loss is 4");
  FAILS(loss, ATP_REPLICA_LOSS_LOGISTIC, ATP_E_VALUE, "noise is 0.3, must be 0 for the logistic loss");
  FAILS(delta, 0, ATP_E_VALUE, "delta is 0");
  FAILS(delta, -1, ATP_E_VALUE, "delta is -1");
  FAILS(delta, NAN, ATP_E_NOT_FINITE, "delta is");
  FAILS(alphas, wrong[0], ATP_E_VALUE, "alphas[1] is 0");
  FAILS(alphas, wrong[1], ATP_E_VALUE, "alphas[1] is 1e+13");
  FAILS(alphas, wrong[2], ATP_E_NOT_FINITE, "alphas[1]");
  FAILS(n, 0, ATP_E_VALUE, "n_alphas is 0");
  FAILS(lambda, -1e-3, ATP_E_VALUE, "lambda is -0.001");
  FAILS(lambda, NAN, ATP_E_NOT_FINITE, "lambda is");
  FAILS(lambda, 0, ATP_E_VALUE, "lambda is 0 with alphas[0] = 0.5, must be > 0 where an alpha is <= 1");
  FAILS(max_iter, 0, ATP_E_VALUE, "max_iter is 0");
  FAILS(work_size, doubles - 1, ATP_E_BUFFER, "work_size is");
  FAILS(size, ROWS - 1, ATP_E_SHAPE, "size is 53");
  FAILS(size, ROWS + N, ATP_E_SHAPE, "size is 57");
  memcpy(bad_s, s, sizeof s);
  memcpy(bad_t, t, sizeof t);
  bad_s[3] = 0;
  FAILS(s, bad_s, ATP_E_VALUE, "eigenvalues[3] is 0, must be > 0");
  bad_s[3] = NAN;
  FAILS(s, bad_s, ATP_E_NOT_FINITE, "eigenvalues[3]");
  bad_t[4] = -0.1;
  FAILS(t, bad_t, ATP_E_VALUE, "projections[4] is -0.1, must be >= 0");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(square_is_square), cmocka_unit_test(logistic), cmocka_unit_test(statuses)};

int main(void) { return cmocka_run_group_tests(tests, make, drop) != 0; }
