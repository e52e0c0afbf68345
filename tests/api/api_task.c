/* SPDX-License-Identifier: MIT */
/* Tasks: what a kind takes and refuses, arrays and their defaults, options, tables that do not fit, memory, endings. */
#include "api_support.h"
#include "counting.h"
#include "task_support.h"

#include <math.h>

enum { N = 3, P = 2, L = 3, D = 24, RUNS = 4 };

static const double alphas[N] = {0.5, 1, 2}, s[P] = {1, 2}, t[P] = {0.5, 0.25}, pair[P * P] = {2, 0.5, 0.5, 1},
                    teacher[4] = {0.6, 0.4, 0.4, 0.6}, code3[L * 2] = {1, 0.5, 0, -1, -1, 0.5},
                    teacher3[L * L] = {0.6, 0.2, 0.2, 0.3, 0.4, 0.3, 0.2, 0.2, 0.6}, colors3[L * L] = {1, 0.2, 0, 0.2, 1, 0, 0, 0, 2};
#define NO_OPTIONS \
  { 0 }

/* One that works, of each kind. */
static const task_case kGood[] = {
    {ATP_TASK_REPLICA_SQUARE,
     {{ATP_OPT_LAMBDA, 0.1}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, {ATP_ARRAY_PROJECTIONS, t, P, 1}, {0}}},
    {ATP_TASK_REPLICA_SADDLE,
     {{ATP_OPT_LAMBDA, 0.1}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, {ATP_ARRAY_PROJECTIONS, t, P, 1}, {0}}},
    {ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_DIAGONAL_SHIFT, 2.5}, {ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_REPLICA_CONVEX,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_LOSS, ATP_REPLICA_LOSS_HUBER}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_EIGENVALUES, s, P, 1}, {ATP_ARRAY_PROJECTIONS, t, P, 1}, {0}}},
    {ATP_TASK_REPLICA_SIMULATION,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_NOISE, 1}, {ATP_OPT_REALISATIONS, 5}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_COVARIANCE, pair, P, P}, {ATP_ARRAY_WEIGHTS, s, P, 1}, {0}}},
    {ATP_TASK_DOTATTN_CURVE,
     /* A few iterations: api_dotattn.c has curves that converge. */
     {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 10}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 10}, {0}}, {{ATP_ARRAY_OMEGAS, alphas, 1, 1}, {0}}},
    {ATP_TASK_DOTATTN_TOKENS,
     {{ATP_OPT_POINTS, 32}, {ATP_OPT_SHIFTS, 3}, {ATP_OPT_TOLERANCE, 1e-6}, {ATP_OPT_MAX_ITER, 200}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {ATP_ARRAY_CODE, code3, L, 2}, {ATP_ARRAY_TEACHER, teacher3, L, L}, {0}}},
    {ATP_TASK_DOTATTN_SIMULATION,
     {{ATP_OPT_DIMENSION, D}, {ATP_OPT_STEPS, 400}, {ATP_OPT_TEST_SAMPLES, 20}, {ATP_OPT_RUNS, RUNS}, {ATP_OPT_TOLERANCE, 1e-4}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1}, {0}}},
    {ATP_TASK_REPLICA_POTTS,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_POINTS, 64}, {ATP_OPT_SHIFTS, 3}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1},
      {ATP_ARRAY_EIGENVALUES, s, P, 1},
      {ATP_ARRAY_PROJECTIONS, t, P, 1},
      {ATP_ARRAY_COLOR_COVARIANCE, colors3, L, L},
      {0}}},
    {ATP_TASK_REPLICA_POTTS_SIMULATION,
     {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_REALISATIONS, 5}, {ATP_OPT_TEST_SAMPLES, 50}, {0}},
     {{ATP_ARRAY_ALPHAS, alphas, N, 1},
      {ATP_ARRAY_COVARIANCE, pair, P, P},
      {ATP_ARRAY_WEIGHTS, s, P, 1},
      {ATP_ARRAY_COLOR_COVARIANCE, colors3, L, L},
      {0}}},
    {ATP_TASK_DOTATTN_DYNAMICS,
     {{ATP_OPT_POINTS, 32}, {ATP_OPT_SHIFTS, 3}, {ATP_OPT_START_M, 0.5}, {0}},
     {{ATP_ARRAY_TIMES, alphas, N, 1}, {ATP_ARRAY_CODE, code3, L, 2}, {ATP_ARRAY_TEACHER, teacher3, L, L}, {0}}},
    {ATP_TASK_DOTATTN_TRAJECTORY,
     {{ATP_OPT_DIMENSION, D}, {ATP_OPT_TEST_SAMPLES, 20}, {ATP_OPT_RUNS, RUNS}, {0}},
     {{ATP_ARRAY_TIMES, alphas, N, 1}, {0}}},
};
enum { KINDS = sizeof kGood / sizeof *kGood };

