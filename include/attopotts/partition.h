/* SPDX-License-Identifier: MIT */
/** @file partition.h
 *  Log Z, entropy and probabilities of Potts models.
 *
 *      atp_table_create(context, ATP_TABLE_PARTITION, 1, &table);
 *      atp_estimate_log_z(context, model, NULL, table, NULL, NULL);
 *      atp_table_column(table, "log_z", &log_z, 1);
 *      atp_model_energies(model, sequences, n, energies, n);      // log P(s) = -beta H(s) - log Z, in nats
 *
 *  P(s) = exp(-beta H(s)) / Z with the energy of the symmetric part of the couplings (model.h), S = -sum_s P(s) log P(s) = log Z + beta
 *  <H>. Three methods:
 *
 *  EXACT sums over all states.
 *
 *  An autoregressive model (atp_model_set_order()) has Z = 1 and the energy -log P at its beta, so that S = <H>: whatever the method, the
 *  row is EXACT with beta 1 and log_z 0. Up to 2^18 states the entropy is summed, too; otherwise it is the mean over C independent
 *  sequences (ATP_OPT_CHAINS, 16384 unless set, at least 16), with its error.
 *
 *  ANNEALING is annealed importance sampling. C chains start from independent sites, p_0(s) = prod_i pi_i(s_i), and make Gibbs sweeps while
 *  f_t(s) = p_0(s)^(1 - t) exp(-t beta H(s)) goes from t = 0 to 1 in K steps. Each has the weight w = prod_k f_{t_{k+1}}(s_k) /
 *  f_{t_k}(s_k), whose mean is Z for any K; <H> is the weighted mean over K / 4 more steps at t = 1. Errors come from the scatter of the
 *  weights, to first order. Pilot runs of 128 even steps come first: one from uniform pi, then one from the frequencies of the sites in its
 *  end states (with one count of uniform sites), and up to three more as long as each lowers the variance of log w by a quarter and it is
 *  above 0.5. The start of the least variance is taken; the times t_k make equal steps of the length that its pilot measured, the
 *  integral of the standard deviation of log f_1 - log f_0 over t; and K, unless set, is what brings the variance of log w to about 1 if it
 *  falls like 1 / K, at least 256. The run is CONVERGED if the chains are worth at least a twentieth of their number, and ten.
 *
 *  LADDER runs replica exchange (sampler.h) on rungs from beta = 0, where log Z = L log q, to that of the model, and adds log(Z_k+1 / Z_k)
 *  of neighbouring rungs by Bennett's acceptance ratio. Rungs exchange at a rate near 0.4, as an annealed pilot run tells, unless
 *  ATP_OPT_TEMPERATURES sets their number. Errors are those of the jackknife over ladders. The run is CONVERGED if R-hat of the energy
 *  is at most its limit on every rung, see atp_chain_mixing() in diagnostics.h.
 *
 *  Both miss what none of their chains finds: a phase that is reached from no start. Where they agree within their errors, they do so from
 *  different sides: annealed chains are driven, ladders are in equilibrium.
 *
 *  Threads and ranks share the chains; the numbers do not depend on them.
 *  Sources: R. Neal, Stat. Comput. 11, 125 (2001); C. Bennett, J. Comput. Phys. 22, 245 (1976).
 */
#ifndef ATTOPOTTS_PARTITION_H
#define ATTOPOTTS_PARTITION_H

#include <attopotts/model.h>
#include <attopotts/options.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Methods for log Z: values of ATP_OPT_METHOD. */
typedef enum atp_partition_method ATP_INT {
  ATP_METHOD_AUTO = 0,      /**< EXACT up to 2^22 states, otherwise ANNEALING */
  ATP_METHOD_EXACT = 1,     /**< the sum over all q^L <= 2^26 states */
  ATP_METHOD_ANNEALING = 2, /**< annealed importance sampling */
  ATP_METHOD_LADDER = 3     /**< bridges between the rungs of replica exchange */
} atp_partition_method;

