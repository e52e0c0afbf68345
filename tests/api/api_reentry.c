/* SPDX-License-Identifier: MIT */
/* Calls from callbacks: what would change the handle that runs, or the table that it fills, gets ATP_E_STAGE, and the run has the numbers
 * of one that was left alone. What reads works. */
enum { L = 8, Q = 4, N = 100, CHAINS = 16, DRAWN = 160 };
#include "runs_fixture.h"

#include <string.h>

/* What a callback works with, and how often it was called. */
typedef struct nested {
  atp_trainer *trainer;
  atp_trainer *network;
  atp_sampler *sampler;
  atp_sampling *sampling;
  atp_task *task;
  atp_table *table;
  double *numbers;
  int64_t size;
  atp_alignment *alignment;
  int gradients, masks; /* whether they may be asked for */
  int stops;            /* what the callback returns */
  int calls;
} nested;

static const int64_t masked[N]; /* the first site of every sequence */
static const int64_t order[L];

#define refused(call) assert_int_equal((call), ATP_E_STAGE)

static int disturb_trainer(const atp_progress *progress, void *user) {
  nested *n = user;
  atp_model *model;
  double loss;
  (void)progress;
  ++n->calls;
  assert_int_equal(atp_trainer_parameters(n->trainer, n->numbers, n->size), ATP_OK);
  assert_int_equal(atp_trainer_model(n->trainer, &model), ATP_OK);
  atp_model_destroy(model);
  assert_int_equal(atp_trainer_loss(n->trainer, in.data, &loss), ATP_OK);
  assert_int_equal(atp_trainer_gradient(n->trainer, NULL, NULL, n->numbers, n->size), n->gradients ? ATP_OK : ATP_E_STAGE);
  assert_int_equal(atp_trainer_masked_gradient(n->trainer, masked, N, &loss, NULL, n->numbers, n->size),
                   n->masks ? ATP_OK : ATP_E_UNSUPPORTED);
  refused(atp_trainer_set_test(n->trainer, in.data));
  refused(atp_trainer_set_test(n->trainer, NULL));
  refused(atp_trainer_set_truth(n->trainer, in.model));
  refused(atp_trainer_set_truth(n->trainer, NULL));
  refused(atp_trainer_run(n->trainer, 1, NULL, NULL, NULL));
  refused(atp_trainer_set_parameters(n->trainer, n->numbers, n->size));
  refused(atp_trainer_set_log(n->trainer, NULL));
  refused(atp_trainer_set_values(n->trainer, n->numbers, n->size));
  refused(atp_trainer_set_order(n->trainer, order, L));
  refused(atp_trainer_start_wide(n->trainer, 4, 1, NULL, NULL, NULL));
  refused(atp_trainer_start_model(n->trainer, in.model));
  refused(atp_trainer_start_chains(n->trainer, in.data));
  refused(atp_trainer_reintegrate(n->trainer, in.data, n->numbers, N, 1));
  refused(atp_trainer_start_from(n->trainer, n->trainer));
  refused(atp_trainer_set_reduction(n->trainer, NULL, NULL));
  void *state = malloc((size_t)atp_trainer_state_bytes(n->trainer));
  assert_int_equal(atp_trainer_save_state(n->trainer, state, atp_trainer_state_bytes(n->trainer)), ATP_OK);
  refused(atp_trainer_load_state(n->trainer, state, atp_trainer_state_bytes(n->trainer)));
  free(state);
  return 0;
}

