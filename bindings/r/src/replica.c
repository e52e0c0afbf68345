/* SPDX-License-Identifier: MIT */
/* Learning curves. Rows come out as the library writes them, [alphas][columns]; R code turns them into columns. */
#include "glue.h"

#include "entries.h"

#include <stdint.h>

SEXP r_replica_goe(SEXP sites, SEXP shift, SEXP seed) {
  const int64_t l = count_of(sites, "sites");
  const double z = real_of(shift, "shift");
  const uint64_t key = seed_of(seed);
  if (l < 2 || l > 32000) fail(ATP_E_VALUE, "sites is %.0f, expected 2..32000", (double)l);
  SEXP precision = PROTECT(Rf_allocMatrix(REALSXP, (int)l, (int)l));
  finish(atp_replica_goe(l, z, key, REAL(precision), l * l));
  UNPROTECT(1);
  return precision;
}

SEXP r_replica_mask(SEXP matrix, SEXP sites, SEXP site, SEXP is_precision) {
  static const char *const names[] = {"covariance", "teacher", "noise"};
  const int64_t l = count_of(sites, "sites"), i = index_of(site, "site"), p = l - 1;
  const double *from = reals_of(matrix, "matrix");
  int64_t size = 0;
  double noise = 0;
  finish(atp_replica_mask_workspace(l, &size));
  double *work = (double *)R_alloc((size_t)size, sizeof *work);
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, Rf_allocMatrix(REALSXP, (int)p, (int)p));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, p));
  double *covariance = REAL(VECTOR_ELT(list, 0)), *teacher = REAL(VECTOR_ELT(list, 1));
  finish(Rf_asLogical(is_precision) == TRUE
             ? atp_replica_mask_precision(from, l, i, covariance, p * p, teacher, p, &noise, work, size)
             : atp_replica_mask_covariance(from, l, i, covariance, p * p, teacher, p, &noise, work, size));
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal(noise));
  UNPROTECT(1);
  return list;
}

SEXP r_replica_spectrum(SEXP covariance, SEXP teacher) {
  static const char *const names[] = {"eigenvalues", "projections"};
  const int64_t p = Rf_xlength(teacher);
  const double *s = reals_of(covariance, "covariance"), *w = reals_of(teacher, "teacher");
  int64_t size = 0;
  finish(atp_replica_spectrum_workspace(p, &size));
  double *work = (double *)R_alloc((size_t)size, sizeof *work);
  SEXP list = PROTECT(list_from(2, names));
  for (int k = 0; k < 2; ++k) SET_VECTOR_ELT(list, k, Rf_allocVector(REALSXP, p));
  finish(atp_replica_spectrum(s, Rf_xlength(covariance), w, p, REAL(VECTOR_ELT(list, 0)), REAL(VECTOR_ELT(list, 1)), p,
                              work, size));
  UNPROTECT(1);
  return list;
}

/* list(rows, outcome), the rows not yet filled, protected once. */
static SEXP curve_of(SEXP alphas, int columns) {
  static const char *const names[] = {"rows", "outcome", "optimum"};
  reals_of(alphas, "alphas");
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, Rf_xlength(alphas) * columns));
  return list;
}

static SEXP finished(SEXP list, atp_status status, const atp_outcome *outcome) {
  finish(status);
  SET_VECTOR_ELT(list, 1, text_from(atp_outcome_name((int)*outcome)));
  UNPROTECT(1);
  return list;
}

#define ROWS(list) REAL(VECTOR_ELT(list, 0)), Rf_xlength(VECTOR_ELT(list, 0))

SEXP r_replica_square(SEXP eigenvalues, SEXP projections, SEXP noise, SEXP alphas, SEXP penalty, SEXP temperature) {
  const double *s = reals_of(eigenvalues, "eigenvalues"), *t = reals_of(projections, "projections"),
               variance = real_of(noise, "noise");
  const double lambda = real_of(penalty, "penalty"), heat = real_of(temperature, "temperature");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = curve_of(alphas, ATP_REPLICA_COLUMNS);
  return finished(list,
                  atp_replica_square(s, Rf_xlength(eigenvalues), t, Rf_xlength(projections), variance, REAL(alphas),
                                     Rf_xlength(alphas), lambda, heat, ROWS(list), &outcome),
                  &outcome);
}

