/* SPDX-License-Identifier: MIT */
/** @file weights.h
 *  Similar sequences: how weights depend on the threshold of similarity, and training and test sets without similar sequences.
 *  atp_alignment_weigh() computes weights for one threshold.
 *
 *  Test sequences that resemble training sequences show how well a model remembers. atp_alignment_split() makes a training set S and a test
 *  set T with Cobalt, an algorithm for independent sets in graphs. Two sequences are joined by an edge if their identity, the fraction of
 *  equal columns, is larger than ATP_OPT_IDENTITY. Gaps are equal to each other; with ATP_GAPS_IGNORE identity is the fraction of equal
 *  residues among the columns where both have one, so that a fragment is as similar to its relatives as the whole sequence.
 *
 *  A run visits the sequences in random order. Each is meant for T with probability f = ATP_OPT_TEST_FRACTION, otherwise for S. It goes
 *  there if it has no edge to a sequence of the other set; otherwise to the other set if it has no edge to the first; otherwise it is not
 *  used. The larger set is for training. Then each set is visited in random order, and thinned out: a sequence is left out if its identity
 *  with one that was kept is larger than ATP_OPT_IDENTITY_TRAINING or ATP_OPT_IDENTITY_TEST, or if ATP_OPT_MAX_TRAINING or ATP_OPT_MAX_TEST
 *  sequences were kept. Of ATP_OPT_RUNS runs the one with the largest |S| |T| is the result, the first of equal ones.
 *
 *  The sizes are what the graph allows: with f = 1/2 a family that falls into two clusters has half of the sequences in each set, and one
 *  of many small clusters, too. In a connected family a small f leaves most sequences for training.
 */
#ifndef ATTOPOTTS_WEIGHTS_H
#define ATTOPOTTS_WEIGHTS_H

#include <attopotts/alignment.h>
#include <attopotts/options.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of atp_alignment_scan_weights(), ATP_TABLE_WEIGHTS. */
typedef enum atp_weights_column ATP_INT {
  ATP_WEIGHTS_THETA = 0,     /**< largest fraction of differing columns of neighbours */
  ATP_WEIGHTS_EFFECTIVE = 1, /**< effective number of sequences, the sum of the weights */
  ATP_WEIGHTS_ALONE = 2,     /**< sequences without neighbours */
  ATP_WEIGHTS_LARGEST = 3    /**< sequences in the largest neighbourhood, its centre included */
} atp_weights_column;
/** Number of columns of atp_weights_column. */
#define ATP_WEIGHTS_COLUMNS 4

/** Computes the effective number of sequences for several thresholds: N_eff(theta) = sum_n w_n, with the weights of atp_alignment_weigh().
 *  It leaves the weights of the alignment as they are. The numbers do not depend on the number of threads.
 *  @param[in] alignment
 *  @param[in] thetas  shape [n], each 0..1
 *  @param[in] n       number of thresholds, >= 1
 *  @param[in] rule    an atp_weight_rule
 *  @param[in] table   ATP_TABLE_WEIGHTS, with room for n more rows; a row for each theta is appended, in their order
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a theta, n, rule); ATP_E_TOO_LARGE (more than 2^31 - 1 sequences); ATP_E_CONFLICT (a table of
 *          another kind); ATP_E_BUFFER (no room in the table); ATP_E_MEMORY
 *  Allocates: work space of about N (L + 4 threads) bytes, freed before the call returns. Threads: one per context; collective, parallel.
 *  Since: 0.1. */
ATP_API atp_status atp_alignment_scan_weights(const atp_alignment *alignment, const double *thetas, int64_t n, atp_weight_rule rule,
                                              atp_table *table) ATP_NOEXCEPT;

/** Parts of a split. */
typedef enum atp_part ATP_INT {
  ATP_PART_UNUSED = 0,   /**< similar to sequences of both sets, or left out of its own */
  ATP_PART_TRAINING = 1, /**< training set */
  ATP_PART_TEST = 2      /**< test set */
} atp_part;

/** Splits the sequences of an alignment into a training set and a test set without similar sequences, as above. The parts do not depend on
 *  the number of threads. atp_alignment_take() makes the alignments; weigh them afterwards.
 *  @param[in]  alignment
 *  @param[in]  options  (optional) of ATP_OWNER_SPLIT
 *  @param[out] parts    shape [N]: the atp_part of each sequence
 *  @param[in]  n        must be N
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_CONFLICT (options of another owner); ATP_E_VALUE (one sequence; no run leaves a test
 *          sequence: the text has an identity, to a hundredth, for which one does); ATP_E_TOO_LARGE (more than 2^31 - 1 sequences);
 *          ATP_E_MEMORY
 *  Allocates: work space of about N (L + 40 + 4 threads) bytes, freed before the call returns. Threads: one per context; parallel.
 *  Since: 0.1. Source: S. Petti, S. Eddy, PLoS Comput. Biol. 18, e1009492 (2022), for Cobalt; f = 1/2 there. Defaults are those of
 *  adabmDCA's profmark. */
ATP_API atp_status atp_alignment_split(const atp_alignment *alignment, const atp_options *options, int64_t *parts, int64_t n) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
