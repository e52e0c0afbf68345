/* SPDX-License-Identifier: MIT */
/* How many samples does a linear student need for a masked Gaussian value? The learning curve in theory, for one random system and in the
 * limit of many sites, beside a simulation. Build: cc learning_curve.c -o learning_curve $(pkg-config --cflags --libs attopotts) */
#include <attopotts.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SITES = 100, P = SITES - 1, POINTS = 5, REALISATIONS = 20 };

static void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}

/* Run a task into a table of its own; its numbers, row after row. */
static void run(atp_context *context, atp_task *task, double *numbers) {
  atp_table *table;
  atp_outcome outcome;
  check(atp_table_create(context, (atp_table_kind)atp_task_table_kind(task), atp_task_rows(task), &table));
  check(atp_task_run(task, table, NULL, NULL, &outcome));
  if (outcome != ATP_OUTCOME_CONVERGED) exit(1);
  check(atp_table_values(table, numbers, atp_table_rows(table) * atp_table_columns(table)));
  atp_table_destroy(table);
}

int main(void) {
  static double precision[SITES * SITES], covariance[P * P], weights[P], eigenvalues[P], projections[P];
  const double alphas[POINTS] = {0.25, 0.75, 1.5, 3, 6}, shift = 2.5;
  double theory[POINTS][ATP_REPLICA_COLUMNS], limit[POINTS][ATP_REPLICA_COLUMNS], simulated[POINTS][ATP_REPLICA_SIM_COLUMNS];
  atp_context *context;
  atp_options *options;
  atp_masked *masked;
  atp_task *square, *infinite, *simulation;

  /* x ~ N(0, P^-1), P = z I - J with a random J; site 0 is masked. */
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_replica_goe(SITES, shift, 1, precision, SITES * SITES));
  check(atp_masked_create_precision(context, precision, SITES, 0, &masked));
  const double noise = atp_masked_noise(masked);
  check(atp_masked_covariance(masked, covariance, P * P));
  check(atp_masked_weights(masked, weights, P));
  check(atp_masked_spectrum(masked, eigenvalues, projections, P));
  atp_masked_destroy(masked);

  check(atp_options_create(context, ATP_TASK_REPLICA_SQUARE, &options));
  check(atp_options_set_f64(options, ATP_OPT_LAMBDA, 0.01));
  check(atp_options_set_f64(options, ATP_OPT_NOISE, noise));
  check(atp_task_create(context, ATP_TASK_REPLICA_SQUARE, options, &square));
  atp_options_destroy(options);
  check(atp_task_set_array(square, ATP_ARRAY_ALPHAS, alphas, POINTS, 1));
  check(atp_task_set_array(square, ATP_ARRAY_EIGENVALUES, eigenvalues, P, 1));
  check(atp_task_set_array(square, ATP_ARRAY_PROJECTIONS, projections, P, 1));
  run(context, square, theory[0]);

  check(atp_options_create(context, ATP_TASK_REPLICA_LIMIT, &options));
  check(atp_options_set_f64(options, ATP_OPT_LAMBDA, 0.01));
  check(atp_options_set_f64(options, ATP_OPT_DIAGONAL_SHIFT, shift));
  check(atp_task_create(context, ATP_TASK_REPLICA_LIMIT, options, &infinite));
  atp_options_destroy(options);
  check(atp_task_set_array(infinite, ATP_ARRAY_ALPHAS, alphas, POINTS, 1));
  run(context, infinite, limit[0]);

  check(atp_options_create(context, ATP_TASK_REPLICA_SIMULATION, &options));
  check(atp_options_set_f64(options, ATP_OPT_LAMBDA, 0.01));
  check(atp_options_set_f64(options, ATP_OPT_NOISE, noise));
  check(atp_options_set_i64(options, ATP_OPT_REALISATIONS, REALISATIONS));
  check(atp_task_create(context, ATP_TASK_REPLICA_SIMULATION, options, &simulation));
  atp_options_destroy(options);
  check(atp_task_set_array(simulation, ATP_ARRAY_ALPHAS, alphas, POINTS, 1));
  check(atp_task_set_array(simulation, ATP_ARRAY_COVARIANCE, covariance, P, P));
  check(atp_task_set_array(simulation, ATP_ARRAY_WEIGHTS, weights, P, 1));
  run(context, simulation, simulated[0]);

  atp_task_destroy(simulation);
  atp_task_destroy(infinite);
  atp_task_destroy(square);
  atp_context_destroy(context);

  int good = 1;
  printf("generalisation loss, best %.4f, without data %.4f\n alpha    theory     limit  simulation\n", noise, theory[0][ATP_REPLICA_RHO]);
  for (int k = 0; k < POINTS; ++k) {
    const double eg = theory[k][ATP_REPLICA_EG], mean = simulated[k][ATP_REPLICA_SIM_EG], error = simulated[k][ATP_REPLICA_SIM_EG_SEM];
    printf("%6.2f  %8.4f  %8.4f  %8.4f +- %.4f\n", alphas[k], eg, limit[k][ATP_REPLICA_EG], mean, error);
    good = good && fabs(mean - eg) < 5 * error;
  }
  return good ? 0 : 1;
}
