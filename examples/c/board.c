/* SPDX-License-Identifier: MIT */
/* What a board with 64 MB of memory and one core can do: draw sequences of 256 sites, and learn couplings of 100 sites and 21 colours from
 * 5000 sequences by factored attention. tools/platforms/platforms.sh board runs it with such limits.
 * Build: cc board.c -o board $(pkg-config --cflags --libs attopotts) */
#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>

static void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}

/* Sequences of a random model with one head, in rounds of as many as there are chains. */
static atp_alignment *draw(atp_context *context, int64_t sites, int64_t colors, int64_t count) {
  const int64_t chains = 50;
  atp_options *options;
  atp_model *model;
  atp_sampler *sampler;
  atp_alignment *drawn;
  uint8_t *sequences = malloc((size_t)(count * sites));
  if (sequences == NULL) exit(1);
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, chains));
  check(atp_model_create_random(context, sites, colors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_sampler_create(context, model, options, &sampler));
  check(atp_sampler_sweep(sampler, 50, NULL, NULL, NULL));
  check(atp_sampler_sample(sampler, 5, sequences, count * sites, NULL, NULL, NULL));
  check(atp_alignment_create(context, sequences, count, sites, colors, NULL, &drawn));
  free(sequences);
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_options_destroy(options);
  return drawn;
}

int main(void) {
  atp_context *context;
  atp_alignment *sampled, *data;
  atp_trainer *trainer;
  atp_model *learned;
  atp_outcome outcome;
  double before, loss, reals[100 * 21];

  check(atp_context_create(NULL, NULL, NULL, &context));
  sampled = draw(context, 256, 21, 1000);
  printf("sampled %lld sequences of %lld sites\n", (long long)atp_alignment_count(sampled), (long long)atp_alignment_sites(sampled));
  atp_alignment_destroy(sampled);

  data = draw(context, 100, 21, 5000);
  /* The loss of independent sites, which learning must fall below. */
  check(atp_alignment_frequencies(data, 0, reals, sizeof reals / sizeof *reals));
  check(atp_alignment_independent_loss(data, reals, sizeof reals / sizeof *reals, &before));
  check(atp_trainer_create(context, data, NULL, &trainer));
  check(atp_trainer_run(trainer, 30, NULL, NULL, &outcome));
  check(atp_trainer_model(trainer, &learned));
  check(atp_model_loss(context, learned, data, &loss));
  printf("learned from %lld sequences of %lld sites: loss %.6f, of independent sites %.6f\n", (long long)atp_alignment_count(data),
         (long long)atp_alignment_sites(data), loss, before);
  atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
  atp_context_destroy(context);
  return loss < before ? 0 : 1;
}
