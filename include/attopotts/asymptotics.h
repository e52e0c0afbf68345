/* SPDX-License-Identifier: MIT */
/** @file asymptotics.h
 *  What learning from M sequences costs: how far estimates lie from the limit of many sequences, by the covariance of their scores.
 *
 *  With the score g_n = d loss_n / dx of sequence n, for example loss_n = sum_i -log p(s_ni | rest), the curvature H = E d^2 loss / dx^2
 *  and J = cov g,
 *    sqrt(M) (x^ - x) -> N(0, H^+ J H^+),
 *    E [loss of the estimate on new sequences] - loss of the model -> tr(H H^+ J H^+) / (2 M) per sequence.
 *  Pseudo-likelihood uses a site several times, so that J differs from H. Of the likelihood H = J = I, the Fisher information, and its
 *  excess is rank / (2 M). Directions that leave all conditionals unchanged (gauges) are projected out: H^+ is the inverse on the range of
 *  H. Unknowns are couplings and fields times beta.
 *  - Averages are over all q^L <= 2^22 states of the model, or over an alignment: samples of the model, or the family from which it was
 *    learned. With weights w, averages are sum w x / sum w, and M is sum w: a cluster of n sequences of weights 1/n counts as one.
 *  - The model is where the estimate tends to: the true model, or one that was learned without penalties. ATP_ASYMPTOTICS_SLACK says how
 *    far its loss on the averages is from a minimum. H is exact where the model has the conditionals of the data.
 *  - Penalties change H to H + 2 l2 (dense couplings: 2 l2 / M, so that numbers are not proportional to 1 / M), and the limit to the
 *    minimum of the penalised problem, from which the model should come; their bias is not in the numbers, and SLACK leaves their slope
 *    out. Of dense couplings they act on zero-sum blocks and fields: one-hot blocks also move along their means, unless fields are nearly
 *    free.
 *  - Dense couplings: symmetric, asymmetric (ATP_OPT_ASYMMETRIC, the means of both copies), of all pairs, with fields. Factored attention:
 *    free maps; V known or learned; with fields or known ones.
 *  - Masks (ATP_OBJECTIVE_MLM). One random site of each sequence and epoch is the pseudo-likelihood in the limit of many epochs. With
 *    ATP_OPT_MASK_PROBABILITY masked sites do not see each other: their conditionals are those of fewer sites, which no Potts model has, so
 *    that the limit is another model, the one to pass. Scores are averages over all masks, or over ATP_OPT_MASKS of each sequence.
 *
 *  Sources: V. P. Godambe, Ann. Math. Statist. 31, 1208 (1960); B. G. Lindsay, Contemporary Mathematics 80, 221 (1988); H. White,
 *  Econometrica 50, 1 (1982). */
#ifndef ATTOPOTTS_ASYMPTOTICS_H
#define ATTOPOTTS_ASYMPTOTICS_H

#include <attopotts/alignment.h>
#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of ATP_TABLE_ASYMPTOTICS. */
typedef enum atp_asymptotics_column ATP_INT {
  ATP_ASYMPTOTICS_UNKNOWNS = 0,                /**< coordinates in which the estimate moves */
  ATP_ASYMPTOTICS_RANK = 1,                    /**< directions of these that the loss sees; the others are gauges */
  ATP_ASYMPTOTICS_SAMPLES = 2,                 /**< M, sequences that are learned from */
  ATP_ASYMPTOTICS_LOSS = 3,                    /**< loss of the model, per predicted site; of the likelihood the pseudo-likelihood */
  ATP_ASYMPTOTICS_TRACE = 4,                   /**< trace of curvature times covariance of the estimate, times M */
  ATP_ASYMPTOTICS_EXCESS = 5,                  /**< expected excess of the loss that is minimised */
  ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD = 6, /**< expected excess of the pseudo-likelihood; NaN of autoregressive models */
  ATP_ASYMPTOTICS_COUPLING_ERROR = 7,          /**< expected coupling error: see atp_model_coupling_error() */
  ATP_ASYMPTOTICS_SLACK = 8                    /**< what a Newton step on these averages would gain, 0 at a minimum */
} atp_asymptotics_column;
/** Number of columns of atp_asymptotics_column. */
#define ATP_ASYMPTOTICS_COLUMNS 9

