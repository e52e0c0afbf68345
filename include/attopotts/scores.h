/* SPDX-License-Identifier: MIT */
/** @file scores.h
 *  Analysis of learned models: scores of pairs of sites and their precision as contacts, single mutants, and comparison of the statistics
 *  of samples with those of data.
 *
 *  Scores are matrices [L][L], symmetric, with a zero diagonal. Matrices of scores and distances that a function receives count as
 *  symmetric if |X_ij - X_ji| <= 0.02 (|X_ij| + |X_ji| + the mean of all |X_kl|, k != l) for all i != j, because other programs round. A
 *  NaN stands for the transposed element: one triangle may hold all numbers if the other is NaN. If the other is zero, the status is
 *  ATP_E_SYMMETRY. A pair is two site indices i < j, 0-based. Numbers of sites are those of atp_model_site_numbers_view(), or 1..L.
 *
 *  Sources: M. Ekeberg, C. Lovkvist, Y. Lan, M. Weigt, E. Aurell, Phys. Rev. E 87, 012707 (2013) for Frobenius norms in the zero-sum gauge;
 *  S. D. Dunn, L. M. Wahl, G. B. Gloor, Bioinformatics 24, 333 (2008) for the average product correction.
 */
#ifndef ATTOPOTTS_SCORES_H
#define ATTOPOTTS_SCORES_H

#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a matrix X of shape [n][n] claims to be. */
typedef enum atp_symmetric ATP_INT {
  ATP_SYMMETRIC_COVARIANCE = 1, /**< finite; |X_ij - X_ji| <= 1e-10 (|X_ij| + |X_ji| + sqrt(|X_ii X_jj|)) */
  ATP_SYMMETRIC_SCORES = 2,     /**< as scores above, finite off the diagonal, which is not read */
  ATP_SYMMETRIC_DISTANCES = 3   /**< as scores; NaN in both places: not known */
} atp_symmetric;

/** Gauges of the couplings for scores. */
typedef enum atp_score_gauge ATP_INT {
  ATP_SCORE_ZERO_SUM = 1, /**< sum_a C_ij(a, b) = sum_b C_ij(a, b) = 0: the gauge of the smallest norm */
  ATP_SCORE_RAW = 2       /**< the couplings as they are */
} atp_score_gauge;

/** Treatment of pairs whose distance is not known. */
typedef enum atp_absent ATP_INT {
  ATP_ABSENT_EXCLUDED = 1, /**< left out of the ranking (for residues that a structure does not show) */
  ATP_ABSENT_COUNTED = 2   /**< counted as not in contact (for lists that hold contacts only) */
} atp_absent;

/* ---- Stable: what most programs need ---- */

/** Predicts contacts, as the program's `contacts` does: ranks the pairs of sites by Frobenius norm with average product correction, in
 *  descending order. It combines atp_model_frobenius(), atp_scores_apc() and, with the model's site numbers, atp_scores_rank(). Of a model
 *  with a list of pairs (pairs.h) only those are ranked, by the norm itself: the correction needs the scores of all pairs. Pairs between
 *  two proteins (atp_model_border()) are never left out for their numbers.
 *  @param[in] gauge       an atp_score_gauge; the program's default is ATP_SCORE_ZERO_SUM
 *  @param[in] gap         ATP_GAP_AUTO (the program's default), -1: no colour is left out, or the colour that is left out, 0..q-1
 *  @param[in] separation  pairs whose site numbers differ by less are left out; >= 0; the program's default is 1
 *  @param[in] table       ATP_TABLE_CONTACTS, with room for one more row. As many pairs as there is room for are appended, the best first;
 *                         there are L (L - 1) / 2 in total, or as many as the list has
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (gauge, gap, separation); ATP_E_NOT_FINITE (norms beyond float64); ATP_E_CONFLICT (a table of
 *          another kind); ATP_E_BUFFER (no room in the table); ATP_E_MEMORY
 *  Allocates: work space through the context, 16 L^2 bytes and 16 for each row, of a list 16 for each of its pairs, and that of
 *  atp_model_frobenius(), freed before the call returns. Threads: one per context, parallel. Since: 0.1, stable. Source: as
 *  atp_model_frobenius(). */
