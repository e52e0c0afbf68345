/* SPDX-License-Identifier: MIT */
/** @file rungs.h
 *  Thermodynamics of a Potts model at several temperatures: what the chains of a sampler (sampler.h) say of each of its rungs, and exact
 *  numbers of small models in the same columns.
 *
 *      atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 20);
 *      atp_options_set_i64(options, ATP_OPT_CHAINS, 16);
 *      atp_sampler_create(context, model, options, &sampler);
 *      atp_sampler_set_betas(sampler, betas, 20);
 *      atp_sampler_sweep(sampler, 1000, NULL, NULL, NULL);                    // burn-in
 *      atp_table_create(context, ATP_TABLE_RUNGS, 20, &table);
 *      atp_sampler_measure(sampler, 1000, 4, table, NULL, NULL, NULL);        // 1000 read-outs, 4 sweeps apart
 *
 *  With N = L sites, rho_a(s) the fraction of sites of colour a, and s, t two independent chains:
 *
 *      specific heat          c = beta^2 (<H^2> - <H>^2) / N
 *      magnetisation          m(s) = (q max_a rho_a(s) - 1) / (q - 1), in 0..1; |M| / N of the Ising model
 *      reference              r(s) = (q / N sum_i [s_i = R_i] - 1) / (q - 1) of a given sequence R, in -1 / (q - 1)..1: the magnetisation
 *                             along a ground state, a pattern, or a wild type. In one of q phases its mean is that of the phase, in all of
 *                             them 0
 *      overlap                o(s, t) = (q / N sum_i [s_i = t_i] - 1) / (q - 1), in -1 / (q - 1)..1; sum_i s_i t_i / N of Ising spins
 *      Binder cumulants       1 - <m^4> / (3 <m^2>^2), of r and o likewise; of spin glasses g = 3/2 of the latter
 *      exchange               <min(1, exp((beta_k+1 - beta_k) (H_k+1 - H_k)))>: the mean probability of an exchange
 *      log Z                  from L log q at beta = 0 on, the sum of log(Z_k+1 / Z_k) by Bennett's acceptance ratio of neighbours
 *      its integral           the same by L log q - int_0^beta <H>, trapezoids with the correction h^2 / 12 (Var H_k+1 - Var H_k), whose
 *                             error is of order h^4: where both disagree, rungs are too far apart or not in equilibrium
 *      free energy, entropy   F = -log Z / beta, S = log Z + beta <H>
 *
 *  # Errors and verdict
 *  A number f(<a>, <b>, ...) has the standard error sqrt(2 tau Var(y) / n) of the mean of n read-outs of its influence y = sum_a df/d<a>
 *  (a - <a>). Its autocorrelation time is tau = 1/2 + sum_t rho(t), by Geyer's initial monotone sequence of pairs of rho from the halves of
 *  all chains, which includes what chains differ by; n / (2 tau) is the effective number of samples. Influences on log Z are sums over
 *  rungs at the same time, which are correlated where rungs exchange.
 *
 *  OUTCOME is CONVERGED if for H, m, o and, with a reference, r R-hat is at most its limit, and bulk and tail ESS are at least 400
 *  (atp_chain_mixing() in diagnostics.h); the row holds the R-hat that lies highest above its limit, and the fewest effective samples.
 *  The limit is for all rungs together: of a call with independent read-outs, one in a thousand has a rung above it. MAX_ITER with R-hat
 *  below its limit asks for more read-outs, above it for a longer burn-in or rungs that exchange. Overlaps of a model with a symmetry see
 *  chains that stay in one phase: below its transition a Potts model needs exchanges with rungs above it.
 *
 *  Sources: C. Bennett, J. Comput. Phys. 22, 245 (1976); K. Binder, Z. Phys. B 43, 119 (1981); C. Geyer, Stat. Sci. 7, 473 (1992).
 */
#ifndef ATTOPOTTS_RUNGS_H
#define ATTOPOTTS_RUNGS_H

