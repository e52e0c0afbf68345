/* SPDX-License-Identifier: MIT */
/* atp_context_request_stop(): from another thread it ends every kind of run in a context, soon, and later runs too, until the
 * request is taken back. */
#include <pthread.h>
#include <time.h>

enum { L = 20, Q = 4, N = 400, D = 100, ROWS = 200 };
#include "runs_fixture.h"

#define MANY (INT64_C(1) << 40)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double asked; /* when the request was made */

static void *stop_soon(void *unused) {
  const struct timespec wait = {0, 100000000};
  nanosleep(&wait, NULL);
  asked = now();
  atp_context_request_stop(in.context);
  return unused;
}

/* A run takes a handle or NULL, and stores its outcome. */
typedef atp_status (*run_fn)(void *handle, atp_outcome *outcome);

/* Stopped while it runs; then it ends at once; then it is free again, which a run of a tenth of a second shows. */
static void stopped(run_fn run, void *handle, const char *name) {
  pthread_t thread;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(atp_context_stop_requested(in.context), 0);
  assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
  assert_int_equal(run(handle, &outcome), ATP_OK);
  const double ended = now();
  assert_int_equal(pthread_join(thread, NULL), 0);
  if (outcome != ATP_OUTCOME_CANCELLED) fail_msg("%s: %s", name, atp_outcome_name(outcome));
  print_message("%s: %.3f s\n", name, ended - asked);
  if (ended < asked || ended - asked > seconds_allowed()) fail_msg("%s ended %.3f s after the request", name, ended - asked);
  assert_int_equal(atp_context_stop_requested(in.context), 1);
  outcome = ATP_OUTCOME_NONE;
  const double again = now();
  assert_int_equal(run(handle, &outcome), ATP_OK);
  if (outcome != ATP_OUTCOME_CANCELLED || now() - again > seconds_allowed()) fail_msg("%s: the request did not stay", name);
  atp_context_clear_stop(in.context);
}

static atp_status sweep(void *sampler, atp_outcome *outcome) { return atp_sampler_sweep(sampler, MANY, NULL, NULL, outcome); }

static atp_status sample(void *sampler, atp_outcome *outcome) {
  uint8_t sequences[4 * L];
  return atp_sampler_sample(sampler, MANY, sequences, sizeof sequences, NULL, NULL, outcome);
}

static void samplers(void **state) {
  (void)state;
  for (int64_t temperatures = 1; temperatures < 5; temperatures += 3) {
    atp_sampler *sampler;
    atp_outcome outcome = ATP_OUTCOME_NONE;
    assert_int_equal(atp_options_set_i64(in.options, ATP_OPT_TEMPERATURES, temperatures), ATP_OK);
    assert_int_equal(atp_sampler_create(in.context, in.model, in.options, &sampler), ATP_OK);
    stopped(sweep, sampler, "sweep");
    stopped(sample, sampler, "sample");
    /* All steps made, nothing tested. */
    const int64_t before = atp_sampler_sweeps(sampler);
    assert_int_equal(atp_sampler_sweep(sampler, 3, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_DONE);
    assert_string_equal(atp_outcome_name(outcome), "done");
    assert_int_equal(atp_sampler_sweeps(sampler), before + 3);
    uint8_t sequences[4 * L];
    assert_int_equal(atp_sampler_sample(sampler, 2, sequences, sizeof sequences, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_DONE);
    atp_sampler_destroy(sampler);
  }
}

static atp_status tune(void *unused, atp_outcome *outcome) {
  atp_table *table;
  double value = 0;
  atp_model *large;
  (void)unused;
  assert_int_equal(atp_model_create_random(in.context, 200, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &large), ATP_OK);
  atp_status status = atp_table_create(in.context, ATP_TABLE_TUNING, 1, &table);
  if (status == ATP_OK) status = atp_tune_beta(in.context, large, NULL, 0.3, table, NULL, NULL);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_TUNING_OUTCOME, &value);
  atp_table_destroy(table);
  atp_model_destroy(large);
  *outcome = (atp_outcome)value;
  return status;
}

static void tuning(void **state) {
  (void)state;
  stopped(tune, NULL, "tune beta");
}

static atp_status measure(void *method, atp_outcome *outcome) {
  atp_table *table;
  atp_options *options;
  atp_model *large;
  double value = 0;
  assert_int_equal(atp_model_create_random(in.context, 100, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &large), ATP_OK);
  assert_int_equal(atp_options_create(in.context, ATP_OWNER_PARTITION, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_METHOD, *(const int *)method), ATP_OK);
  atp_status status = atp_table_create(in.context, ATP_TABLE_PARTITION, 1, &table);
  if (status == ATP_OK) status = atp_estimate_log_z(in.context, large, options, table, NULL, NULL);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_PARTITION_OUTCOME, &value);
  atp_table_destroy(table);
  atp_options_destroy(options);
  atp_model_destroy(large);
  *outcome = (atp_outcome)value;
  return status;
}