ATP_API atp_status atp_model_contacts(atp_context *context, const atp_model *model, atp_score_gauge gauge, int64_t gap, int64_t separation,
                                      atp_table *table) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Checks that a matrix is symmetric, by the same rule as the functions and tasks that take such a matrix.
 *  @param[in]  matrix  X, shape [n][n]; @param[in] n 1..65536
 *  @param[in]  kind    an atp_symmetric
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY (the error text names the elements, and tells if only one
 *          triangle is filled). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_symmetric_check(const double *matrix, int64_t n, atp_symmetric kind) ATP_NOEXCEPT;

/** Computes scores of pairs: Frobenius norms of the symmetrised couplings, times beta,
 *    FN_ij = beta sqrt( sum_{a, b != gap} C'_ij(a, b)^2 ),  C' the couplings (C_ij(a, b) + C_ji(b, a)) / 2 in the gauge.
 *  Of an autoregressive model C' is the one that is not 0; the gauge does not change its conditionals.
 *  The gauge is taken over all q colours; the gap is left out afterwards. Models of heads are expanded one block of couplings at a time.
 *  @param[in]  gauge   an atp_score_gauge
 *  @param[in]  gap     the colour that is left out of the norm, 0..q-1 (0 in every alphabet that begins with the gap); -1: none
 *  @param[out] scores  shape [L][L]; @param[in] size L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (gauge, gap); ATP_E_SHAPE; ATP_E_MEMORY
 *  Allocates: work space through the context, 8 q (q + 1) bytes per thread, freed before the call returns. Threads: one per context,
 *  parallel. Since: 0.1. Source: Ekeberg et al. (2013). */
ATP_API atp_status atp_model_frobenius(atp_context *context, const atp_model *model, atp_score_gauge gauge, int64_t gap, double *scores,
                                       int64_t size) ATP_NOEXCEPT;

/** Computes the average product correction, which subtracts the background score of both sites:
 *    S'_ij = S_ij - S_i S_j / S,  S_i the mean of S_ij over the L - 1 other sites j, S the mean of all S_i. If S = 0, nothing changes.
 *  @param[in]  scores     shape [L][L], symmetric (see above), finite; the diagonal is not read
 *  @param[in]  sites      L, 2..65536
 *  @param[out] corrected  shape [L][L]; may be the same array as scores
 *  @param[in]  size       L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY. Allocates: no. Threads: any. Since: 0.1.
 *  Source: Dunn et al. (2008). */
ATP_API atp_status atp_scores_apc(const double *scores, int64_t sites, double *corrected, int64_t size) ATP_NOEXCEPT;

/** Finds the pairs with the largest scores, in descending order, of one protein or of two. Pairs of equal score are in the order of i, then
 *  j.
 *  @param[in]  scores    shape [L][L], symmetric (see above); the diagonal is not read. NaN in both places: the pair has no score, as those
 *                        that are not in the list of a model (pairs.h), and is left out
 *  @param[in]  sites     L, 2..65536
 *  @param[in]  numbers   (optional) numbers of the sites, shape [L]; NULL: 1..L
 *  @param[in]  rule      shape [2]: the separation, >= 0: pairs whose numbers differ by less are left out; and how many of the sites, 0..
 *                        L - 1, are those of the first of two proteins: pairs of sites of both are never left out for their numbers. 0:
 *                        there is one protein
 *  @param[out] pairs     shape [capacity][2]; untouched beyond *count
 *  @param[in]  capacity  largest number of pairs, >= 1; there are L (L - 1) / 2 in total
 *  @param[out] count     number of pairs found, at most capacity
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_scores_rank(const double *scores, int64_t sites, const int64_t *numbers, const int64_t *rule, int64_t *pairs,
                                   int64_t capacity, int64_t *count) ATP_NOEXCEPT;

/** Computes the overlap of two rankings: the fraction of the pairs of one that are among those of another. The order of the pairs and of
 *  the sites in them does not matter.
 *  @param[in]  pairs   shape [n][2], different pairs of sites >= 0, such as the first n that atp_scores_rank() finds; @param[in] n >= 1
 *  @param[in]  others  shape [m][2], of the other ranking; @param[in] m >= 1
 *  @param[out] overlap the fraction, 0..1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_MEMORY. Allocates: work space through the context, 16 m bytes, freed before the call
 *  returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_pairs_overlap(atp_context *context, const int64_t *pairs, int64_t n, const int64_t *others, int64_t m,
                                     double *overlap) ATP_NOEXCEPT;

/** Leaves out of the scores of atp_model_contacts() the colour that atp_model_gap_color() returns. */
#define ATP_GAP_AUTO -2

