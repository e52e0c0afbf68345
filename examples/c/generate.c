/* SPDX-License-Identifier: MIT */
/* New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare.
 * Build: cc generate.c -o generate $(pkg-config --cflags --libs attopotts) */
#include <attopotts.h>

#include <stdio.h>
#include <stdlib.h>

enum { SITES = 10, COLORS = 5, SAMPLES = 4000, HELD_OUT = 1000, STEPS = 1000 };

static void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}

/* What a callback of training keeps of the last step, and the Pearson correlation at which it stops the run. */
typedef struct look {
  double stop_above, last[ATP_PROGRESS_MIXING_SWEEPS + 1];
} look;

static int see(const atp_progress *progress, void *user) {
  look *at = user;
  for (int k = 0; k <= ATP_PROGRESS_MIXING_SWEEPS; ++k) at->last[k] = atp_progress_value(progress, (atp_progress_key)k);
  return at->last[ATP_PROGRESS_PEARSON] > at->stop_above; /* other than 0: the run stops, and the next one goes on from there */
}

/* Samples of a sampler, 10 sweeps apart, and the same as an alignment. */
static atp_alignment *draw(atp_context *context, atp_sampler *sampler, uint8_t *sequences, int64_t n) {
  atp_alignment *drawn;
  check(atp_sampler_sample(sampler, 10, sequences, n * SITES, NULL, NULL, NULL));
  check(atp_alignment_create(context, sequences, n, SITES, COLORS, NULL, &drawn));
  return drawn;
}

/* A sampler that has forgotten its start. */
static atp_sampler *start(atp_context *context, const atp_model *model, int64_t chains, int64_t seed) {
  atp_options *options;
  atp_sampler *sampler;
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, chains));
  check(atp_options_set_i64(options, ATP_OPT_SEED, seed));
  check(atp_sampler_create(context, model, options, &sampler));
  check(atp_sampler_sweep(sampler, 100, NULL, NULL, NULL));
  atp_options_destroy(options);
  return sampler;
}

/* Boltzmann learning: until the callback stops it, and then to its end. */
static atp_model *learn(atp_context *context, const atp_alignment *family) {
  atp_options *options;
  atp_trainer *trainer;
  atp_outcome outcome;
  atp_model *learned;
  look at = {0.9, {0}};
  check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
  check(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD));
  check(atp_options_set_i64(options, ATP_OPT_EPOCHS, STEPS));
  check(atp_trainer_create(context, family, options, &trainer));
  check(atp_trainer_run(trainer, STEPS, see, &at, &outcome));
  printf("%s after %d steps: chains have Pearson %.4f, slope %.4f\n", atp_outcome_name(outcome), (int)atp_trainer_epochs(trainer),
         at.last[ATP_PROGRESS_PEARSON], at.last[ATP_PROGRESS_SLOPE]);
  at.stop_above = 1;
  check(atp_trainer_run(trainer, STEPS, see, &at, &outcome));
  printf("%s after %d steps: in equilibrium %.4f, %.4f from random starts, %.4f, %.4f from the family\n", atp_outcome_name(outcome),
         (int)atp_trainer_epochs(trainer), at.last[ATP_PROGRESS_PEARSON_RANDOM], at.last[ATP_PROGRESS_SLOPE_RANDOM],
         at.last[ATP_PROGRESS_PEARSON_NATURAL], at.last[ATP_PROGRESS_SLOPE_NATURAL]);
  check(atp_trainer_model(trainer, &learned));
  atp_trainer_destroy(trainer), atp_options_destroy(options);
  return learned;
}

/* log Z and its standard error. */
static void log_z(atp_context *context, const atp_model *model, atp_partition_method method, double *value, double *error) {
  atp_options *options;
  atp_table *table;
  check(atp_options_create(context, ATP_OWNER_PARTITION, &options));
  check(atp_options_set_i64(options, ATP_OPT_METHOD, method));
  check(atp_table_create(context, ATP_TABLE_PARTITION, 1, &table));
  check(atp_estimate_log_z(context, model, options, table, NULL, NULL));
  check(atp_table_value(table, 0, ATP_PARTITION_LOG_Z, value));
  check(atp_table_value(table, 0, ATP_PARTITION_LOG_Z_ERROR, error));
  atp_table_destroy(table), atp_options_destroy(options);
}

/* The mean of log P(s) = -beta H(s) - log Z over sequences. */
static double mean_log_p(const atp_model *model, double z, const uint8_t *sequences) {
  static double energies[HELD_OUT];
  double sum = 0;
  check(atp_model_energies(model, sequences, HELD_OUT, energies, HELD_OUT));
  for (int n = 0; n < HELD_OUT; ++n) sum += energies[n];
  return -atp_model_beta(model) * sum / HELD_OUT - z;
}

/* C_ij of samples against those of the family; parts of the family say what independent samples would have. */
static void compare(atp_context *context, const atp_alignment *family, const atp_alignment *samples) {
  double found[ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS], parts[2][ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS], weights[2];
  check(atp_statistics_compare(context, family, samples, &found[0][0], ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS));
  check(atp_statistics_parts(context, family, SAMPLES, 10, 1, &parts[0][0][0], weights));
  const double *c = found[ATP_COMPARISON_COVARIANCES], *expected = parts[0][ATP_COMPARISON_COVARIANCES];
  printf("C_ij of samples: Pearson %.4f, slope %.4f; of independent samples %.4f, %.4f\n", c[ATP_COMPARISON_PEARSON],
         c[ATP_COMPARISON_SLOPE], expected[ATP_COMPARISON_PEARSON], expected[ATP_COMPARISON_SLOPE]);
}

int main(void) {
  atp_context *context;
  atp_model *truth;
  double z, error, exact, none, frequencies[SITES * COLORS], loss;
  static uint8_t sequences[SAMPLES * SITES], others[HELD_OUT * SITES];
  check(atp_context_create(NULL, NULL, NULL, &context));

  /* The family: samples of a true model, and more that nothing is learned from. Your own: atp_alignment_read() of <attopotts_io.h>. */
  check(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &truth));
  atp_sampler *source = start(context, truth, 32, 1);
  atp_alignment *family = draw(context, source, sequences, SAMPLES), *held_out = draw(context, source, others, HELD_OUT);
  atp_model *learned = learn(context, family);

  /* log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states. */
  log_z(context, learned, ATP_METHOD_AUTO, &z, &error);
  log_z(context, truth, ATP_METHOD_EXACT, &exact, &none);
  check(atp_alignment_frequencies(family, 0, frequencies, SITES * COLORS));
  check(atp_alignment_independent_loss(held_out, frequencies, SITES * COLORS, &loss));
  printf("log Z %.4f, standard error %.4f\n", z, error);
  printf("log P of held-out sequences: %.4f, true model %.4f, independent sites %.4f\n", mean_log_p(learned, z, others),
         mean_log_p(truth, exact, others), -SITES * loss);

  /* New sequences. */
  atp_sampler *sampler = start(context, learned, 64, 2);
  atp_alignment *samples = draw(context, sampler, sequences, SAMPLES);
  compare(context, family, samples);

  atp_alignment_destroy(samples), atp_sampler_destroy(sampler), atp_model_destroy(learned);
  atp_alignment_destroy(held_out), atp_alignment_destroy(family), atp_sampler_destroy(source), atp_model_destroy(truth);
  atp_context_destroy(context);
  return 0;
}
