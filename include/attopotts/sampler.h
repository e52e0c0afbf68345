/* SPDX-License-Identifier: MIT */
/** @file sampler.h
 *  Draws sequences from Potts models, in two layers. A sampling run (atp_sampling) chooses the burn-in and the sweeps between sequences
 *  itself, and tests whether it has reached equilibrium. A sampler (atp_sampler) makes as many sweeps of its chains as the caller asks for.
 *
 *      atp_sampling_create(context, model, NULL, 1000, &sampling);
 *      atp_sampling_run(sampling, NULL, NULL, &outcome);         // CONVERGED: the tests found no difference
 *      atp_sampling_alignment(sampling, &alignment);
 *
 *  # Sampling runs
 *  ATP_PROTOCOL_EQUILIBRIUM, with C ladders of replica exchange (ATP_OPT_CHAINS; 64 unless set, at least 4):
 *  1. Ladder: four pilot runs of 16 ladders choose betas between beta-hot and beta, so that neighbours exchange at equal rates, and their
 *     number, so that about half of the exchanges are rejected. ATP_OPT_TEMPERATURES fixes the number. With beta-hot below 0 they search
 *     the hottest rung, too, between beta / 10 and beta / 2: the largest beta at which 64 chains forget the sequence of lowest energy in 8
 *     sweeps, so that at most 0.15 of its overlap, beyond that of chains from random sequences, is left.
 *  2. Burn-in: two runs, of (C + 1) / 2 and of C / 2 ladders, start from opposite sides: one from random sequences (too hot), the other
 *     from copies of the sequence of lowest energy that the pilot runs saw (too cold). They make 256, 512, 1024, ... sweeps, until their
 *     second halves agree, or for 2^18 sweeps at the most: the mean energies and the mean Hamming distances between ladders differ by at
 *     most 4 standard errors, from the scatter of ladders, and R-hat of the energy and of overlaps (atp_overlap_rhat()) are at most the
 *     limits of atp_chain_mixing() in diagnostics.h, that of overlaps for the largest of 2 min(C, 16) tests. ATP_OPT_BURN_IN fixes the
 *     number of sweeps; the test is then made once.
 *  3. Sequences: every ladder is read every `thin` sweeps. ATP_OPT_THIN fixes the number; otherwise it is the time after which a ladder is
 *     95 per cent as far from its old state as from other ladders and has lost 95 per cent of the autocorrelation of its energy. The same
 *     test compares the sequences of the two runs if there are four or more of each ladder. Sequence m is of ladder m mod C. A run whose
 *     last test found a difference ends with MAX_ITER.
 *
 *  ATP_PROTOCOL_CHAIN: C chains (1 unless set) at beta from random sequences or from those of atp_sampling_start_from(), without tests;
 *  thin is 10000 and the burn-in as long as thin, unless set. ATP_OPT_ANNEALING = n puts n sweeps before the burn-in, sweep t = 0..n-1
 *  of them at beta-hot + (beta - beta-hot) t / n. atp_sampling_trajectory() has the walk of each chain, atp_sampling_forgetting() how
 *  long they remember their starts. It also samples models with asymmetric couplings. Several runs, each with a part of the chains,
 *  give together the sequences of one run with all chains (ATP_OPT_FIRST_CHAIN). Source of the ladder's spacing: S. Syed et al., J. R.
 *  Stat. Soc. B 84, 321 (2022); of R-hat: A. Vehtari et al., Bayesian Anal. 16, 667 (2021).
 *
 *  # Samplers
 *  A sampler makes Gibbs sweeps with any number of chains, at a single temperature or with replica exchange.
 *
 *  A sweep visits the sites 0..L-1 in order and draws each from its conditional at the chain's beta. The counter-based generator
 *  Philox4x32-10 drives chain c, with key = seed and counter = (chain, sweep, site). Chains therefore do not depend on each other, on the
 *  number of threads or ranks or on interruptions. Chain c of another sampler with the same seed draws the same random numbers: give
 *  independent samplers different seeds. ATP_OPT_FIRST_CHAIN shifts the numbers: chain c is then chain FIRST_CHAIN + c of these formulas,
 *  so that several samplers, each with a part of the chains, make together the chains of one sampler.
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
 *  # Restrictions
 *  atp_sampling_restrict() and atp_sampler_restrict() allow some colours of each site; ATP_OPT_MAX_MUTATIONS = k bounds the number of sites
 *  at which a chain differs from its start (the sequence of *_start_from(), or the random one of a sampler); a chain keeps
 *  ATP_OPT_KEPT_COLOR, for example the gap, where its start has it, and draws it nowhere else. Chains then sample exp(-beta H) within these
 *  states: a site is drawn from its conditional among the allowed colours, and a site that is as in the start while k others are not stays
 *  as it is. Colours that are not allowed are never drawn. With replica exchange all this holds on every rung.
 *
 *  An autoregressive model (atp_model_set_order()) needs no chain: a sweep draws its sites in their order, so that the states after every
 *  sweep are independent samples, up to the rounding of float32. Sampling runs of both protocols read all chains (1024 unless set) after
 *  every sweep, without burn-in or tests, and end with CONVERGED; energies are -log P at the chain's beta, and the report has the entropy.
 *  Replica exchange and atp_tune_beta() refuse such models.
 *
 *  Threads: a sampler or a sampling run belongs to one thread at a time; its calls divide the chains among the context's threads and ranks.
 *  Results do not depend on their number.
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

/** Protocols of sampling runs: values of ATP_OPT_PROTOCOL. */
typedef enum atp_protocol ATP_INT {
  ATP_PROTOCOL_EQUILIBRIUM = 0, /**< replica exchange with tests of convergence */
  ATP_PROTOCOL_CHAIN = 1        /**< independent Markov chains */
} atp_protocol;

