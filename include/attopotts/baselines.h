/* SPDX-License-Identifier: MIT */
/** @file baselines.h
 *  Methods without training: mean-field couplings, Gaussian scores, mutual information; and the direct information of any model.
 *
 *  All start from weighted frequencies of an alignment, mixed with a pseudocount c = ATP_OPT_PSEUDOCOUNT:
 *    f_i(a) = (1 - c) sum_n w_n [s_ni = a] / sum_n w_n + c / q,  f_ij(a, b) = (1 - c) sum_n w_n [s_ni = a][s_nj = b] / sum_n w_n + c / q^2,
 *  and their covariances C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b), with f_ii(a, b) = f_i(a) [a = b]. C is singular, because the frequencies
 *  of a site add up to 1. Its inverse on the q - 1 independent colours of each site does not depend on which of them are chosen, up to the
 *  gauge of the couplings.
 *
 *  Scores are matrices [L][L], symmetric, with a zero diagonal, without average product correction: atp_scores_apc() applies it.
 *
 *  Sources: F. Morcos et al., PNAS 108, E1293 (2011), for mean-field couplings; M. Weigt, R. A. White, H. Szurmant, J. A. Hoch, T. Hwa,
 *  PNAS 106, 67 (2009), for direct information; C. Baldassi et al., PLoS ONE 9, e92721 (2014), for Gaussian scores; S. D. Dunn, L. M. Wahl,
 *  G. B. Gloor, Bioinformatics 24, 333 (2008), for mutual information. */
#ifndef ATTOPOTTS_BASELINES_H
#define ATTOPOTTS_BASELINES_H

#include <attopotts/alignment.h>
#include <attopotts/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Scores of atp_gaussian_scores(). */
typedef enum atp_pair_score ATP_INT {
  ATP_PAIR_SCORE_FN = 1, /**< Frobenius norm of the couplings in the zero-sum gauge */
  ATP_PAIR_SCORE_DI = 2  /**< direct information: the mutual information of the two sites alone, with this coupling */
} atp_pair_score;

/** Computes the memory that atp_mean_field_model() allocates at most for data of this shape, in bytes: the couplings of the model, q^2 L^2
 *  of 8 bytes, in which the inverse is made; with options of ATP_OWNER_GAUSSIAN that of atp_gaussian_scores(): the inverse, (q - 1)^2 L^2
 *  numbers. Where sequences are few, 2 (n + 1) <= (q - 1) L, a matrix of (n + 1) (q - 1) L numbers is added and the time falls. The inverse
 *  is smaller where sites show fewer than q colours: in place of q - 1 stands the number of colours that occur at a site.
 *  @param[in]  n        number of sequences; @param[in] sites L; @param[in] colors q
 *  @param[in]  options  (optional) of ATP_OWNER_MEAN_FIELD or ATP_OWNER_GAUSSIAN
 *  @param[out] bytes    the result
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_mean_field_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                        int64_t *bytes) ATP_NOEXCEPT;

/** Computes the mean-field couplings of an alignment, and fields with which each site has its frequencies in the mean-field approximation:
 *    C_ij(a, b) = - (C^-1)_ij(a, b) for i != j,  b_i(a) = log f_i(a) - sum_{j != i} sum_b C_ij(a, b) f_j(b),
 *  in the zero-sum gauge, beta = 1. For weak couplings they approach those of the model that generated the sequences, where c -> 0.
 *  @param[in]  alignment  the sequences, with their weights; q colours, the gap is one of them
 *  @param[in]  options    (optional) of ATP_OWNER_MEAN_FIELD
 *  @param[out] model      receives the model: dense couplings and fields, with alphabet and site numbers of the alignment; NULL on failure
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (the pseudocount is 0, or below what the precision can invert); ATP_E_TOO_LARGE (more than 32000
 *          sites times colours); ATP_E_MEMORY; ATP_E_UNSUPPORTED (a build without BLIS and LAPACK)
 *  Runs in the threads of the context. With other kernels of BLIS its rounding differs.
 *  Allocates: at most atp_mean_field_bytes(), of which the model remains. Threads: one per context, parallel.
 *  Since: 0.1. Source: Morcos et al. (2011). */
