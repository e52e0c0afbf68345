/* SPDX-License-Identifier: MIT */
/* Progress reports of a long run, and a stop from another thread. */
#include "task.h"
#include <pthread.h>
#include <time.h>

static int report(const atp_progress *progress, void *user) {
  int *calls = user;
  ++*calls;
  printf("sweep %.0f, mean energy %.2f\n", atp_progress_value(progress, ATP_PROGRESS_STEP),
         atp_progress_value(progress, ATP_PROGRESS_ENERGY));
  return 0;
}

static void *later(void *context) {
  const struct timespec half_a_second = {0, 500000000};
  nanosleep(&half_a_second, NULL);
  atp_context_request_stop(context);
  return NULL;
}

int main(void) {
  atp_context *context;
  atp_model *model;
  atp_sampler *sampler;
  atp_outcome outcome;
  pthread_t thread;
  int calls = 0;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_model_create_random(context, 50, 20, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_sampler_create(context, model, NULL, &sampler));
  if (pthread_create(&thread, NULL, later, context) != 0) return 1;
  check(atp_sampler_sweep(sampler, 1000000000, report, &calls, &outcome));
  pthread_join(thread, NULL);
  printf("%s after %.0f sweeps and %d reports\n", atp_outcome_name(outcome), (double)atp_sampler_sweeps(sampler), calls);
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_context_destroy(context);
  return outcome == ATP_OUTCOME_CANCELLED ? 0 : 1;
}