#include <attopotts/sampler.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of ATP_TABLE_RUNGS. */
typedef enum atp_rungs_column ATP_INT {
  ATP_RUNGS_BETA = 0,                       /**< inverse temperature */
  ATP_RUNGS_ENERGY = 1,                     /**< mean of H, of all sites, without beta */
  ATP_RUNGS_ENERGY_ERROR = 2,               /**< standard error of energy */
  ATP_RUNGS_SPECIFIC_HEAT = 3,              /**< beta^2 Var(H) / L */
  ATP_RUNGS_SPECIFIC_HEAT_ERROR = 4,        /**< standard error of specific_heat */
  ATP_RUNGS_MAGNETISATION = 5,              /**< mean of m */
  ATP_RUNGS_MAGNETISATION_ERROR = 6,        /**< standard error of magnetisation */
  ATP_RUNGS_MAGNETISATION_BINDER = 7,       /**< 1 - <m^4> / (3 <m^2>^2) */
  ATP_RUNGS_MAGNETISATION_BINDER_ERROR = 8, /**< standard error of magnetisation_binder */
  ATP_RUNGS_OVERLAP = 9,                    /**< mean of o */
  ATP_RUNGS_OVERLAP_ERROR = 10,             /**< standard error of overlap */
  ATP_RUNGS_OVERLAP_SQUARE = 11,            /**< <o^2>; times L the spin-glass susceptibility of a model with a symmetry */
  ATP_RUNGS_OVERLAP_SQUARE_ERROR = 12,      /**< standard error of overlap_square */
  ATP_RUNGS_OVERLAP_BINDER = 13,            /**< 1 - <o^4> / (3 <o^2>^2); NaN of exact sums */
  ATP_RUNGS_OVERLAP_BINDER_ERROR = 14,      /**< standard error of overlap_binder */
  ATP_RUNGS_EXCHANGE = 15,                  /**< mean probability of an exchange with the next rung; NaN of the last */
  ATP_RUNGS_EXCHANGE_ERROR = 16,            /**< standard error of exchange */
  ATP_RUNGS_TAU = 17,                       /**< integrated autocorrelation time of H, 1/2 + sum_t rho(t), in sweeps; NaN of a constant */
  ATP_RUNGS_OVERLAP_TAU = 18,               /**< the same of o */
  ATP_RUNGS_RHAT = 19,                      /**< R-hat of H, m, o or r that lies highest above its limit, rank-normalised, split, folded */
  ATP_RUNGS_RHAT_LIMIT = 20,                /**< the largest R-hat of chains that agree */
  ATP_RUNGS_BULK_ESS = 21,                  /**< fewest effective samples of H, m, o or r, in the bulk */
  ATP_RUNGS_TAIL_ESS = 22,                  /**< and in the tails */
  ATP_RUNGS_LOG_Z = 23,                     /**< log Z; NaN if the first beta is not 0, colours are restricted, or neighbours below have
                                                  no energies in common */
  ATP_RUNGS_LOG_Z_ERROR = 24,               /**< standard error of log_z */
  ATP_RUNGS_LOG_Z_INTEGRAL = 25,            /**< log Z by integration of the mean energy over beta */
  ATP_RUNGS_LOG_Z_INTEGRAL_ERROR = 26,      /**< standard error of log_z_integral */
  ATP_RUNGS_FREE_ENERGY = 27,               /**< -log Z / beta; NaN at beta = 0 */
  ATP_RUNGS_FREE_ENERGY_ERROR = 28,         /**< standard error of free_energy */
  ATP_RUNGS_ENTROPY = 29,                   /**< log Z + beta times the mean of H */
  ATP_RUNGS_ENTROPY_ERROR = 30,             /**< standard error of entropy */
  ATP_RUNGS_OUTCOME = 31,                   /**< an atp_outcome: CONVERGED (chains agree and are worth enough) or MAX_ITER */
  ATP_RUNGS_REFERENCE = 32,                 /**< mean of r; NaN without a reference, as are the next three */
  ATP_RUNGS_REFERENCE_ERROR = 33,           /**< standard error of reference */
  ATP_RUNGS_REFERENCE_BINDER = 34,          /**< 1 - <r^4> / (3 <r^2>^2) */
  ATP_RUNGS_REFERENCE_BINDER_ERROR = 35     /**< standard error of reference_binder */
} atp_rungs_column;
/** Number of columns of atp_rungs_column. */
#define ATP_RUNGS_COLUMNS 36

/** Columns of ATP_TABLE_OVERLAPS: the distribution P(o) of overlaps on each rung. A bin has w = 1 + floor(L / 128) of the numbers 0..L of
 *  equal sites; there are floor((L + w) / w) bins, the last of which may be narrower. */