/** Returns the colour that stands for a gap: 0 if the alphabet of the model begins with - . _ or ~, else -1 (none). A model without an
 *  alphabet has no gap. @return -1 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_gap_color(const atp_model *model) ATP_NOEXCEPT;
/** Returns the colour that stands for a gap in an alignment, by the same rule. @return -1 for NULL. Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API int64_t atp_alignment_gap_color(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Columns of atp_model_contacts(), ATP_TABLE_CONTACTS. */
typedef enum atp_contacts_column ATP_INT {
  ATP_CONTACTS_I = 0,      /**< number of the first site */
  ATP_CONTACTS_J = 1,      /**< number of the second site */
  ATP_CONTACTS_FN = 2,     /**< Frobenius norm, see atp_model_frobenius() */
  ATP_CONTACTS_APC = 3,    /**< the norm with average product correction: the score of the ranking */
  ATP_CONTACTS_SITE_I = 4, /**< index of the first site, 0-based */
  ATP_CONTACTS_SITE_J = 5  /**< index of the second site, above that of the first */
} atp_contacts_column;
/** Number of columns of atp_contacts_column. */
#define ATP_CONTACTS_COLUMNS 6

/** Computes the precision (positive predictive value) of the best pairs. curve[k] is the fraction of contacts, distance < cutoff, among the
 *  first k + 1 of the pairs that are counted.
 *  @param[in]  pairs      shape [n][2], as from atp_scores_rank(); @param[in] n >= 1
 *  @param[in]  distances  shape [L][L], symmetric (see above); NaN in both places: not known
 *  @param[in]  sites      L, 2..65536
 *  @param[in]  cutoff     > 0, in the unit of the distances
 *  @param[in]  absent     an atp_absent: treatment of pairs of unknown distance
 *  @param[out] curve      shape [n], n as above; NaN beyond the number of pairs that are counted
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_pairs_precision(const int64_t *pairs, int64_t n, const double *distances, int64_t sites, double cutoff,
                                       atp_absent absent, double *curve) ATP_NOEXCEPT;

/** Computes the effects of all single mutants of a sequence. For each site i and colour a, with s' the sequence with s_i = a,
 *    delta_energy = H(s') - H(s), without beta (negative: the mutant is more probable),
 *    delta_log_pseudolikelihood = sum_j log p(s'_j | rest) - sum_j log p(s_j | rest), in nats (positive: the mutant is more probable).
 *  Of an autoregressive model the second is that of log P, and the first its negative. Both are 0 for a = s_i. Missing sites contribute to
 *  no sum. At a missing site a mutant is the sequence with that site filled in.
 *  @param[in]  sequence      shape [L], values < q or ATP_MISSING; @param[in] sites L
 *  @param[out] delta_energy  shape [L][q]
 *  @param[out] delta_log_pseudolikelihood (optional) shape [L][q]; takes L^2 q^2 exponentials
 *  @param[in]  size          L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_ALPHABET; ATP_E_MEMORY
 *  Allocates: work space through the context, about 8 q (L + q per thread) bytes, none for energies of Potts models alone, freed before
 *  the call returns. Threads: one per context, parallel. Since: 0.1. */
