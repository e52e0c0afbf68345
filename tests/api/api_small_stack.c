/* SPDX-License-Identifier: MIT */
/* A host thread with a stack of 128 KiB, musl's default, does what takes most of it: many colours, sampling, learning of both families,
 * files, teams of threads. An overflow ends the program; what is computed is compared with a thread of the usual size. */
#include "folder.h"
#include "support.h"

#include <attopotts.h>
#include <attopotts_io.h>

#include <pthread.h>
#include <string.h>

enum { L = 5, Q = 255, N = 70, SMALL = 128 * 1024 };

struct work {
  int line; /* of the call that failed; 0: none */
  double conditionals[N * L * Q], values[N], loss, trained[2], read;
};

#define OK(call) \
  if ((call) != ATP_OK) return __LINE__

static int learn(atp_context *context, const atp_alignment *data, int64_t family, double *loss) {
  atp_options *options = NULL;
  atp_trainer *trainer = NULL;
  OK(atp_options_create(context, ATP_OWNER_TRAINER, &options));
  OK(atp_options_set_i64(options, ATP_OPT_FAMILY, family));
  OK(atp_options_set_i64(options, ATP_OPT_PRECISION, 64));
  OK(atp_trainer_create(context, data, options, &trainer));
  OK(atp_trainer_run(trainer, 3, NULL, NULL, NULL));
  OK(atp_trainer_loss(trainer, data, loss));
  atp_trainer_destroy(trainer);
  atp_options_destroy(options);
  return 0;
}

static int do_work(struct work *w) {
  atp_context *context = NULL;
  atp_options *options = NULL;
  atp_model *model = NULL, *again = NULL;
  atp_sampler *sampler = NULL;
  atp_alignment *data = NULL;
  static const char *const name = "model.txt";
  uint8_t sequences[N * L];
  int line;
  OK(atp_context_create(NULL, NULL, NULL, &context));
  OK(atp_context_set_threads(context, 2));
  OK(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  OK(atp_options_set_i64(options, ATP_OPT_CHAINS, 7));
  OK(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 2));
  OK(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  OK(atp_sampler_create(context, model, options, &sampler));
  OK(atp_sampler_sample(sampler, 1, sequences, sizeof sequences, NULL, NULL, NULL));
  OK(atp_alignment_create(context, sequences, N, L, Q, NULL, &data));
  OK(atp_model_conditionals(model, sequences, N, w->conditionals, N * L * Q));
  OK(atp_model_log_pseudolikelihoods(model, sequences, N, w->values, N));
  OK(atp_model_loss(context, model, data, &w->loss));
  if ((line = learn(context, data, ATP_FAMILY_FACTORED, &w->trained[0])) != 0) return line;
  if ((line = learn(context, data, ATP_FAMILY_DENSE, &w->trained[1])) != 0) return line;
  OK(atp_file_write(context, name, sequences, sizeof sequences));
  OK(atp_file_read(context, name, sequences, sizeof sequences));
  OK(atp_model_copy(context, model, &again));
  OK(atp_model_loss(context, again, data, &w->read));
  atp_model_destroy(again), atp_alignment_destroy(data), atp_sampler_destroy(sampler), atp_model_destroy(model);
  atp_options_destroy(options), atp_context_destroy(context);
  return 0;
}

static void *begin(void *work) {
  struct work *w = work;
  w->line = do_work(w);
  return NULL;
}

static struct work small, usual;

static void test_small_stack(void **state) {
  pthread_t thread;
  pthread_attr_t attributes;
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip_because("sanitizers pad the stack");
#endif
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL), 0);
  assert_int_equal(pthread_create(&thread, &attributes, begin, &small), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(pthread_attr_destroy(&attributes), 0);
  assert_int_equal(small.line, 0);
  begin(&usual);
  assert_int_equal(usual.line, 0);
  assert_memory_equal(&small, &usual, sizeof small);
  assert_true(small.loss > 0 && small.read == small.loss);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_stack)};
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