static const task_case *good(atp_task_kind kind) { return &kGood[kind - 1]; }

static void kinds(void **state) {
  atp_context *context = *state;
  const int tables[KINDS] = {1, 1, 1, 1, 2, 3, 4, 5, 6, 1, 2, 11, 12};
  for (int k = 0; k < KINDS; ++k) {
    atp_task *task;
    atp_table *table;
    atp_outcome outcome = ATP_OUTCOME_NONE;
    assert_int_equal(kGood[k].kind, k + 1);
    assert_int_equal(make_task(context, &kGood[k], &task), ATP_OK);
    assert_int_equal(atp_task_kind_of(task), k + 1);
    assert_int_equal(atp_task_table_kind(task), tables[k]);
    assert_true(atp_task_context(task) == context);
    const int64_t rows = atp_task_rows(task);
    assert_int_equal(rows, kGood[k].kind == ATP_TASK_DOTATTN_TRANSITION ? 1 : kGood[k].kind == ATP_TASK_DOTATTN_TRAJECTORY ? N * RUNS : N);
    assert_int_equal(atp_table_create(context, (atp_table_kind)tables[k], 2 * rows, &table), ATP_OK);
    /* Twice: the same rows. */
    assert_int_equal(atp_task_run(task, table, NULL, NULL, &outcome), ATP_OK);
    assert_true(outcome == ATP_OUTCOME_CONVERGED || (outcome == ATP_OUTCOME_MAX_ITER && kGood[k].kind >= ATP_TASK_DOTATTN_CURVE));
    assert_int_equal(atp_task_run(task, table, NULL, NULL, NULL), ATP_OK);
    double all[2 * N * RUNS * 64];
    const int64_t half = rows * atp_table_columns(table);
    assert_true(2 * half <= (int64_t)(sizeof all / sizeof *all));
    assert_int_equal(atp_table_values(table, all, 2 * half), ATP_OK);
    assert_memory_equal(all, all + half, (size_t)half * sizeof *all);
    assert_int_equal(atp_task_run(task, table, NULL, NULL, &outcome), ATP_E_BUFFER);
    assert_error(context, "must have room for");
    assert_int_equal(atp_table_rows(table), 2 * rows);
    atp_table_destroy(table);
    assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, 9, &table), ATP_OK);
    assert_int_equal(atp_task_run(task, table, NULL, NULL, &outcome), ATP_E_CONFLICT);
    assert_error(context, "the table is an ATP_TABLE_TUNING, must be an ATP_TABLE_");
    atp_table_destroy(table);
    atp_task_destroy(task);
  }
  atp_task *task = (atp_task *)context;
  assert_int_equal(atp_task_create(context, (atp_task_kind)0, NULL, &task), ATP_E_VALUE);
  assert_error(context, "kind is 0, must be an atp_task_kind");
  assert_null(task);
  assert_int_equal(atp_task_create(context, (atp_task_kind)(KINDS + 1), NULL, &task), ATP_E_VALUE);
}

