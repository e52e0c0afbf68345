/* SPDX-License-Identifier: MIT */
/* Training logs: a row per report, with the numbers that a callback sees; full tables; what a handle was made with. */
#include "api_support.h"

#include <math.h>

enum { L = 6, Q = 3, N = 60, EPOCHS = 4, C = ATP_TRAINING_COLUMNS };

static uint8_t sequences[N * L];
static double seen[16][C];
static int reports;

static int watch(const atp_progress *progress, void *user) {
  static const atp_progress_key keys[C] = {ATP_PROGRESS_STEP,
                                           ATP_PROGRESS_SECONDS,
                                           ATP_PROGRESS_TRAIN_LOSS,
                                           ATP_PROGRESS_TEST_LOSS,
                                           ATP_PROGRESS_OPTIMAL_LOSS,
                                           ATP_PROGRESS_COUPLING_ERROR,
                                           ATP_PROGRESS_GRADIENT_NORM,
                                           ATP_PROGRESS_RATE,
                                           ATP_PROGRESS_OBJECTIVE,
                                           ATP_PROGRESS_PEARSON,
                                           ATP_PROGRESS_SLOPE,
                                           ATP_PROGRESS_FIELD_ERROR,
                                           ATP_PROGRESS_PEARSON_RANDOM,
                                           ATP_PROGRESS_SLOPE_RANDOM,
                                           ATP_PROGRESS_PEARSON_NATURAL,
                                           ATP_PROGRESS_SLOPE_NATURAL,
                                           ATP_PROGRESS_MIXING_SWEEPS,
                                           ATP_PROGRESS_DENSITY,
                                           ATP_PROGRESS_GAIN,
                                           ATP_PROGRESS_PEARSON_SITES,
                                           ATP_PROGRESS_SLOPE_SITES,
                                           ATP_PROGRESS_PEARSON_PAIRS,
                                           ATP_PROGRESS_SLOPE_PAIRS,
                                           ATP_PROGRESS_PEARSON_TEST,
                                           ATP_PROGRESS_SLOPE_TEST,
                                           ATP_PROGRESS_SITE_ENTROPY,
                                           ATP_PROGRESS_SWEEPS,
                                           ATP_PROGRESS_SWAP_RATE,
                                           ATP_PROGRESS_ENTROPY,
                                           ATP_PROGRESS_ENTROPY_ERROR,
                                           ATP_PROGRESS_LOG_Z,
                                           ATP_PROGRESS_LOG_Z_ERROR,
                                           ATP_PROGRESS_PEARSON_TEST_SITES,
                                           ATP_PROGRESS_SLOPE_TEST_SITES,
                                           ATP_PROGRESS_PEARSON_TEST_PAIRS,
                                           ATP_PROGRESS_SLOPE_TEST_PAIRS};
  (void)user;
  if (reports == 16) return 1;
  for (int k = 0; k < C; ++k) seen[reports][k] = atp_progress_value(progress, keys[k]);
  ++reports;
  return 0;
}

/* The same bits, or NaN in both. */
static void assert_same(const double *x, const double *y, int n) {
  for (int k = 0; k < n; ++k) assert_true(x[k] == y[k] || (isnan(x[k]) && isnan(y[k])));
}

struct fixture {
  atp_options *options;
  atp_model *truth;
  atp_alignment *data;
};

static struct fixture make(atp_context *context) {
  struct fixture f;
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)((k * k + k / 7) % Q);
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &f.options), ATP_OK);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_EPOCHS, EPOCHS), ATP_OK);
  assert_int_equal(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &f.truth), ATP_OK);
  assert_int_equal(atp_alignment_create(context, sequences, N, L, Q, NULL, &f.data), ATP_OK);
  assert_true(atp_alignment_context(f.data) == context && atp_model_context(f.truth) == context);
  return f;
}

static void end(struct fixture f) {
  atp_alignment_destroy(f.data);
  atp_model_destroy(f.truth);
  atp_options_destroy(f.options);
}

/* A log of a family with and without a callback; dense: -1 factored, 0 one problem, 1 one problem per site. */
static void of_trainer(atp_context *context, int dense) {
  const struct fixture f = make(context);
  atp_table *log, *other;
  double rows[16 * C];
  if (dense >= 0) {
    assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE), ATP_OK);
    assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_ASYMMETRIC, dense), ATP_OK);
  }
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAINING_LOG, 16, &log), ATP_OK);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TUNING, 1, &other), ATP_OK);
  int64_t epochs[2];
  double parameters[2][L * L + L * Q + L * L * Q * Q] = {{0}};
  for (int with = 0; with < 2; ++with) {
    atp_trainer *trainer;
    assert_int_equal(atp_trainer_create(context, f.data, f.options, &trainer), ATP_OK);
    assert_true(atp_trainer_context(trainer) == context);
    assert_int_equal(atp_trainer_set_test(trainer, f.data), ATP_OK);
    assert_int_equal(atp_trainer_set_truth(trainer, f.truth), ATP_OK);
    assert_int_equal(atp_trainer_set_log(trainer, other), ATP_E_CONFLICT);
    assert_int_equal(atp_trainer_set_log(trainer, log), ATP_OK);
    assert_int_equal(atp_table_clear(log), ATP_OK);
    reports = 0;
    const int64_t before = allocations(context);
    assert_int_equal(atp_trainer_run(trainer, 100, with ? watch : NULL, NULL, NULL), ATP_OK);
    assert_int_equal(allocations(context), before);
    epochs[with] = atp_trainer_epochs(trainer);
    assert_true(epochs[with] > 1);
    assert_int_equal(atp_table_rows(log), epochs[with]);
    assert_int_equal(atp_table_values(log, rows, epochs[with] * C), ATP_OK);
    for (int64_t k = 0; k < epochs[with]; ++k) assert_true(rows[k * C + ATP_TRAINING_EPOCH] == (double)(k + 1));
    if (with) assert_int_equal(reports, epochs[with]);
    if (with) assert_same(rows, seen[0], reports * C);
    assert_true(rows[(epochs[with] - 1) * C + ATP_TRAINING_COUPLING_ERROR] > 0);
    assert_int_equal(atp_trainer_parameters(trainer, parameters[with], atp_trainer_parameter_count(trainer)), ATP_OK);
    atp_trainer_destroy(trainer);
  }
  assert_int_equal(epochs[0], epochs[1]);
  assert_memory_equal(parameters[0], parameters[1], sizeof parameters[0]);
  atp_table_destroy(other);
  atp_table_destroy(log);
  end(f);
}

