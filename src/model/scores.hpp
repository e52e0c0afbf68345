// SPDX-License-Identifier: MIT
// Scores of pairs of sites: how strongly they couple, corrected, ranked, and held against distances. Formulas: docs/theory.md.
#pragma once

#include "base/team.hpp"
#include "model/model.hpp"

#include <attopotts/scores.h>

namespace atp {

// Elements of work space for frobenius_norms().
constexpr int64_t frobenius_scratch(int64_t colors, int threads) { return threads * colors * (colors + 1); }
// beta times the Frobenius norms of the symmetrised couplings, [L][L] with a zero diagonal. The gauge is taken over all colours, then the
// colour `left_out` (-1: none) is left out of the norm. Each element is written by one task: the same bits for every number of threads.
void frobenius_norms(const Model &model, atp_score_gauge gauge, int64_t left_out, Threads threads, Span<double> scratch, double *out);

// S_ij - S_i S_j / S with the means over the other sites, diagonal 0; `out` may be `scores`.
void average_product_correction(const double *scores, int64_t sites, double *out);

// The `capacity` pairs i < j of the largest scores with numbers[j] - numbers[i] (NULL: j - i) of magnitude >= separation, largest first,
// equal ones in the order of i and j. pairs has 2 * capacity elements; gives the number of pairs written.
int64_t rank_pairs(const double *scores, int64_t sites, const int64_t *numbers, int64_t separation, int64_t *pairs, int64_t capacity);

// curve[k]: the fraction of contacts (distance < cutoff) among the first k + 1 pairs that count. Gives how many count; the rest of the
// n elements is NaN.
int64_t precision_curve(const int64_t *pairs, int64_t n, const double *distances, int64_t sites, double cutoff, atp_absent absent,
                        double *curve);

}  // namespace atp