/** Opaque sampling run. */
typedef struct atp_sampling atp_sampling;

/** Stages of a sampling run. */
typedef enum atp_sampling_stage ATP_INT {
  ATP_SAMPLING_STAGE_LADDER = 0,  /**< pilot runs for the ladder */
  ATP_SAMPLING_STAGE_BURN_IN = 1, /**< burn-in */
  ATP_SAMPLING_STAGE_SAMPLE = 2,  /**< sequences are drawn */
  ATP_SAMPLING_STAGE_DONE = 3     /**< all sequences are there */
} atp_sampling_stage;

/** Columns of ATP_TABLE_SAMPLING. */
typedef enum atp_sampling_column ATP_INT {
  ATP_SAMPLING_BETA = 0,           /**< inverse temperature of the sequences */
  ATP_SAMPLING_HAMMING = 1,        /**< mean Hamming distance between independent chains, a fraction of the sites; of one chain between all
                                       its sequences */
  ATP_SAMPLING_HAMMING_ERROR = 2,  /**< standard error of hamming, jackknife over chains; 0 for fewer than three chains */
  ATP_SAMPLING_TAU = 3,            /**< integrated autocorrelation time of the energy, 1/2 + sum_t rho(t); 0: not measurable */
  ATP_SAMPLING_TAU_ERROR = 4,      /**< standard error of tau */
  ATP_SAMPLING_RHAT = 5,           /**< R-hat of the energy, rank-normalised, split and folded, see atp_chain_mixing(); 0: not measurable */
  ATP_SAMPLING_BURN_IN = 6,        /**< sweeps of a chain before the first sequence */
  ATP_SAMPLING_THIN = 7,           /**< sweeps between two sequences of a chain */
  ATP_SAMPLING_TEMPERATURES = 8,   /**< rungs of the ladder; 1: no replica exchange */
  ATP_SAMPLING_BETA_HOT = 9,       /**< smallest beta of the ladder */
  ATP_SAMPLING_SWAP_RATE = 10,     /**< smallest exchange rate between neighbours in the last pilot run; 1 without pilot runs */
  ATP_SAMPLING_OUTCOME = 11,       /**< an atp_outcome: CONVERGED (the two runs agree, or the model is autoregressive), MAX_ITER (they do
                                       not) or DONE (ATP_PROTOCOL_CHAIN) */
  ATP_SAMPLING_OVERLAP_RHAT = 12,  /**< R-hat of overlaps, see atp_overlap_rhat(); 0: not measurable (fewer than 5 sequences of a chain) */
  ATP_SAMPLING_ENTROPY = 13,       /**< entropy of an autoregressive model, the mean of -log P over its sequences; NaN of others */
  ATP_SAMPLING_ENTROPY_ERROR = 14, /**< standard error of entropy; NaN of other models */
  ATP_SAMPLING_RHAT_LIMIT = 15,    /**< the largest R-hat of the energy of chains that agree; 0: not measurable */
  ATP_SAMPLING_OVERLAP_RHAT_LIMIT = 16, /**< the largest R-hat of overlaps of chains that agree; 0: not measurable */
  ATP_SAMPLING_BULK_ESS = 17,           /**< effective samples of the energy, bulk, see atp_chain_mixing(); 0: fewer than 16 of a chain */
  ATP_SAMPLING_TAIL_ESS = 18            /**< effective samples of the energy in the tails; 0: not measurable */
} atp_sampling_column;
/** Number of columns of atp_sampling_column. */
#define ATP_SAMPLING_COLUMNS 19

