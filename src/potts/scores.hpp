// SPDX-License-Identifier: MIT
// Scores of pairs of sites: coupling strength, correction, ranking, precision against distances. Formulas:
// docs/theory.md.
#pragma once

#include "base/arena.hpp"
#include "base/table.hpp"
#include "base/team.hpp"
#include "potts/model.hpp"

#include <attopotts/scores.h>

namespace atp {

extern const TableKind kContactsTable;

// block[a][b] = (C_ij(a, b) + C_ji(b, a)) / 2, [q][q]; of an autoregressive model, where one of them is 0, their sum.
void symmetric_block(const Model &model, int64_t i, int64_t j, double *block);
// Subtracts the means over both colours of a block [q][q]. means has q elements of work space.
void to_zero_sum(double *block, int64_t q, double *means);
// The Frobenius norm of a block without the rows and columns of a colour; -1: none.
double norm_without(const double *block, int64_t q, int64_t left_out);

// Elements of work space for frobenius_norms().
constexpr int64_t frobenius_scratch(int64_t colors, int threads) { return threads * colors * (colors + 1); }
// beta times the Frobenius norms of the symmetrised couplings, [L][L] with a zero diagonal. The gauge is over
// all colours; the norm then omits the colour `left_out` (-1: none). One task writes each element, so the bits
// do not depend on the number of threads.
void frobenius_norms(const Model &model, atp_score_gauge gauge, int64_t left_out, Threads threads, Span<double> scratch, double *out);

// S_ij - S_i S_j / S, where the means exclude the site itself; diagonal 0. `out` may be `scores`.
void average_product_correction(const double *scores, int64_t sites, double *out);

// The `capacity` pairs i < j of the largest scores with |numbers[j] - numbers[i]| >= separation (numbers NULL:
// j - i). Largest first, equal scores in the order of i and j; pairs whose score is NaN are left out. pairs has
// 2 * capacity elements. Returns the number of pairs written.
struct PairRule {
  const int64_t *numbers;
  int64_t separation;
  int64_t border = 0;  // sites of the first of two proteins, whose pairs with the others are never left out; 0: one protein
  bool keeps(int64_t i, int64_t j) const;
};
int64_t rank_pairs(const double *scores, int64_t sites, const PairRule &rule, int64_t *pairs, int64_t capacity);

// The fraction of the pairs [n][2] that are among the others [m][2], in any order. sorted [m] is work space.
double overlap_of_pairs(Span<const int64_t> pairs, Span<const int64_t> others, Span<SitePair> sorted);

// curve[k]: the fraction of contacts (distance < cutoff) among the first k + 1 counted pairs. Returns the
// number of counted pairs; the rest of the n elements is NaN.
int64_t precision_curve(const int64_t *pairs, int64_t n, const double *distances, int64_t sites, double cutoff, atp_absent absent,
                        double *curve);

// The rule by which pairs of sites are predicted as contacts; one for the program and all languages.
struct ContactRule {
  atp_score_gauge gauge;
  int64_t gap;         // left out of the norm; -1: none
  int64_t separation;  // of site numbers
};

// Work space of rank_contacts() for `most` pairs.
std::size_t contacts_bytes(const Model &model, Threads threads, int64_t most);
// Appends the best pairs, at most `most`, to a table of kind ATP_TABLE_CONTACTS with room for them. Throws
// ATP_E_NOT_FINITE.
void rank_contacts(const Model &model, const ContactRule &rule, Threads threads, int64_t most, Arena arena, Table &table);

}  // namespace atp
