/* SPDX-License-Identifier: MIT */
/** @file mutations.h
 *  Mutants with one or several mutations: their texts, their scores by a model and by independent sites, scans of all double mutants, and
 *  how far scores agree with measured effects.
 *
 *  Scores are differences between a mutant and a sequence, the wild type. Single mutants are those of atp_model_mutants() (scores.h). The
 *  energy of an autoregressive model is -log P. The score by independent sites is that of the model that atp_model_create_independent()
 *  makes.
 *
 *  Sources: T. A. Hopf, J. B. Ingraham, F. J. Poelwijk, C. P. I. Scharfe, M. Springer, C. Sander, D. S. Marks, Nat. Biotechnol. 35, 128
 *  (2017) for energy differences as effects of mutations; W. R. Knight, J. Am. Stat. Assoc. 61, 436 (1966) for Kendall's tau; B. Efron,
 *  Ann. Statist. 7, 1 (1979) for the bootstrap.
 */
#ifndef ATTOPOTTS_MUTATIONS_H
#define ATTOPOTTS_MUTATIONS_H

#include <attopotts/options.h>
#include <attopotts/scores.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the model of independent sites: fields b_i(a) = log f_i(a), no couplings, beta 1. Alphabet, numbers, residues and columns of the
 *  sites are the alignment's. With c_i(a) the sum of the weights of the sequences that have colour a at site i, and C_i = sum_a c_i(a),
 *    f_i(a) = (1 - p) c_i(a) / C_i + p / q,  or 1 / q if C_i = 0;  automatic: f_i(a) = (c_i(a) + 1) / (C_i + q).
 *  @param[in] gaps         an atp_gaps. ATP_GAPS_IGNORE: colour 0 is left out of the sums, and the model has one colour less
 *  @param[in] pseudocount  p, 0..1; below 0: automatic, one sequence more of each colour (Laplace)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (gaps; pseudocount; with pseudocount 0 a colour that a site lacks; colour 0 to be left out of
 *          two); ATP_E_NOT_FINITE; ATP_E_MEMORY
 *  Allocates: the model, about 8 L (L + q) bytes; above 4096 sites 8 L q, as it then has a list of one pair without coupling. Threads:
 *  one per context. Since: 0.1. */
ATP_API atp_status atp_model_create_independent(atp_context *context, const atp_alignment *alignment, atp_gaps gaps, double pseudocount,
                                                atp_model **out) ATP_NOEXCEPT;

/** Makes a model whose sites count with weights, for scores of mutants: of buried sites more than of exposed ones, w_i = 1 - the relative
 *  solvent accessibility. With h and C the fields and couplings of the source in the gauge ATP_GAUGE_ZERO_SUM,
 *    fields w_i h_i(a),  couplings C_ij(a, b) (w_i + w_j) / 2.
 *  All scores of mutants, of any number of mutations, then have the weights. Weights of 1 only change the gauge. Of independent sites
 *  the score of a single mutant is w_i (log f_i(mutant) - log f_i(sequence)), as in RSALOR.
 *  @param[in] source   a model; not an autoregressive one
 *  @param[in] weights  w, shape [n], 0..1e6; @param[in] n must be L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE and ATP_E_NOT_FINITE (weights, with the place); ATP_E_CONFLICT (autoregressive);
 *          ATP_E_MEMORY
 *  Allocates: the model, dense. Threads: one per context. Since: 0.1. Source: M. Tsishyn, H. Talibart, M. Rooman, F. Pucci,
 *  bioRxiv 2026.03.27.714804 (StructureDCA) for w_i and (w_i + w_j) / 2; M. Tsishyn, P. Hermans, M. Rooman, F. Pucci, Bioinformatics 41,
 *  btaf322 (2025) (RSALOR). */
ATP_API atp_status atp_model_weigh_sites(atp_context *context, const atp_model *source, const double *weights, int64_t n,
                                         atp_model **out) ATP_NOEXCEPT;

