/* SPDX-License-Identifier: MIT */
/** @file diagnostics.h
 *  Convergence diagnostics of Markov chains, and errors by the bootstrap. The functions work on arrays of the caller. Threads: always safe.
 */
#ifndef ATTOPOTTS_DIAGNOSTICS_H
#define ATTOPOTTS_DIAGNOSTICS_H

#include <attopotts/context.h>
#include <attopotts/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Computes the integrated autocorrelation time tau = 1/2 + sum_{t >= 1} rho(t) of a series, in units of its spacing. The sum ends at the
 *  first window W >= 6 tau(W) > 0, at the latest at n / 2. rho is averaged over the chains, with deviations from the mean of all chains:
 *  chains that disagree have a large tau. N samples are worth N / (2 tau) independent samples. Independent samples
 *  have tau = 1/2; the other convention, 1 + 2 sum_t rho(t), has twice this number. If tau_error is of the order of tau, the
 *  series is too short.
 *  @param[in]  series  shape [chains][n], finite; @param[in] chains >= 1, n >= 16
 *  @param[out] tau, tau_error  tau_error may be NULL: standard error by Madras and Sokal's formula tau sqrt((4 W + 2) / (chains n))
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (chains, n, a constant series); ATP_E_NOT_FINITE
 *  Allocates: no. Time: chains * n * W. Threads: any. Since: 0.1. Source: N. Madras, A. Sokal, J. Stat. Phys. 50, 109 (1988). */
ATP_API atp_status atp_autocorrelation_time(const double *series, int64_t chains, int64_t n, double *tau, double *tau_error) ATP_NOEXCEPT;

/** Computes split R-hat. Each chain is cut in two halves (an odd n drops the middle element); R-hat is sqrt(pooled variance / within-chain
 *  variance). It is 1 for mixed chains; atp_chain_mixing() says how far above 1 mixed chains of this length can be. It is infinite if every
 *  half chain is constant and they differ.
 *  @param[in]  series  shape [chains][n], finite; @param[in] chains >= 1, n >= 4
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE. A series constant over all chains has R-hat 1.
 *  Allocates: no. Threads: any. Since: 0.1. Source: A. Gelman et al., Bayesian Data Analysis, 3rd ed. (2013), sec. 11.4. */
ATP_API atp_status atp_split_rhat(const double *series, int64_t chains, int64_t n, double *rhat) ATP_NOEXCEPT;

/** Numbers of atp_chain_mixing(). */
typedef enum atp_mixing_column ATP_INT {
  ATP_MIXING_RHAT = 0,       /**< the larger of rank-normalised split R-hat of x and of |x - median| */
  ATP_MIXING_RHAT_LIMIT = 1, /**< the largest R-hat of chains that agree */
  ATP_MIXING_BULK_ESS = 2,   /**< effective samples of the ranks */
  ATP_MIXING_TAIL_ESS = 3,   /**< the smaller number of effective samples of the events x <= quantile 0.05 and x <= quantile 0.95 */
  ATP_MIXING_OUTCOME = 4     /**< an atp_outcome: CONVERGED (R-hat <= its limit, both ESS >= 400) or MAX_ITER */
} atp_mixing_column;
/** Number of columns of atp_mixing_column. */
#define ATP_MIXING_COLUMNS 5

/** Tells whether chains agree, and how many independent samples they are worth: the rule of all verdicts of the library.
 *  Ranks of the halves of all chains are replaced by normal scores Phi^-1((rank - 3/8) / (N + 1/4)); R-hat is split R-hat of these, or that
 *  of the scores of |x - median|, which sees a chain that is stuck in the middle of the others or has another width. Chains agree if
 *      R-hat <= sqrt(1.01^2 + (F - 1) / h),   h = n / 2,
 *  with F the quantile 1 - 0.0005 of Fisher's distribution with 2 C - 1 and 2 C (h - 1) degrees of freedom for C chains: R-hat^2 of
 *  independent samples is (h - 1) / h + F / h, so that at most one in a thousand of these is above the limit, which for long chains is
 *  1.01. Of 4000 sets each of 2 to 64 chains of 8 and 32 samples 0 to 3 were (the test unit-mixing). Errors can be trusted from 400
 *  effective samples on; chains that agree with fewer are too short for them, which does not mean that they are not in equilibrium. Chains
 *  that all miss the same part of state space agree.
 *  @param[in]  series   shape [chains][n], finite; @param[in] chains >= 1, n >= 16
 *  @param[out] numbers  shape [ATP_MIXING_COLUMNS]
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_TOO_LARGE; ATP_E_MEMORY. A series constant over all chains has R-hat 1.
 *  Allocates: 24 bytes a sample through the context, freed before the call returns. Time: chains * n times the autocorrelation time.
 *  Threads: one per context. Since: 0.1. Source: A. Vehtari et al., Bayesian Anal. 16, 667 (2021), sec. 4; numbers are those of ArviZ. */
