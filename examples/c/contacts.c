/* SPDX-License-Identifier: MIT */
/* Sample a chain with couplings between neighbours, learn dense couplings from the samples, and print the pairs that couple most. Ends with
 * 0 where those are the neighbours. */
#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>

enum { SITES = 16, COLORS = 4, SAMPLES = 4000, SCORES = SITES * SITES, BEST = SITES - 1 };

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
  atp_model *chain, *learned;
  atp_sampler *sampler;
  atp_alignment *data;
  atp_trainer *trainer;
  atp_outcome outcome;
  static uint8_t sequences[SAMPLES * SITES];
  double maps[SCORES] = {0}, values[COLORS * COLORS] = {0}, scores[SCORES];
  int64_t pairs[2 * BEST], count, neighbours = 0;

  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &sampling));
  check(atp_options_set_i64(sampling, ATP_OPT_CHAINS, 32));
  check(atp_options_create(context, ATP_OWNER_TRAINER, &training));
  check(atp_options_set_i64(training, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));

  /* The truth: equal colours of neighbours attract. */
  for (int i = 0; i + 1 < SITES; ++i) maps[i * SITES + i + 1] = maps[(i + 1) * SITES + i] = 1;
  for (int a = 0; a < COLORS; ++a) values[a * COLORS + a] = 1;
  check(atp_model_create_heads(context, (const int64_t[]){SITES, COLORS, 1}, maps, values, NULL, &chain));
  check(atp_sampler_create(context, chain, sampling, &sampler));
  check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  check(atp_sampler_sample(sampler, 10, sequences, sizeof sequences, NULL, NULL, NULL));
  check(atp_alignment_create(context, sequences, SAMPLES, SITES, COLORS, NULL, &data));

  /* Dense couplings by pseudo-likelihood, with the default penalties; then scores, corrected, ranked. */
  check(atp_trainer_create(context, data, training, &trainer));
  check(atp_trainer_run(trainer, 500, NULL, NULL, &outcome));
  check(atp_trainer_model(trainer, &learned));
  check(atp_model_frobenius(context, learned, ATP_SCORE_ZERO_SUM, -1, scores, SCORES));
  check(atp_scores_apc(scores, SITES, scores, SCORES));
  const int64_t rule[2] = {1, 0}; /* neighbours, too; one protein */
  check(atp_scores_rank(scores, SITES, NULL, rule, pairs, BEST, &count));
  printf("%s after %d iterations\n", atp_outcome_name(outcome), (int)atp_trainer_epochs(trainer));
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
    printf("%2d %2d  %.4f\n", (int)i + 1, (int)j + 1, scores[i * SITES + j]);
    neighbours += j - i == 1;
  }

  atp_model_destroy(learned), atp_trainer_destroy(trainer), atp_alignment_destroy(data);
  atp_sampler_destroy(sampler), atp_model_destroy(chain), atp_options_destroy(training), atp_options_destroy(sampling);
  atp_context_destroy(context);
  return outcome == ATP_OUTCOME_CONVERGED && neighbours == BEST ? 0 : 1;
}
