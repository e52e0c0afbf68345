/* SPDX-License-Identifier: MIT */
/* Sampling in calls of 100 sweeps from C: prints site updates per second of processor time, the best of 5 rounds. */
#include <attopotts.h>

#include <stdio.h>
#include <time.h>

enum { SITES = 20, COLORS = 20, CHAINS = 64, SWEEPS = 100, CALLS = 200, ROUNDS = 5 };

int main(void) {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  double best = 0;
  if (atp_context_create(NULL, NULL, NULL, &context) || atp_context_set_threads(context, 1) || atp_options_create(context, &options) ||
      atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS) ||
      atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model) ||
      atp_sampler_create(context, model, options, &sampler))
    return 1;
  for (int round = 0; round < ROUNDS; ++round) {
    const clock_t begin = clock();
    for (int call = 0; call < CALLS; ++call)
      if (atp_sampler_sweep(sampler, SWEEPS, NULL, NULL, NULL)) return 1;
    const double rate = (double)SITES * CHAINS * SWEEPS * CALLS * CLOCKS_PER_SEC / (double)(clock() - begin);
    if (rate > best) best = rate;
  }
  printf("%.4e\n", best);
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_options_destroy(options), atp_context_destroy(context);
  return 0;
}
