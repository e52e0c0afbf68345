/* SPDX-License-Identifier: MIT */
/* Samplers, tuning, diagnostics; states of samplers and trainers. */
#include "glue.h"

#include "entries.h"

SEXP r_sampler_bytes(SEXP model, SEXP keys, SEXP values) {
  box *m = box_of(model, MODEL);
  int64_t bytes = 0;
  atp_options *options = options_of(context_of(m), keys, values);
  const atp_status status = atp_sampler_bytes(context_of(m), m->handle, options, &bytes);
  atp_options_destroy(options);
  finish(status);
  return count_from(bytes);
}

SEXP r_sampler_create(SEXP context, SEXP model, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT);
  const atp_model *m = model_of(model);
  SEXP pointer = PROTECT(new_pointer(SAMPLER, c));
  box *b = R_ExternalPtrAddr(pointer);
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_sampler_create(c->handle, m, options, (atp_sampler **)&b->handle);
  atp_options_destroy(options);
  finish(status);
  UNPROTECT(1);
  return pointer;
}

SEXP r_sampler_info(SEXP sampler) {
  static const char *const names[] = {"chains", "sites", "temperatures", "sweeps"};
  const atp_sampler *s = sampler_of(sampler);
  SEXP list = PROTECT(list_from(4, names));
  SET_VECTOR_ELT(list, 0, count_from(atp_sampler_chains(s)));
  SET_VECTOR_ELT(list, 1, count_from(atp_sampler_sites(s)));
  SET_VECTOR_ELT(list, 2, count_from(atp_sampler_temperatures(s)));
  SET_VECTOR_ELT(list, 3, count_from(atp_sampler_sweeps(s)));
  UNPROTECT(1);
  return list;
}

SEXP r_sampler_betas(SEXP sampler) {
  const atp_sampler *s = sampler_of(sampler);
  const int64_t n = atp_sampler_temperatures(s);
  SEXP betas = PROTECT(Rf_allocVector(REALSXP, n));
  finish(atp_sampler_betas(s, REAL(betas), n));
  UNPROTECT(1);
  return betas;
}

SEXP r_sampler_set_betas(SEXP sampler, SEXP betas) {
  finish(atp_sampler_set_betas(sampler_of(sampler), reals_of(betas, "betas"), Rf_xlength(betas)));
  return R_NilValue;
}

SEXP r_sampler_swap_rates(SEXP sampler) {
  const atp_sampler *s = sampler_of(sampler);
  const int64_t n = atp_sampler_temperatures(s) - 1;
  SEXP rates = PROTECT(Rf_allocVector(REALSXP, n));
  if (n > 0) finish(atp_sampler_swap_rates(s, REAL(rates), n));
  UNPROTECT(1);
  return rates;
}

SEXP r_sampler_start(SEXP sampler, SEXP sequences) {
  atp_sampler *s = sampler_of(sampler);
  if (sequences == R_NilValue) {
    finish(atp_sampler_start_random(s));
  } else {
    int64_t n, sites;
    const uint8_t *bytes = sequences_of(sequences, 0, 0, "sequences", &n, &sites);
    finish(atp_sampler_start_from(s, bytes, n, sites));
  }
  return R_NilValue;
}

SEXP r_sampler_sweep(SEXP sampler, SEXP sweeps, SEXP progress, SEXP keys) {
  static const char *const names[] = {"outcome", "interrupted"};
  atp_sampler *s = sampler_of(sampler);
  const int64_t n = count_of(sweeps, "sweeps");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, keys, 0);
  run_end(&r, atp_sampler_sweep(s, n, run_report, &r, &outcome), R_NilValue);
  SEXP list = PROTECT(list_from(2, names));
  run_result(list, &r, outcome);
  UNPROTECT(2);
  return list;
}

SEXP r_sampler_sample(SEXP sampler, SEXP count, SEXP thin, SEXP energies, SEXP progress, SEXP keys) {
  static const char *const names[] = {"outcome", "interrupted", "sequences", "energies"};
  atp_sampler *s = sampler_of(sampler);
  const int64_t n = count_of(count, "n"), between = count_of(thin, "thin"), sites = atp_sampler_sites(s);
  if (n < 1 || n > 2147483647) fail(ATP_E_VALUE, "n is %.0f, expected 1..2147483647", (double)n);
  uint8_t *bytes = (uint8_t *)R_alloc((size_t)(n * sites), 1);
  SEXP list = PROTECT(list_from(4, names));
  if (Rf_asLogical(energies) == TRUE) SET_VECTOR_ELT(list, 3, Rf_allocVector(REALSXP, n));
  SEXP h = VECTOR_ELT(list, 3);
  int64_t done = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, keys, 0);
  run_end(&r,
          atp_sampler_sample(s, n, between, bytes, n * sites, h == R_NilValue ? NULL : REAL(h), &done, run_report, &r,
                             &outcome),
          R_NilValue);
  run_result(list, &r, outcome);
  SET_VECTOR_ELT(list, 2, matrix_from(bytes, done, sites));
  if (h != R_NilValue && done < n) SET_VECTOR_ELT(list, 3, Rf_xlengthgets(h, done));
  UNPROTECT(2);
  return list;
}

