/* SPDX-License-Identifier: MIT */
/* Simulated dot-product attention through the C API: every status with its text, outputs untouched where a call fails, memory, endings. */
#include "counting.h"
#include "support.h"

#include <attopotts/dotattn_simulate.h>

#include <string.h>

enum { D = 24, L = 2, N = 3, R = 4, SIZE = N * ATP_DOTATTN_SIM_COLUMNS };

/* The arguments of a call; each check changes one of them. */
struct call {
  atp_context *context;
  int64_t dimension, tokens, code_columns, code_size, rank, teacher_size, n_alphas, steps, fresh, runs, size;
  const double *code, *teacher, *alphas;
  double omega, sigma, lambda, rate, tolerance;
  atp_dotattn_start start;
  atp_optimizer optimizer;
  uint64_t seed;
  atp_progress_fn progress;
  void *user;
  double *rows;
  atp_outcome *outcome;
};

static const double code[L] = {1, -1}, teacher[L * L] = {0.6, 0.4, 0.4, 0.6}, alphas[N] = {0.5, 1, 2};
static double rows[SIZE + 1];
static atp_outcome outcome;

static struct call usual(atp_context *context) {
  const struct call call = {context,
                            D,
                            L,
                            1,
                            L,
                            1,
                            L * L,
                            N,
                            400,
                            20,
                            R,
                            SIZE,
                            code,
                            teacher,
                            alphas,
                            0.3,
                            0.5,
                            0.01,
                            0,
                            1e-4,
                            ATP_DOTATTN_START_SEMANTIC,
                            ATP_OPTIMIZER_LBFGS,
                            1,
                            NULL,
                            NULL,
                            rows,
                            &outcome};
  return call;
}

static atp_status simulate(const struct call *c) {
  return atp_dotattn_simulate(c->context, c->dimension, c->tokens, c->code, c->code_columns, c->code_size, c->rank, c->teacher,
                              c->teacher_size, c->omega, c->sigma, c->lambda, c->alphas, c->n_alphas, c->start, c->optimizer, c->steps,
                              c->rate, c->tolerance, c->fresh, c->runs, c->seed, c->progress, c->user, c->rows, c->size, c->outcome);
}