/* Every array with every kind: used, or a conflict. */
static void arrays(void **state) {
  atp_context *context = *state;
  const unsigned tasks_with_targets = 0x20F; /* of the kinds 1 to 4, and 10 */
  const unsigned used[KINDS] = {0x31, 0x31, 0x01, 0x31, 0xC1, 0x05, 0x06, 0x0D, 0x0D, 0x131, 0x1C1, 0x20C, 0x20C};
  for (int k = 0; k < KINDS; ++k) {
    atp_task *task;
    assert_int_equal(atp_task_create(context, kGood[k].kind, NULL, &task), ATP_OK);
    assert_int_equal(atp_task_rows(task), 0);
    for (int a = 0; a < ATP_ARRAYS; ++a) {
      const int square = a == ATP_ARRAY_TEACHER || a == ATP_ARRAY_COVARIANCE || a == ATP_ARRAY_COLOR_COVARIANCE;
      const atp_status status = atp_task_set_array(task, (atp_task_array)a, square ? pair : s, 2 - (a == ATP_ARRAY_OMEGAS), square ? 2 : 1);
      assert_int_equal(status, (used[k] >> a & 1) != 0 ? ATP_OK : ATP_E_CONFLICT);
      /* TARGETS come after ALPHAS here, which refuse them. */
      const int curve = tasks_with_targets >> k & 1 && a == ATP_ARRAY_TARGETS;
      if (status != ATP_OK) assert_error(context, curve ? "the task has alphas" : "is no array of tasks of kind");
    }
    assert_int_equal(atp_task_set_array(task, (atp_task_array)ATP_ARRAYS, s, 2, 1), ATP_E_VALUE);
    atp_task_destroy(task);
  }
  /* Defaults, copies, the old one stays where a new one is refused. */
  atp_task *task;
  int64_t rows = -7, columns = -7;
  double values[6];
  assert_int_equal(atp_task_create(context, ATP_TASK_DOTATTN_TOKENS, NULL, &task), ATP_OK);
  assert_int_equal(atp_task_array_shape(task, ATP_ARRAY_ALPHAS, &rows, &columns), ATP_OK);
  assert_true(rows == 0 && columns == 0);
  assert_int_equal(atp_task_get_array(task, ATP_ARRAY_ALPHAS, values, 0), ATP_E_STAGE);
  assert_int_equal(atp_task_get_array(task, ATP_ARRAY_TEACHER, values, 4), ATP_OK);
  assert_memory_equal(values, teacher, sizeof teacher);
  assert_int_equal(atp_task_array_shape(task, ATP_ARRAY_CODE, &rows, &columns), ATP_OK);
  assert_true(rows == 2 && columns == 1);
  memcpy(values, code3, sizeof code3);
  assert_int_equal(atp_task_set_array(task, ATP_ARRAY_CODE, values, L, 2), ATP_OK);
  values[0] = NAN;
  assert_int_equal(atp_task_set_array(task, ATP_ARRAY_CODE, values, 2, 1), ATP_E_NOT_FINITE);
  assert_int_equal(atp_task_get_array(task, ATP_ARRAY_CODE, values, 5), ATP_E_SHAPE);
  assert_int_equal(atp_task_get_array(task, ATP_ARRAY_CODE, values, 6), ATP_OK);
  assert_memory_equal(values, code3, sizeof code3);
  atp_task_destroy(task);
}