ATP_API atp_status atp_mean_field_model(atp_context *context, const atp_alignment *alignment, const atp_options *options,
                                        atp_model **model) ATP_NOEXCEPT;

/** Computes the direct information of the pairs of sites of a model: the mutual information
 *    DI_ij = sum_{a, b} P_ij(a, b) log( P_ij(a, b) / (f_i(a) f_j(b)) ),  P_ij(a, b) = exp( beta C_ij(a, b) + x_i(a) + x_j(b) ) / Z,
 *  of two sites alone with the symmetrised coupling between them, and fields x for which P_ij has the given frequencies. It does not depend
 *  on the gauge.
 *  @param[in]  model        a Potts model
 *  @param[in]  frequencies  shape [L][q], >= 0; each site's add up to 1 up to 1e-6, as from atp_alignment_frequencies()
 *  @param[in]  frequencies_size  L * q
 *  @param[out] scores       shape [L][L], in nats; @param[in] size L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE; ATP_E_VALUE (frequencies, or couplings so large that the fields are not
 *          found); ATP_E_UNSUPPORTED (an autoregressive model)
 *  Allocates: work space through the context, 24 q (q + 1) bytes per thread, freed before the call returns. Threads: one per context,
 *  parallel. Since: 0.1. Source: Weigt et al. (2009). */
ATP_API atp_status atp_direct_information(atp_context *context, const atp_model *model, const double *frequencies, int64_t frequencies_size,
                                          double *scores, int64_t size) ATP_NOEXCEPT;

/** Computes the scores of a Gaussian model of the sequences in one-hot coding. With its couplings, those of atp_mean_field_model(), the
 *  Frobenius norm is that of atp_model_frobenius(). The direct information is that of two Gaussian sites with covariances C_ii and C_jj,
 *    DI_ij = 1/2 sum_k log( (1 + sqrt(1 + 4 s_k^2)) / 2 ),  s_k the singular values of C_ii^(1/2) (C^-1)_ij C_jj^(1/2).
 *  @param[in]  alignment  the sequences, with their weights
 *  @param[in]  options    (optional) of ATP_OWNER_GAUSSIAN
 *  @param[in]  score      an atp_pair_score
 *  @param[in]  gap        for the norm: the colour that is left out, 0..q-1; -1: none
 *  @param[out] scores     shape [L][L]; @param[in] size L * L
 *  @return as atp_mean_field_model(), and ATP_E_SHAPE; ATP_E_VALUE (score, gap)
 *  Allocates: at most atp_mean_field_bytes() of its options, freed before the call returns. Threads: one per context, parallel.
 *  Since: 0.1. Source: Baldassi et al. (2014). */
ATP_API atp_status atp_gaussian_scores(atp_context *context, const atp_alignment *alignment, const atp_options *options,
                                       atp_pair_score score, int64_t gap, double *scores, int64_t size) ATP_NOEXCEPT;

/** Computes the mutual information of all pairs of columns,
 *    MI_ij = sum_{a, b} f_ij(a, b) log( f_ij(a, b) / (f_i(a) f_j(b)) ),  over all q colours.
 *  @param[in]  alignment  the sequences, with their weights
 *  @param[in]  options    (optional) of ATP_OWNER_MUTUAL_INFORMATION
 *  @param[out] scores     shape [L][L], in nats; @param[in] size L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_MEMORY
 *  Allocates: work space through the context, 8 (n + L q^2) bytes per thread and 8 L (q + 1), freed before the call returns. Threads:
 *  one per context, parallel. Since: 0.1. Source: Dunn et al. (2008). */
ATP_API atp_status atp_mutual_information(atp_context *context, const atp_alignment *alignment, const atp_options *options, double *scores,
                                          int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