static void trained(const task_option *options, atp_progress_fn progress, nested *n, double *parameters) {
  atp_outcome outcome;
  atp_options *bag;
  assert_int_equal(atp_options_create(in.context, ATP_OWNER_TRAINER, &bag), ATP_OK);
  assert_int_equal(atp_options_set_i64(bag, ATP_OPT_EPOCHS, 12), ATP_OK);
  for (; options->key != 0; ++options) assert_int_equal(atp_options_set_f64(bag, options->key, options->value), ATP_OK);
  assert_int_equal(atp_trainer_create(in.context, in.data, bag, &n->trainer), ATP_OK);
  n->size = atp_trainer_parameter_count(n->trainer);
  n->numbers = malloc((size_t)n->size * sizeof(double));
  assert_int_equal(atp_trainer_run(n->trainer, 12, progress, n, &outcome), ATP_OK);
  assert_int_equal(atp_trainer_parameters(n->trainer, parameters, n->size), ATP_OK);
  free(n->numbers);
  /* Afterwards all of it may be called again. */
  assert_int_equal(atp_trainer_set_test(n->trainer, in.data), ATP_OK);
  assert_int_equal(atp_trainer_set_truth(n->trainer, in.model), ATP_OK);
  assert_int_equal(atp_trainer_set_parameters(n->trainer, parameters, n->size), ATP_OK);
  assert_int_equal(atp_trainer_set_log(n->trainer, NULL), ATP_OK);
  atp_trainer_destroy(n->trainer);
  atp_options_destroy(bag);
}

static void trainers(void **state) {
  (void)state;
  static double alone[40000], disturbed[40000];
  const task_option kinds[][5] = {
      {{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS}, {0}},
      {{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {ATP_OPT_BATCH, 20}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_ASYMMETRIC, 1}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_ASYMMETRIC, 1}, {ATP_OPT_PRECISION, 64}, {0}},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    nested n = {0};
    n.gradients = k < 3;
    n.masks = k < 2;
    memset(alone, 0, sizeof alone);
    memset(disturbed, 0, sizeof disturbed);
    trained(kinds[k], NULL, &n, alone);
    assert_true(n.size <= 40000);
    trained(kinds[k], disturb_trainer, &n, disturbed);
    assert_true(n.calls > 1);
    assert_memory_equal(alone, disturbed, sizeof alone);
  }
}

/* Calls of networks alone, and those that compute. */
static int disturb_network(const atp_progress *progress, void *user) {
  nested *n = user;
  atp_trainer *t = n->network;
  double loss, conditionals[L * Q];
  const uint8_t sequence[L] = {0};
  (void)progress;
  ++n->calls;
  refused(atp_trainer_run(t, 1, NULL, NULL, NULL));
  assert_int_equal(atp_trainer_loss(t, in.data, &loss), ATP_OK);
  assert_int_equal(atp_trainer_gradient(t, &loss, NULL, n->numbers, n->size), ATP_OK);
  assert_int_equal(atp_trainer_masked_gradient(t, masked, N, &loss, NULL, n->numbers, n->size), ATP_OK);
  assert_int_equal(atp_trainer_conditionals(t, sequence, 1, L, conditionals, L * Q), ATP_OK);
  const int64_t maps = atp_trainer_map_count(t) * L * L;
  double *map = malloc((size_t)maps * sizeof(double));
  assert_int_equal(atp_trainer_maps(t, in.data, map, maps), ATP_OK);
  free(map);
  return 0;
}

static void networks(void **state) {
  (void)state;
  const task_option kinds[][4] = {
      {{ATP_OPT_FAMILY, ATP_FAMILY_ENCODER}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_ENCODER}, {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {ATP_OPT_BATCH, 20}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DIAL}, {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS}, {0}},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    double *parameters[2];
    size_t bytes = 0;
    for (int disturbed = 0; disturbed < 2; ++disturbed) {
      nested n = {0};
      atp_options *bag;
      assert_int_equal(atp_options_create(in.context, ATP_OWNER_TRAINER, &bag), ATP_OK);
      assert_int_equal(atp_options_set_i64(bag, ATP_OPT_EPOCHS, 3), ATP_OK);
      for (const task_option *o = kinds[k]; o->key != 0; ++o) assert_int_equal(atp_options_set_f64(bag, o->key, o->value), ATP_OK);
      assert_int_equal(atp_trainer_create(in.context, in.data, bag, &n.network), ATP_OK);
      n.size = atp_trainer_parameter_count(n.network);
      bytes = (size_t)n.size * sizeof(double);
      n.numbers = malloc(bytes);
      assert_int_equal(atp_trainer_run(n.network, 3, disturbed ? disturb_network : NULL, &n, NULL), ATP_OK);
      assert_int_equal(n.calls, 3 * disturbed);
      parameters[disturbed] = malloc(bytes);
      assert_int_equal(atp_trainer_parameters(n.network, parameters[disturbed], n.size), ATP_OK);
      assert_int_equal(atp_trainer_set_test(n.network, in.data), ATP_OK);
      assert_int_equal(atp_trainer_set_truth(n.network, in.model), ATP_OK);
      free(n.numbers);
      atp_trainer_destroy(n.network);
      atp_options_destroy(bag);
    }
    assert_memory_equal(parameters[0], parameters[1], bytes);
    free(parameters[0]);
    free(parameters[1]);
  }
}