ATP_API atp_status atp_model_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t sites,
                                     double *delta_energy, double *delta_log_pseudolikelihood, int64_t size) ATP_NOEXCEPT;

/** Computes scores of pairs by epistasis: the Frobenius norms of
 *    D_ij(a, b) = log P(s_i = a, s_j = b) - log P(s_i = a) - log P(s_j = b) + log P(s),
 *  where P(s_i = a) is the probability of the sequence s with colour a at site i. D is averaged over the sequences and brought to the gauge
 *  sum_a D_ij(a, b) = sum_b D_ij(a, b) = 0 over all colours; the gap is left out of the norm. These are the contacts of ArDCA, with one
 *  sequence. Of a Potts model D does not depend on the sequence: its scores are those of atp_model_frobenius(). Missing sites do not count.
 *  @param[in]  sequences  shape [n][L], values < q or ATP_MISSING; @param[in] n >= 1
 *  @param[in]  gap        ATP_GAP_AUTO, -1: none, or the colour that is left out of the norm, 0..q-1
 *  @param[out] scores     shape [L][L]; atp_scores_apc() corrects them; @param[in] size L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_ALPHABET; ATP_E_MEMORY
 *  Allocates: work space through the context, 8 n L q bytes for autoregressive models and 8 q (4 q + 2) for each thread, freed before the
 *  call returns. Time: proportional to n L^3 q^3 for autoregressive models. Threads: one per context, parallel. Since: 0.1. Source:
 *  J. Trinquier, G. Uguzzoni, A. Pagnani, F. Zamponi, M. Weigt, Nat. Commun. 12, 5800 (2021), "Epistasis". */
ATP_API atp_status atp_model_epistatic_scores(atp_context *context, const atp_model *model, const uint8_t *sequences, int64_t n,
                                              int64_t gap, double *scores, int64_t size) ATP_NOEXCEPT;

/** Computes the map of a learned model in the gauge of a true one, both of one head: what atp_model_coupling_error() (model.h) compares
 *  with beta* J_ij, the map of the truth times its beta. V and U are the matrices of colours of model and truth less their means over a,
 *    X_ij = s beta A_ij |V|_F / |U|_F,  s the sign of <V, U>.
 *  @param[out] map   shape [L][L]; @param[in] size L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (sites, colours, size); ATP_E_CONFLICT (not one head; U is 0)
 *  Allocates: work space through the context, 16 q^2 bytes, freed before the call returns. Threads: one per context. Since: 0.1.
 *  Source: [R24 fig. 2c]. */
ATP_API atp_status atp_model_map_like(atp_context *context, const atp_model *model, const atp_model *truth, double *map,
                                      int64_t size) ATP_NOEXCEPT;

/** Rows of atp_statistics_compare(). */
typedef enum atp_comparison_row ATP_INT {
  ATP_COMPARISON_SITES = 0,      /**< f_i(a) of all sites and colours */
  ATP_COMPARISON_PAIRS = 1,      /**< f_ij(a, b) of all pairs i < j and colours */
  ATP_COMPARISON_COVARIANCES = 2 /**< C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b) of the same pairs and colours */
} atp_comparison_row;
/** Number of rows of atp_comparison_row. */
#define ATP_COMPARISON_ROWS 3

/** Columns of atp_statistics_compare(), with x from the data and y from the samples. */
typedef enum atp_comparison_column ATP_INT {
  ATP_COMPARISON_COUNT = 0,   /**< number of pairs (x, y) */
  ATP_COMPARISON_PEARSON = 1, /**< correlation of x and y; NaN if one of them is constant */
  ATP_COMPARISON_SLOPE = 2,   /**< slope of the least-squares line of y over x; NaN if x is constant */
  ATP_COMPARISON_RMS = 3,     /**< root mean square of y - x */
  ATP_COMPARISON_LARGEST = 4  /**< largest |y - x| */
} atp_comparison_column;
/** Number of columns of atp_comparison_column. */
#define ATP_COMPARISON_COLUMNS 5

