/* SPDX-License-Identifier: MIT */
/* Theory of dot-product attention for several tokens through the C API: every status with its text, outputs untouched, memory, endings. */
#include "counting.h"
#include "support.h"

#include <attopotts/dotattn_tokens.h>

#include <string.h>

enum { L = 3, N = 2, SIZE = N * ATP_DOTATTN_TOKENS_COLUMNS };

/* The arguments of a call; each check changes one of them. */
struct call {
  atp_context *context;
  int64_t tokens, code_columns, code_size, rank, teacher_size, n_alphas, points, shifts, max_iter, size;
  const double *code, *teacher, *alphas;
  double omega, sigma, lambda, tolerance;
  atp_dotattn_start solution;
  uint64_t seed;
  atp_progress_fn progress;
  void *user;
  double *rows;
  atp_outcome *outcome;
};

static const double code[L * 2] = {1, 0.5, 0, -1, -1, 0.5}, teacher[L * L] = {0.6, 0.2, 0.2, 0.3, 0.4, 0.3, 0.2, 0.2, 0.6},
                             alphas[N] = {2, 1.5};
static double rows[SIZE + 1];
static atp_outcome outcome;

static struct call usual(atp_context *context) {
  struct call call;
  memset(&call, 0, sizeof call);
  call.context = context;
  call.tokens = L;
  call.code = code;
  call.code_columns = 2;
  call.code_size = L * 2;
  call.rank = 1;
  call.teacher = teacher;
  call.teacher_size = L * L;
  call.omega = 0.3;
  call.sigma = 0.5;
  call.lambda = 0.01;
  call.alphas = alphas;
  call.n_alphas = N;
  call.solution = ATP_DOTATTN_START_SEMANTIC;
  call.points = 32;
  call.shifts = 3;
  call.seed = 1;
  call.tolerance = 1e-6;
  call.max_iter = 200;
  call.rows = rows;
  call.size = SIZE;
  call.outcome = &outcome;
  return call;
}

static atp_status evolve(const struct call *c) {
  return atp_dotattn_tokens(c->context, c->tokens, c->code, c->code_columns, c->code_size, c->rank, c->teacher, c->teacher_size, c->omega,
                            c->sigma, c->lambda, c->alphas, c->n_alphas, c->solution, c->points, c->shifts, c->seed, c->tolerance,
                            c->max_iter, c->progress, c->user, c->rows, c->size, c->outcome);
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
    assert_int_equal(evolve(&call), (status));                     \
    assert_text(part);                                             \
    for (int k = 0; k < SIZE + 1; ++k) assert_true(rows[k] == -7); \
    assert_int_equal(outcome, 77);                                 \
  } while (0)

static void columns(void **state) {
  (void)state;
  for (int k = 0; k < ATP_DOTATTN_TOKENS_COLUMNS; ++k) {
    assert_non_null(atp_dotattn_tokens_column_name(k));
    assert_int_equal(atp_dotattn_tokens_column_find(atp_dotattn_tokens_column_name(k)), k);
  }
  assert_int_equal(atp_dotattn_tokens_column_find("theta"), ATP_DOTATTN_TOKENS_THETA);
  assert_int_equal(atp_dotattn_tokens_column_find("v_sem"), ATP_DOTATTN_TOKENS_V_SEM);
  assert_int_equal(atp_dotattn_tokens_column_find("outcome"), ATP_DOTATTN_TOKENS_OUTCOME);
  assert_int_equal(atp_dotattn_tokens_column_find("EG"), -1);
  assert_int_equal(atp_dotattn_tokens_column_find(NULL), -1);
  assert_null(atp_dotattn_tokens_column_name(-1));
  assert_null(atp_dotattn_tokens_column_name(ATP_DOTATTN_TOKENS_COLUMNS));
}

