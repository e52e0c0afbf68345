/* SPDX-License-Identifier: MIT */
/* Dense couplings of your own: mean energy of samples against exact enumeration. */
#include "task.h"
#include <math.h>

enum { L = 8, Q = 3, CHAINS = 64, SAMPLES = 64000 };
static double couplings[L][L][Q][Q];
static uint8_t sequences[SAMPLES][L];
static double energies[SAMPLES];

int main(void) {
  atp_context *context;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  double log_z, exact, mean = 0;
  check(atp_context_create(NULL, NULL, NULL, &context));
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < i; ++j)
      for (int a = 0; a < Q; ++a)
        for (int b = 0; b < Q; ++b) couplings[i][j][a][b] = couplings[j][i][b][a] = 0.4 * cos(1 + i + 2 * j + 3 * a + 5 * b);
  check(atp_model_create_dense_f64(context, L, Q, &couplings[0][0][0][0], NULL, &model));
  if (!atp_model_is_symmetric(model)) return 1;
  check(atp_model_enumerate(model, &log_z, &exact, NULL, 0, NULL, 0));

  check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS));
  check(atp_sampler_create(context, model, options, &sampler));
  check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  check(atp_sampler_sample(sampler, 5, &sequences[0][0], sizeof sequences, NULL, NULL, NULL));
  check(atp_model_energies(model, &sequences[0][0], SAMPLES, energies, SAMPLES));
  for (int n = 0; n < SAMPLES; ++n) mean += energies[n] / SAMPLES;
  printf("mean energy: exact %.4f, of the samples %.4f\n", exact, mean);
  atp_sampler_destroy(sampler), atp_options_destroy(options), atp_model_destroy(model), atp_context_destroy(context);
  return fabs(mean - exact) < 0.05 ? 0 : 1;
}