static void partitions(void **state) {
  (void)state;
  int methods[] = {ATP_METHOD_ANNEALING, ATP_METHOD_LADDER};
  stopped(measure, &methods[0], "annealing");
  stopped(measure, &methods[1], "ladder");
}

static atp_status train(void *trainer, atp_outcome *outcome) { return atp_trainer_run(trainer, MANY, NULL, NULL, outcome); }

static atp_status start_wide(void *trainer, atp_outcome *outcome) { return atp_trainer_start_wide(trainer, 8, MANY, NULL, NULL, outcome); }

static void make_trainer(const task_option *options, atp_trainer **trainer) {
  atp_options *bag;
  assert_int_equal(atp_options_create(in.context, ATP_OWNER_TRAINER, &bag), ATP_OK);
  assert_int_equal(atp_options_set_i64(bag, ATP_OPT_EPOCHS, 1000000000), ATP_OK);
  for (; options->key != 0; ++options) assert_int_equal(atp_options_set_f64(bag, options->key, options->value), ATP_OK);
  assert_int_equal(atp_trainer_create(in.context, in.data, bag, trainer), ATP_OK);
  atp_options_destroy(bag);
}

static void trainers(void **state) {
  (void)state;
  const struct {
    const char *name;
    task_option options[6];
  } kinds[] = {
      {"SGD", {{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {0}}},
      {"Adam", {{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM}, {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM}, {0}}},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    atp_trainer *trainer;
    make_trainer(kinds[k].options, &trainer);
    stopped(train, trainer, kinds[k].name);
    atp_trainer_destroy(trainer);
  }
}

/* Second-order methods may converge before a request from outside comes: it is there when they begin, or comes from their callback. */
static int stop_at_once(const atp_progress *progress, void *user) {
  (void)progress, (void)user;
  atp_context_request_stop(in.context);
  return 0;
}

static void quick_runs(void **state) {
  (void)state;
  const task_option kinds[][6] = {
      {{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS}, {ATP_OPT_TOLERANCE, 0}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_TOLERANCE, 0}, {0}},
      {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_ASYMMETRIC, 1}, {ATP_OPT_TOLERANCE, 0}, {0}},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    atp_trainer *trainer;
    atp_outcome outcome = ATP_OUTCOME_NONE;
    make_trainer(kinds[k], &trainer);
    assert_int_equal(atp_trainer_run(trainer, MANY, stop_at_once, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    const int64_t epochs = atp_trainer_epochs(trainer);
    assert_int_equal(atp_trainer_run(trainer, MANY, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    assert_int_equal(atp_trainer_epochs(trainer), epochs);
    if (k == 0) {
      assert_int_equal(start_wide(trainer, &outcome), ATP_OK);
      assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    }
    atp_context_clear_stop(in.context);
    assert_int_equal(atp_trainer_run(trainer, 1, NULL, NULL, &outcome), ATP_OK);
    assert_int_not_equal(outcome, ATP_OUTCOME_CANCELLED);
    atp_trainer_destroy(trainer);
  }
}

static atp_status train_encoder(void *network, atp_outcome *outcome) { return atp_trainer_run(network, MANY, NULL, NULL, outcome); }

static void networks(void **state) {
  (void)state;
  atp_options *bag;
  atp_trainer *network;
  assert_int_equal(atp_options_create(in.context, ATP_OWNER_TRAINER, &bag), ATP_OK);
  assert_int_equal(atp_options_set_i64(bag, ATP_OPT_EPOCHS, 1000000000), ATP_OK);
  assert_int_equal(atp_options_set_i64(bag, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER), ATP_OK);
  assert_int_equal(atp_options_set_i64(bag, ATP_OPT_WIDTH, 16), ATP_OK);
  assert_int_equal(atp_trainer_create(in.context, in.data, bag, &network), ATP_OK);
  stopped(train_encoder, network, "network");
  atp_trainer_destroy(network);
  atp_options_destroy(bag);
}

/* Without a callback: requests are looked for all the same. */
static atp_status run_of_task(void *made, atp_outcome *outcome) {
  const task_case *c = made;
  return run_task(in.context, c, NULL, NULL, NULL, outcome);
}

static void tasks(void **state) {
  (void)state;
  static double alphas[ROWS], covariance[D * D], weights[D];
  for (int k = 0; k < ROWS; ++k) alphas[k] = 0.5 + 0.05 * k;
  for (int i = 0; i < D; ++i) {
    covariance[i * D + i] = 1;
    weights[i] = 1;
  }
  task_case cases[] = {
      {ATP_TASK_DOTATTN_CURVE,
       {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 1e-3}, {0}},
       {{ATP_ARRAY_ALPHAS, alphas, ROWS, 1}, {0}}},
      {ATP_TASK_DOTATTN_SIMULATION,
       {{ATP_OPT_DIMENSION, 60}, {ATP_OPT_STEPS, 200}, {ATP_OPT_RUNS, 64}, {ATP_OPT_TEST_SAMPLES, 20}, {ATP_OPT_TOLERANCE, 1e-12}, {0}},
       {{ATP_ARRAY_ALPHAS, alphas, ROWS, 1}, {0}}},
      {ATP_TASK_REPLICA_SIMULATION,
       {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_NOISE, 1}, {ATP_OPT_REALISATIONS, 40}, {0}},
       {{ATP_ARRAY_ALPHAS, alphas, ROWS, 1}, {ATP_ARRAY_COVARIANCE, covariance, D, D}, {ATP_ARRAY_WEIGHTS, weights, D, 1}, {0}}},
  };
  const char *const names[] = {"dot-product curve", "dot-product simulation", "replica simulation"};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    if (cases[k].kind != ATP_TASK_REPLICA_SIMULATION || atp_has_feature("lapack")) stopped(run_of_task, &cases[k], names[k]);
}

/* A request to a handle is for that handle, and is used up; one to the context stays. */
static void handles_and_context(void **state) {
  (void)state;
  atp_sampler *sampler;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  assert_int_equal(atp_sampler_create(in.context, in.model, in.options, &sampler), ATP_OK);
  atp_sampler_request_stop(sampler);
  assert_int_equal(atp_context_stop_requested(in.context), 0);
  assert_int_equal(atp_sampler_sweep(sampler, 5, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_int_equal(atp_sampler_sweeps(sampler), 0);
  assert_int_equal(atp_sampler_sweep(sampler, 5, NULL, NULL, &outcome), ATP_OK);
  assert_int_equal(outcome, ATP_OUTCOME_DONE);
  atp_context_request_stop(in.context);
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(atp_sampler_sweep(sampler, 5, NULL, NULL, &outcome), ATP_OK);
    assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
    assert_int_equal(atp_sampler_sweeps(sampler), 5);
  }
  atp_context_clear_stop(in.context);
  atp_sampler_destroy(sampler);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(samplers, set_up, tear_down),   cmocka_unit_test_setup_teardown(tuning, set_up, tear_down),
    cmocka_unit_test_setup_teardown(partitions, set_up, tear_down), cmocka_unit_test_setup_teardown(trainers, set_up, tear_down),
    cmocka_unit_test_setup_teardown(quick_runs, set_up, tear_down), cmocka_unit_test_setup_teardown(networks, set_up, tear_down),
    cmocka_unit_test_setup_teardown(tasks, set_up, tear_down),      cmocka_unit_test_setup_teardown(handles_and_context, set_up, tear_down),
};

ATP_TEST_MAIN(tests)