/** Columns of atp_sampling_trajectory(), ATP_TABLE_TRAJECTORY. */
typedef enum atp_trajectory_column ATP_INT {
  ATP_TRAJECTORY_CHAIN = 0,     /**< number of the chain, from ATP_OPT_FIRST_CHAIN on */
  ATP_TRAJECTORY_SWEEP = 1,     /**< sweeps of the chain since its start */
  ATP_TRAJECTORY_MUTATIONS = 2, /**< sites at which the sequence differs from the start of its chain; NaN without
                                     atp_sampling_start_from() */
  ATP_TRAJECTORY_ENERGY = 3     /**< energy H(s) of the sequence, without beta; of an autoregressive model -log P(s) */
} atp_trajectory_column;
/** Number of columns of atp_trajectory_column. */
#define ATP_TRAJECTORY_COLUMNS 4

/** Columns of atp_sampling_forgetting(), ATP_TABLE_FORGETTING. */
typedef enum atp_forgetting_column ATP_INT {
  ATP_FORGETTING_SWEEP = 0,         /**< sweeps since the start */
  ATP_FORGETTING_OVERLAP = 1,       /**< o, mean over chains of the fraction of sites that are equal to the start */
  ATP_FORGETTING_OVERLAP_ERROR = 2, /**< standard error of overlap, from the scatter of chains; NaN of one chain */
  ATP_FORGETTING_FIT = 3,           /**< p + (1 - p) exp(-(sweep / time)^exponent), p the plateau; NaN if the time is infinite */
  ATP_FORGETTING_PLATEAU = 4,       /**< p, mean overlap of the starts with the independent sequences; this and the next columns are the
                                         same in all rows */
  ATP_FORGETTING_PLATEAU_ERROR = 5, /**< standard error of plateau, from the scatter of the independent sequences; NaN of one */
  ATP_FORGETTING_TIME = 6,          /**< fitted sweeps after which 1/e of the excess over the plateau is left; infinite if more was left at
                                         the last sweep, or the plateau is 1 */
  ATP_FORGETTING_TIME_ERROR = 7,    /**< standard error of time: jackknife over 16 blocks of chains, and that of the plateau; NaN of one
                                         chain */
  ATP_FORGETTING_EXPONENT = 8,      /**< fitted exponent; 1 is an exponential decay, also taken where less than 1/e was left at the first
                                         sweep; NaN if the time is infinite */
  ATP_FORGETTING_EXPONENT_ERROR = 9 /**< standard error of exponent; NaN where it was not fitted */
} atp_forgetting_column;
/** Number of columns of atp_forgetting_column. */
#define ATP_FORGETTING_COLUMNS 10

/** Opaque sampler. */
typedef struct atp_sampler atp_sampler;

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

/* ---- Stable: what most programs need ---- */

