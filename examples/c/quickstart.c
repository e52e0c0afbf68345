/* SPDX-License-Identifier: MIT */
/* Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the true ones.
 * Build: cc quickstart.c -o quickstart $(pkg-config --cflags --libs attopotts) */
#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>

enum { SITES = 10, COLORS = 5, SAMPLES = 4000 };

static void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}

int main(void) {
  atp_context *context;
  atp_options *sampling, *training;
  atp_model *truth, *learned;
  atp_sampler *sampler;
  atp_alignment *data;
  atp_trainer *trainer;
  atp_outcome outcome;
  double loss, optimal, error;
  static uint8_t sequences[SAMPLES * SITES];

  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &sampling));
  check(atp_options_set_i64(sampling, ATP_OPT_CHAINS, 32));
  check(atp_options_create(context, ATP_OWNER_TRAINER, &training));
  check(atp_options_set_f64(training, ATP_OPT_L2_COUPLINGS, 1e-4));
  check(atp_options_set_f64(training, ATP_OPT_L2_COLORS, 1e-4));

  /* The truth, and samples of it: 100 sweeps to forget the start, 10 between samples. */
  check(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth));
  check(atp_sampler_create(context, truth, sampling, &sampler));
  check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  check(atp_sampler_sample(sampler, 10, sequences, sizeof sequences, NULL, NULL, NULL));
  check(atp_alignment_create(context, sequences, SAMPLES, SITES, COLORS, NULL, &data));

  /* Learning: one head of free attention, the pseudo-likelihood, L-BFGS. */
  check(atp_trainer_create(context, data, training, &trainer));
  check(atp_trainer_run(trainer, 200, NULL, NULL, &outcome));
  check(atp_trainer_model(trainer, &learned));
  check(atp_model_loss(context, learned, data, &loss));
  check(atp_model_loss(context, truth, data, &optimal));
  check(atp_model_coupling_error(context, learned, truth, &error));
  printf("%s: loss %.16e, optimal loss %.16e, coupling error %.16e\n", atp_outcome_name(outcome), loss, optimal, error);

  atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
  atp_sampler_destroy(sampler), atp_model_destroy(truth), atp_options_destroy(training), atp_options_destroy(sampling);
  atp_context_destroy(context);
  return 0;
}
