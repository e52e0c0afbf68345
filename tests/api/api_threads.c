/* SPDX-License-Identifier: MIT */
/* What the headers promise to several threads: models and alignments are shared, each thread has a context of its own, a run is stopped
 * from another thread. Four threads, many rounds, against what one thread found. Under ThreadSanitizer a race ends the program. */
#include "support.h"

#include <attopotts.h>

#include <pthread.h>
#include <string.h>

enum { L = 6, Q = 4, N = 40, THREADS = 4, ROUNDS = 8 };

static struct {
  atp_context *context;
  atp_model *model, *dense;
  atp_alignment *alignment;
} shared;

/* The results of a thread; the first are computed without other threads. */
struct findings {
  uint8_t samples[N * L];
  double energies[N], conditionals[N * L * Q], pseudo[N], frequencies[L * Q], marginals[L * Q], gradient[L * L + Q * Q],
      parameters[L * L + Q * Q];
  double loss, log_z, coupling_error, trained;
};

#define OK(call) \
  if ((call) != ATP_OK) return __LINE__

/* 0, or the line of the call that failed. */
static int work(struct findings *f) {
  atp_context *context = NULL;
  atp_options *options = NULL;
  atp_sampler *sampler = NULL;
  atp_trainer *trainer = NULL;
  char text[256];
  memset(f, 0, sizeof *f);
  OK(atp_context_create(NULL, NULL, NULL, &context));
  OK(atp_context_set_threads(context, 2));
  OK(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  OK(atp_options_set_i64(options, ATP_OPT_CHAINS, 5));
  OK(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 2));
  OK(atp_sampler_create(context, shared.model, options, &sampler));
  OK(atp_sampler_sample(sampler, 2, f->samples, sizeof f->samples, NULL, NULL, NULL));
  OK(atp_model_energies(shared.model, f->samples, N, f->energies, N));
  OK(atp_model_conditionals(shared.dense, f->samples, N, f->conditionals, N * L * Q));
  OK(atp_model_log_pseudolikelihoods(shared.model, f->samples, N, f->pseudo, N));
  OK(atp_alignment_frequencies(shared.alignment, 0.1, f->frequencies, L * Q));
  OK(atp_model_enumerate(shared.model, &f->log_z, NULL, f->marginals, L * Q, NULL, 0));
  OK(atp_model_loss(context, shared.model, shared.alignment, &f->loss));
  OK(atp_model_coupling_error(context, shared.dense, shared.model, &f->coupling_error));
  OK(atp_trainer_create(context, shared.alignment, NULL, &trainer));
  OK(atp_trainer_gradient(trainer, NULL, NULL, f->gradient, L * L + Q * Q));
  OK(atp_trainer_set_truth(trainer, shared.model));
  OK(atp_trainer_run(trainer, 3, NULL, NULL, NULL));
  OK(atp_trainer_parameters(trainer, f->parameters, L * L + Q * Q));
  OK(atp_trainer_loss(trainer, shared.alignment, &f->trained));
  /* Failures on what is shared: each thread reads its own text. */
  if (atp_model_energies(shared.model, f->samples, -3, f->energies, -3) != ATP_E_VALUE) return __LINE__;
  atp_last_error(text, sizeof text);
  if (strstr(text, "-3") == NULL) return __LINE__;
  if (atp_alignment_frequencies(shared.alignment, 0.1, f->frequencies, 7) != ATP_E_SHAPE) return __LINE__;
  atp_trainer_destroy(trainer);
  atp_sampler_destroy(sampler);
  atp_options_destroy(options);
  atp_context_destroy(context);
  return 0;
}

static struct findings alone, found[THREADS];
static int bad_line[THREADS];

static void *repeat(void *pointer) {
  const int me = (int)(intptr_t)pointer;
  for (int round = 0; round < ROUNDS && bad_line[me] == 0; ++round) {
    bad_line[me] = work(&found[me]);
    if (bad_line[me] == 0 && memcmp(&found[me], &alone, sizeof alone) != 0) bad_line[me] = -1;
  }
  return NULL;
}

static int set_up(void **state) {
  uint8_t sequences[N * L];
  (void)state;
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)((k * k + k / 7) % Q);
  return atp_context_create(NULL, NULL, NULL, &shared.context) != ATP_OK ||
         atp_model_create_random(shared.context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5, &shared.model) != ATP_OK ||
         atp_model_gauge(shared.context, shared.model, ATP_GAUGE_ZERO_SUM, &shared.dense) != ATP_OK ||
         atp_alignment_create(shared.context, sequences, N, L, Q, NULL, &shared.alignment) != ATP_OK;
}