typedef enum atp_overlaps_column ATP_INT {
  ATP_OVERLAPS_BETA = 0,         /**< inverse temperature */
  ATP_OVERLAPS_OVERLAP = 1,      /**< mean of the overlaps of the bin */
  ATP_OVERLAPS_WIDTH = 2,        /**< of the bin */
  ATP_OVERLAPS_DENSITY = 3,      /**< P(o): density times width sums to 1 */
  ATP_OVERLAPS_DENSITY_ERROR = 4 /**< standard error of density */
} atp_overlaps_column;
/** Number of columns of atp_overlaps_column. */
#define ATP_OVERLAPS_COLUMNS 5

/* ---- All of this may change until version 1.0 ---- */

/** Sets the sequence R of the magnetisation r by a reference, for the calls of atp_sampler_measure() that follow. It is copied, changes no
 *  chain, and is no part of a saved state.
 *  @param[in] reference  (optional) shape [L], colours 0..q - 1; NULL: no reference; @param[in] size L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_ALPHABET (a colour >= q). A failed call changes nothing.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_set_reference(atp_sampler *sampler, const uint8_t *reference, int64_t size) ATP_NOEXCEPT;

/** Measures the rungs of a sampler: makes `thin` sweeps before each of n read-outs of all chains on all rungs, and appends one row for each
 *  rung, from the first beta to the target. Chains go on from where they are: make the burn-in before. Overlaps are those of the chains 0
 *  and 1, 2 and 3, ... at the same time. Energies are those that exchanges go by, in single precision (with one rung, in float64). Without
 *  exchanges, with ATP_OPT_SWAP_INTERVAL above all sweeps, the chains of the rungs are independent. A run that was stopped appends nothing.
 *  @param[in] n         number of read-outs, >= 16
 *  @param[in] thin      sweeps between two read-outs, >= 1
 *  @param[in] table     ATP_TABLE_RUNGS, with room for K rows
 *  @param[in] overlaps  (optional) ATP_TABLE_OVERLAPS, with room for K times the number of bins, at most 129 K
 *  @param[in] progress  (optional) called about every 0.1 s with STEP and TOTAL (sweeps), SITE_UPDATES, ENERGY and SWAP_RATE
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n, thin); ATP_E_CONFLICT (a table of another kind; fewer than 2 chains); ATP_E_BUFFER (no room
 *          in a table); ATP_E_TOO_LARGE (more than 2^48 sweeps, or the read-outs); ATP_E_MEMORY; ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: 18 K C n + 56 C n bytes, with a reference 4 K C n more, through the context, freed before the call returns. Threads: one
 *  per handle; collective, parallel. Since: 0.1. Source: see above. */
ATP_API atp_status atp_sampler_measure(atp_sampler *sampler, int64_t n, int64_t thin, atp_table *table, atp_table *overlaps,
                                       atp_progress_fn progress, void *user) ATP_NOEXCEPT;

/** Appends the exact numbers of a small model at given betas, by sums over its q^L states in float64: one row for each, with errors of 0,
 *  effective samples and autocorrelation times of 0, R-hat of 1 and CONVERGED; the exchange is NaN, as is the Binder cumulant of overlaps.
 *  Of an autoregressive model betas are 1: its energy is -log P, log Z is 0, the entropy is the mean energy and the specific heat the
 *  variance of log P per site.
 *  @param[in] betas      shape [n], 0..1e6, in any order; @param[in] n >= 1
 *  @param[in] reference  (optional) shape [L], colours 0..q - 1: the sequence R of r; @param[in] size L
 *  @param[in] table      ATP_TABLE_RUNGS, with room for n rows
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_ALPHABET (reference); ATP_E_VALUE (n, betas); ATP_E_NOT_FINITE; ATP_E_CONFLICT (an
 *          autoregressive model and a beta that is not 1; a table of another kind); ATP_E_TOO_LARGE (q^L > 2^26); ATP_E_BUFFER (no
 *          room in the table); ATP_E_MEMORY
 *  Allocates: 8 L^2 q^2 bytes through the context, freed before the call returns. Time: proportional to n q^L L. Threads: one per context.
 *  Since: 0.1. */
ATP_API atp_status atp_model_enumerate_rungs(atp_context *context, const atp_model *model, const double *betas, int64_t n,
                                             const uint8_t *reference, int64_t size, atp_table *table) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
