/* SPDX-License-Identifier: MIT */
/** @file sampler.h
 *  Gibbs sampling of Potts models with any number of chains, at a single temperature or with replica exchange.
 *
 *  A sweep visits the sites 0..L-1 in order and draws each from its conditional at the chain's beta. The counter-based generator
 *  Philox4x32-10 drives chain c, with key = seed and counter = (chain, sweep, site). Chains therefore do not depend on each other, on the
 *  number of threads or ranks or on interruptions. Chain c of another sampler with the same seed draws the same random numbers: give
 *  independent samplers different seeds. ATP_OPT_FIRST_CHAIN shifts the numbers: chain c is then chain FIRST_CHAIN + c of these formulas,
 *  so that samplers of single parts of the chains make together the chains of one sampler.
 *
 *  With ATP_OPT_TEMPERATURES = K > 1 the sampler runs ATP_OPT_CHAINS ladders. Each ladder has K replicas at betas spaced geometrically
 *  between ATP_OPT_BETA_HOT and the target. Every ATP_OPT_SWAP_INTERVAL sweeps neighbours exchange temperatures with probability min(1,
 *  exp((beta_k - beta_l)(E_k - E_l))), the rungs 0 with 1, 2 with 3, ... at one attempt and 1 with 2, 3 with 4, ... at the next. Samples
 *  are read from the replica at the target beta of each ladder.
 *  Source: K. Hukushima, K. Nemoto, J. Phys. Soc. Jpn. 65, 1604 (1996).
 *
 *  Models of any number of heads and dense models, with or without fields, are sampled in single precision; energies are computed in
 *  float64. Conditionals of asymmetric models are used as they are. Such chains have no energy function: the log receives a warning, and
 *  replica exchange is refused.
 *
 *  Threads: a sampler belongs to one thread at a time; its calls divide the chains among the context's threads.
 *
 *  Ranks (ranks.h) share the chains, too: a rank makes the sweeps of whole groups of 16 chains (with K temperatures of 16 / gcd(16, K)
 *  ladders) alone, and at the end of a call, before each progress report and for each round of sequences every rank gets the states of all
 *  chains. Functions that only read a sampler read this copy: any rank may call them alone.
 */
#ifndef ATTOPOTTS_SAMPLER_H
#define ATTOPOTTS_SAMPLER_H

#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque sampler. */
typedef struct atp_sampler atp_sampler;

/* ---- Stable: what most programs need ---- */

/** Makes a sampler. It copies what it needs from the model. It starts from random colours, as after atp_sampler_start_random().
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (BETA_HOT >= beta, replica exchange with an asymmetric model); ATP_E_VALUE (local fields
 *          beyond single precision, beta above 1e6); ATP_E_TOO_LARGE (more than 2^31 chains times temperatures, chains before the first
 *          included); ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: atp_sampler_bytes(). Threads: one per context; collective, parallel. Since: 0.1, stable. Source: [R24 sec. II]. */
ATP_API atp_status atp_sampler_create(atp_context *context, const atp_model *model, const atp_options *options,
                                      atp_sampler **out) ATP_NOEXCEPT;

/** Frees a sampler; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_sampler_destroy(atp_sampler *sampler) ATP_NOEXCEPT;

/** Makes sweeps of all chains.
 *  @param[in]  sweeps    >= 0
 *  @param[in]  progress  (optional) called between blocks of sweeps, about every 0.1 s
 *  @param[out] outcome   (optional) ATP_OUTCOME_DONE (all sweeps were made) or ATP_OUTCOME_CANCELLED. DONE does not mean that the chains
 *  are
 *                        in equilibrium: compare chains by atp_split_rhat(), or runs from opposite starts
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE (more than 2^48 sweeps in total); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1, stable. */
ATP_API atp_status atp_sampler_sweep(atp_sampler *sampler, int64_t sweeps, atp_progress_fn progress, void *user,
                                     atp_outcome *outcome) ATP_NOEXCEPT;

/** Draws n sequences. It repeats { make `thin` sweeps; read the target replica of every chain } until there are n.
 *  Sequence m comes from chain m mod C in round m / C (integer division). A run that is cancelled has filled the first atp_sampler_drawn()
 *  sequences.
 *  @param[in]  thin       >= 1
 *  @param[out] sequences  shape [n][L]; @param[in] size n * L, n >= 1
 *  @param[in]  progress   (optional) as in atp_sampler_sweep()
 *  @param[out] outcome    (optional) as in atp_sampler_sweep()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_TOO_LARGE (more than 2^48 sweeps in total); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1, stable. */