/* The array of a task that is replaced, and what comes of it at set_array() or when all are looked at. */
static void wrong_arrays(void **state) {
  atp_context *context = *state;
  static const double zero[2] = {1, 0}, negative[2] = {1, -1}, nan[2] = {1, NAN}, huge[2] = {1, -1e7}, bent[4] = {1, 0.5, 0, 1},
                      below[4] = {-1, 0, 0, 1}, large[4] = {0.6, 0.4, 2000, 0.6}, many[3] = {0.5, 1, 1e9}, same[4] = {1, 1, 1, 1},
                      turned[4] = {0, 1, 1, 0};
  static const struct {
    atp_task_kind kind;
    task_input input;
    atp_status status;
    const char *text;
  } kWrong[] = {
      {ATP_TASK_REPLICA_SQUARE, {ATP_ARRAY_ALPHAS, zero, 2, 1}, ATP_E_VALUE, "alphas[1] is 0"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_ARRAY_ALPHAS, negative, 2, 1}, ATP_E_VALUE, "alphas[1] is -1"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_ARRAY_ALPHAS, nan, 2, 1}, ATP_E_NOT_FINITE, "alphas[1]"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_ARRAY_ALPHAS, s, 0, 1}, ATP_E_VALUE, "rows is 0"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_ARRAY_ALPHAS, s, 1, 2}, ATP_E_SHAPE, "columns is 2, must be 1 for alphas"},
      {ATP_TASK_REPLICA_SQUARE, {ATP_ARRAY_EIGENVALUES, zero, 2, 1}, ATP_E_VALUE, "eigenvalues[1] is 0, must be > 0"},
      {ATP_TASK_REPLICA_SQUARE, {ATP_ARRAY_PROJECTIONS, negative, 2, 1}, ATP_E_VALUE, "projections[1] is -1"},
      {ATP_TASK_REPLICA_CONVEX, {ATP_ARRAY_PROJECTIONS, s, 1, 1}, ATP_E_SHAPE, "the number of projections is 1, must be 2"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_COVARIANCE, bent, 2, 2}, ATP_E_SYMMETRY, "covariance[1][0]"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_COVARIANCE, pair, 4, 1}, ATP_E_SHAPE, "columns of covariance is 1, must be 4"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_WEIGHTS, alphas, 3, 1}, ATP_E_SHAPE, "the number of weights is 3, must be 2"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_WEIGHTS, nan, 2, 1}, ATP_E_NOT_FINITE, "weights[1]"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_COVARIANCE, below, 2, 2}, ATP_E_VALUE, "not positive definite"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_ARRAY_ALPHAS, many, 3, 1}, ATP_E_TOO_LARGE, "alpha 1e+09"},
      {ATP_TASK_REPLICA_POTTS, {ATP_ARRAY_COLOR_COVARIANCE, s, 1, 1}, ATP_E_VALUE, "rows of color-covariance is 1, must be in 2..255"},
      {ATP_TASK_REPLICA_POTTS, {ATP_ARRAY_COLOR_COVARIANCE, pair, 4, 1}, ATP_E_SHAPE, "columns of color-covariance is 1, must be 4"},
      {ATP_TASK_REPLICA_POTTS, {ATP_ARRAY_COLOR_COVARIANCE, bent, 2, 2}, ATP_E_SYMMETRY, "color-covariance[1][0]"},
      {ATP_TASK_REPLICA_POTTS, {ATP_ARRAY_COLOR_COVARIANCE, turned, 2, 2}, ATP_E_VALUE, "has a negative eigenvalue"},
      {ATP_TASK_REPLICA_POTTS, {ATP_ARRAY_COLOR_COVARIANCE, same, 2, 2}, ATP_E_VALUE, "is the same for all pairs of colours"},
      {ATP_TASK_REPLICA_POTTS_SIMULATION, {ATP_ARRAY_COLOR_COVARIANCE, turned, 2, 2}, ATP_E_VALUE, "has a negative eigenvalue"},
      {ATP_TASK_REPLICA_POTTS_SIMULATION, {ATP_ARRAY_ALPHAS, many, 3, 1}, ATP_E_TOO_LARGE, "alpha 1e+09"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_ARRAY_ALPHAS, many, 3, 1}, ATP_E_VALUE, "alphas[2] is 1e+09"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_ARRAY_TEACHER, teacher3, 3, 3}, ATP_E_SHAPE, "rows of teacher is 3, must be 2"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_ARRAY_TEACHER, large, 2, 2}, ATP_E_VALUE, "teacher[1][0] is 2000"},
      {ATP_TASK_DOTATTN_TRANSITION, {ATP_ARRAY_OMEGAS, alphas, 3, 1}, ATP_E_VALUE, "omegas[2] is 2, must be in 0..1"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_ARRAY_TEACHER, teacher, 2, 2}, ATP_E_SHAPE, "teacher is of 2 tokens, must be of 3"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_ARRAY_CODE, s, 1, 2}, ATP_E_VALUE, "rows of code is 1, must be in 2..8"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_ARRAY_CODE, huge, 2, 1}, ATP_E_VALUE, "code[1][0] is -1e+07"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_ARRAY_ALPHAS, many, 3, 1}, ATP_E_TOO_LARGE, "alpha 1e+09"},
  };
  for (size_t k = 0; k < sizeof kWrong / sizeof *kWrong; ++k) {
    atp_task *task;
    atp_table *table;
    atp_outcome outcome = (atp_outcome)77;
    assert_int_equal(make_task(context, good(kWrong[k].kind), &task), ATP_OK);
    const task_input *i = &kWrong[k].input;
    atp_status status = atp_task_set_array(task, i->which, i->values, i->rows, i->columns);
    if (status == ATP_OK) {
      assert_int_equal(atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), N, &table), ATP_OK);
      status = atp_task_run(task, table, NULL, NULL, &outcome);
      assert_true(atp_table_rows(table) == 0 && (int)outcome == 77);
      atp_table_destroy(table);
    }
    assert_int_equal(status, kWrong[k].status);
    atp_task_destroy(task);
    assert_error(context, kWrong[k].text);
  }
}