/** Computes expected excess losses, the expected coupling error, and the standard error of each coupling for M = ATP_OPT_SAMPLES sequences.
 *  Without penalties excesses and the coupling error are proportional to 1 / M, standard errors to its root.
 *  @param[in]  model      the limit of the estimate
 *  @param[in]  alignment  (optional) sequences for the averages; with a colour more than the model its first is a gap, which is missing.
 *                         NULL: all states of the model
 *  @param[in]  options    (optional) of ATP_OWNER_ASYMPTOTICS
 *  @param[in]  table      (optional) receives a row; of kind ATP_TABLE_ASYMPTOTICS
 *  @param[out] errors     (optional) standard errors of beta C_ij(a, b) in the gauge ATP_GAUGE_ZERO_SUM, shape [L][L][q][q], 0 for i = j
 *                         and where site i does not see site j; @param[in] size L * L * q * q, 0 with NULL
 *  Without a table, with an alignment and with ATP_OPT_ASYMMETRIC and penalties, errors are computed site by site as by
 *  atp_model_score_errors(), without a limit of unknowns and for the sequences of the alignment: ATP_OPT_SAMPLES must be 0.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_BUFFER; ATP_E_CONFLICT (the kind of the table, options that exclude each
 *          other, or the kind of the model); ATP_E_TOO_LARGE (q^L > 2^22 without an alignment, more than 8000 unknowns, or all masks of
 *          more than 16 sites); ATP_E_UNSUPPORTED (a list of pairs; dense couplings and missing sites; a build without BLIS and
 *          LAPACK); ATP_E_MEMORY
 *  With p unknowns, of which a site sees n, the time is that of p^3 and of n^2 q for each sequence, site and mask. With other kernels of
 *  BLIS rounding differs. Allocates: work space through the context, about 8 (6 p^2 + L n^2) bytes, atp_model_asymptotics_bytes(), freed
 *  before the call returns. Threads: one per context, parallel. Since: 0.1. Source: Godambe (1960), Lindsay (1988). */
ATP_API atp_status atp_model_asymptotics(atp_context *context, const atp_model *model, const atp_alignment *alignment,
                                         const atp_options *options, atp_table *table, double *errors, int64_t size) ATP_NOEXCEPT;

/** Computes standard errors of the scores of pairs of dense couplings that were learned from an alignment by pseudo-likelihood with
 *  penalties: of the Frobenius norms F_ij in the gauge ATP_GAUGE_ZERO_SUM, as atp_model_frobenius() has them, and of F_ij - F_i F_j / F
 *  (atp_scores_apc()). Each site is a regression of its own with one-hot inputs x_n, l2_fields and l2_couplings (half of it for each copy
 *  of a coupling):
 *    psi_n = (sum_m w_m P_m (x) x_m x_m^T + 2 l2)^-1 (p_n - e_{s_ni}) (x) x_n,  P = diag p - p p^T,
 *    error^2 of a score S = sum_n w_n (dS . psi_n - mean)^2, with the mean of both copies of a coupling (the delta method),
 *  at the given model. That is the covariance of asymmetric couplings (ATP_OPT_ASYMMETRIC), and near that of symmetric ones. It is the
 *  scatter around the minimum of the penalised problem, whose bias towards 0 it does not have; a norm of noise is above 0, too, so that a
 *  score in units of its error is no test of 0. Residuals of sequences that were learned from are too small where sequences are few.
 *  @param[in]  model      dense couplings; others with ATP_OPT_FAMILY dense
 *  @param[in]  alignment  the sequences it was learned from, with their weights; with a colour more than the model its first is a gap
 *  @param[in]  options    of ATP_OWNER_ASYMPTOTICS; l2-couplings and l2-fields of at least 1e-6, those the model was learned with
 *  @param[in]  gap        the colour that is left out of the norm, 0..q-1; -1: none
 *  @param[out] errors     of the norms, then of the corrected scores, shape [2][L][L], symmetric, with zero diagonals
 *  @param[in]  size       2 * L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (gap); ATP_E_CONFLICT (options of another estimate, no penalties);
 *          ATP_E_UNSUPPORTED (a list of pairs; a build without BLIS and LAPACK); ATP_E_MEMORY
 *  Of n sequences the equations are solved by conjugate gradients in their space, to 1e-9 of residuals: about 2 n^3 q L operations for each
 *  step; 12 seconds of a processor for 168 sequences, 66 sites and 21 colours. Allocates: atp_model_score_errors_bytes(), freed before the
 *  call returns. Threads: one per context, parallel. Since: 0.1. Source: White (1982). */
ATP_API atp_status atp_model_score_errors(atp_context *context, const atp_model *model, const atp_alignment *alignment,
                                          const atp_options *options, int64_t gap, double *errors, int64_t size) ATP_NOEXCEPT;

/** Computes the memory that atp_model_score_errors() allocates, in bytes: about 8 n^2 for each thread, and up to 0.3 GB.
 *  @param[in]  sequences  n, 1 or more
 *  @param[out] bytes      the result
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_score_errors_bytes(atp_context *context, const atp_model *model, int64_t sequences,
                                                int64_t *bytes) ATP_NOEXCEPT;

/** Computes the memory that atp_model_asymptotics() allocates, in bytes.
 *  @param[in]  sequences  of the alignment; 0: without one
 *  @param[in]  options    (optional) as there
 *  @param[out] bytes      the result
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_CONFLICT; ATP_E_TOO_LARGE; ATP_E_UNSUPPORTED. Allocates: no. Threads: one per context.
 *  Since: 0.1. */
ATP_API atp_status atp_model_asymptotics_bytes(atp_context *context, const atp_model *model, int64_t sequences, const atp_options *options,
                                               int64_t *bytes) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
