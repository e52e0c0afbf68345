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

int main(void) {
  static double precision[SITES * SITES], covariance[P * P], teacher[P], eigenvalues[P], projections[P];
  const double alphas[POINTS] = {0.25, 0.75, 1.5, 3, 6}, shift = 2.5, lambda = 0.01;
  double noise, theory[POINTS][ATP_REPLICA_COLUMNS], limit[POINTS][ATP_REPLICA_COLUMNS], simulated[POINTS][ATP_REPLICA_SIM_COLUMNS];
  int64_t mask_size, spectrum_size;
  atp_context *context;
  atp_outcome outcome;

  /* x ~ N(0, P^-1), P = z I - J with a random J; site 0 is masked. Work space is ours: the theory allocates nothing. */
  check(atp_replica_mask_workspace(SITES, &mask_size));
  check(atp_replica_spectrum_workspace(P, &spectrum_size));
  const int64_t size = mask_size > spectrum_size ? mask_size : spectrum_size;
  double *work = malloc((size_t)size * sizeof *work);
  if (work == NULL) return 1;
  check(atp_replica_goe(SITES, shift, 1, precision, SITES * SITES));
  check(atp_replica_mask_precision(precision, SITES, 0, covariance, P * P, teacher, P, &noise, work, size));
  check(atp_replica_spectrum(covariance, P * P, teacher, P, eigenvalues, projections, P, work, size));
  free(work);

  check(atp_replica_square(eigenvalues, P, projections, P, noise, alphas, POINTS, lambda, 0, theory[0], sizeof theory / sizeof(double),
                           &outcome));
  if (outcome != ATP_OUTCOME_CONVERGED) return 1;
  check(atp_replica_limit(shift, alphas, POINTS, lambda, 0, limit[0], sizeof limit / sizeof(double), NULL));

  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_replica_simulate(context, covariance, P * P, teacher, P, noise, alphas, POINTS, lambda, REALISATIONS, 1, NULL, NULL,
                             simulated[0], sizeof simulated / sizeof(double), NULL));
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