/** Makes a sampling run. It copies the model.
 *  @param[in] options  (optional) of ATP_OWNER_SAMPLING
 *  @param[in] n        number of sequences, >= 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n; fewer than 4 chains for EQUILIBRIUM; beta of the model above 1e6; KEPT_COLOR is no colour);
 *          ATP_E_CONFLICT (BETA_HOT >= beta; EQUILIBRIUM with asymmetric couplings, with ANNEALING or with FIRST_CHAIN above 0: its tests
 *          compare all chains; TEMPERATURES above 1, ANNEALING, MAX_MUTATIONS or KEPT_COLOR of an autoregressive model);
 *          ATP_E_TOO_LARGE; ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: the sequences, 32 states and the start of each chain, energies, a copy of the model. Threads: one per context; collective.
 *  Since: 0.1, stable. */
ATP_API atp_status atp_sampling_create(atp_context *context, const atp_model *model, const atp_options *options, int64_t n,
                                       atp_sampling **out) ATP_NOEXCEPT;

/** Frees a sampling run; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_sampling_destroy(atp_sampling *sampling) ATP_NOEXCEPT;

/** Runs the protocol to its end. A run that was cancelled goes on where it stopped (in the stage LADDER it begins again), with the same
 *  result. After the end the call does nothing. An end with MAX_ITER is logged as a warning with the difference.
 *  @param[in]  progress  (optional) called about every 0.1 s with STEP and TOTAL (sweeps of the present stage, of burn-in those of the
 *                        present doubling), SITE_UPDATES (of this call), ENERGY and SWAP_RATE
 *  @param[out] outcome   (optional) CONVERGED, MAX_ITER or DONE, see atp_sampling_column; CANCELLED
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (MAX_MUTATIONS without a start); ATP_E_TOO_LARGE (more than 2^48 sweeps); ATP_E_MEMORY;
 *          ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: samplers, and work space of the pilot runs that is freed before the call returns. Threads: one per handle; collective;
 *  parallel. Since: 0.1, stable.
 *  Source: [R24 sec. II] for equilibrium samples. */
ATP_API atp_status atp_sampling_run(atp_sampling *sampling, atp_progress_fn progress, void *user, atp_outcome *outcome) ATP_NOEXCEPT;

/** Makes an alignment of the sequences, with alphabet and site labels of the model, and an origin line that names protocol and numbers.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (the run is not finished); ATP_E_MEMORY. Allocates: the alignment. Threads: one per handle.
 *          Since: 0.1, stable. */
ATP_API atp_status atp_sampling_alignment(const atp_sampling *sampling, atp_alignment **out) ATP_NOEXCEPT;

/** Makes a sampler. It copies what it needs from the model. It starts from random colours, as after atp_sampler_start_random().
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (BETA_HOT >= beta, replica exchange with an asymmetric model; MAX_MUTATIONS or KEPT_COLOR
 *          of an autoregressive model); ATP_E_VALUE (local fields beyond single precision, beta above 1e6, KEPT_COLOR is no colour);
 *          ATP_E_TOO_LARGE (more than 2^31 chains times temperatures, chains before the first included); ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: atp_sampler_bytes(). Threads: one per context; collective, parallel. Since: 0.1, stable. Source: [R24 sec. II]. */
ATP_API atp_status atp_sampler_create(atp_context *context, const atp_model *model, const atp_options *options,
                                      atp_sampler **out) ATP_NOEXCEPT;

/** Frees a sampler; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_sampler_destroy(atp_sampler *sampler) ATP_NOEXCEPT;

/** Makes sweeps of all chains.
 *  @param[in]  sweeps    >= 0
 *  @param[in]  progress  (optional) called between blocks of sweeps, about every 0.1 s
 *  @param[out] outcome   (optional) ATP_OUTCOME_DONE (all sweeps were made) or ATP_OUTCOME_CANCELLED. DONE does not mean that the chains
 *                        are in equilibrium: compare chains by atp_split_rhat(), or runs from opposite starts
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

/* ---- The rest: it may change until version 1.0. First of sampling runs, then of samplers ---- */

