/* SPDX-License-Identifier: MIT */
/* Counts whose products leave 63 bits: a status, never a number that has wrapped. Sanitizer builds see signed overflow. */
#include "api_support.h"
#include "task_support.h"

enum { L = 6, Q = 3, SAMPLES = 4 };

/* Of more than 4 GiB of memory: 64 bits can name it, 32 cannot. A refused size is left as it was, -7. */
static void expect_large(atp_status status, int64_t bytes, double least) {
  if (sizeof(size_t) < 8) {
    assert_int_equal(status, ATP_E_TOO_LARGE);
    assert_true(bytes == -7);
  } else {
    assert_int_equal(status, ATP_OK);
    assert_true((double)bytes > least);
  }
}

/* A size was refused, or it is at least this. */
static void expect_size(atp_status status, const int64_t *bytes, double least) {
  if (status == ATP_OK && !((double)*bytes >= least)) fail_msg("%lld bytes, must be at least %g", (long long)*bytes, least);
  if (status != ATP_OK) assert_true((status == ATP_E_TOO_LARGE || status == ATP_E_VALUE || status == ATP_E_CONFLICT) && *bytes == -7);
}

static const int64_t counts[] = {INT64_C(1) << 31,       INT64_C(1) << 40, INT64_C(1) << 53, INT64_C(1) << 55,
                                 (INT64_C(1) << 62) - 1, INT64_C(1) << 62, INT64_MAX};
enum { COUNTS = sizeof counts / sizeof *counts };

static void sizes_of_trainers(void **state) {
  atp_context *context = *state;
  atp_options *options = NULL;
  const int64_t sites[] = {2, 65536, INT64_C(1) << 31, INT64_C(1) << 40, INT64_C(1) << 62, INT64_MAX};
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
  for (int kind = 0; kind < 24; ++kind) {
    renew(&options, ATP_OWNER_TRAINER);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, kind % 2 == 0 ? ATP_FAMILY_FACTORED : ATP_FAMILY_DENSE), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, kind % 4 == 3), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_PRECISION, kind / 4 % 2 == 0 ? 32 : 64), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_HISTORY, 100), ATP_OK);
    if (kind % 2 == 0) assert_int_equal(atp_options_set_i64(options, ATP_OPT_HEADS, 1024), ATP_OK);
    if (kind % 2 == 0 && kind >= 8) assert_int_equal(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM), ATP_OK);
    if (kind % 2 == 0 && kind >= 8) assert_int_equal(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM), ATP_OK);
    if (kind % 2 == 0 && kind >= 16) assert_int_equal(atp_options_set_i64(options, ATP_OPT_MAP, ATP_MAP_LOWRANK), ATP_OK);
    if (kind % 2 == 0 && kind >= 16) assert_int_equal(atp_options_set_i64(options, ATP_OPT_RANK, 4096), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_EPOCHS, 1000000000), ATP_OK);
    for (int n = 0; n < COUNTS; ++n)
      for (int s = 0; s < 6; ++s) {
        int64_t bytes = -7;
        expect_size(atp_trainer_bytes(context, counts[n], sites[s], 255, options, &bytes), &bytes, 1);
        bytes = -7;
        expect_size(atp_trainer_bytes(context, sites[s], counts[n], 255, options, &bytes), &bytes, 1);
      }
  }
  for (int dial = 0; dial < 2; ++dial) {
    renew(&options, ATP_OWNER_TRAINER);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, dial ? ATP_FAMILY_DIAL : ATP_FAMILY_ENCODER), ATP_OK);
    assert_int_equal(atp_options_set_i64(options, ATP_OPT_EPOCHS, 1000000000), ATP_OK);
    if (!dial) assert_int_equal(atp_options_set_i64(options, ATP_OPT_WIDTH, 4096), ATP_OK);
    if (!dial) assert_int_equal(atp_options_set_i64(options, ATP_OPT_HIDDEN, 65536), ATP_OK);
    if (!dial) assert_int_equal(atp_options_set_i64(options, ATP_OPT_BLOCKS, 16), ATP_OK);
    for (int n = 0; n < COUNTS; ++n)
      for (int s = 0; s < 6; ++s) {
        int64_t bytes = -7;
        expect_size(atp_trainer_bytes(context, counts[n], sites[s], 255, options, &bytes), &bytes, 1);
      }
  }
  atp_options_destroy(options);
}

/* bytes of a task with `n` for the number that its memory grows with. */
static void expect_task(atp_context *context, task_case c, double least) {
  int64_t bytes = -7;
  expect_size(bytes_of_task(context, &c, &bytes), &bytes, least);
}