static void trainers(void **state) {
  for (int dense = -1; dense <= 1; ++dense) of_trainer(*state, dense);
}

/* The run ends at the report that finds no room, with the row of before; after clear() it goes on. */
static void full_tables(void **state) {
  atp_context *context = *state;
  const struct fixture f = make(context);
  atp_trainer *trainer;
  atp_table *log;
  double rows[C];
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAINING_LOG, 1, &log), ATP_OK);
  assert_int_equal(atp_trainer_create(context, f.data, f.options, &trainer), ATP_OK);
  assert_int_equal(atp_trainer_set_log(trainer, log), ATP_OK);
  assert_int_equal(atp_trainer_run(trainer, 3, NULL, NULL, NULL), ATP_E_BUFFER);
  assert_error(context, "the table has 1 rows and room for 1");
  assert_int_equal(atp_trainer_epochs(trainer), 2);
  assert_int_equal(atp_table_clear(log), ATP_OK);
  assert_int_equal(atp_trainer_run(trainer, 1, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_table_values(log, rows, C), ATP_OK);
  assert_true(rows[ATP_TRAINING_EPOCH] == 3);
  atp_trainer_destroy(trainer);
  atp_table_destroy(log);
  end(f);
}

static void networks(void **state) {
  atp_context *context = *state;
  struct fixture f = make(context);
  atp_trainer *network;
  atp_table *log;
  double rows[EPOCHS * C];
  int64_t width = 0;
  renew(&f.options, ATP_OWNER_TRAINER);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER), ATP_OK);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_EPOCHS, EPOCHS), ATP_OK);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_WIDTH, 4), ATP_OK);
  assert_int_equal(atp_trainer_create(context, f.data, f.options, &network), ATP_OK);
  assert_true(atp_trainer_context(network) == context);
  assert_int_equal(atp_table_create(context, ATP_TABLE_TRAINING_LOG, EPOCHS, &log), ATP_OK);
  assert_int_equal(atp_trainer_set_log(network, log), ATP_OK);
  reports = 0;
  assert_int_equal(atp_trainer_run(network, EPOCHS, watch, NULL, NULL), ATP_OK);
  assert_int_equal(reports, EPOCHS);
  assert_int_equal(atp_table_values(log, rows, EPOCHS * C), ATP_OK);
  assert_same(rows, seen[0], EPOCHS * C);
  assert_int_equal(atp_options_reset(f.options), ATP_OK);
  assert_int_equal(atp_trainer_options(network, f.options), ATP_OK);
  assert_int_equal(atp_options_get_i64(f.options, ATP_OPT_WIDTH, &width), ATP_OK);
  assert_int_equal(width, 4);
  atp_table_destroy(log);
  atp_trainer_destroy(network);
  end(f);
}

/* Options as they were given. */
static void given(void **state) {
  atp_context *context = *state;
  struct fixture f = make(context);
  atp_sampler *sampler;
  atp_trainer *trainer;
  int64_t value = 0;
  assert_int_equal(atp_trainer_create(context, f.data, f.options, &trainer), ATP_OK);
  renew(&f.options, ATP_OWNER_SAMPLER);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_CHAINS, 7), ATP_OK);
  assert_int_equal(atp_sampler_create(context, f.truth, f.options, &sampler), ATP_OK);
  assert_true(atp_sampler_context(sampler) == context);
  assert_int_equal(atp_options_reset(f.options), ATP_OK);
  assert_int_equal(atp_sampler_options(sampler, f.options), ATP_OK);
  assert_int_equal(atp_options_get_i64(f.options, ATP_OPT_CHAINS, &value), ATP_OK);
  assert_int_equal(value, 7);
  assert_int_equal(atp_trainer_options(trainer, f.options), ATP_E_CONFLICT);
  assert_error(context, "options are those of a trainer, must be those of a sampler");
  renew(&f.options, ATP_OWNER_TRAINER);
  assert_int_equal(atp_trainer_options(trainer, f.options), ATP_OK);
  assert_int_equal(atp_options_get_i64(f.options, ATP_OPT_EPOCHS, &value), ATP_OK);
  assert_int_equal(value, EPOCHS);
  atp_trainer_destroy(trainer);
  atp_sampler_destroy(sampler);
  end(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {TEST(trainers), TEST(full_tables), TEST(networks), TEST(given)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
