// SPDX-License-Identifier: MIT
// The program at the top of attopotts.h: sequences of a random Potts model, and the model that is learned from them.
#include <attopotts.h>

#include <stdio.h>

enum { SITES = 10, COLORS = 5, SAMPLES = 4000 };

int main(void) {
  static uint8_t sequences[SAMPLES * SITES];
  atp_context *context = NULL;
  atp_model *truth = NULL, *learned = NULL;
  atp_sampler *sampler = NULL;
  atp_alignment *data = NULL;
  atp_trainer *trainer = NULL;
  double loss = 0;
  char text[512] = "";
  const int good =
      atp_context_create(NULL, NULL, NULL, &context) == ATP_OK &&
      atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth) == ATP_OK &&
      atp_sampler_create(context, truth, NULL, &sampler) == ATP_OK && atp_sampler_sweep(sampler, 100, NULL, NULL, NULL) == ATP_OK &&
      atp_sampler_sample(sampler, 10, sequences, sizeof sequences, NULL, NULL, NULL) == ATP_OK &&
      atp_alignment_create(context, sequences, SAMPLES, SITES, COLORS, NULL, &data) == ATP_OK &&
      atp_trainer_create(context, data, NULL, &trainer) == ATP_OK && atp_trainer_run(trainer, 200, NULL, NULL, NULL) == ATP_OK &&
      atp_trainer_model(trainer, &learned) == ATP_OK && atp_model_loss(context, learned, data, &loss) == ATP_OK;
  if (good) {
    printf("loss %.4f nats per site\n", loss);
  } else {
    atp_last_error(text, sizeof text);
    printf("%s\n", text);
  }
  atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
  atp_sampler_destroy(sampler), atp_model_destroy(truth), atp_context_destroy(context);
  return good ? 0 : 1;
}