/* The alignment is free again after a wide start and its trainer. */
static void wide_start_gives_back(void **state) {
  (void)state;
  atp_trainer *trainer;
  double weights[N];
  for (int k = 0; k < N; ++k) weights[k] = 1;
  assert_int_equal(atp_trainer_create(in.context, in.data, NULL, &trainer), ATP_OK);
  assert_int_equal(atp_trainer_start_wide(trainer, 4, 3, NULL, NULL, NULL), ATP_OK);
  refused(atp_alignment_set_weights(in.data, weights, N));
  atp_trainer_destroy(trainer);
  assert_int_equal(atp_alignment_set_weights(in.data, weights, N), ATP_OK);
}

static int disturb_sampler(const atp_progress *progress, void *user) {
  nested *n = user;
  uint8_t sequences[L];
  const double beta = 0.5;
  (void)progress;
  ++n->calls;
  refused(atp_sampler_set_betas(n->sampler, &beta, 1));
  refused(atp_sampler_sample(n->sampler, 1, sequences, L, NULL, NULL, NULL));
  refused(atp_sampler_sweep(n->sampler, 1, NULL, NULL, NULL));
  refused(atp_sampler_measure(n->sampler, 16, 1, NULL, NULL, NULL, NULL));
  refused(atp_sampler_start_random(n->sampler));
  refused(atp_sampler_start_from(n->sampler, sequences, 1, L));
  refused(atp_sampler_restrict(n->sampler, NULL, 0));
  refused(atp_sampler_set_reference(n->sampler, NULL, 0));
  void *state = malloc((size_t)atp_sampler_state_bytes(n->sampler));
  assert_int_equal(atp_sampler_save_state(n->sampler, state, atp_sampler_state_bytes(n->sampler)), ATP_OK);
  refused(atp_sampler_load_state(n->sampler, state, atp_sampler_state_bytes(n->sampler)));
  free(state);
  return 0;
}