/** Returns the context that the run was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_sampling_context(const atp_sampling *sampling) ATP_NOEXCEPT;
/** Copies the options of the run to a bag of its kind. @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (a bag of another owner).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_options(const atp_sampling *sampling, atp_options *options) ATP_NOEXCEPT;
/** Returns the number of sequences; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampling_count(const atp_sampling *sampling) ATP_NOEXCEPT;
/** Returns the number of sites L; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_sampling_sites(const atp_sampling *sampling) ATP_NOEXCEPT;
/** Returns the stage of the run, an atp_sampling_stage; 0 for NULL. Callbacks of the run may call it. Allocates: no. Threads: one per
 *  handle. Since: 0.1. */
ATP_API int atp_sampling_stage_of(const atp_sampling *sampling) ATP_NOEXCEPT;

/** Returns the sequences. @param[out] sequences shape [N][L], N the number of sequences; @param[in] size N * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (the run is not finished); ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_sequences(const atp_sampling *sampling, uint8_t *sequences, int64_t size) ATP_NOEXCEPT;

/** Appends the measured numbers as one row. @param[in] table ATP_TABLE_SAMPLING, with room for one more row
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (the run is not finished); ATP_E_CONFLICT (a table of another kind); ATP_E_BUFFER (no room).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_report(const atp_sampling *sampling, atp_table *table) ATP_NOEXCEPT;

/** Returns the difference between the two runs that the last test found, for example "the mean energies of the two runs differ: ..."; ""
 *  if they agree, if there was no test, and for NULL. The text is valid until the next call that runs, loads or frees the handle.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API const char *atp_sampling_difference(const atp_sampling *sampling) ATP_NOEXCEPT;

/** Restricts the run to some colours of each site: sequences are drawn from the model's distribution within them, exactly as from a model
 *  without the other colours. A site with one allowed colour is fixed and costs no sweeps. Call it before atp_sampling_start_from() and the
 *  first run.
 *  @param[in] allowed  (optional) shape [L][q], 1 for an allowed colour and 0 for another; NULL: all are allowed; @param[in] size L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (not 0 or 1; a site without an allowed colour); ATP_E_CONFLICT (an autoregressive
 *          model whose conditionals would change: only fixed sites at the beginning of its order, and the first site after them, can be
 *          restricted); ATP_E_STAGE (after the start or the first run). A failed call changes nothing.
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_sampling_restrict(atp_sampling *sampling, const uint8_t *allowed, int64_t size) ATP_NOEXCEPT;

/** Sets the starts: chain c starts from sequence (FIRST_CHAIN + c) mod n. From its start a chain differs at no more than
 *  ATP_OPT_MAX_MUTATIONS sites, and there it has the ATP_OPT_KEPT_COLOR. With ATP_PROTOCOL_EQUILIBRIUM, which needs one distribution of all
 *  chains, one sequence for these two options. Call it before the first run.
 *  @param[in] sequences shape [n][L], allowed colours
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n; a colour that is not allowed, with sequence and site); ATP_E_SHAPE (sites is not L);
 *          ATP_E_ALPHABET; ATP_E_CONFLICT (an autoregressive model; EQUILIBRIUM with several sequences, or without these options);
 *          ATP_E_STAGE (after the first run)
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_sampling_start_from(atp_sampling *sampling, const uint8_t *sequences, int64_t n, int64_t sites) ATP_NOEXCEPT;

/** Appends the walks of the chains, one row for each sequence, in their order: sequence m is row m.
 *  @param[in] table ATP_TABLE_TRAJECTORY, with room for N rows
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (the run is not finished); ATP_E_CONFLICT (a table of another kind); ATP_E_BUFFER (no room).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_trajectory(const atp_sampling *sampling, atp_table *table) ATP_NOEXCEPT;

/** Measures how long chains remember their starts. o(t) is the mean over chains of the overlap with the start, the fraction of equal sites,
 *  and p the overlap of the starts with independent sequences, for example those of a run with ATP_PROTOCOL_EQUILIBRIUM. The fit is
 *      o(t) = p + (1 - p) exp(-(t / time)^exponent)
 *  by least squares with the errors of o(t).
 *  @param[in] independent shape [n][L], values < q
 *  @param[in] table       ATP_TABLE_FORGETTING, with room for a row for each of the ceil(N / C) times
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n); ATP_E_SHAPE (sites is not L); ATP_E_ALPHABET; ATP_E_STAGE (the run is not finished, or has
 *          no starts); ATP_E_CONFLICT (a table of another kind); ATP_E_BUFFER (no room); ATP_E_MEMORY
 *  Allocates: overlaps of all chains, freed before the call returns. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_forgetting(const atp_sampling *sampling, const uint8_t *independent, int64_t n, int64_t sites,
                                           atp_table *table) ATP_NOEXCEPT;

/** Asks a running call to stop after the current block of sweeps. Without a running call, the next one stops at once. Signal handlers and
 *  other threads may call it. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_sampling_request_stop(atp_sampling *sampling) ATP_NOEXCEPT;

/** Returns the size of the saved state in bytes; 0 for NULL. It grows with the sequences that are there. Allocates: no. Threads: one per
 *  handle. Since: 0.1. */