static void sizes_of_theory(void **state) {
  atp_context *context = *state;
  static const double alphas[] = {0.5, 1e12}, covariance[1] = {1}, code[32] = {1}, teacher[64] = {1};
  for (int s = 0; s < 2; ++s) {
    const task_input alpha = {ATP_ARRAY_ALPHAS, &alphas[s], 1, 1}, of_code = {ATP_ARRAY_CODE, code, 8, 4},
                     of_teacher = {ATP_ARRAY_TEACHER, teacher, 8, 8};
    expect_task(context,
                (task_case){ATP_TASK_DOTATTN_SIMULATION,
                            {{ATP_OPT_DIMENSION, 1e6}, {ATP_OPT_RUNS, 1e6}, {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS}, {0}},
                            {alpha, of_code, of_teacher, {0}}},
                1e6);
    expect_task(
        context,
        (task_case){ATP_TASK_DOTATTN_TOKENS, {{ATP_OPT_POINTS, 1 << 24}, {ATP_OPT_SHIFTS, 1024}, {0}}, {alpha, of_code, of_teacher, {0}}},
        1024);
    const task_input times = {ATP_ARRAY_TIMES, &alphas[0], 1, 1};
    expect_task(
        context,
        (task_case){ATP_TASK_DOTATTN_DYNAMICS, {{ATP_OPT_POINTS, 1 << 24}, {ATP_OPT_SHIFTS, 1024}, {0}}, {times, of_code, of_teacher, {0}}},
        1024);
    expect_task(context,
                (task_case){ATP_TASK_DOTATTN_TRAJECTORY,
                            {{ATP_OPT_DIMENSION, 1e6}, {ATP_OPT_RUNS, 1e6}, {ATP_OPT_ALPHA, alphas[s]}, {0}},
                            {times, of_code, of_teacher, {0}}},
                1e6);
    expect_task(context,
                (task_case){ATP_TASK_REPLICA_SIMULATION,
                            {{ATP_OPT_REALISATIONS, 1e6}, {0}},
                            {alpha, {ATP_ARRAY_COVARIANCE, covariance, 1, 1}, {ATP_ARRAY_WEIGHTS, covariance, 1, 1}, {0}}},
                1);
  }
  /* LAPACK counts its work space in 32 bits: 64 numbers a row. */
  static double identity[100 * 100], weights[100];
  const double fits = 335000, beyond = 335540;
  for (int k = 0; k < 100; ++k) identity[101 * k] = 1;
  task_case c = {ATP_TASK_REPLICA_SIMULATION,
                 {{ATP_OPT_REALISATIONS, 10}, {ATP_OPT_LAMBDA, 0.1}, {0}},
                 {{ATP_ARRAY_ALPHAS, &fits, 1, 1}, {ATP_ARRAY_COVARIANCE, identity, 100, 100}, {ATP_ARRAY_WEIGHTS, weights, 100, 1}, {0}}};
  int64_t bytes = -7;
  const atp_status status = bytes_of_task(context, &c, &bytes);
  expect_large(status, bytes, 8 * 100 * 100 * fits);
  bytes = -7;
  c.inputs[0].values = &beyond;
  assert_int_equal(bytes_of_task(context, &c, &bytes), ATP_E_TOO_LARGE);
  assert_int_equal(bytes, -7);
  for (int n = 0; n < COUNTS; ++n) {
    atp_table *table = NULL;
    bytes = -7;
    expect_size(atp_table_bytes(ATP_TABLE_DOTATTN_TOKENS, counts[n], &bytes), &bytes, 8 * 20 * (double)counts[n]);
    if (counts[n] > INT64_C(1) << 40) assert_int_not_equal(atp_table_create(context, ATP_TABLE_DOTATTN_TOKENS, counts[n], &table), ATP_OK);
    assert_null(table);
    atp_task *task;
    assert_int_equal(make_task(context, &c, &task), ATP_OK);
    assert_int_not_equal(atp_task_set_array(task, ATP_ARRAY_COVARIANCE, identity, counts[n], counts[n]), ATP_OK);
    atp_task_destroy(task);
  }
}