/* The rung counts from 1; NULL is the target. */
static int64_t rung_of(const atp_sampler *s, SEXP rung) {
  return rung == R_NilValue ? atp_sampler_temperatures(s) - 1 : index_of(rung, "rung");
}

SEXP r_sampler_states(SEXP sampler, SEXP rung) {
  const atp_sampler *s = sampler_of(sampler);
  const int64_t n = atp_sampler_chains(s), sites = atp_sampler_sites(s), at = rung_of(s, rung);
  uint8_t *bytes = (uint8_t *)R_alloc((size_t)(n * sites), 1);
  finish(atp_sampler_states(s, at, bytes, n * sites));
  return matrix_from(bytes, n, sites);
}

SEXP r_sampler_energies(SEXP sampler, SEXP rung) {
  const atp_sampler *s = sampler_of(sampler);
  const int64_t n = atp_sampler_chains(s), at = rung_of(s, rung);
  SEXP energies = PROTECT(Rf_allocVector(REALSXP, n));
  finish(atp_sampler_energies(s, at, REAL(energies), n));
  UNPROTECT(1);
  return energies;
}

SEXP r_tune_beta(SEXP context, SEXP model, SEXP option_keys, SEXP values, SEXP target, SEXP progress, SEXP keys) {
  static const char *const names[] = {"outcome", "interrupted", "beta", "beta_error", "hamming", "hamming_error"};
  box *c = box_of(context, CONTEXT);
  const atp_model *m = model_of(model);
  const double wanted = real_of(target, "target");
  double found[4] = {0, 0, 0, 0};
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, keys, 0);
  atp_options *options = options_of(c->handle, option_keys, values);
  const atp_status status = atp_tune_beta(c->handle, m, options, wanted, run_report, &r, &found[0], &found[1],
                                          &found[2], &found[3], &outcome);
  atp_options_destroy(options);
  run_end(&r, status, R_NilValue);
  SEXP list = PROTECT(list_from(6, names));
  run_result(list, &r, outcome);
  for (int k = 0; k < 4; ++k) SET_VECTOR_ELT(list, 2 + k, Rf_ScalarReal(found[k]));
  UNPROTECT(2);
  return list;
}

/* Series have a column for every chain in R, which is the library's [chains][n] as it is. */
SEXP r_autocorrelation_time(SEXP series, SEXP chains) {
  static const char *const names[] = {"tau", "error"};
  const int64_t c = count_of(chains, "chains"), n = c > 0 ? Rf_xlength(series) / c : 0;
  double tau = 0, error = 0;
  finish(atp_autocorrelation_time(reals_of(series, "series"), c, n, &tau, &error));
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, Rf_ScalarReal(tau));
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal(error));
  UNPROTECT(1);
  return list;
}

SEXP r_split_rhat(SEXP series, SEXP chains) {
  const int64_t c = count_of(chains, "chains"), n = c > 0 ? Rf_xlength(series) / c : 0;
  double rhat = 0;
  finish(atp_split_rhat(reals_of(series, "series"), c, n, &rhat));
  return Rf_ScalarReal(rhat);
}

SEXP r_hamming_histogram(SEXP sequences) {
  static const char *const names[] = {"counts", "mean"};
  int64_t n, sites;
  const uint8_t *bytes = sequences_of(sequences, 0, 0, "sequences", &n, &sites);
  int64_t *counts = (int64_t *)R_alloc((size_t)sites + 1, sizeof *counts);
  double mean = 0;
  finish(atp_hamming_histogram(bytes, n, sites, counts, sites + 1, &mean));
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, sites + 1));
  for (int64_t k = 0; k <= sites; ++k) REAL(VECTOR_ELT(list, 0))[k] = (double)counts[k];
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal(mean));
  UNPROTECT(1);
  return list;
}

/* ---- of samplers, trainers and transformers ---- */

static box *runner_of(SEXP pointer) {
  const kind found = kind_of(pointer);
  return box_of(pointer, found == TRAINER || found == TRANSFORMER ? found : SAMPLER);
}

#define RUNNER(b, function, arguments) \
  ((b)->kind == SAMPLER ? atp_sampler_##function arguments : LEARNER(b, function, arguments))

SEXP r_save_state(SEXP runner) {
  const box *b = runner_of(runner);
  const int64_t size = RUNNER(b, state_bytes, (b->handle));
  SEXP state = PROTECT(Rf_allocVector(RAWSXP, size));
  finish(RUNNER(b, save_state, (b->handle, RAW(state), size)));
  UNPROTECT(1);
  return state;
}

SEXP r_load_state(SEXP runner, SEXP state) {
  const box *b = runner_of(runner);
  if (TYPEOF(state) != RAWSXP) fail(ATP_E_VALUE, "state is %s, expected a raw vector", Rf_type2char(TYPEOF(state)));
  finish(RUNNER(b, load_state, (b->handle, RAW(state), Rf_xlength(state))));
  return R_NilValue;
}

SEXP r_request_stop(SEXP runner) {
  const box *b = runner_of(runner);
  RUNNER(b, request_stop, (b->handle));
  return R_NilValue;
}