/** Reads a list of mutants, one on each line: A110D, or several mutations at once as A110D/N146D, A110D:N146D or A110D,N146D. The first
 *  letter is the colour of the sequence, the number is the site's (atp_model_site_numbers_view()), the last letter is the new colour. A
 *  deletion is A110- (or the symbol of the model's gap) or A110del. Letters may have the other case, a110d, where the
 *  alphabet has only one of both. Blanks around a mutant are passed over.
 *  @param[in]  sequence  the wild type, shape [L], values < q or ATP_MISSING; @param[in] sites L
 *  @param[in]  text      the list; the last line may lack its end
 *  @param[out] changes   shape [capacity][3]: for each mutation the index of its mutant (0, 1, ... in the order of the lines), the index of
 *                        its site and its new colour; untouched beyond *count
 *  @param[in]  capacity  largest number of mutations, >= 1; there are at most (length of the text + 1) / 3
 *  @param[out] count     number of mutations found
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_ALPHABET (sequence); ATP_E_CONFLICT (the model has no alphabet); ATP_E_FORMAT (not a
 *          mutation; no such site; not a symbol of the alphabet; a site twice); ATP_E_MISMATCH (the first letter is not that of the
 *          sequence; the text names the site and both letters); ATP_E_BUFFER (capacity). Error texts begin with the line's number, from 1
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_mutations_parse(const atp_model *model, const uint8_t *sequence, int64_t sites, const char *text, int64_t *changes,
                                       int64_t capacity, int64_t *count) ATP_NOEXCEPT;

/** Finds by how much the numbers of a list of mutants differ from those of the sites. With the residues (n, a) that the list names, number
 *  and first letter, each taken once, and o the sequence, it counts
 *    F(d) = number of residues for which a site has the number n + d and o the colour a there;
 *  the offset is the d of the largest F, the one nearest to 0 if there are several. Lines that are no mutants, and letters that are not in
 *  the alphabet, are passed over. Of more than 2^24 / L residues it takes those of the smallest numbers.
 *  @param[in]  sequence  the wild type, shape [L], values < q or ATP_MISSING; @param[in] sites L
 *  @param[in]  text      the list, as for atp_mutations_parse()
 *  @param[out] found     shape [4]: the number of residues, F(0), the offset, F(offset); 0 if there are no residues
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_ALPHABET (sequence); ATP_E_CONFLICT (the model has no alphabet); ATP_E_MEMORY
 *  Allocates: work space through the context, 16 bytes for each mutation and 8 L for each residue, freed before the call returns. Threads:
 *  one per context. Since: 0.1. */
ATP_API atp_status atp_mutations_offset(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t sites,
                                        const char *text, int64_t *found) ATP_NOEXCEPT;

/** Columns of atp_model_score_mutants(). */
typedef enum atp_mutant_column ATP_INT {
  ATP_MUTANT_ENERGY = 0,              /**< H(mutant) - H(sequence), without beta; negative: the mutant is more probable */
  ATP_MUTANT_LOG_PSEUDOLIKELIHOOD = 1 /**< difference of sum_i log p(s_i | rest), in nats; positive: the mutant is more probable */
} atp_mutant_column;
/** Number of columns of atp_mutant_column. */
#define ATP_MUTANT_COLUMNS 2

/** Computes the scores of mutants with any number of mutations. The energies of asymmetric models are those of their symmetric part.
 *  Missing sites contribute to no sum; a mutation of a missing site fills it in.
 *  @param[in]  sequence  the wild type, shape [L], values < q or ATP_MISSING
 *  @param[in]  changes   shape [m][3] as from atp_mutations_parse(), in ascending order of the mutants; a mutant without a row scores 0
 *  @param[in]  m         number of mutations, >= 1
 *  @param[out] scores    shape [mutants][ATP_MUTANT_COLUMNS]
 *  @param[in]  mutants   number of mutants, >= 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (order, mutants, sites or colours out of range, a site twice in a mutant); ATP_E_ALPHABET;
 *          ATP_E_MEMORY
 *  Allocates: work space through the context, 16 L (q + 1) bytes and 8 q per thread, freed before the call returns. Time: proportional to
 *  L^2 q once, and to L q for each mutation. Threads: one per context, parallel. Since: 0.1. Source: Hopf et al. (2017). */
ATP_API atp_status atp_model_score_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *changes,
                                           int64_t m, double *scores, int64_t mutants) ATP_NOEXCEPT;

/** Computes the energy differences of all double mutants at pairs of sites. With E_i(a) that of the single mutant, o the sequence and
 *  C' the symmetrised couplings,
 *    delta_energy(a, b) = E_i(a) + E_j(b) - [C'_ij(a, b) - C'_ij(a, o_j) - C'_ij(o_i, b) + C'_ij(o_i, o_j)].
 *  @param[in]  sequence      the wild type, shape [L], values < q or ATP_MISSING
 *  @param[in]  pairs         shape [count][2], indices of two different sites i, j
 *  @param[in]  count         number of pairs, >= 1
 *  @param[out] delta_energy  shape [count][q][q], by pair, colour a at i, colour b at j; @param[in] size count * q * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_ALPHABET; ATP_E_MEMORY
 *  Of an autoregressive model the bracket is the epistasis D_ij(a, b) of atp_model_epistatic_scores().
 *  Allocates: work space through the context, 8 L q bytes and 8 q (3 q + 2) per thread, about twice as much of autoregressive models, freed
 *  before the call returns. Threads: one per context, parallel. Since: 0.1. Source: Hopf et al. (2017). */