/** Compares one- and two-point statistics of samples with those of data, both weighted.
 *  If the data have one colour more than the samples, the first colour of the data is missing data, as for models learned without gaps.
 *  Then f_i is an average over the sequences that have site i; f_ij and the f_i f_j of C_ij are averages over those that have both.
 *  @param[in]  data     an alignment
 *  @param[in]  samples  an alignment with the same number of sites, and the same number of colours or one less
 *  @param[out] numbers  shape [ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS]
 *  @param[in]  size     ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_MEMORY
 *  Allocates: work space through the context, 16 L q^2 bytes per thread, freed before the call returns. Threads: one per context, parallel.
 *  Since: 0.1. */
ATP_API atp_status atp_statistics_compare(atp_context *context, const atp_alignment *data, const atp_alignment *samples, double *numbers,
                                          int64_t size) ATP_NOEXCEPT;

/** Computes what atp_statistics_compare() would give for independent samples of the same distribution: the scale for its numbers. The data
 *  are split at random, many times, into a part with the summed weight of the samples, at most half of the data, and the rest; the parts
 *  are compared with each other. Their numbers are extended to the sizes of data and samples, D and S, from those of the rest and the
 *  part, R and P. Errors of frequencies go as the root of 1 / n:
 *    rms, largest: times sqrt(g), g = (1/D + 1/S) / (1/R + 1/P);  pearson: 1 / (1 + (1/x - 1) g);  slope: 1 / (1 + (1/x - 1) R/D).
 *  Standard deviations go with them to first order.
 *  @param[in]  data     an alignment
 *  @param[in]  samples  S, the summed weight of the samples, > 0
 *  @param[in]  splits   0..10^6
 *  @param[in]  seed     >= 0
 *  @param[out] numbers  shape [2][ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS]: means and standard deviations over the splits. Means are
 *                       NaN for a single sequence or without splits, standard deviations with less than two splits, too
 *  @param[out] weights  shape [2]: P and R, means over the splits; 0 without splits
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_MEMORY
 *  Allocates: work space through the context, N (L + 16) bytes, 120 for each split and that of atp_statistics_compare(), freed before the
 *  call returns. Threads: one per context, parallel. Since: 0.1. Source: C. Spearman and W. Brown, Br. J. Psychol. 3, 271 and 296 (1910),
 *  for correlation and slope. */
ATP_API atp_status atp_statistics_parts(atp_context *context, const atp_alignment *data, double samples, int64_t splits, int64_t seed,
                                        double *numbers, double *weights) ATP_NOEXCEPT;

/** Measures of samples: rows of atp_samples_quality(). */
typedef enum atp_quality ATP_INT {
  ATP_QUALITY_SITES = 0,        /**< five rows, by atp_comparison_column, of f_i(a): those of atp_statistics_compare() */
  ATP_QUALITY_PAIRS = 5,        /**< five rows, of f_ij(a, b) */
  ATP_QUALITY_COVARIANCES = 10, /**< five rows, of C_ij(a, b) */
  ATP_QUALITY_TRIPLES = 15,     /**< five rows, of the largest C_ijk(a, b, c) */
  ATP_QUALITY_VARIANCE_1 = 20,  /**< variance of the samples over that of the data, along the first principal component of the data */
  ATP_QUALITY_VARIANCE_2 = 21,  /**< the same along the second */
  ATP_QUALITY_PLANE = 22,       /**< energy coefficient of samples and data in the plane of both components */
  ATP_QUALITY_NEAREST = 23,     /**< distance to the nearest sequence of the data, mean */
  ATP_QUALITY_NEAREST_Q05 = 24, /**< its quantile at 0.05 */
  ATP_QUALITY_NEAREST_Q50 = 25, /**< its median */
  ATP_QUALITY_NEAREST_Q95 = 26, /**< its quantile at 0.95 */
  ATP_QUALITY_COPIES = 27,      /**< share of the samples at distance 0 */
  ATP_QUALITY_SPREAD = 28,      /**< distance of two samples, mean */
  ATP_QUALITY_SPREAD_Q05 = 29,  /**< its quantile at 0.05 */
  ATP_QUALITY_SPREAD_Q50 = 30,  /**< its median */
  ATP_QUALITY_SPREAD_Q95 = 31   /**< its quantile at 0.95 */
} atp_quality;
/** Number of rows of atp_samples_quality(). */
#define ATP_QUALITY_ROWS 32

