/* SPDX-License-Identifier: MIT */
/* Learn dense couplings from configurations of a ring of spins, and read them in the zero-sum gauge. */
#include "task.h"
#include <math.h>

enum { L = 10, Q = 3, N = 20000 };
static uint8_t configurations[N][L];
static double couplings[L][L][Q][Q];

static double uniform(void) { return rand() / (RAND_MAX + 1.0); }

static void simulate(void) {
  uint8_t s[L] = {0};
  for (int n = 0; n < N; ++n) {
    for (int step = 0; step < 10 * L; ++step) {
      const int i = (int)(L * uniform()), new = (int)(Q * uniform()), left = s[(i + L - 1) % L], right = s[(i + 1) % L];
      const int gain = (left == new) + (right == new) - (left == s[i]) - (right == s[i]);
      if (uniform() < exp(0.8 * gain)) s[i] = (uint8_t) new;
    }
    for (int i = 0; i < L; ++i) configurations[n][i] = s[i];
  }
}

int main(void) {
  atp_context *context;
  atp_options *options;
  atp_alignment *data;
  atp_trainer *trainer;
  atp_model *learned, *zero_sum;
  atp_outcome outcome;
  simulate();
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_alignment_create(context, &configurations[0][0], N, L, Q, NULL, &data));
  check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
  check(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 1e-4));
  check(atp_trainer_create(context, data, options, &trainer));
  check(atp_trainer_run(trainer, 200, NULL, NULL, &outcome));  // more: raise ATP_OPT_EPOCHS, too
  check(atp_trainer_model(trainer, &learned));
  check(atp_model_gauge(context, learned, ATP_GAUGE_ZERO_SUM, &zero_sum));
  check(atp_model_couplings_f64(zero_sum, &couplings[0][0][0][0], L * L * Q * Q));
  const double neighbours = couplings[0][1][0][0], others = couplings[0][5][0][0];
  printf("%s: J_01(0, 0) = %.3f (true 0.533), J_05(0, 0) = %.3f (true 0)\n", atp_outcome_name(outcome), neighbours, others);
  atp_model_destroy(zero_sum), atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
  atp_options_destroy(options), atp_context_destroy(context);
  return fabs(neighbours - 0.8 * 2 / 3) < 0.1 && fabs(others) < 0.1 ? 0 : 1;
}