static void samplers(void **state) {
  (void)state;
  static uint8_t alone[DRAWN * L], disturbed[DRAWN * L];
  for (int k = 0; k < 2; ++k) {
    nested n = {0};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    assert_int_equal(atp_options_set_i64(in.options, ATP_OPT_CHAINS, CHAINS), ATP_OK);
    assert_int_equal(atp_sampler_create(in.context, in.model, in.options, &n.sampler), ATP_OK);
    assert_int_equal(
        atp_sampler_sample(n.sampler, 3, k == 0 ? alone : disturbed, sizeof alone, k == 0 ? NULL : disturb_sampler, &n, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_DONE);
    assert_int_equal(atp_sampler_drawn(n.sampler), DRAWN);
    assert_int_equal(n.calls > 0, k == 1);
    assert_int_equal(atp_sampler_start_random(n.sampler), ATP_OK);
    atp_sampler_destroy(n.sampler);
  }
  assert_memory_equal(alone, disturbed, sizeof alone);
}

/* A table that two calls would fill, and a sampling run. */
static int disturb_tuning(const atp_progress *progress, void *user) {
  nested *n = user;
  (void)progress;
  ++n->calls;
  refused(atp_table_clear(n->table));
  refused(atp_tune_beta(in.context, in.model, NULL, 0.5, n->table, NULL, NULL));
  return 1;
}

static void tuning(void **state) {
  (void)state;
  nested n = {0};
  atp_model *large; /* the first report comes after a tenth of a second, when a smaller one is tuned */
  assert_int_equal(atp_model_create_random(in.context, 200, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &large), ATP_OK);
  assert_int_equal(atp_table_create(in.context, ATP_TABLE_TUNING, 1, &n.table), ATP_OK);
  assert_int_equal(atp_tune_beta(in.context, large, NULL, 0.5, n.table, disturb_tuning, &n), ATP_OK);
  atp_model_destroy(large);
  assert_true(n.calls > 0);
  assert_int_equal(atp_table_rows(n.table), 1);
  assert_int_equal(atp_table_clear(n.table), ATP_OK);
  atp_table_destroy(n.table);
}

static int disturb_partition(const atp_progress *progress, void *user) {
  nested *n = user;
  (void)progress;
  ++n->calls;
  refused(atp_table_clear(n->table));
  refused(atp_estimate_log_z(in.context, in.model, NULL, n->table, NULL, NULL));
  return 1;
}

static void partitions(void **state) {
  (void)state;
  nested n = {0};
  atp_model *large; /* as for the tuning */
  assert_int_equal(atp_model_create_random(in.context, 200, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &large), ATP_OK);
  assert_int_equal(atp_table_create(in.context, ATP_TABLE_PARTITION, 1, &n.table), ATP_OK);
  assert_int_equal(atp_estimate_log_z(in.context, large, NULL, n.table, disturb_partition, &n), ATP_OK);
  atp_model_destroy(large);
  assert_int_equal(n.calls, 1);
  assert_int_equal(atp_table_rows(n.table), 1);
  assert_int_equal(atp_table_clear(n.table), ATP_OK);
  atp_table_destroy(n.table);
}

static int disturb_sampling(const atp_progress *progress, void *user) {
  nested *n = user;
  (void)progress;
  ++n->calls;
  void *state = malloc((size_t)atp_sampling_state_bytes(n->sampling));
  assert_int_equal(atp_sampling_save_state(n->sampling, state, atp_sampling_state_bytes(n->sampling)), ATP_OK);
  refused(atp_sampling_load_state(n->sampling, state, atp_sampling_state_bytes(n->sampling)));
  refused(atp_sampling_run(n->sampling, NULL, NULL, NULL));
  refused(atp_sampling_restrict(n->sampling, NULL, 0));
  refused(atp_sampling_start_from(n->sampling, (const uint8_t[L]){0}, 1, L));
  free(state);
  return 0;
}

static void samplings(void **state) {
  (void)state;
  nested n = {0};
  renew(&in.options, ATP_OWNER_SAMPLING);
  assert_int_equal(atp_options_set_i64(in.options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_sampling_create(in.context, in.model, in.options, 20, &n.sampling), ATP_OK);
  assert_int_equal(atp_sampling_run(n.sampling, disturb_sampling, &n, NULL), ATP_OK);
  assert_true(n.calls > 0);
  atp_sampling_destroy(n.sampling);
}

static int disturb_task(const atp_progress *progress, void *user) {
  nested *n = user;
  double many[400];
  (void)progress;
  ++n->calls;
  for (int k = 0; k < 400; ++k) many[k] = 1;
  refused(atp_task_set_array(n->task, ATP_ARRAY_ALPHAS, many, 400, 1));
  refused(atp_task_run(n->task, n->table, NULL, NULL, NULL));
  refused(atp_table_clear(n->table));
  /* Another task into the same table. */
  const task_case same = {ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_ALPHAS, many, 3, 1}, {0}}};
  atp_task *other;
  assert_int_equal(make_task(in.context, &same, &other), ATP_OK);
  refused(atp_task_run(other, n->table, NULL, NULL, NULL));
  atp_task_destroy(other);
  return 0;
}