SEXP r_replica_square_saddle(SEXP eigenvalues, SEXP projections, SEXP noise, SEXP alphas, SEXP penalty,
                             SEXP temperature, SEXP max_iter) {
  const double *s = reals_of(eigenvalues, "eigenvalues"), *t = reals_of(projections, "projections"),
               variance = real_of(noise, "noise");
  const double lambda = real_of(penalty, "penalty"), heat = real_of(temperature, "temperature");
  const int64_t most = count_of(max_iter, "max_iter");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = curve_of(alphas, ATP_REPLICA_COLUMNS);
  return finished(list,
                  atp_replica_square_saddle(s, Rf_xlength(eigenvalues), t, Rf_xlength(projections), variance,
                                            REAL(alphas), Rf_xlength(alphas), lambda, heat, most, ROWS(list), &outcome),
                  &outcome);
}

SEXP r_replica_limit(SEXP shift, SEXP alphas, SEXP penalty, SEXP temperature) {
  const double z = real_of(shift, "shift"), lambda = real_of(penalty, "penalty"),
               heat = real_of(temperature, "temperature");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = curve_of(alphas, ATP_REPLICA_COLUMNS);
  return finished(list, atp_replica_limit(z, REAL(alphas), Rf_xlength(alphas), lambda, heat, ROWS(list), &outcome),
                  &outcome);
}

SEXP r_replica_convex(SEXP eigenvalues, SEXP projections, SEXP noise, SEXP loss, SEXP delta, SEXP alphas, SEXP penalty,
                      SEXP max_iter) {
  const double *s = reals_of(eigenvalues, "eigenvalues"), *t = reals_of(projections, "projections"),
               variance = real_of(noise, "noise");
  const double width = real_of(delta, "delta"), lambda = real_of(penalty, "penalty");
  const int64_t most = count_of(max_iter, "max_iter");
  const int kind_of_loss = int_of(loss, "loss");
  int64_t size = 0;
  double optimum = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  finish(atp_replica_convex_workspace(&size));
  double *work = (double *)R_alloc((size_t)size, sizeof *work);
  SEXP list = curve_of(alphas, ATP_REPLICA_COLUMNS);
  const atp_status status = atp_replica_convex(s, Rf_xlength(eigenvalues), t, Rf_xlength(projections), variance,
                                               (atp_replica_loss)kind_of_loss, width, REAL(alphas), Rf_xlength(alphas),
                                               lambda, most, work, size, ROWS(list), &optimum, &outcome);
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal(optimum));
  return finished(list, status, &outcome);
}

SEXP r_replica_simulate_bytes(SEXP context, SEXP parameters, SEXP alphas, SEXP penalty, SEXP realisations) {
  int64_t bytes = 0;
  finish(atp_replica_simulate_bytes(box_of(context, CONTEXT)->handle, count_of(parameters, "parameters"),
                                    reals_of(alphas, "alphas"), Rf_xlength(alphas), real_of(penalty, "penalty"),
                                    count_of(realisations, "realisations"), &bytes));
  return count_from(bytes);
}

SEXP r_replica_simulate(SEXP context, SEXP covariance, SEXP teacher, SEXP noise, SEXP alphas, SEXP penalty,
                        SEXP realisations, SEXP seed, SEXP progress, SEXP keys) {
  static const char *const names[] = {"outcome", "interrupted", "rows"};
  box *c = box_of(context, CONTEXT);
  const double *s = reals_of(covariance, "covariance"), *w = reals_of(teacher, "teacher"),
               *points = reals_of(alphas, "alphas");
  const double variance = real_of(noise, "noise"), lambda = real_of(penalty, "penalty");
  const int64_t runs = count_of(realisations, "realisations");
  const uint64_t key = seed_of(seed);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, Rf_xlength(alphas) * ATP_REPLICA_SIM_COLUMNS));
  SEXP rows = VECTOR_ELT(list, 2);
  run r;
  run_begin(&r, progress, keys, 0);
  run_end(&r,
          atp_replica_simulate(c->handle, s, Rf_xlength(covariance), w, Rf_xlength(teacher), variance, points,
                               Rf_xlength(alphas), lambda, runs, key, run_report, &r, REAL(rows), Rf_xlength(rows),
                               &outcome),
          R_NilValue);
  run_result(list, &r, outcome);
  UNPROTECT(2);
  return list;
}
