/* SPDX-License-Identifier: MIT */
/** @file weights.h
 *  How the weights of sequences depend on the threshold of similarity. atp_alignment_weigh() computes weights for one threshold.
 */
#ifndef ATTOPOTTS_WEIGHTS_H
#define ATTOPOTTS_WEIGHTS_H

#include <attopotts/alignment.h>
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

#ifdef __cplusplus
}
#endif
#endif
