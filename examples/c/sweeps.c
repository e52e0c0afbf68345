/* SPDX-License-Identifier: MIT */
/* Sweeps in a loop of your own: states and energies between them, and a start from given states. */
#include "task.h"

enum { L = 16, Q = 4, CHAINS = 8 };

int main(void) {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  uint8_t states[CHAINS][L];
  double energies[CHAINS];
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS));
  check(atp_options_set_i64(options, ATP_OPT_SEED, 7));
  check(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_sampler_create(context, model, options, &sampler));
  for (int step = 0; step < 5; ++step) {
    check(atp_sampler_sweep(sampler, 10, NULL, NULL, NULL));
    check(atp_sampler_states(sampler, 0, &states[0][0], sizeof states));
    check(atp_sampler_energies(sampler, 0, energies, CHAINS));
    printf("after %d sweeps chain 0 has energy %.3f and colour %d at site 0\n", (int)atp_sampler_sweeps(sampler), energies[0],
           states[0][0]);
  }
  check(atp_sampler_start_from(sampler, &states[0][0], CHAINS, L));
  check(atp_sampler_sweep(sampler, 1, NULL, NULL, NULL));
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_options_destroy(options), atp_context_destroy(context);
  return 0;
}