static void assert_text(const char *part) {
  char text[512];
  assert_true(atp_last_error(text, sizeof text) > 0);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

/* A call with `change` must fail: the status, the text, and outputs as they were. */
#define FAILS(change, status, part)                                \
  do {                                                             \
    struct call call = usual(context);                             \
    change;                                                        \
    for (int k = 0; k < SIZE + 1; ++k) rows[k] = -7;               \
    outcome = (atp_outcome)77;                                     \
    assert_int_equal(simulate(&call), (status));                   \
    assert_text(part);                                             \
    for (int k = 0; k < SIZE + 1; ++k) assert_true(rows[k] == -7); \
    assert_int_equal(outcome, 77);                                 \
  } while (0)

static void columns(void **state) {
  (void)state;
  for (int k = 0; k < ATP_DOTATTN_SIM_COLUMNS; ++k) {
    assert_non_null(atp_dotattn_sim_column_name(k));
    assert_int_equal(atp_dotattn_sim_column_find(atp_dotattn_sim_column_name(k)), k);
  }
  assert_int_equal(atp_dotattn_sim_column_find("eg"), ATP_DOTATTN_SIM_EG);
  assert_int_equal(atp_dotattn_sim_column_find("theta_sem"), ATP_DOTATTN_SIM_THETA_SEM);
  assert_int_equal(atp_dotattn_sim_column_find("q_least"), ATP_DOTATTN_SIM_Q_LEAST);
  assert_int_equal(atp_dotattn_sim_column_find("outcome"), ATP_DOTATTN_SIM_OUTCOME);
  assert_int_equal(atp_dotattn_sim_column_find("EG"), -1);
  assert_int_equal(atp_dotattn_sim_column_find(NULL), -1);
  assert_null(atp_dotattn_sim_column_name(-1));
  assert_null(atp_dotattn_sim_column_name(ATP_DOTATTN_SIM_COLUMNS));
}

static void wrong_values(void **state) {
  (void)state;
  atp_context *context;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  const double infinite[L * L] = {1, INFINITY, 0, 1}, huge[L] = {1, -1e7}, negative[N] = {0.5, -1, 1}, nan[N] = {0.5, NAN, 1},
                            many[N] = {1, 2, 1e9};
  FAILS(call.dimension = 1, ATP_E_VALUE, "dimension is 1");
  FAILS(call.dimension = 1000001, ATP_E_VALUE, "dimension is 1000001");
  FAILS(call.tokens = 1, ATP_E_VALUE, "tokens is 1");
  FAILS(call.tokens = 9, ATP_E_VALUE, "tokens is 9");
  FAILS(call.code_columns = 0, ATP_E_VALUE, "code_columns is 0");
  FAILS(call.code_columns = 5, ATP_E_VALUE, "code_columns is 5, must be in 1..4");
  FAILS(call.dimension = 2; call.code_columns = 3, ATP_E_VALUE, "code_columns is 3, must be in 1..2");
  FAILS(call.code_size = 1, ATP_E_SHAPE, "code_size is 1, must be 2");
  FAILS(call.rank = 0, ATP_E_VALUE, "rank is 0");
  FAILS(call.rank = 3, ATP_E_VALUE, "rank is 3");
  FAILS(call.teacher_size = 2, ATP_E_SHAPE, "teacher_size is 2, must be 4");
  FAILS(call.teacher = infinite, ATP_E_NOT_FINITE, "teacher[1]");
  FAILS(call.code = infinite, ATP_E_NOT_FINITE, "code[1]");
  FAILS(call.code = huge, ATP_E_VALUE, "code[1] is -1e+07");
  FAILS(call.omega = -0.1, ATP_E_VALUE, "omega is -0.1");
  FAILS(call.omega = 1.1, ATP_E_VALUE, "omega is 1.1");
  FAILS(call.omega = NAN, ATP_E_NOT_FINITE, "omega");
  FAILS(call.sigma = 0, ATP_E_VALUE, "sigma is 0, must be > 0");
  FAILS(call.sigma = -1, ATP_E_VALUE, "sigma is -1");
  FAILS(call.sigma = INFINITY, ATP_E_NOT_FINITE, "sigma");
  FAILS(call.lambda = -1e-3, ATP_E_VALUE, "lambda is -0.001");
  FAILS(call.lambda = NAN, ATP_E_NOT_FINITE, "lambda");
  FAILS(call.alphas = negative, ATP_E_VALUE, "alphas[1] is -1");
  FAILS(call.alphas = nan, ATP_E_NOT_FINITE, "alphas[1]");
  FAILS(call.n_alphas = 0, ATP_E_VALUE, "n_alphas is 0");
  FAILS(call.start = (atp_dotattn_start)0, ATP_E_VALUE, "start is 0");
  FAILS(call.start = (atp_dotattn_start)5, ATP_E_VALUE, "start is 5");
  FAILS(call.start = ATP_DOTATTN_START_MIXED, ATP_E_VALUE, "start is MIXED with rank 1");
  FAILS(call.optimizer = (atp_optimizer)4, ATP_E_VALUE, "optimizer is 4");
  FAILS(call.steps = 0, ATP_E_VALUE, "steps is 0");
  FAILS(call.rate = -1, ATP_E_VALUE, "rate is -1");
  FAILS(call.tolerance = -1, ATP_E_VALUE, "tolerance is -1");
  FAILS(call.tolerance = NAN, ATP_E_NOT_FINITE, "tolerance");
  FAILS(call.fresh = 0, ATP_E_VALUE, "fresh is 0");
  FAILS(call.runs = 0, ATP_E_VALUE, "runs is 0");
  FAILS(call.size = SIZE + 1, ATP_E_SHAPE, "size is 58");
  FAILS(call.size = 0, ATP_E_SHAPE, "size is 0");
  FAILS(call.size = SIZE + N, ATP_E_SHAPE, "size is 60");
  FAILS(call.alphas = many, ATP_E_TOO_LARGE, "alpha 1e+09");
  int64_t bytes = -7;
  assert_int_equal(atp_dotattn_simulate_bytes(context, D, L, 1, 1, many, N, ATP_OPTIMIZER_SGD, R, &bytes), ATP_E_TOO_LARGE);
  assert_int_equal(atp_dotattn_simulate_bytes(context, D, L, 1, 0, alphas, N, ATP_OPTIMIZER_SGD, R, &bytes), ATP_E_VALUE);
  assert_int_equal(atp_dotattn_simulate_bytes(context, D, L, 1, 1, nan, N, ATP_OPTIMIZER_SGD, R, &bytes), ATP_E_NOT_FINITE);
  assert_int_equal(bytes, -7);
  atp_context_destroy(context);
}

static char logged[512];
static void keep(atp_log_level level, const char *message, void *user) {
  assert_true(level == ATP_LOG_WARNING && user == NULL);
  strncpy(logged, message, sizeof logged - 1);
}

static int watch(const atp_progress *progress, void *user) {
  const double step = atp_progress_value(progress, ATP_PROGRESS_STEP), total = atp_progress_value(progress, ATP_PROGRESS_TOTAL);
  assert_true(step >= 0 && step <= total && total == 400 * N * R);
  return ++*(int *)user == 3;
}

static size_t largest;
static void *measuring_alloc(size_t bytes, size_t alignment, void *user) {
  if (bytes > largest) largest = bytes;
  return counting_alloc(bytes, alignment, user);
}

/* One allocation, of the size that was said; fewer columns are the first columns; a row that does not sum to one is reported. */
static void memory_and_endings(void **state) {
  (void)state;
  struct counter counter = {0};
  atp_context *context;
  assert_int_equal(atp_context_create(measuring_alloc, counting_free, &counter, &context), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 2), ATP_OK);
  for (int optimizer = ATP_OPTIMIZER_LBFGS; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer) {
    int64_t bytes = 0, before = 0, after = 0;
    assert_int_equal(atp_dotattn_simulate_bytes(context, D, L, 1, 1, alphas, N, (atp_optimizer)optimizer, R, &bytes), ATP_OK);
    assert_int_equal(atp_context_memory(context, &before, NULL), ATP_OK);
    struct call call = usual(context);
    call.optimizer = (atp_optimizer)optimizer;
    largest = 0;
    assert_int_equal(simulate(&call), ATP_OK);
    assert_int_equal(atp_context_memory(context, &after, NULL), ATP_OK);
    assert_int_equal(after - before, 1);
    assert_int_equal(largest, bytes);
    if (optimizer == ATP_OPTIMIZER_LBFGS) assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
    for (int k = 0; k < N; ++k) {
      const double *row = rows + k * ATP_DOTATTN_SIM_COLUMNS;
      assert_true(row[ATP_DOTATTN_SIM_SAMPLES] == alphas[k] * D && row[ATP_DOTATTN_SIM_RUNS] == R);
      assert_true(row[ATP_DOTATTN_SIM_EG] > 0 && row[ATP_DOTATTN_SIM_EG_SEM] > 0 && row[ATP_DOTATTN_SIM_Q] > 0);
      assert_true((row[ATP_DOTATTN_SIM_GRADIENT] <= 1e-4) == (row[ATP_DOTATTN_SIM_OUTCOME] == ATP_OUTCOME_CONVERGED));
    }
  }
  FAILS(counter.fail_at = counter.calls + 1, ATP_E_MEMORY, "NULL");
  counter.fail_at = 0;

  struct call call = usual(context);
  double all[SIZE];
  assert_int_equal(simulate(&call), ATP_OK);
  memcpy(all, rows, sizeof all);
  call.size = N * 3;
  call.outcome = NULL;
  assert_int_equal(simulate(&call), ATP_OK);
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < 3; ++c) assert_true(rows[k * 3 + c] == all[k * ATP_DOTATTN_SIM_COLUMNS + c]);

  /* Ended after a few reports. */
  int calls = 0;
  call = usual(context);
  call.progress = watch;
  call.user = &calls;
  call.optimizer = ATP_OPTIMIZER_SGD;
  call.tolerance = 0;
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  assert_int_equal(simulate(&call), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(rows[ATP_DOTATTN_SIM_OUTCOME] == ATP_OUTCOME_CANCELLED && rows[ATP_DOTATTN_SIM_RUNS] == 0 && isnan(rows[ATP_DOTATTN_SIM_EG]));

  const double crooked[L * L] = {0.6, 0.4, 0.4, 0.7};
  assert_int_equal(atp_context_set_log(context, keep, NULL), ATP_OK);
  call = usual(context);
  assert_int_equal(simulate(&call), ATP_OK);
  assert_string_equal(logged, "");
  call.teacher = crooked;
  assert_int_equal(simulate(&call), ATP_OK);
  assert_non_null(strstr(logged, "row 1 of the teacher matrix sums to 1.1"));
  atp_context_destroy(context);
  assert_int_equal(counter.live, 0);
  assert_int_equal(counter.bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns), cmocka_unit_test(wrong_values), cmocka_unit_test(memory_and_endings)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