/** Columns of ATP_TABLE_QUALITY. */
typedef enum atp_quality_column ATP_INT {
  ATP_QUALITY_MEASURE = 0,  /**< an atp_quality: what is measured */
  ATP_QUALITY_SAMPLES = 1,  /**< of the samples, against the data */
  ATP_QUALITY_DATA = 2,     /**< the same of the data alone, of distances; NaN: not defined */
  ATP_QUALITY_PARTS = 3,    /**< what independent samples would give, mean over random splits of the data */
  ATP_QUALITY_PARTS_SD = 4, /**< standard deviation over the splits */
  ATP_QUALITY_LOW = 5,      /**< smaller numbers are a fault; NaN: any may be */
  ATP_QUALITY_HIGH = 6,     /**< larger numbers are a fault; NaN: any may be */
  ATP_QUALITY_VERDICT = 7   /**< -1: below low, 1: above high, 0: neither; NaN: no number, no limits, or too few sequences to tell */
} atp_quality_column;
/** Number of columns of atp_quality_column. */
#define ATP_QUALITY_COLUMNS 8

/** Columns of ATP_TABLE_DISTANCES: distributions of the fraction of sites at which two sequences differ. Each sums to 1. */
typedef enum atp_distances_column ATP_INT {
  ATP_DISTANCES_DISTANCE = 0,        /**< fraction of the sites that differ: d / L, d = 0..L */
  ATP_DISTANCES_NEAREST_SAMPLES = 1, /**< share of the samples whose nearest sequence in the data is at this distance */
  ATP_DISTANCES_NEAREST_DATA = 2,    /**< share of the data whose nearest other sequence is at this distance */
  ATP_DISTANCES_NEAREST_PARTS = 3,   /**< share of random parts of the data whose nearest sequence in the rest is at this distance */
  ATP_DISTANCES_PAIRS_SAMPLES = 4,   /**< share of the pairs of samples at this distance */
  ATP_DISTANCES_PAIRS_DATA = 5       /**< share of the pairs of sequences of the data at this distance */
} atp_distances_column;
/** Number of columns of atp_distances_column. */
#define ATP_DISTANCES_COLUMNS 6