ATP_API atp_status atp_model_double_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *pairs,
                                            int64_t count, double *delta_energy, int64_t size) ATP_NOEXCEPT;

/** Computes the energies of double mutants one by one, as atp_model_double_mutants(), and their epistasis: by how much the two mutations
 *  together differ from both alone,
 *    epistasis = delta_energy(a, b) - E_i(a) - E_j(b).
 *  @param[in]  sequence      the wild type, shape [L], values < q or ATP_MISSING
 *  @param[in]  doubles       shape [count][4], as from atp_model_best_doubles(): site i, its new colour a, another site j, its new colour b
 *  @param[in]  count         number of mutants, >= 1
 *  @param[out] delta_energy  shape [count]
 *  @param[out] epistasis     shape [count]
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_ALPHABET; ATP_E_MEMORY
 *  Allocates: as atp_model_double_mutants(). Time: proportional to L^2 q, and to q^2, of autoregressive models L q^3, for each pair of
 *  sites whose mutants follow each other. Threads: one per context, parallel. Since: 0.1. */
ATP_API atp_status atp_model_epistasis(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *doubles,
                                       int64_t count, double *delta_energy, double *epistasis) ATP_NOEXCEPT;

/** Counts the double mutants that atp_model_best_doubles() chooses from.
 *  @param[in]  sequence  the wild type, shape [L], values < q or ATP_MISSING
 *  @param[in]  gap       ATP_GAP_AUTO, -1: no colour is left out, or the colour that no mutant has, 0..q-1
 *  @param[out] count     their number
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_ALPHABET. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_count_doubles(const atp_model *model, const uint8_t *sequence, int64_t gap, int64_t *count) ATP_NOEXCEPT;

/** Finds the double mutants with the lowest energies, in ascending order, without a table of all. Mutants of equal energy are in the order
 *  of their sites, then of their colours.
 *  @param[in]  sequence      the wild type, shape [L], values < q or ATP_MISSING
 *  @param[in]  gap           ATP_GAP_AUTO, -1: no colour is left out, or the colour that no mutant has, 0..q-1
 *  @param[out] doubles       shape [k][4]: site i, its new colour, site j > i, its new colour
 *  @param[out] delta_energy  shape [k]
 *  @param[in]  k             number of mutants, >= 1, at most those that there are
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_ALPHABET; ATP_E_MEMORY
 *  Allocates: work space through the context, that of atp_model_double_mutants() and 16 k bytes per thread, freed before the call returns.
 *  Time: proportional to L^2 q^2, of autoregressive models to L^3 q^3; with a list of pairs to their number times q^2, L log L, and the
 *  pairs of other sites whose two lowest single mutants are together below the k-th mutant. Threads: one per context, parallel. Since:
 *  0.1. */
ATP_API atp_status atp_model_best_doubles(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t gap,
                                          int64_t *doubles, double *delta_energy, int64_t k) ATP_NOEXCEPT;

/** Averages repeated measurements. Mutants are the same if their mutations are, in any order; a mutant without mutations is the wild type.
 *  @param[in]  changes   shape [m][3] as from atp_mutations_parse(), in ascending order of the mutants
 *  @param[in]  m         number of mutations, >= 1
 *  @param[in]  measured  shape [mutants]; NaN: not measured
 *  @param[in]  mutants   number of mutants, >= 1
 *  @param[out] first     shape [mutants]: for each mutant the first one that is the same, itself if there is none before
 *  @param[out] average   shape [mutants]: the mean of the measurements of the same mutant; NaN without any
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a mutant out of range or order); ATP_E_MEMORY
 *  Allocates: work space through the context, 16 bytes for each mutation and 24 for each mutant, freed before the call returns. Threads:
 *  one per context. Since: 0.1. Source: P. Notin et al., NeurIPS (2023), who average in this way. */
ATP_API atp_status atp_mutants_average(atp_context *context, const int64_t *changes, int64_t m, const double *measured, int64_t mutants,
                                       int64_t *first, double *average) ATP_NOEXCEPT;

