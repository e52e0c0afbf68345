/* SPDX-License-Identifier: MIT */
/** @file sampling.h
 *  Sequences from a Potts model by a whole protocol: burn-in, distance between sequences and tests of equilibrium are found by the run.
 *  sampler.h has the chains themselves.
 *
 *      atp_sampling_create(context, model, NULL, 1000, &sampling);
 *      atp_sampling_run(sampling, NULL, NULL, &outcome);         // CONVERGED: the tests found no difference
 *      atp_sampling_alignment(sampling, &alignment);
 *
 *  ATP_PROTOCOL_EQUILIBRIUM, with C ladders of replica exchange (ATP_OPT_CHAINS; 64 unless set, at least 4):
 *  1. Ladder: four pilot runs of 16 ladders choose betas between beta-hot and beta, so that neighbours exchange at equal rates, and their
 *     number, so that about half of the exchanges are rejected. ATP_OPT_TEMPERATURES fixes the number.
 *  2. Burn-in: two runs, of (C + 1) / 2 and of C / 2 ladders, start from opposite sides: one from random sequences (too hot), the other
 *     from copies of the sequence of lowest energy that the pilot runs saw (too cold). They make 256, 512, 1024, ... sweeps, until their
 *     second halves agree, or for 2^18 sweeps at the most: the mean energies and the mean Hamming distances between ladders differ by at
 *     most 4 standard errors, from the scatter of ladders, and split R-hat of the energy is at most 1.05 plus two standard deviations of
 *     its own error, sqrt(2 / (2 C - 1)) / (number of read-outs), and R-hat of overlaps (atp_overlap_rhat()) is at most 0.05 more than
 *     that. ATP_OPT_BURN_IN fixes the number of sweeps; the test is then made once.
 *  3. Sequences: every ladder is read every `thin` sweeps. ATP_OPT_THIN fixes the number; otherwise it is the time after which a ladder is
 *     95 per cent as far from its old state as from other ladders. The same test compares the sequences of the two runs if there are four
 *     or more of each ladder. Sequence m is of ladder m mod C. A run whose last test found a difference ends with MAX_ITER.
 *
 *  ATP_PROTOCOL_CHAIN: C chains (1 unless set) at beta from random sequences, without tests; thin is 10000 and the burn-in as long as thin,
 *  unless set. It also samples models with asymmetric couplings. Runs of single parts of the chains make together the chains of one run
 *  (ATP_OPT_FIRST_CHAIN).
 *  Source of the ladder's spacing: S. Syed et al., J. R. Stat. Soc. B 84, 321 (2022); of R-hat: A. Vehtari et al., Bayesian Anal. 16, 667
 *  (2021).
 *
 *  Threads: a sampling run belongs to one thread at a time; its calls divide the chains among the context's threads and ranks (ranks.h).
 *  Results do not depend on their number.
 */
#ifndef ATTOPOTTS_SAMPLING_H
#define ATTOPOTTS_SAMPLING_H

#include <attopotts/alignment.h>
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
  ATP_SAMPLING_BETA = 0,          /**< inverse temperature of the sequences */
  ATP_SAMPLING_HAMMING = 1,       /**< mean Hamming distance between independent chains, a fraction of the sites; of one chain between all
                                       its sequences */
  ATP_SAMPLING_HAMMING_ERROR = 2, /**< standard error of hamming, jackknife over chains; 0 for fewer than three chains */
  ATP_SAMPLING_TAU = 3,           /**< integrated autocorrelation time of the energy; 0: not measurable */
  ATP_SAMPLING_TAU_ERROR = 4,     /**< standard error of tau */
  ATP_SAMPLING_RHAT = 5,          /**< split R-hat of the energy; 0: not measurable */
  ATP_SAMPLING_BURN_IN = 6,       /**< sweeps of a chain before the first sequence */
  ATP_SAMPLING_THIN = 7,          /**< sweeps between two sequences of a chain */
  ATP_SAMPLING_TEMPERATURES = 8,  /**< rungs of the ladder; 1: no replica exchange */
  ATP_SAMPLING_BETA_HOT = 9,      /**< smallest beta of the ladder */
  ATP_SAMPLING_SWAP_RATE = 10,    /**< smallest exchange rate between neighbours in the last pilot run; 1 without pilot runs */
  ATP_SAMPLING_OUTCOME = 11,     /**< an atp_outcome: CONVERGED (the two runs agree), MAX_ITER (they do not) or DONE (ATP_PROTOCOL_CHAIN) */
  ATP_SAMPLING_OVERLAP_RHAT = 12 /**< R-hat of overlaps, see atp_overlap_rhat(); 0: not measurable (fewer than 5 sequences of a chain) */
} atp_sampling_column;
/** Number of columns of atp_sampling_column. */
#define ATP_SAMPLING_COLUMNS 13

/* ---- Stable: what most programs need ---- */

/** Makes a sampling run. It copies the model.
 *  @param[in] options  (optional) of ATP_OWNER_SAMPLING
 *  @param[in] n        number of sequences, >= 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n; fewer than 4 chains for EQUILIBRIUM; beta of the model above 1e6); ATP_E_CONFLICT (BETA_HOT
 *          >= beta; EQUILIBRIUM with asymmetric couplings or with FIRST_CHAIN above 0: its tests compare all chains); ATP_E_TOO_LARGE;
 *          ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: the sequences, 32 states of each chain, energies, a copy of the model. Threads: one per context; collective.
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
 *  @return ATP_OK; ATP_E_NULL; ATP_E_TOO_LARGE (more than 2^48 sweeps); ATP_E_MEMORY; ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: samplers, and work space of the pilot runs that is freed before the call returns. Threads: one per handle; collective;
 *  parallel. Since: 0.1, stable.
 *  Source: [R24 sec. II] for equilibrium samples. */
ATP_API atp_status atp_sampling_run(atp_sampling *sampling, atp_progress_fn progress, void *user, atp_outcome *outcome) ATP_NOEXCEPT;

/** Makes an alignment of the sequences, with alphabet and site labels of the model, and an origin line that names protocol and numbers.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (the run is not finished); ATP_E_MEMORY. Allocates: the alignment. Threads: one per handle.
 *          Since: 0.1, stable. */
ATP_API atp_status atp_sampling_alignment(const atp_sampling *sampling, atp_alignment **out) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

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

/** Returns what the last test found different between the two runs, for example "the mean energies of the two runs differ: ..."; "" if they
 *  agree, without a test, and for NULL. The text is valid until the next call that runs, loads or frees the handle.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API const char *atp_sampling_difference(const atp_sampling *sampling) ATP_NOEXCEPT;

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

#ifdef __cplusplus
}
#endif
#endif