static void wrong_values(void **state) {
  (void)state;
  atp_context *context;
  assert_int_equal(atp_context_create(NULL, NULL, NULL, &context), ATP_OK);
  const double infinite[L * L] = {1, INFINITY, 0, 1}, huge[L * 2] = {1, -1e7}, negative[N] = {0.5, -1}, nan[N] = {0.5, NAN};
  FAILS(call.tokens = 1, ATP_E_VALUE, "tokens is 1");
  FAILS(call.tokens = 9, ATP_E_VALUE, "tokens is 9");
  FAILS(call.code_columns = 0, ATP_E_VALUE, "code_columns is 0");
  FAILS(call.code_columns = 5, ATP_E_VALUE, "code_columns is 5, must be in 1..4");
  FAILS(call.rank = 2, ATP_E_VALUE, "code_columns of a student of rank 2 is 2, must be in 1..1");
  FAILS(call.code_size = 1, ATP_E_SHAPE, "code_size is 1, must be 6");
  FAILS(call.rank = 0, ATP_E_VALUE, "rank is 0");
  FAILS(call.rank = 3, ATP_E_VALUE, "rank is 3");
  FAILS(call.teacher_size = 2, ATP_E_SHAPE, "teacher_size is 2, must be 9");
  FAILS(call.teacher = infinite, ATP_E_NOT_FINITE, "teacher[1]");
  FAILS(call.code = infinite, ATP_E_NOT_FINITE, "code[1]");
  FAILS(call.code = huge, ATP_E_VALUE, "code[1] is -1e+07");
  FAILS(call.omega = -0.1, ATP_E_VALUE, "omega is -0.1");
  FAILS(call.omega = NAN, ATP_E_NOT_FINITE, "omega");
  FAILS(call.sigma = 0, ATP_E_VALUE, "sigma is 0, must be > 0");
  FAILS(call.sigma = INFINITY, ATP_E_NOT_FINITE, "sigma");
  FAILS(call.lambda = -1e-3, ATP_E_VALUE, "lambda is -0.001");
  FAILS(call.alphas = negative, ATP_E_VALUE, "alphas[1] is -1");
  FAILS(call.alphas = nan, ATP_E_NOT_FINITE, "alphas[1]");
  FAILS(call.n_alphas = 0, ATP_E_VALUE, "n_alphas is 0");
  FAILS(call.solution = ATP_DOTATTN_START_RANDOM, ATP_E_VALUE, "solution is 3");
  FAILS(call.solution = (atp_dotattn_start)0, ATP_E_VALUE, "solution is 0");
  FAILS(call.points = 8, ATP_E_VALUE, "points is 8");
  FAILS(call.points = 48, ATP_E_VALUE, "points is 48, must be a power of two");
  FAILS(call.points = INT64_C(1) << 25, ATP_E_VALUE, "points is 33554432");
  FAILS(call.shifts = 1, ATP_E_VALUE, "shifts is 1");
  FAILS(call.tolerance = 0, ATP_E_VALUE, "tolerance is 0");
  FAILS(call.tolerance = NAN, ATP_E_NOT_FINITE, "tolerance");
  FAILS(call.max_iter = 0, ATP_E_VALUE, "max_iter is 0");
  FAILS(call.size = SIZE + 1, ATP_E_SHAPE, "size is 41");
  FAILS(call.size = 0, ATP_E_SHAPE, "size is 0");
  FAILS(call.size = SIZE + N, ATP_E_SHAPE, "size is 42");
  int64_t bytes = -7;
  assert_int_equal(atp_dotattn_tokens_bytes(context, L, 1, N, 33, 3, &bytes), ATP_E_VALUE);
  assert_int_equal(atp_dotattn_tokens_bytes(context, L, 3, N, 32, 3, &bytes), ATP_E_VALUE);
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
  assert_true(step >= 1 && step <= total && total == N * 3);
  return ++*(int *)user == 2;
}

static size_t largest;
static void *measuring_alloc(size_t bytes, size_t alignment, void *user) {
  if (bytes > largest) largest = bytes;
  return counting_alloc(bytes, alignment, user);
}

/* One allocation, of the size that was said; the same numbers for one thread; fewer columns are the first columns; warnings. */
static void memory_and_endings(void **state) {
  (void)state;
  struct counter counter = {0};
  atp_context *context;
  assert_int_equal(atp_context_create(measuring_alloc, counting_free, &counter, &context), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 2), ATP_OK);
  int64_t bytes = 0, before = 0, after = 0;
  assert_int_equal(atp_dotattn_tokens_bytes(context, L, 1, N, 32, 3, &bytes), ATP_OK);
  assert_int_equal(atp_context_memory(context, &before, NULL), ATP_OK);
  struct call call = usual(context);
  largest = 0;
  assert_int_equal(evolve(&call), ATP_OK);
  assert_int_equal(atp_context_memory(context, &after, NULL), ATP_OK);
  assert_int_equal(after - before, 1);
  assert_int_equal(largest, bytes);
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  for (int k = 0; k < N; ++k) {
    const double *row = rows + k * ATP_DOTATTN_TOKENS_COLUMNS;
    assert_true(row[ATP_DOTATTN_TOKENS_ALPHA] == alphas[k] && row[ATP_DOTATTN_TOKENS_SHIFTS] == 3 && row[ATP_DOTATTN_TOKENS_POINTS] == 32);
    assert_true(row[ATP_DOTATTN_TOKENS_EG] > 0 && row[ATP_DOTATTN_TOKENS_EG_SEM] > 0 && row[ATP_DOTATTN_TOKENS_M] == 0);
    assert_true(row[ATP_DOTATTN_TOKENS_THETA] > 0 && row[ATP_DOTATTN_TOKENS_RESIDUAL] <= 1e-6 && row[ATP_DOTATTN_TOKENS_ITERATIONS] >= 5);
  }
  double all[SIZE];
  memcpy(all, rows, sizeof all);
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  call.size = N * 3;
  call.outcome = NULL;
  assert_int_equal(evolve(&call), ATP_OK);
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < 3; ++c) assert_true(rows[k * 3 + c] == all[k * ATP_DOTATTN_TOKENS_COLUMNS + c]);
  FAILS(counter.fail_at = counter.calls + 1, ATP_E_MEMORY, "NULL");
  counter.fail_at = 0;

  call = usual(context);
  call.max_iter = 3;
  assert_int_equal(evolve(&call), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_true(rows[ATP_DOTATTN_TOKENS_OUTCOME] == ATP_OUTCOME_MAX_ITER);

  int calls = 0;
  call = usual(context);
  call.progress = watch;
  call.user = &calls;
  assert_int_equal(evolve(&call), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(rows[ATP_DOTATTN_TOKENS_OUTCOME] == ATP_OUTCOME_CANCELLED && rows[ATP_DOTATTN_TOKENS_SHIFTS] == 0);
  assert_true(isnan(rows[ATP_DOTATTN_TOKENS_EG]));

  double crooked[L * L];
  memcpy(crooked, teacher, sizeof crooked);
  crooked[8] = 0.7;
  assert_int_equal(atp_context_set_log(context, keep, NULL), ATP_OK);
  call = usual(context);
  call.teacher = crooked;
  assert_int_equal(evolve(&call), ATP_OK);
  assert_non_null(strstr(logged, "row 2 of the teacher matrix sums to 1.1"));
  atp_context_destroy(context);
  assert_int_equal(counter.live, 0);
  assert_int_equal(counter.bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns), cmocka_unit_test(wrong_values), cmocka_unit_test(memory_and_endings)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