static void missing_arrays(void **state) {
  atp_context *context = *state;
  static const char *const names[ATP_ARRAYS] = {"alphas",  "omegas",           "",      "", "eigenvalues", "projections", "covariance",
                                                "weights", "color-covariance", "times", ""};
  for (int k = 0; k < KINDS; ++k)
    for (const task_input *i = kGood[k].inputs; i->values != NULL; ++i) {
      if (names[i->which][0] == 0) continue;
      task_case c = kGood[k];
      int to = 0;
      for (const task_input *from = kGood[k].inputs; from->values != NULL; ++from)
        if (from != i) c.inputs[to++] = *from;
      memset(&c.inputs[to], 0, sizeof *c.inputs);
      atp_outcome outcome = (atp_outcome)77;
      assert_int_equal(run_task(context, &c, NULL, NULL, NULL, &outcome), ATP_E_STAGE);
      char text[64];
      snprintf(text, sizeof text, "%s were not set", names[i->which]);
      assert_error(context, text);
      int64_t bytes = -7;
      assert_int_equal(bytes_of_task(context, &c, &bytes), ATP_E_STAGE);
      assert_true(bytes == -7 && (int)outcome == 77);
    }
}

static void wrong_options(void **state) {
  atp_context *context = *state;
  static const struct {
    atp_task_kind kind;
    task_option option;
    atp_status status;
    const char *text;
  } kWrong[] = {
      {ATP_TASK_REPLICA_LIMIT, {ATP_OPT_DIAGONAL_SHIFT, 2}, ATP_E_VALUE, "diagonal-shift is 2, must be > 2"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_OPT_DIAGONAL_SHIFT, 1}, ATP_E_OPTION_RANGE, "diagonal-shift is 1"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_OPT_TEMPERATURE, -1}, ATP_E_OPTION_RANGE, "temperature is -1"},
      {ATP_TASK_REPLICA_LIMIT, {ATP_OPT_LAMBDA, NAN}, ATP_E_NOT_FINITE, "lambda is"},
      {ATP_TASK_REPLICA_SADDLE, {ATP_OPT_MAX_ITER, 1e7}, ATP_E_OPTION_RANGE, "max-iter is 10000000"},
      {ATP_TASK_REPLICA_SADDLE, {ATP_OPT_LAMBDA, 0}, ATP_E_VALUE, "lambda is 0 with alphas[0] = 0.5, must be > 0"},
      {ATP_TASK_REPLICA_CONVEX, {ATP_OPT_LAMBDA, 0}, ATP_E_VALUE, "lambda is 0 with alphas[0] = 0.5, must be > 0"},
      {ATP_TASK_REPLICA_CONVEX, {ATP_OPT_LOSS, 4}, ATP_E_OPTION_RANGE, "loss is 4"},
      {ATP_TASK_REPLICA_CONVEX, {ATP_OPT_DELTA, 0}, ATP_E_OPTION_RANGE, "delta is 0"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_OPT_REALISATIONS, 0}, ATP_E_OPTION_RANGE, "realisations is 0"},
      {ATP_TASK_REPLICA_SIMULATION, {ATP_OPT_NOISE, -1}, ATP_E_OPTION_RANGE, "noise is -1"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_OPT_SIGMA, 1e-4}, ATP_E_OPTION_RANGE, "sigma is 0.0001"},
      {ATP_TASK_DOTATTN_TRANSITION, {ATP_OPT_SIGMA, 1e4}, ATP_E_OPTION_RANGE, "sigma is 10000"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_OPT_SIGMA, 0}, ATP_E_OPTION_RANGE, "sigma is 0"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_OPT_OMEGA, 1.1}, ATP_E_OPTION_RANGE, "omega is 1.1"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_OPT_BRANCH, 4}, ATP_E_OPTION_RANGE, "branch is 4"},
      {ATP_TASK_DOTATTN_CURVE, {ATP_OPT_ACCURACY, 0}, ATP_E_OPTION_RANGE, "accuracy is 0"},
      {ATP_TASK_DOTATTN_DYNAMICS, {ATP_OPT_POINTS, 48}, ATP_E_VALUE, "points is 48, must be a power of two"},
      {ATP_TASK_DOTATTN_DYNAMICS, {ATP_OPT_STUDENT_RANK, 2}, ATP_E_OPTION, "has no option student-rank"},
      {ATP_TASK_DOTATTN_TRAJECTORY, {ATP_OPT_START_M, 1.5}, ATP_E_OPTION_RANGE, "start-m is 1.5"},
      {ATP_TASK_DOTATTN_TRAJECTORY, {ATP_OPT_LIMIT, 1}, ATP_E_CONFLICT, "limit is 1 and alpha 0"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_POINTS, 48}, ATP_E_VALUE, "points is 48, must be a power of two"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_POINTS, 8}, ATP_E_OPTION_RANGE, "points is 8"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_SHIFTS, 1}, ATP_E_OPTION_RANGE, "shifts is 1"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_TOLERANCE, 0}, ATP_E_OPTION_RANGE, "tolerance is 0"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_MAX_ITER, 1e7}, ATP_E_OPTION_RANGE, "max-iter is 10000000"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_START, ATP_DOTATTN_START_RANDOM}, ATP_E_VALUE, "start is RANDOM"},
      {ATP_TASK_DOTATTN_TOKENS, {ATP_OPT_STUDENT_RANK, 2}, ATP_E_VALUE, "columns of the code of a student of rank 2 is 2"},
      {ATP_TASK_REPLICA_POTTS, {ATP_OPT_POINTS, 48}, ATP_E_VALUE, "points is 48, must be a power of two"},
      {ATP_TASK_REPLICA_POTTS, {ATP_OPT_MAX_ITER, 1e7}, ATP_E_OPTION_RANGE, "max-iter is 10000000"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_DIMENSION, 1}, ATP_E_OPTION_RANGE, "dimension is 1"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_STEPS, 0}, ATP_E_OPTION_RANGE, "steps is 0"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_TEST_SAMPLES, 0}, ATP_E_OPTION_RANGE, "test-samples is 0"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_RUNS, 0}, ATP_E_OPTION_RANGE, "runs is 0"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_RESTARTS, -1}, ATP_E_OPTION_RANGE, "restarts is -1"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_PERTURBATION, -1}, ATP_E_OPTION_RANGE, "perturbation is -1"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_START_SCALE, 0}, ATP_E_OPTION_RANGE, "start-scale is 0"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_FLIPS, 3}, ATP_E_CONFLICT, "flips is 3 with an optimizer that is not LBFGS"},
      {ATP_TASK_DOTATTN_SIMULATION, {ATP_OPT_FLIP_MARGIN, -1}, ATP_E_OPTION_RANGE, "flip-margin is -1"},
  };
  for (size_t k = 0; k < sizeof kWrong / sizeof *kWrong; ++k) {
    task_case c = *good(kWrong[k].kind);
    int at = 0;
    while (c.options[at].key != 0) ++at;
    c.options[at] = kWrong[k].option;
    atp_outcome outcome = (atp_outcome)77;
    assert_int_equal(run_task(context, &c, NULL, NULL, NULL, &outcome), kWrong[k].status);
    assert_error(context, kWrong[k].text);
    assert_int_equal(outcome, 77);
  }
  const task_case logistic = {ATP_TASK_REPLICA_CONVEX, {{ATP_OPT_LOSS, ATP_REPLICA_LOSS_LOGISTIC}, {ATP_OPT_NOISE, 0.3}, {0}}, {{0}}};
  const task_case square = {ATP_TASK_REPLICA_CONVEX, {{ATP_OPT_INPUTS, ATP_REPLICA_INPUTS_CAVITY}, {0}}, {{0}}};
  assert_int_equal(run_task(context, &logistic, NULL, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "noise is 0.3, must be 0 for the logistic loss");
  assert_int_equal(run_task(context, &square, NULL, NULL, NULL, NULL), ATP_E_CONFLICT);
  assert_error(context, "inputs is \"cavity\"");
}