static void tasks(void **state) {
  (void)state;
  static const double alphas[3] = {1, 2, 3};
  double alone[3 * ATP_REPLICA_COLUMNS], disturbed[3 * ATP_REPLICA_COLUMNS];
  const task_case c = {ATP_TASK_REPLICA_LIMIT, {{ATP_OPT_LAMBDA, 0.1}, {0}}, {{ATP_ARRAY_ALPHAS, alphas, 3, 1}, {0}}};
  nested n = {0};
  assert_int_equal(run_task(in.context, &c, NULL, NULL, alone, NULL), ATP_OK);
  assert_int_equal(make_task(in.context, &c, &n.task), ATP_OK);
  assert_int_equal(atp_table_create(in.context, (atp_table_kind)atp_task_table_kind(n.task), 3, &n.table), ATP_OK);
  assert_int_equal(atp_task_run(n.task, n.table, disturb_task, &n, NULL), ATP_OK);
  assert_int_equal(n.calls, 3);
  assert_int_equal(atp_table_rows(n.table), 3);
  assert_int_equal(atp_table_values(n.table, disturbed, 3 * ATP_REPLICA_COLUMNS), ATP_OK);
  assert_memory_equal(alone, disturbed, sizeof alone);
  assert_int_equal(atp_table_clear(n.table), ATP_OK);
  assert_int_equal(atp_task_set_array(n.task, ATP_ARRAY_ALPHAS, alphas, 2, 1), ATP_OK);
  atp_table_destroy(n.table);
  atp_task_destroy(n.task);
}

static int disturb_weighing(const atp_progress *progress, void *user) {
  nested *n = user;
  const double ones[4] = {1, 1, 1, 1};
  (void)progress;
  ++n->calls;
  refused(atp_alignment_weigh(n->alignment, 0.1, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL));
  refused(atp_alignment_set_weights(n->alignment, ones, 4));
  refused(atp_alignment_set_alphabet(n->alignment, "AC"));
  refused(atp_alignment_set_sites(n->alignment, NULL, 2, NULL));
  refused(atp_alignment_set_columns(n->alignment, NULL, 2, 2));
  refused(atp_alignment_set_origin(n->alignment, "elsewhere"));
  assert_true(atp_alignment_weights_view(n->alignment)[0] == 1);
  return n->stops;
}

/* Two equal sequences and two others: weights 1/2, 1/2, 1, 1. A run that was stopped leaves the weights as they were. */
static void weighing(void **state) {
  (void)state;
  static const uint8_t sequences[4][2] = {{0, 0}, {0, 0}, {0, 1}, {1, 0}};
  for (int stops = 1; stops >= 0; --stops) {
    nested n = {.stops = stops};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    assert_int_equal(atp_alignment_create(in.context, sequences[0], 4, 2, 2, NULL, &n.alignment), ATP_OK);
    assert_int_equal(atp_alignment_weigh(n.alignment, 0, ATP_WEIGHTS_INCLUSIVE, disturb_weighing, &n, &outcome), ATP_OK);
    assert_int_equal(outcome, stops ? ATP_OUTCOME_CANCELLED : ATP_OUTCOME_CONVERGED);
    assert_true(n.calls > 0);
    const double *w = atp_alignment_weights_view(n.alignment);
    assert_true(w[0] == (stops ? 1 : 0.5) && w[1] == w[0] && w[2] == 1 && w[3] == 1);
    atp_alignment_destroy(n.alignment);
  }
}

static int fill_log(const atp_progress *progress, void *user) {
  nested *n = user;
  (void)progress;
  ++n->calls;
  /* A log may be read and emptied while it grows. */
  assert_int_equal(atp_table_rows(n->table), 1);
  assert_int_equal(atp_table_clear(n->table), ATP_OK);
  return 0;
}

static void logs(void **state) {
  (void)state;
  nested n = {0};
  assert_int_equal(atp_trainer_create(in.context, in.data, NULL, &n.trainer), ATP_OK);
  assert_int_equal(atp_table_create(in.context, ATP_TABLE_TRAINING_LOG, 1, &n.table), ATP_OK);
  assert_int_equal(atp_trainer_set_log(n.trainer, n.table), ATP_OK);
  assert_int_equal(atp_trainer_run(n.trainer, 3, fill_log, &n, NULL), ATP_OK);
  assert_int_equal(n.calls, 3);
  atp_trainer_destroy(n.trainer);
  atp_table_destroy(n.table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trainers),   cmocka_unit_test(networks), cmocka_unit_test(wide_start_gives_back),
      cmocka_unit_test(samplers),   cmocka_unit_test(tuning),   cmocka_unit_test(samplings),
      cmocka_unit_test(tasks),      cmocka_unit_test(logs),     cmocka_unit_test(weighing),
      cmocka_unit_test(partitions),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
