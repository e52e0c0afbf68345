/* SPDX-License-Identifier: MIT */
/** @file selection.h
 *  Penalties and numbers of heads chosen by the data: K-fold cross-validation of the pseudo-likelihood.
 *
 *  Sequences of a family are relatives. A penalty that is chosen on relatives of the training sequences is too weak, so folds are made of
 *  whole clusters (atp_select_folds()): sequences that differ in at most a fraction d of the columns are linked, and what is linked
 *  directly or through others is a cluster. d is ATP_OPT_FOLD_DISTANCE, or the largest d below it for which no cluster has more than 1 /
 *  K of the weight. The heaviest cluster goes to the lightest fold, then the next.
 *
 *  For each strength of a path, strongest first, a model is learned without each fold k, from where the one before ended, and its loss
 *  l_k on that fold is measured, in nats per predicted site, with the weights W_k of the fold's sequences times their predicted sites:
 *    heldout_loss = sum_k W_k l_k / sum_k W_k,   standard_error^2 = K / (K - 1) sum_k (W_k (l_k - heldout_loss))^2 / (sum_k W_k)^2.
 *  Penalties keep their strength relative to a sum over sequences. A path ends with the step that gains less than a tenth of the standard
 *  error and less than the step before, or clearly loses.
 *
 *  The path is compared with the site-independent model, which minimises sum_n w_n -log p_i(s_ni) + l2_fields |h_i|^2 for each site, with
 *  a penalty on the fields of its own: that of its smallest held-out loss. With ATP_OPT_SELECT_FIELDS the whole path has that penalty, too.
 *
 *  ATP_SELECTION_ONE_ERROR, the default, takes the strongest penalty (or the fewest heads) whose loss is within one standard error of the
 *  smallest. ATP_SELECTION_MINIMUM takes the smallest.
 *
 *  The held-out pseudo-likelihood also counts what sequences share by ancestry, which couplings of a clade predict well and which says
 *  nothing about function. It chooses models of sequences and contacts. For effects of mutations ATP_CRITERION_SUBSTITUTIONS asks which
 *  changes relatives have accepted. s is a held-out sequence; A(s) are the substitutions (i, b) by which other sequences of its fold
 *  differ from it, among those that differ in at most ATP_OPT_FOLD_DISTANCE of the columns; H is the model's energy and s(i, b) the
 *  mutant:
 *    loss(s) = log sum_{j, c != s_j} exp(H(s) - H(s(j, c))) - mean_{(i, b) in A(s)} (H(s) - H(s(i, b))),
 *  the negative log probability that an accepted change is found among all single ones. Gaps are neither changed nor reached. The mean
 *  over at most 64 sequences of each fold has the weights of the sequences.
 *
 *  Threads: as a trainer's run. The same alignment and options give the same numbers for any number of threads.
 */
#ifndef ATTOPOTTS_SELECTION_H
#define ATTOPOTTS_SELECTION_H

#include <attopotts/trainer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What cross-validation chooses. */
typedef enum atp_select ATP_INT {
  ATP_SELECT_COUPLINGS = 1, /**< ATP_OPT_L2_COUPLINGS */
  ATP_SELECT_HEADS = 2      /**< ATP_OPT_HEADS of factored attention */
} atp_select;

/** Held-out losses that choose; their formulas are above. */
typedef enum atp_criterion ATP_INT {
  ATP_CRITERION_PSEUDOLIKELIHOOD = 1, /**< of all residues of held-out sequences: for contacts and for new sequences */
  ATP_CRITERION_SUBSTITUTIONS = 2     /**< of the substitutions between held-out relatives: for effects of mutations */
} atp_criterion;

/** Which point of a path cross-validation chooses. */
typedef enum atp_selection_rule ATP_INT {
  ATP_SELECTION_MINIMUM = 1,  /**< the one with the smallest held-out loss */
  ATP_SELECTION_ONE_ERROR = 2 /**< the simplest one whose held-out loss exceeds the smallest by at most its standard error */
} atp_selection_rule;

/** Columns of the path of a selection, ATP_TABLE_SELECTION. */
typedef enum atp_selection_column ATP_INT {
  ATP_SELECTION_L2_COUPLINGS = 0,        /**< penalty on the couplings, absolute */
  ATP_SELECTION_L2_FIELDS = 1,           /**< penalty on the fields, absolute; NaN without fields */
  ATP_SELECTION_HEADS = 2,               /**< attention heads; 0 for dense couplings */
  ATP_SELECTION_HELDOUT_LOSS = 3,        /**< weighted mean loss of held-out sequences, nats per predicted site */
  ATP_SELECTION_STANDARD_ERROR = 4,      /**< standard error of heldout_loss, from the folds */
  ATP_SELECTION_INDEPENDENT_LOSS = 5,    /**< held-out loss of the site-independent model */
  ATP_SELECTION_EXCESS = 6,              /**< heldout_loss minus independent_loss: below 0 where couplings help */
  ATP_SELECTION_EXCESS_ERROR = 7,        /**< standard error of excess, from the folds */
  ATP_SELECTION_EVALUATIONS = 8,         /**< gradients of all folds; of asymmetric couplings the mean over sites */
  ATP_SELECTION_COST = 9,                /**< evaluations so far times sequences in them, divided by the sequences of the alignment */
  ATP_SELECTION_SUBSTITUTION_LOSS = 10,  /**< held-out loss of accepted substitutions, nats; NaN if not the criterion */
  ATP_SELECTION_SUBSTITUTION_ERROR = 11, /**< standard error of substitution_loss, from the folds */
  ATP_SELECTION_INDEPENDENT_SUBSTITUTION_LOSS = 12, /**< held-out loss of substitutions of the site-independent model */
  ATP_SELECTION_CHOSEN = 13                         /**< 1 for the row that the rule chooses, else 0 */
} atp_selection_column;
/** Number of columns of atp_selection_column. */
#define ATP_SELECTION_COLUMNS 14

