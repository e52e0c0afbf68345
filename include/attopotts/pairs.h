/* SPDX-License-Identifier: MIT */
/** @file pairs.h
 *  Couplings of some pairs of sites only: lattices and graphs, contacts of a structure, or the best pairs of a first pass.
 *
 *    logits_i(a) = h_i(a) + sum_{j: (i, j) in the list} J_ij(a, s_j); everything else as for dense couplings (trainer.h).
 *  The automatic penalty and ATP_OPT_L2_SCALE use L - 1, the number of other sites, with a list, too: the strength of a penalty then means
 *  the same for any list. Time and memory of training are proportional to the number of pairs, beside a part for each site (softmax, data).
 *
 *  Order of the parameters of a trainer with a list, sorted by its first site i < j, then by j:
 *  - symmetric: fields [L][q], then J_ij(a, b) [q][q] for each pair of the list;
 *  - asymmetric: for each site i its fields [q], then J_ij(a, b) [q][q], a at site i, for each j in a pair with i, in ascending order.
 *  With all L (L - 1) / 2 pairs this is the order of trainer.h, and the results have the same bits as without a list.
 *
 *  A model with a list holds the couplings of its pairs only, as do its saved state and its HDF5 file. It has the couplings, energies,
 *  samples and scores of a dense model with zeros for all other pairs. Where the list has less than half of all pairs, chains visit the
 *  listed pairs alone.
 *
 *  Threads: as trainer.h and model.h.
 */
#ifndef ATTOPOTTS_PAIRS_H
#define ATTOPOTTS_PAIRS_H

#include <attopotts/trainer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Computes the memory that atp_trainer_create_pairs() will allocate, in bytes; with several ranks that of this rank.
 *  @param[in] train    the training alignment
 *  @param[in] options  (optional) as in atp_trainer_create_pairs()
 *  @param[in] pairs    shape [n][2]; @param[in] n the number of pairs
 *  @param[out] bytes   the memory
 *  @return as atp_trainer_create_pairs(). Allocates: work space of 64 bytes for each pair and site, freed before the call returns.
 *  Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_trainer_pairs_bytes(atp_context *context, const atp_alignment *train, const atp_options *options,
                                           const int64_t *pairs, int64_t n, int64_t *bytes) ATP_NOEXCEPT;

/** Makes a trainer of dense couplings of some pairs of sites; all other couplings are 0 and are not learned.
 *  @param[in] train    the training alignment, as in atp_trainer_create()
 *  @param[in] options  (optional) with ATP_OPT_FAMILY = ATP_FAMILY_DENSE; NULL: that, and everything else at its default
 *  @param[in] pairs    shape [n][2], two different sites in 0..L-1 each, in any order, each pair once; copied
 *  @param[in] n        the number of pairs, 1..L(L-1)/2
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (pairs, with the place; n); ATP_E_CONFLICT (factored attention, or as atp_trainer_create());
 *          ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: atp_trainer_pairs_bytes(). Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_create_pairs(atp_context *context, const atp_alignment *train, const atp_options *options,
                                            const int64_t *pairs, int64_t n, atp_trainer **out) ATP_NOEXCEPT;

/** Returns the number of pairs in the list of a trainer; 0 if it has no list, and for NULL. Allocates: no. Threads: one per handle.
 *  Since: 0.1. */
ATP_API int64_t atp_trainer_pair_count(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Returns the list of pairs of a trainer, sorted, the smaller site first. @param[out] pairs shape [pairs][2]; @param[in] size twice the
 *  number of pairs, 0 without a list
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_pairs(const atp_trainer *trainer, int64_t *pairs, int64_t size) ATP_NOEXCEPT;

/** Returns the number of pairs in the list of a model; 0 if it has no list, and for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_pair_count(const atp_model *model) ATP_NOEXCEPT;
/** Returns the list of pairs of a model, sorted, the smaller site first. @param[out] pairs shape [pairs][2]; @param[in] size twice the
 *  number of pairs, 0 without a list
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_pairs(const atp_model *model, int64_t *pairs, int64_t size) ATP_NOEXCEPT;

/** Returns the couplings of the pairs of a model, without beta. @param[out] couplings C_ij(a, b), shape [pairs][q][q], in the order of
 *  atp_model_pairs(), a at the smaller site; @param[in] size q * q times the number of pairs, 0 without a list
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_pair_couplings(const atp_model *model, double *couplings, int64_t size) ATP_NOEXCEPT;

/** Makes a model with symmetric couplings between the pairs of a list and none between others; the arrays are copied. Nothing in it has the
 *  size L^2: lattices and sparse graphs of up to 2^20 sites fit. With the k-th pair (i, j), a the colour of i and b that of j,
 *    C_ij(a, b) = C_ji(b, a) = couplings[k][a][b], or with `color_matrix` couplings[k] color_matrix[a][b].
 *  @param[in] shape         {L, q, n}: sites, colours, pairs; 2 <= L <= 2^20, 2 <= q <= 255, 1 <= n <= L (L - 1) / 2
 *  @param[in] pairs         shape [n][2], two different sites in 0..L-1 each, in any order, each pair once
 *  @param[in] couplings     shape [n][q][q], or [n] with `color_matrix`
 *  @param[in] color_matrix  (optional) U, shape [q][q]; NULL: couplings are matrices
 *  @param[in] fields        (optional) b, shape [L][q]; NULL: none
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (with the place); ATP_E_NOT_FINITE; ATP_E_MEMORY; ATP_E_TOO_LARGE
 *  Allocates: the model, about 16 n (q^2 + 2) bytes. Threads: one per context. Since: 0.1. Source: [R24 eq. 1]. */
ATP_API atp_status atp_model_create_pairs(atp_context *context, const int64_t *shape, const int64_t *pairs, const double *couplings,
                                          const double *color_matrix, const double *fields, atp_model **out) ATP_NOEXCEPT;

/** Makes a copy of a model with the couplings of some pairs only, and their list. Heads are converted to dense couplings. Couplings
 *  that are left out are not compensated for. In the gauge ATP_GAUGE_ZERO_SUM they are as small as possible.
 *  @param[in] source  the model
 *  @param[in] pairs   shape [n][2], as in atp_trainer_create_pairs(); @param[in] n the number of pairs
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (pairs, with the place; n); ATP_E_MEMORY. Allocates: the model. Threads: one per context.
 *  Since: 0.1. */
ATP_API atp_status atp_model_keep_pairs(atp_context *context, const atp_model *source, const int64_t *pairs, int64_t n,
                                        atp_model **out) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