static int tear_down(void **state) {
  (void)state;
  atp_alignment_destroy(shared.alignment);
  atp_model_destroy(shared.dense);
  atp_model_destroy(shared.model);
  atp_context_destroy(shared.context);
  return 0;
}

static void threads_share_models_and_alignments(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  assert_int_equal(work(&alone), 0);
  for (intptr_t k = 0; k < THREADS; ++k) assert_int_equal(pthread_create(&threads[k], NULL, repeat, (void *)k), 0);
  for (int k = 0; k < THREADS; ++k) assert_int_equal(pthread_join(threads[k], NULL), 0);
  for (int k = 0; k < THREADS; ++k) {
    if (bad_line[k] > 0) print_error("thread %d: the call in line %d failed\n", k, bad_line[k]);
    if (bad_line[k] < 0) print_error("thread %d found other numbers than one thread alone\n", k);
    assert_int_equal(bad_line[k], 0);
  }
}

/* Functions that are always safe, called at the same time by new threads. */
static pthread_barrier_t together;
static char descriptions[THREADS][256];

static void *describe(void *number) {
  pthread_barrier_wait(&together);
  const char *text = atp_blas_description();
  strncpy(descriptions[(intptr_t)number], text, sizeof descriptions[0] - 1);
  return NULL;
}

static void descriptions_are_whole(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
  for (intptr_t k = 0; k < THREADS; ++k) assert_int_equal(pthread_create(&threads[k], NULL, describe, (void *)k), 0);
  for (int k = 0; k < THREADS; ++k) assert_int_equal(pthread_join(threads[k], NULL), 0);
  pthread_barrier_destroy(&together);
  for (int k = 0; k < THREADS; ++k) {
    assert_string_equal(descriptions[k], atp_blas_description());
    assert_int_equal(strstr(descriptions[k], "LAPACK ") != NULL, atp_has_feature("lapack"));
  }
}

/* Two threads: one runs for ever, the other stops it. */
static pthread_barrier_t started;
static int first;

static int tell_start(const atp_progress *progress, void *user) {
  (void)progress, (void)user;
  if (first) pthread_barrier_wait(&started);
  first = 0;
  return 0;
}

static void *stop_sampler(void *sampler) {
  pthread_barrier_wait(&started);
  atp_sampler_request_stop(sampler);
  return NULL;
}

static void *stop_trainer(void *trainer) {
  pthread_barrier_wait(&started);
  atp_trainer_request_stop(trainer);
  return NULL;
}

static void another_thread_stops_a_run(void **state) {
  (void)state;
  atp_sampler *sampler = NULL;
  atp_trainer *trainer = NULL;
  atp_options *options = NULL;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  pthread_t thread;
  assert_int_equal(pthread_barrier_init(&started, NULL, 2), 0);
  assert_int_equal(atp_context_set_threads(shared.context, 2), ATP_OK);
  assert_int_equal(atp_sampler_create(shared.context, shared.model, NULL, &sampler), ATP_OK);
  first = 1;
  assert_int_equal(pthread_create(&thread, NULL, stop_sampler, sampler), 0);
  assert_int_equal(atp_sampler_sweep(sampler, INT64_C(1) << 40, tell_start, NULL, &outcome), ATP_OK);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(atp_sampler_sweeps(sampler) > 0);
  assert_int_equal(atp_sampler_sweep(sampler, 2, NULL, NULL, &outcome), ATP_OK); /* the request is used up */
  assert_int_equal(outcome, ATP_OUTCOME_DONE);

  assert_int_equal(atp_options_create(shared.context, ATP_OWNER_TRAINER, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_EPOCHS, 1000000000), ATP_OK);
  assert_int_equal(atp_trainer_create(shared.context, shared.alignment, options, &trainer), ATP_OK);
  first = 1;
  assert_int_equal(pthread_create(&thread, NULL, stop_trainer, trainer), 0);
  assert_int_equal(atp_trainer_run(trainer, 1000000000, tell_start, NULL, &outcome), ATP_OK);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(atp_trainer_epochs(trainer) > 0);
  atp_trainer_destroy(trainer);
  atp_options_destroy(options);
  atp_sampler_destroy(sampler);
  pthread_barrier_destroy(&started);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(descriptions_are_whole), /* first: nothing has called it */
    cmocka_unit_test_setup_teardown(threads_share_models_and_alignments, set_up, tear_down),
    cmocka_unit_test_setup_teardown(another_thread_stops_a_run, set_up, tear_down),
};

ATP_TEST_MAIN(tests)