static void samples(void **state) {
  atp_context *context = *state;
  atp_options *options = NULL;
  atp_model *model = NULL;
  atp_sampler *sampler = NULL;
  uint8_t sequences[SAMPLES * L];
  double numbers[SAMPLES];
  int64_t bytes = -7;
  memset(sequences, 7, sizeof sequences);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  assert_int_equal(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_CHAINS, 1 << 24), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 1024), ATP_OK);
  assert_int_equal(atp_sampler_bytes(context, model, options, &bytes), ATP_E_TOO_LARGE);
  assert_int_equal(bytes, -7);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 128), ATP_OK);
  const atp_status status = atp_sampler_bytes(context, model, options, &bytes);
  expect_large(status, bytes, 0x1p31 * L);
  assert_int_equal(atp_options_reset(options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_CHAINS, 1), ATP_OK);
  assert_int_equal(atp_sampler_create(context, model, options, &sampler), ATP_OK);

  /* 4 samples, 2^48 sweeps apart: 2^50 sweeps are not made. */
  assert_int_equal(atp_sampler_sample(sampler, INT64_C(1) << 48, sequences, sizeof sequences, NULL, NULL, NULL), ATP_E_TOO_LARGE);
  assert_error(context, "sweeps after");
  assert_true(sequences[0] == 7 && atp_sampler_drawn(sampler) == 0);
  assert_int_equal(atp_sampler_sweep(sampler, 1, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampler_sweep(sampler, INT64_C(1) << 48, NULL, NULL, NULL), ATP_E_TOO_LARGE);
  for (int n = 0; n < COUNTS; ++n) {
    assert_int_not_equal(atp_sampler_sample(sampler, counts[n], sequences, counts[n], NULL, NULL, NULL), ATP_OK);
    assert_int_not_equal(atp_sampler_sequence_energies(sampler, sequences, counts[n], numbers, SAMPLES), ATP_OK);
    assert_int_not_equal(atp_model_conditionals(model, sequences, counts[n], numbers, SAMPLES), ATP_OK);
  }
  assert_true(sequences[0] == 7 && atp_sampler_drawn(sampler) == 0);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
  atp_options_destroy(options);
}

static void arrays_of_handles(void **state) {
  atp_context *context = *state;
  atp_options *options = NULL;
  atp_alignment *a = NULL;
  atp_trainer *network = NULL;
  uint8_t sequences[SAMPLES * L] = {0};
  double out[SAMPLES * L * Q];
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_WIDTH, 2), ATP_OK);
  for (int n = 0; n < COUNTS; ++n) {
    assert_int_not_equal(atp_alignment_create(context, sequences, counts[n], INT64_MAX, Q, NULL, &a), ATP_OK);
    assert_int_not_equal(
        atp_alignment_create(context, sequences, SAMPLES, counts[COUNTS - 1 - n] < (INT64_C(1) << 55) ? INT64_MAX : counts[COUNTS - 1 - n],
                             Q, NULL, &a),
        ATP_OK);
    assert_null(a);
  }
  assert_int_equal(atp_alignment_create(context, sequences, SAMPLES, L, Q, NULL, &a), ATP_OK);
  assert_int_equal(atp_trainer_create(context, a, options, &network), ATP_OK);
  for (int n = 0; n < COUNTS; ++n) {
    const atp_status status = atp_trainer_conditionals(network, sequences, counts[n], L, out, SAMPLES * L * Q);
    assert_true(status == ATP_E_SHAPE || status == ATP_E_VALUE);
    /* 2^62 * 18 wraps to 2^63 * 9 = 0 in 64 bits. */
    assert_int_not_equal(atp_trainer_conditionals(network, sequences, counts[n], L, out, 0), ATP_OK);
    assert_int_not_equal(atp_alignment_frequencies(a, 0, out, counts[n]), ATP_OK);
    assert_int_not_equal(atp_alignment_pair_frequencies(a, 0, out, counts[n]), ATP_OK);
    assert_int_not_equal(atp_alignment_select(context, a, counts[n], counts[n], counts[n], NULL), ATP_OK);
    assert_int_not_equal(atp_alignment_set_weights(a, out, counts[n]), ATP_OK);
    assert_int_not_equal(atp_alignment_set_sites(a, NULL, counts[n], NULL), ATP_OK);
  }
  atp_trainer_destroy(network);
  atp_alignment_destroy(a);
  atp_options_destroy(options);
}

/* Scores and diagnostics take their sizes by themselves. */
static void free_functions(void **state) {
  double x[4] = {1, 2, 3, 4}, y[4];
  int64_t count = -7, pairs[2];
  (void)state;
  for (int n = 0; n < COUNTS; ++n) {
    assert_int_not_equal(atp_scores_apc(x, counts[n], y, 4), ATP_OK);
    const int64_t rule[2] = {counts[n], counts[n]};
    assert_int_not_equal(atp_scores_rank(x, counts[n], NULL, rule, pairs, 1, &count), ATP_OK);
    assert_int_not_equal(atp_alignment_create(NULL, NULL, counts[n], counts[n], counts[n], NULL, NULL), ATP_OK);
    for (int m = 0; m < COUNTS; ++m) {
      if (counts[n] >= INT64_C(1) << 40 && counts[m] >= INT64_C(1) << 40)
        assert_int_not_equal(atp_split_rhat(x, counts[n], counts[m], y), ATP_OK);
    }
  }
  assert_int_equal(count, -7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sizes_of_trainers, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(sizes_of_theory, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(samples, context_setup, context_teardown),
      cmocka_unit_test_setup_teardown(arrays_of_handles, context_setup, context_teardown),
      cmocka_unit_test(free_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