ATP_API int64_t atp_sampling_state_bytes(const atp_sampling *sampling) ATP_NOEXCEPT;
/** Saves the state. A run that loads it goes on to the same result. @param[out] buffer; @param[in] size >= state bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_sampling_save_state(const atp_sampling *sampling, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Loads a state that was saved by a run with the same model, options and number of sequences. A failed call changes nothing.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT (not a state, or truncated); ATP_E_CHECKSUM; ATP_E_MISMATCH; ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: the samplers. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_sampling_load_state(atp_sampling *sampling, const void *buffer, int64_t size) ATP_NOEXCEPT;

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

/** Restricts the sampler to some colours of each site, see atp_sampling_restrict(), and restarts from random ones at sweep 0.
 *  @param[in] allowed  (optional) shape [L][q], 1 for an allowed colour and 0 for another; NULL: all are allowed; @param[in] size L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (not 0 or 1; a site without an allowed colour); ATP_E_CONFLICT (an autoregressive
 *          model whose conditionals would change); ATP_E_RANK. A failed call changes nothing.
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_sampler_restrict(atp_sampler *sampler, const uint8_t *allowed, int64_t size) ATP_NOEXCEPT;

/** Restarts from given sequences at sweep 0. Chain c, with every rung of ladder c, starts from sequence (FIRST_CHAIN + c)
 *  mod n.
 *  @param[in] sequences shape [n][L], allowed colours
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n; a colour that is not allowed, with sequence and site); ATP_E_SHAPE (sites is not L);
 *          ATP_E_ALPHABET; ATP_E_RANK
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
 *  threads may call it. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
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

/** Finds the beta at which two independent equilibrium samples differ on average at a fraction `target` of the sites.
 *  It makes successive runs of replica exchange from beta = 0, each from new random starts. A search with a quarter of the ladders adds
 *  colder rungs until the coldest lies below the target distance; then it makes longer runs, with one rung at the estimated beta, until one
 *  of them is in equilibrium and the standard error of its D is at most 0.01. The result is from a measurement with all ladders, at least
 *  twice as many sweeps and new random numbers. It is made again with more sweeps until it is in equilibrium and its error is at most
 *  0.005. The longest run has 131072 sweeps. Let s_l(t), t = 1..T, be the states of ladder l at beta, and d(x, y) the fraction of sites
 *  where x and y differ. D is the mean of d(s_l(t), s_m(t)) over pairs of ladders l < m and times t; D_1 and D_2 are its means over t <=
 *  T/2 and t > T/2; D' is the mean of d(s_l(t), s_l(t + T/2)) over ladders and t <= T/2. Standard errors are those of the jackknife over
 *  ladders. A run is in equilibrium if
 *  - R-hat of the energy (atp_chain_mixing()) is at most its limit on every rung from the hottest to the first one with D <= target;
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