/* Automatic options come back with what they stand for. */
static void options(void **state) {
  atp_context *context = *state;
  static const double lambda[KINDS] = {1e-8, 1e-8, 1e-8, 1e-8, 1e-8, 0.01, 0.01, 0.01, 0.01, 1e-8, 1e-8, 0.01, 0.01},
                      most[KINDS] = {0, 10000, 0, 10000, 0, 10000, 100000, 500, 0, 10000, 0, 100000, 0};
  double value = -7;
  for (int k = 0; k < KINDS; ++k) {
    const atp_task_kind kind = kGood[k].kind;
    atp_task *task;
    atp_options *bag;
    assert_int_equal(atp_options_create(context, kind, &bag), ATP_OK);
    assert_true(atp_options_context(bag) == context);
    assert_int_equal(atp_options_set_f64(bag, ATP_OPT_LAMBDA, 7), ATP_OK);
    assert_int_equal(atp_task_create(context, kind, NULL, &task), ATP_OK);
    assert_int_equal(atp_task_options(task, bag), ATP_OK);
    assert_int_equal(atp_options_get_f64(bag, ATP_OPT_LAMBDA, &value), ATP_OK);
    assert_true(value == lambda[k]);
    assert_int_equal(atp_options_get_f64(bag, ATP_OPT_MAX_ITER, &value), most[k] == 0 ? ATP_E_OPTION : ATP_OK);
    if (most[k] != 0) assert_true(value == most[k]);
    if (kind == ATP_TASK_DOTATTN_SIMULATION) {
      assert_int_equal(atp_options_get_f64(bag, ATP_OPT_OPTIMIZER, &value), ATP_OK);
      assert_true(value == ATP_OPTIMIZER_SGD);
      assert_int_equal(atp_options_get_f64(bag, ATP_OPT_RATE, &value), ATP_OK);
      assert_true(value == 0.15);
      assert_int_equal(atp_options_get_f64(bag, ATP_OPT_TOLERANCE, &value), ATP_OK);
      assert_true(value == 1e-5);
    }
    /* A bag of another task is refused. */
    atp_options *other;
    assert_int_equal(atp_options_create(context, kGood[(k + 1) % KINDS].kind, &other), ATP_OK);
    assert_int_equal(atp_task_options(task, other), ATP_E_CONFLICT);
    atp_task *none;
    assert_int_equal(atp_task_create(context, kind, other, &none), ATP_E_CONFLICT);
    assert_null(none);
    atp_options_destroy(other);
    atp_options_destroy(bag);
    atp_task_destroy(task);
  }
}