ATP_API atp_status atp_sampler_sample(atp_sampler *sampler, int64_t thin, uint8_t *sequences, int64_t size, atp_progress_fn progress,
                                      void *user, atp_outcome *outcome) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Computes the memory that atp_sampler_create() will allocate, in bytes.
 *  @param[in] options (optional) of ATP_OWNER_SAMPLER
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT; ATP_E_VALUE (beta above 1e6); ATP_E_TOO_LARGE (more than 2^31 replicas, those before the
 *          first chain included). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_sampler_bytes(atp_context *context, const atp_model *model, const atp_options *options, int64_t *bytes) ATP_NOEXCEPT;

/** Returns the context that the sampler was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_sampler_context(const atp_sampler *sampler) ATP_NOEXCEPT;
/** Copies the options of the sampler to a bag of its kind. @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (a bag of another owner).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_options(const atp_sampler *sampler, atp_options *options) ATP_NOEXCEPT;
/** Returns the number of chains (ladders); 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampler_chains(const atp_sampler *sampler) ATP_NOEXCEPT;
/** Returns the number of sites L; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampler_sites(const atp_sampler *sampler) ATP_NOEXCEPT;
/** Returns the number of rungs K (1 without replica exchange); 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampler_temperatures(const atp_sampler *sampler) ATP_NOEXCEPT;
/** Returns the number of sweeps since the start state was set; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampler_sweeps(const atp_sampler *sampler) ATP_NOEXCEPT;

/** Returns the betas of the ladder, the target last. @param[out] betas shape [K]; @param[in] size K
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_betas(const atp_sampler *sampler, double *betas, int64_t size) ATP_NOEXCEPT;

/** Sets the betas of the ladder, in increasing order, the target last. The states do not change.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (not increasing, < 0 or > 1e6); ATP_E_NOT_FINITE.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_set_betas(atp_sampler *sampler, const double *betas, int64_t size) ATP_NOEXCEPT;

/** Returns the fraction of accepted exchanges between rungs k and k + 1 since the start. @param[out] rates shape [K - 1]; @param[in] size K
 *  - 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_swap_rates(const atp_sampler *sampler, double *rates, int64_t size) ATP_NOEXCEPT;

/** Restarts from random colours at sweep 0. @return ATP_OK; ATP_E_NULL; ATP_E_RANK. Allocates: no. Threads: one per handle; collective;
 *  parallel. Since: 0.1. */
ATP_API atp_status atp_sampler_start_random(atp_sampler *sampler) ATP_NOEXCEPT;

/** Restarts from given sequences at sweep 0. Chain c, with every rung of ladder c, starts from sequence (FIRST_CHAIN + c)
 *  mod n.
 *  @param[in] sequences shape [n][L], values < q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE (sites is not L); ATP_E_ALPHABET; ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_sampler_start_from(atp_sampler *sampler, const uint8_t *sequences, int64_t n, int64_t sites) ATP_NOEXCEPT;

/** Returns the number of sequences that the last atp_sampler_sample() has filled; 0 for NULL. Allocates: no. Threads: one per handle.
 *  Since: 0.1. */
ATP_API int64_t atp_sampler_drawn(const atp_sampler *sampler) ATP_NOEXCEPT;

/** Computes energies H(s) of sequences under the sampler's model, without beta, in float64.
 *  @param[in] sequences shape [n][L], values < q; @param[in] n >= 1; @param[out] energies shape [n]; @param[in] size n
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_ALPHABET
 *  Allocates: no. Threads: one per handle, parallel. Since: 0.1. */
ATP_API atp_status atp_sampler_sequence_energies(const atp_sampler *sampler, const uint8_t *sequences, int64_t n, double *energies,
                                                 int64_t size) ATP_NOEXCEPT;

/** Returns the current states at one rung. @param[in] rung 0..K-1 (K - 1: the target); @param[out] sequences shape [C][L]; @param[in] size
 *  C * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_states(const atp_sampler *sampler, int64_t rung, uint8_t *sequences, int64_t size) ATP_NOEXCEPT;

/** Returns the current energies H(s), without beta, at one rung. @param[out] energies shape [C]; @param[in] size C
 *  @return as atp_sampler_states(). Allocates: no. Threads: one per handle, parallel. Since: 0.1. */
ATP_API atp_status atp_sampler_energies(const atp_sampler *sampler, int64_t rung, double *energies, int64_t size) ATP_NOEXCEPT;