/** Measures the quality of samples of a generative model against the data from which it was learned, beside what independent samples of
 *  the same distribution would give, and judges it.
 *  - f_i, f_ij, C_ij: as atp_statistics_compare().
 *  - C_ijk(a, b, c) = <(1[s_i = a] - f_i(a)) (1[s_j = b] - f_j(b)) (1[s_k = c] - f_k(c))>: the largest in the data, as many as
 *    ATP_OPT_TRIPLES says, among the 50 sites with the largest sum_a v_i(a)^2, v = f (1 - f), and the 8 most frequent colours of each.
 *  - Principal components of the one-hot sequences of the data: as atp_statistics_components(). The energy coefficient
 *    (2 E|X - Y| - E|X - X'| - E|Y - Y'|) / (2 E|X - Y|) of points X, X' of the data and Y, Y' of the samples is 0 for equal distributions
 *    and at most 1. Points are rounded to a grid of 64 x 64 cells over their range.
 *  - Distances: the fraction of the sites that differ, from all sequences of the data, of 2000 samples that are evenly spaced; also of 2000
 *    sequences of the data. Missing data: of the sites that both have, rounded to d / L; pairs that share less than half of the sites do
 *    not count.
 *  Parts are those of atp_statistics_parts(), each split with triples and components of its own. Correlations, slopes and rms are extended
 *  as there, ratios of variances as slopes, the energy coefficient by the factor g, copies to 1 - (1 - x)^(D/R); distances are not. Where
 *  the samples have no gap, gaps are missing data in C_ijk, components and distances of the parts, and a colour in the rest.
 *
 *  Limits, with x the mean over the splits and s three of their standard deviations; there are none with less than two splits:
 *    f_i: rms at most max(0.02, 2 (x + s));
 *    C_ij: correlation at least min(0.95, 1 - 1.5 (1 - x + s)), slope min(0.8, 0.9 (x - s)) .. 1.25 + s;
 *    C_ijk: correlation at least min(0.9, 1 - 2 (1 - x + s)), slope min(0.7, 0.6 (x - s)) .. 1.5 + s;
 *    variances: 0.5 (x - s) .. 2 max(1, x + s);  energy coefficient: at most max(0.05, 4 (x + s));
 *    nearest: at least 0.5 (x - s);  copies: at most 0.05 + x + s;  distance of two samples: at least 0.8 of the data's - s.
 *  A lower limit of at most 0, or an upper one of at least 1 for coefficient and copies, is no evidence: samples without any relation to
 *  the data are within. Numbers within such limits have no verdict, which means that there are too few sequences to tell.
 *  @param[in] data       an alignment
 *  @param[in] samples    an alignment with the same number of sites, and the same number of colours or one less: then the first colour of
 *                        the data is missing data
 *  @param[in] options    (optional) of ATP_OWNER_QUALITY
 *  @param[in] quality    ATP_TABLE_QUALITY, with room for ATP_QUALITY_ROWS more rows
 *  @param[in] distances  (optional) ATP_TABLE_DISTANCES, with room for L + 1 more rows
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_CONFLICT (options or tables of another kind); ATP_E_BUFFER (no room); ATP_E_TOO_LARGE;
 *          ATP_E_MEMORY
 *  Allocates: work space through the context, about 800 L q bytes, 3 L for each sequence and that of atp_statistics_parts(), freed before
 *  the call returns. Threads: one per context, parallel. Since: 0.1. Sources: M. Figliuzzi,
 *  P. Barrat-Charlaix, M. Weigt, Mol. Biol. Evol. 35, 1018 (2018) for C_ijk and components; M. L. Rizzo, G. J. Szekely, WIREs Comput. Stat.
 *  8, 27 (2016) for the energy coefficient. */
ATP_API atp_status atp_samples_quality(atp_context *context, const atp_alignment *data, const atp_alignment *samples,
                                       const atp_options *options, atp_table *quality, atp_table *distances) ATP_NOEXCEPT;

/** Computes the coordinates of data and samples along the principal components of the data: with v_k the unit eigenvectors of the weighted
 *  covariance matrix of the one-hot data, Lq x Lq, of the largest eigenvalues,
 *    y_nk = sum_i (v_k(i, s_ni) - sum_a f_i(a) v_k(i, a)).
 *  The component of v_k of the largest size is positive. Sites that are missing contribute 0.
 *  @param[in]  data         an alignment, N sequences
 *  @param[in]  samples      (optional) an alignment, M sequences, with the same number of sites, and the same number of colours or one
 *                           less: then the first colour of the data is missing data
 *  @param[in]  components   K, 1..4
 *  @param[out] coordinates  shape [n][components]: of the data, then of the samples
 *  @param[in]  n            N + M, N without samples
 *  @param[out] variances    shape [components]: of the data along the components, falling
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_TOO_LARGE; ATP_E_MEMORY
 *  Allocates: work space through the context, about 800 L q bytes and 32 for each sequence, freed before the call returns.
 *  Threads: one per context, parallel. Since: 0.1. Source: Figliuzzi et al. (2018). */
ATP_API atp_status atp_statistics_components(atp_context *context, const atp_alignment *data, const atp_alignment *samples,
                                             int64_t components, double *coordinates, int64_t n, double *variances) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