struct calls {
  int made, stop_at;
  double last, total;
};

static int watch(const atp_progress *progress, void *user) {
  struct calls *calls = user;
  calls->last = atp_progress_value(progress, ATP_PROGRESS_STEP);
  calls->total = atp_progress_value(progress, ATP_PROGRESS_TOTAL);
  assert_true(calls->last >= 0 && calls->last <= calls->total);
  return ++calls->made == calls->stop_at;
}

static size_t largest;
static void *measuring_alloc(size_t bytes, size_t alignment, void *user) {
  if (bytes > largest) largest = bytes;
  return counting_alloc(bytes, alignment, user);
}

/* At most one allocation, of the size that was said; no row where there is no memory; a run that is ended says so in every row that it has
 * not made. */
static void memory_and_endings(void **state) {
  (void)state;
  struct counter counter = {0};
  atp_context *context;
  assert_int_equal(atp_context_create(measuring_alloc, counting_free, &counter, &context), ATP_OK);
  assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
  for (int k = 0; k < KINDS; ++k) {
    atp_task *task;
    atp_table *table;
    atp_outcome outcome = (atp_outcome)77;
    int64_t bytes = -7;
    assert_int_equal(make_task(context, &kGood[k], &task), ATP_OK);
    assert_int_equal(atp_task_bytes(task, &bytes), ATP_OK);
    const int64_t rows = atp_task_rows(task);
    assert_int_equal(atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), 2 * rows, &table), ATP_OK);
    if (bytes > 0) {
      counter.fail_at = counter.calls + 1;
      assert_int_equal(atp_task_run(task, table, NULL, NULL, &outcome), ATP_E_MEMORY);
      counter.fail_at = 0;
      assert_true(atp_table_rows(table) == 0 && (int)outcome == 77);
    }
    struct calls calls = {0, 1, 0, 0};
    largest = 0;
    const int64_t before = allocations(context);
    assert_int_equal(atp_task_run(task, table, watch, &calls, &outcome), ATP_OK);
    assert_int_equal(largest, bytes);
    assert_int_equal(allocations(context) - before, bytes > 0);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    assert_true(calls.made >= 1);
    assert_int_equal(atp_table_rows(table), rows);
    double loss[N * RUNS], ended[N * RUNS];
    const int has_outcome = atp_column_find(atp_task_table_kind(task), "outcome") >= 0;
    if (kGood[k].kind != ATP_TASK_DOTATTN_TRANSITION) {
      assert_int_equal(atp_table_column(table, "eg", loss, rows), ATP_OK);
      int absent = 0;
      for (int64_t r = 0; r < rows; ++r) absent += isnan(loss[r]) != 0;
      assert_true(absent > 0);
      if (has_outcome) {
        assert_int_equal(atp_table_column(table, "outcome", ended, rows), ATP_OK);
        for (int64_t r = 0; r < rows; ++r) assert_true(!isnan(loss[r]) || ended[r] == ATP_OUTCOME_CANCELLED);
      }
    }
    /* A request without a running call ends the next one at its first report; the one after it is whole. */
    atp_task_request_stop(task);
    assert_int_equal(atp_table_clear(table), ATP_OK);
    assert_int_equal(atp_task_run(task, table, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    calls.stop_at = 0;
    assert_int_equal(atp_task_run(task, table, watch, &calls, &outcome), ATP_OK);
    assert_int_not_equal(outcome, ATP_OUTCOME_CANCELLED);
    assert_true(calls.last == calls.total);
    atp_table_destroy(table);
    atp_task_destroy(task);
  }
  /* An array that finds no memory leaves the old one. */
  atp_task *task;
  assert_int_equal(make_task(context, good(ATP_TASK_REPLICA_LIMIT), &task), ATP_OK);
  counter.fail_at = counter.calls + 1;
  assert_int_equal(atp_task_set_array(task, ATP_ARRAY_ALPHAS, s, P, 1), ATP_E_MEMORY);
  counter.fail_at = 0;
  assert_int_equal(atp_task_rows(task), N);
  atp_task_destroy(task);
  atp_context_destroy(context);
  assert_int_equal(counter.live, 0);
  assert_int_equal(counter.bad, 0);
}