/** Measures of agreement between scores x and measurements y. In both, larger numbers mean a better mutant. */
typedef enum atp_agreement ATP_INT {
  ATP_AGREEMENT_SPEARMAN = 1, /**< Pearson's correlation of the ranks; equal numbers have the mean of their ranks */
  ATP_AGREEMENT_KENDALL = 2,  /**< tau-b: (concordant - discordant) / sqrt((pairs not tied in x) (pairs not tied in y)) */
  ATP_AGREEMENT_AUC = 3,      /**< area under the ROC curve of the positives, y > 0: the probability that a positive has a larger x than
                                   one of the others, ties counting one half */
  ATP_AGREEMENT_RECALL = 4    /**< fraction of the `top` largest y that are among the `top` largest x; the mean over all orders of ties */
} atp_agreement;

/** Computes a measure of agreement, and its 95 per cent interval by the bootstrap: n pairs (x, y) are drawn with replacement, many times;
 *  the ends of the interval are the quantiles 0.025 and 0.975 of the measure (linear between order statistics). Draws are a function of the
 *  seed, the number of the draw and the place in it (Philox), so that the numbers are the same for every number of threads. Draws
 *  without a measure, because x or y is constant, are left out.
 *  @param[in]  x         scores, shape [n], finite
 *  @param[in]  y         measurements, shape [n], finite
 *  @param[in]  n         2..2^31
 *  @param[in]  settings  shape [3]: number of draws, 0..2^24 (0: no interval); seed, >= 0; top, 1..n (read for ATP_AGREEMENT_RECALL)
 *  @param[out] interval  shape [3]: the measure, and both ends of its interval; NaN where there is none
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_MEMORY
 *  Allocates: work space through the context, 56 n bytes per thread and 8 for each draw, freed before the call returns. Threads: one per
 *  context, parallel. Since: 0.1. Source: Knight (1966); Efron (1979). */
ATP_API atp_status atp_agreement_interval(atp_context *context, atp_agreement measure, const double *x, const double *y, int64_t n,
                                          const int64_t *settings, double *interval) ATP_NOEXCEPT;

/** Columns of atp_mutants_agreement(), ATP_TABLE_MEASURED. */
typedef enum atp_measured_column ATP_INT {
  ATP_MEASURED_MUTATIONS = 0, /**< number of mutations of the mutants in the group; 0: all mutants */
  ATP_MEASURED_MEASURE = 1,   /**< an atp_agreement */
  ATP_MEASURED_MUTANTS = 2,   /**< number of measured mutants in the group */
  ATP_MEASURED_VALUE = 3,     /**< the measure; NaN where it is not defined */
  ATP_MEASURED_LOW = 4,       /**< lower end of its 95 per cent interval; NaN without draws */
  ATP_MEASURED_HIGH = 5       /**< upper end of its 95 per cent interval; NaN without draws */
} atp_measured_column;
/** Number of columns of atp_measured_column. */
#define ATP_MEASURED_COLUMNS 6

/** Measures how scores of mutants agree with measured effects. The first group has all measured mutants. If these differ in their numbers
 *  of mutations, there is a further group for each number that at least 10 of them have, in ascending order. For each group the table gets
 *  a row for each atp_agreement in the order of the constants, as atp_agreement_interval() computes it. The positives of the AUC are the
 *  mutants measured above the threshold. Mutants of one site are not independent: true intervals may be wider than those of the bootstrap.
 *  @param[in]  scores     shape [n]; larger: the mutant is expected to do better. Finite where measured
 *  @param[in]  measured   shape [n]; larger is better; NaN: not measured
 *  @param[in]  mutations  shape [n]: the number of mutations of each mutant, >= 1
 *  @param[in]  n          1..2^31
 *  @param[in]  settings   shape [3]: number of draws, 0..2^24 (0: no intervals); seed, >= 0; top of the recall, at most the group (0: a
 *                         tenth of the group)
 *  @param[in]  threshold  of the AUC; NaN: the median of the group's measurements
 *  @param[in]  table      ATP_TABLE_MEASURED, with room for 4 rows of each group; there are at most 1 + n / 10 groups
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n, mutations, settings; fewer than two measurements); ATP_E_NOT_FINITE; ATP_E_CONFLICT (a table
 *          of another kind); ATP_E_BUFFER (no room in the table); ATP_E_MEMORY
 *  Allocates: work space through the context of the table, 32 n bytes and that of atp_agreement_interval(), freed before the call returns.
 *  Threads: one per context, parallel. Since: 0.1. Source: as atp_agreement_interval(). */
ATP_API atp_status atp_mutants_agreement(const double *scores, const double *measured, const int64_t *mutations, int64_t n,
                                         const int64_t *settings, double threshold, atp_table *table) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