/** Divides the sequences of an alignment into folds of whole clusters of similar sequences.
 *  @param[in]  options   (optional) of ATP_OWNER_FOLDS, a selection or a trainer
 *  @param[out] folds     shape [N]: 0..K-1, the fold of each sequence
 *  @param[out] clusters  shape [N]: the cluster of each sequence, numbered by their first sequences
 *  @param[in]  n         must be N
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (fewer clusters than folds, one sequence); ATP_E_TOO_LARGE; ATP_E_MEMORY
 *  Allocates: work space through the context, freed before the call returns. Threads: one per context; parallel. Since: 0.1. */
ATP_API atp_status atp_select_folds(atp_context *context, const atp_alignment *alignment, const atp_options *options, int64_t *folds,
                                    int64_t *clusters, int64_t n) ATP_NOEXCEPT;

/** Chooses the penalty on the couplings, and that on the fields, or the number of heads, and appends the path to a table, a row for each
 *  strength. To train with the row that is chosen, set ATP_OPT_L2_COUPLINGS (of factored attention ATP_OPT_L2_PAIRS: larger V evade a
 *  penalty on maps), ATP_OPT_L2_FIELDS and ATP_OPT_L2_SCALE (ATP_L2_ABSOLUTE), or ATP_OPT_HEADS.
 *
 *  Strengths are ATP_OPT_STRONGEST times 1, 1 / r, 1 / r^2, ..., with r = ATP_OPT_STRENGTH_RATIO. The automatic strongest one is a quarter
 *  of the sum of the weights times L - 1 for dense couplings, and 1 for factored attention, whose objective is a mean. Numbers of heads are
 *  16, 8, 4, 2, 1. Training has the options of a trainer, L-BFGS and a tolerance a thousand times as large; strengths of dense couplings
 *  have at most four iterations each, unless a tolerance is set. That changes losses by some 1e-3.
 *  @param[in]  options   (optional) of ATP_OWNER_SELECTION or a trainer
 *  @param[out] table     ATP_TABLE_SELECTION, with room for ATP_OPT_STRENGTHS rows
 *  @param[in]  progress  (optional) called after every fold of every strength, with the held-out loss of the fold as ATP_PROGRESS_TEST_LOSS
 *  @param[out] outcome   (optional) CONVERGED; MAX_ITER, where the smallest loss is the last of the path; CANCELLED: the table is unchanged
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (fewer clusters than folds, one sequence, a fold without relatives where they are the
 *          criterion); ATP_E_CONFLICT (as atp_trainer_create(); heads of dense couplings; an optimiser other than L-BFGS; fixed colours);
 *          ATP_E_BUFFER; ATP_E_TOO_LARGE; ATP_E_MEMORY; ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: a trainer, a copy of the alignment and the parameters of all folds, freed before the call returns. Threads: one per context;
 *  collective, parallel. Since: 0.1. Source: L. Breiman et al., Classification and Regression Trees (1984), sec. 3.4.3; T. Hastie,
 *  R. Tibshirani, J. Friedman, The Elements of Statistical Learning (2009), sec. 7.10. */
ATP_API atp_status atp_select_penalty(atp_context *context, const atp_alignment *alignment, const atp_options *options, atp_table *table,
                                      atp_progress_fn progress, void *user, atp_outcome *outcome) ATP_NOEXCEPT;

/** As atp_select_penalty() for dense couplings of some pairs of sites (pairs.h), such as the contacts of a structure. The automatic
 *  strongest penalty is a quarter of the sum of the weights times the mean number of pairs of a site, 2 n / L. The outcome stands in
 *  the table: no row is appended where it was cancelled.
 *  @param[in]  options   (optional) of ATP_OWNER_SELECTION or a trainer; NULL: dense couplings, and everything else at its default
 *  @param[in]  pairs     shape [n][2], as in atp_trainer_create_pairs(); @param[in] n the number of pairs, 1..L(L-1)/2
 *  @param[out] table     ATP_TABLE_SELECTION, with room for ATP_OPT_STRENGTHS rows
 *  @param[in]  progress  (optional) as in atp_select_penalty()
 *  @return as atp_select_penalty(); ATP_E_VALUE (pairs, with the place; n); ATP_E_UNSUPPORTED (not dense)
 *  Allocates: as atp_select_penalty(). Threads: one per context; collective, parallel. Since: 0.1. Source: as atp_select_penalty(); M.
 *  Tsishyn, H. Talibart, M. Rooman, F. Pucci, bioRxiv 2026.03.27.714804 (StructureDCA) for couplings of contacts alone. */
ATP_API atp_status atp_select_penalty_pairs(const atp_alignment *alignment, const atp_options *options, const int64_t *pairs, int64_t n,
                                            atp_table *table, atp_progress_fn progress, void *user) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