/* The same numbers for one thread and two. */
static void threads(void **state) {
  atp_context *context = *state;
  for (int k = ATP_TASK_REPLICA_SIMULATION - 1; k < KINDS; ++k) {
    double one[N * RUNS * 64] = {0}, two[N * RUNS * 64] = {0};
    assert_int_equal(atp_context_set_threads(context, 1), ATP_OK);
    assert_int_equal(run_task(context, &kGood[k], NULL, NULL, one, NULL), ATP_OK);
    assert_int_equal(atp_context_set_threads(context, 2), ATP_OK);
    assert_int_equal(run_task(context, &kGood[k], NULL, NULL, two, NULL), ATP_OK);
    assert_memory_equal(one, two, sizeof one);
  }
}

static int warnings;
static void hear(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING && strstr(text, "teacher: row 1 sums to 1.1") != NULL) ++warnings;
}

static void teachers_that_do_not_sum_to_one(void **state) {
  atp_context *context = *state;
  static const double crooked[4] = {0.6, 0.4, 0.4, 0.7};
  assert_int_equal(atp_context_set_log(context, hear, NULL), ATP_OK);
  for (int k = ATP_TASK_DOTATTN_CURVE - 1; k < ATP_TASK_DOTATTN_SIMULATION; ++k) {
    task_case c = kGood[k];
    c.inputs[1] = (task_input){ATP_ARRAY_TEACHER, crooked, 2, 2};
    memset(&c.inputs[2], 0, sizeof *c.inputs);
    warnings = 0;
    assert_int_equal(run_task(context, &c, NULL, NULL, NULL, NULL), ATP_OK);
    assert_int_equal(warnings, 1);
  }
}

static void numbers_beside_rows(void **state) {
  atp_context *context = *state;
  atp_task *task;
  double value = -7;
  assert_int_equal(make_task(context, good(ATP_TASK_REPLICA_CONVEX), &task), ATP_OK);
  assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &value), ATP_E_STAGE);
  assert_int_equal(atp_task_value(task, (atp_task_number)1, &value), ATP_E_VALUE);
  atp_task_destroy(task);
  assert_int_equal(make_task(context, good(ATP_TASK_REPLICA_POTTS), &task), ATP_OK);
  assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &value), ATP_E_STAGE);
  atp_task_destroy(task);
  assert_int_equal(make_task(context, good(ATP_TASK_REPLICA_SIMULATION), &task), ATP_OK);
  assert_int_equal(atp_task_value(task, ATP_TASK_OPTIMUM, &value), ATP_E_CONFLICT);
  atp_task_destroy(task);
  assert_true(value == -7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(kinds),
      TEST(arrays),
      TEST(wrong_arrays),
      TEST(missing_arrays),
      TEST(wrong_options),
      TEST(options),
      cmocka_unit_test(memory_and_endings),
      TEST(threads),
      TEST(teachers_that_do_not_sum_to_one),
      TEST(numbers_beside_rows),
  };
  where_races_are_sought("threads");
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