/** Columns of ATP_TABLE_PARTITION. */
typedef enum atp_partition_column ATP_INT {
  ATP_PARTITION_METHOD = 0,         /**< the atp_partition_method that was used */
  ATP_PARTITION_BETA = 1,           /**< inverse temperature of the model; of an autoregressive one 1 */
  ATP_PARTITION_LOG_Z = 2,          /**< log Z = log sum_s exp(-beta H(s)) */
  ATP_PARTITION_LOG_Z_ERROR = 3,    /**< standard error of log_z; 0 of EXACT */
  ATP_PARTITION_ENERGY = 4,         /**< mean energy <H>, without beta */
  ATP_PARTITION_ENERGY_ERROR = 5,   /**< standard error of energy */
  ATP_PARTITION_ENTROPY = 6,        /**< S = log Z + beta <H> */
  ATP_PARTITION_ENTROPY_ERROR = 7,  /**< standard error of entropy */
  ATP_PARTITION_EFFECTIVE = 8,      /**< independent chains by their weights, (sum w)^2 / sum w^2; of LADDER the number of ladders, of
                                               EXACT 0 */
  ATP_PARTITION_RHAT = 9,           /**< largest R-hat of the energy on the rungs of LADDER; otherwise 0 */
  ATP_PARTITION_DISTRIBUTIONS = 10, /**< distributions between the start and the model, both included; of EXACT 0 */
  ATP_PARTITION_PROFILE = 11,       /**< 1: annealing started from the frequencies of the sites, otherwise 0 */
  ATP_PARTITION_OUTCOME = 12        /**< an atp_outcome: CONVERGED; MAX_ITER (the errors are not to be relied on); CANCELLED (numbers
                                                are NaN) */
} atp_partition_column;
/** Number of columns of atp_partition_column. */
#define ATP_PARTITION_COLUMNS 13

/* ---- All of this may change until version 1.0 ---- */

/** Computes log Z, the mean energy and the entropy of a model at its beta, and appends them as one row. An end with MAX_ITER is logged as a
 *  warning that says what to do. A model with beta = 0 has log Z = S = L log q by any method.
 *  @param[in] options  (optional) of ATP_OWNER_PARTITION
 *  @param[in] table    ATP_TABLE_PARTITION, with room for one more row
 *  @param[in] progress (optional) called about every 0.1 s with STEP and TOTAL (sweeps, pilot runs included, as far as known)
 *                      and SITE_UPDATES; not by EXACT
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (fewer than 16 chains of ANNEALING, 8 ladders, 64 sweeps or 2 temperatures of LADDER; beta
 *          above 1e6; local fields beyond single precision); ATP_E_CONFLICT (a table of another kind); ATP_E_TOO_LARGE (EXACT: q^L > 2^26;
 *          more than 2^19 heads of an asymmetric model); ATP_E_BUFFER (no room in the table); ATP_E_MEMORY; ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: chains and a copy of the model in single precision (in double, too, with LADDER and of an asymmetric model) through the
 *  context, freed before the call returns. Threads: one per context; collective, parallel. Since: 0.1.
 *  Source: R. Neal, Stat. Comput. 11, 125 (2001); C. Bennett, J. Comput. Phys. 22, 245 (1976). */
ATP_API atp_status atp_estimate_log_z(atp_context *context, const atp_model *model, const atp_options *options, atp_table *table,
                                      atp_progress_fn progress, void *user) ATP_NOEXCEPT;

/** Computes the mean log P of the sequences of an alignment, by their weights, per site and in nats, and its standard error:
 *    log_p = sum_n w_n log P(s_n) / (L sum_n w_n),   log P(s) = -beta H(s) - log_z,
 *    error^2 = [sum_n w_n (log P(s_n) - L log_p)^2 (sum_n w_n^2) / (sum_n w_n)^3 + log_z_error^2] / L^2.
 *  If the alignment has one colour more than the model, its first colour, the gap, is missing data. Sequences with a missing site are left
 *  out, which the log tells; both numbers are NaN if none remains, and the error of one is that of log_z. The log warns where log P is
 *  above 0 by more than 4 errors of log_z: then log_z misses states of the model. The context's threads share the sequences; the numbers
 *  do not depend on them.
 *  @param[in]  log_z        of the model, as atp_estimate_log_z() finds it; 0 of an autoregressive model
 *  @param[in]  log_z_error  >= 0: its standard error
 *  @param[out] log_p, error (optional)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (L or q differ); ATP_E_NOT_FINITE; ATP_E_VALUE (log_z_error; log_z or its error of an
 *          autoregressive model are not 0); ATP_E_MEMORY
 *  Allocates: N numbers, and with missing data N L bytes, through the context, freed before the call returns. Threads: one per context,
 *  parallel. Since: 0.1. */
ATP_API atp_status atp_model_mean_log_p(atp_context *context, const atp_model *model, const atp_alignment *alignment, double log_z,
                                        double log_z_error, double *log_p, double *error) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