/** Asks a running call to stop after the current block. Without a running call, the next one stops at once. Signal handlers and other
 * threads may call it. NULL is allowed.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_sampler_request_stop(atp_sampler *sampler) ATP_NOEXCEPT;

/** Returns the size of the saved state in bytes; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampler_state_bytes(const atp_sampler *sampler) ATP_NOEXCEPT;
/** Saves the state. A sampler that loads it continues with the same random numbers and results. @param[out] buffer; @param[in] size >=
 *  state bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_save_state(const atp_sampler *sampler, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Loads a state that was saved by a sampler with the same model, options and seed. Betas of atp_sampler_set_betas() are part of the state
 *  and replace those of this sampler.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT (not a state, or truncated); ATP_E_CHECKSUM; ATP_E_MISMATCH (the error text names the
 *          difference).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampler_load_state(atp_sampler *sampler, const void *buffer, int64_t size) ATP_NOEXCEPT;

/** Columns of the row of atp_tune_beta(), ATP_TABLE_TUNING. */
typedef enum atp_tuning_column ATP_INT {
  ATP_TUNING_BETA = 0,          /**< inverse temperature that was found */
  ATP_TUNING_BETA_ERROR = 1,    /**< standard error of beta, jackknife over ladders; infinite if the target was not reached */
  ATP_TUNING_HAMMING = 2,       /**< mean Hamming distance at beta, a fraction of the sites, interpolated between rungs */
  ATP_TUNING_HAMMING_ERROR = 3, /**< standard error of the measured distance */
  ATP_TUNING_OUTCOME = 4        /**< an atp_outcome: CONVERGED, MAX_ITER or CANCELLED */
} atp_tuning_column;
/** Number of columns of atp_tuning_column. */
#define ATP_TUNING_COLUMNS 5

/** Finds the beta at which two independent equilibrium samples differ on average at a fraction `target` of the sites.
 *  It makes successive runs of replica exchange from beta = 0, each from new random starts. A search with a quarter of the ladders adds
 *  colder rungs until the coldest lies below the target distance; then it makes longer runs, with one rung at the estimated beta, until one
 *  of them is in equilibrium and the standard error of its D is at most 0.01. The result is from a measurement with all ladders, at least
 *  twice as many sweeps and new random numbers. It is made again with more sweeps until it is in equilibrium and its error is at most
 *  0.005. The longest run has 131072 sweeps. Let s_l(t), t = 1..T, be the states of ladder l at beta, and d(x, y) the fraction of sites
 *  where x and y differ. D is the mean of d(s_l(t), s_m(t)) over pairs of ladders l < m and times t; D_1 and D_2 are its means over t <=
 *  T/2 and t > T/2; D' is the mean of d(s_l(t), s_l(t + T/2)) over ladders and t <= T/2. Standard errors are those of the jackknife over
 *  ladders. A run is in equilibrium if
 *  - split R-hat of the energy is below 1.05 on every rung from the hottest to the first one with D <= target;
 *  - |D_1 - D_2| <= 3 standard errors of D_1 - D_2 (the run no longer drifts);
 *  - |D - D'| <= 3 standard errors of D - D' (ladders that are stuck in different valleys are further apart from each other than each is
 *  from itself later).
 *  @param[in]  options  (optional) of ATP_OWNER_TUNING
 *  @param[in]  target   in (0, 1 - 1/q); 1 - 1/q is the distance at beta = 0
 *  @param[in]  table    ATP_TABLE_TUNING, with room for one more row. The row holds beta, its standard error, the mean distance at beta and
 *                       its error, and the outcome. If the target was reached, the mean distance is the target. If not, beta is the coldest
 *                       that was sampled and its error is infinite. The outcome is CONVERGED; MAX_ITER (no run was accepted, or there are
 *                       too few rungs: the row holds the best known values); or CANCELLED
 *  @param[in]  progress (optional) called about every 0.1 s with STEP (sweeps of all runs), TOTAL (up to the end of the current run),
 *                       SITE_UPDATES, ENERGY and SWAP_RATE of the current run
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (target; or the distance stays above the target down to zero temperature); ATP_E_CONFLICT
 *          (asymmetric model, a table of another kind); ATP_E_BUFFER (no room in the table); ATP_E_MEMORY; ATP_E_RANK
 *  The distance can stay above the target for models with a symmetry among the colours. For example, a standard Potts model without fields
 *  stays at 1 - 1/q at every beta.
 *  Allocates: samplers and series through the context, all freed before the call returns. Threads: one per context; collective, parallel.
 *  Since: 0.1.
 *  Source: [R24 sec. II] for the target of 0.3; A. Bhatt, A. P. Young, Phys. Rev. B 37, 5606 (1988) for comparing replicas with later
 *  times. */
ATP_API atp_status atp_tune_beta(atp_context *context, const atp_model *model, const atp_options *options, double target, atp_table *table,
                                 atp_progress_fn progress, void *user) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