ATP_API atp_status atp_chain_mixing(atp_context *context, const double *series, int64_t chains, int64_t n, double *numbers) ATP_NOEXCEPT;

/** Computes R-hat of overlaps, which tells whether chains visit the same parts of state space in the same proportions. Chains that stay in
 *  basins of equal energy have an energy whose R-hat is 1; their overlaps differ. The overlap of a state with a reference is the fraction
 *  of sites where they are equal. References are the last states of the chains k C / R, k = 0..R - 1, R = min(C, 16) (integer division);
 *  the last states of all chains are then left out. For each reference the overlaps of a chain are replaced by normal scores of their ranks
 *  and R-hat is split R-hat of the scores, or that of the scores of |overlap - median| if it is larger. The result is the largest R-hat of
 *  all references. It is near 1 for mixed chains and infinite if every half of a chain is constant and they differ.
 *  @param[in]  sequences  shape [n][sites]; sequence m is of chain m mod chains, as atp_sampler_sample() and atp_sampling_sequences() write
 *                         them. An incomplete last round is not used
 *  @param[in]  n          at least 5 chains; @param[in] sites >= 1; @param[in] chains C >= 1
 *  @param[out] rhat       one number
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE; ATP_E_MEMORY
 *  Allocates: 16 bytes a sequence and 32 a site through the context, freed before the call returns. Time: 16 n sites. Threads: one per
 *  context. Since: 0.1. Source: A. Vehtari et al., Bayesian Anal. 16, 667 (2021), sec. 4, for rank normalisation and folding. */
ATP_API atp_status atp_overlap_rhat(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t chains,
                                    double *rhat) ATP_NOEXCEPT;

/** Computes the histogram of the Hamming distances of all pairs of sequences.
 *  @param[in]  sequences  shape [n][sites]; @param[in] n >= 2, sites >= 1
 *  @param[out] counts     shape [sites + 1], number of pairs at each distance; @param[in] size sites + 1
 *  @param[out] mean       (optional) mean distance as a fraction of the sites
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE. Allocates: no. Time: n^2 sites / 2. Threads: any. Since: 0.1. */
ATP_API atp_status atp_hamming_histogram(const uint8_t *sequences, int64_t n, int64_t sites, int64_t *counts, int64_t size,
                                         double *mean) ATP_NOEXCEPT;

/** Columns of atp_bootstrap_errors(). */
typedef enum atp_bootstrap_column ATP_INT {
  ATP_BOOTSTRAP_SAMPLES = 0, /**< samples in which the number is known */
  ATP_BOOTSTRAP_MEAN = 1,    /**< mean over them; NaN without any */
  ATP_BOOTSTRAP_ERROR = 2,   /**< standard deviation over them: the standard error of the number; NaN with fewer than two */
  ATP_BOOTSTRAP_LOW = 3,     /**< quantile 0.025, linear between order statistics: the lower end of a 95 per cent interval */
  ATP_BOOTSTRAP_HIGH = 4     /**< quantile 0.975 */
} atp_bootstrap_column;
/** Number of columns of atp_bootstrap_column. */
#define ATP_BOOTSTRAP_COLUMNS 5

/** Summarises numbers that were computed on samples, such as those of atp_alignment_resample(). The error of a difference is that of the
 *  differences on the same samples, which then should stand among the numbers.
 *  @param[in]  values  shape [samples][numbers]; NaN: not known
 *  @param[in]  samples, numbers  >= 1
 *  @param[out] errors  shape [numbers][ATP_BOOTSTRAP_COLUMNS]
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE (an infinite value); ATP_E_MEMORY
 *  Allocates: work space through the context, 8 bytes a sample, freed before the call returns. Threads: one per context. Since: 0.1.
 *  Source: B. Efron, Ann. Statist. 7, 1 (1979). */
ATP_API atp_status atp_bootstrap_errors(atp_context *context, const double *values, int64_t samples, int64_t numbers,
                                        double *errors) ATP_NOEXCEPT;

/** Counts the values that agree with what is expected: |value - expected| <= factor * error. NaN agrees with nothing.
 *  @param[in]  expected, values, errors  shape [n]: numbers of a theory, those measured, and their standard errors
 *  @param[in]  n       >= 1
 *  @param[in]  factor  how many standard errors they may be apart, >= 0
 *  @param[out] count   0..n
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_count_within_errors(const double *expected, const double *values, const double *errors, int64_t n, double factor,
                                           int64_t *count) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
