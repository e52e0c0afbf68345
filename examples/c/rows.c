/* SPDX-License-Identifier: MIT */
/* A learning curve by random rows of an alignment, a bootstrap sample, and a trainer that goes on from bytes, as in another process.
 * Build: cc rows.c -o rows $(pkg-config --cflags --libs attopotts) */
#include "task.h"

enum { SITES = 10, COLORS = 5, SAMPLES = 2000 };

static atp_context *context;
static atp_options *training;

/* The loss on other sequences, or the coupling error where these are NULL, of what a trainer has learned. */
static double judge(const atp_trainer *trainer, const atp_model *truth, const atp_alignment *data) {
  atp_model *learned;
  double result;
  check(atp_trainer_model(trainer, &learned));
  check(data == NULL ? atp_model_coupling_error(context, learned, truth, &result) : atp_model_loss(context, learned, data, &result));
  atp_model_destroy(learned);
  return result;
}

/* What another process makes of bytes: an alignment, and a trainer that goes on. */
static atp_trainer *received(const void *data, int64_t data_size, const void *state, int64_t state_size, atp_alignment **alignment) {
  atp_trainer *trainer;
  check(atp_alignment_from_state(context, data, data_size, alignment));
  check(atp_trainer_create(context, *alignment, training, &trainer));
  check(atp_trainer_load_state(trainer, state, state_size));
  return trainer;
}

int main(void) {
  static const int64_t counts[] = {100, 500, SAMPLES};
  static uint8_t sequences[SAMPLES * SITES];
  atp_options *sampling;
  atp_model *truth;
  atp_sampler *sampler;
  atp_alignment *data, *part, *there;
  atp_trainer *trainer, *again;
  double loss;

  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &sampling));
  check(atp_options_set_text(sampling, "chains=32"));
  check(atp_options_create(context, ATP_OWNER_TRAINER, &training));
  check(atp_options_set_text(training, "l2-couplings=1e-4, l2-colors=1e-4"));
  check(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth));
  check(atp_sampler_create(context, truth, sampling, &sampler));
  check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  check(atp_sampler_sample(sampler, 10, sequences, sizeof sequences, NULL, NULL, NULL));
  check(atp_alignment_create(context, sequences, SAMPLES, SITES, COLORS, NULL, &data));

  /* With one seed, a smaller sample is a part of a larger one. */
  for (int k = 0; k < 3; ++k) {
    check(atp_alignment_sample(context, data, counts[k], 0, 1, &part));
    check(atp_trainer_create(context, part, training, &trainer));
    check(atp_trainer_run(trainer, 100, NULL, NULL, NULL));
    printf("%d sequences: coupling error %.16e\n", (int)counts[k], judge(trainer, truth, NULL));
    atp_trainer_destroy(trainer), atp_alignment_destroy(part);
  }

  /* As many as there are, each drawn from all: how much the loss depends on the sequences that were drawn. */
  check(atp_alignment_sample(context, data, SAMPLES, 1, 1, &part));
  check(atp_model_loss(context, truth, part, &loss));
  printf("bootstrap: loss %.16e\n", loss);

  /* The alignment and the state of the trainer as bytes: what is made of them goes on with the same numbers. */
  check(atp_trainer_create(context, data, training, &trainer));
  check(atp_trainer_run(trainer, 5, NULL, NULL, NULL));
  const int64_t data_size = atp_alignment_state_bytes(data), state_size = atp_trainer_state_bytes(trainer);
  char *bytes = malloc((size_t)(data_size + state_size));
  if (bytes == NULL) return 1;
  check(atp_alignment_save_state(data, bytes, data_size));
  check(atp_trainer_save_state(trainer, bytes + data_size, state_size));
  again = received(bytes, data_size, bytes + data_size, state_size, &there);
  check(atp_trainer_run(again, 5, NULL, NULL, NULL));
  printf("it goes on: loss %.16e\n", judge(again, truth, data));

  free(bytes);
  atp_trainer_destroy(again), atp_trainer_destroy(trainer), atp_alignment_destroy(there), atp_alignment_destroy(part);
  atp_alignment_destroy(data), atp_sampler_destroy(sampler), atp_model_destroy(truth);
  atp_options_destroy(training), atp_options_destroy(sampling), atp_context_destroy(context);
  return 0;
}
