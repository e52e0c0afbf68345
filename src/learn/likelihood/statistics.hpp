// SPDX-License-Identifier: MIT
// One- and two-point statistics of a family and of chains, and how well they agree.
//
//     f_i(a) = (1 - c) sum_n w_n [s_ni = a] / sum w + c / q,   f_ij(a, b) likewise with c / q^2,   C_ij = f_ij - f_i f_j;
//
// p_i, p_ij are the same of chains, with equal weights and c = 0. The derivative of -log P of the family, per sequence, by fields and
// couplings is p - f.
#pragma once

#include "alignment/alignment.hpp"
#include "learn/likelihood/sample.hpp"

#include <cmath>

namespace atp {

// Sums over pairs of numbers (x, y).
struct CovarianceMoments {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  void add(double a, double b) {
    x += a, y += b;
    xx += a * a, xy += a * b, yy += b * b;
  }
  void add(const CovarianceMoments &other) {
    n += other.n, x += other.x, y += other.y;
    xx += other.xx, xy += other.xy, yy += other.yy;
  }
  // Where y has noise of which the squares sum up to so much, of y without it; 0 where one of the two does not vary.
  double pearson(double noise = 0) const;
  double slope() const { return xx > 0 ? xy / xx : 0; }  // of y = slope x
};

// Of one kind of number, the family's against the chains'.
struct Line {
  double pearson = std::nan(""), slope = std::nan("");
};

// How well chains reproduce a family.
struct Agreement {
  double pearson = 0, slope = 0;  // of C_ij(a, b), i < j; the family's is x
  double noiseless = 0;           // the Pearson correlation without the noise of the chains: an estimate
  double field_error = 0;         // mean |p_i(a) - f_i(a)|
  double scores[2] = {};          // of compare_halves(): the mean of sum_i h_i(s_i) + sum_{i<j} J_ij(s_i, s_j) in each half
  // Of compare() alone.
  Line sites, pairs;  // of f_i(a) and f_ij(a, b), i < j
  // Of f_i(a), f_ij(a, b) and C_ij(a, b) of the held-out sequences; NaN where there are none, or none were asked for.
  Line held_out_sites, held_out_pairs, held_out;
  double site_entropy = 0;  // -sum_i sum_a p_i(a) log p_i(a), an upper limit of the entropy, nats
};

class Statistics {
 public:
  Statistics(const DenseShape &pairs, int threads) : pairs_(pairs), threads_(threads) {}
  void lay_out(Arena &arena);
  // The statistics of a family; c < 0: 1 / sum of the weights, at most 1/2. Throws ATP_E_VALUE where a frequency is 0, with site and
  // colour.
  void init(const Alignment &family, double pseudocount, Threads threads);

  // After init(): adds tested sequences with adjustments of either sign, of the weight strength * (sum of the family's weights) / (number
  // of tested sequences) each. Frequencies that would be below 0 are 0 before the pseudocount; then f_i sums to 1, and f_ij to f_i and f_j.
  // Returns the number of pairs with such frequencies.
  void check_reintegration(Span<const double> adjustments, double strength) const;  // throws ATP_E_VALUE
  int64_t reintegrate(const Alignment &tested, Span<const double> adjustments, double strength, Threads threads);

  // Sequences that are not trained on, borrowed, which compare() compares samples with, too; NULL: none.
  void hold_out(const Alignment *sequences);

  // With a sample whose colours have been counted. A slope that is not empty becomes p - f.
  Agreement compare(const Sample &sample, Span<double> slope, bool with_held_out, Target target, Threads threads);

  // With two independent samples of the model of a point, which tell what noise they have: the Pearson correlation `noiseless` is that of
  // infinitely many sequences, with sum y^2 from the products of the two.
  Agreement compare_halves(const Sample &a, const Sample &b, Span<const double> point, Target target, Threads threads);

  const double *family(int64_t i) const { return f_.data() + i * pairs_.colors; }                   // f_i [q]
  const float *family_pair(int64_t pair) const { return f_pairs_.data() + pair * pairs_.block(); }  // f_ij [q][q]
  double signal() const { return signal_; }  // mean square of C_ij(a, b) of the family
  double spread() const { return spread_; }  // mean of f_i (1 - f_i) f_j (1 - f_j): the variance of a C_ij(a, b) of one sequence

 private:
  struct Row {
    CovarianceMoments moments, pairs, held_out, held_out_pairs;
    double noise, scores[2];
  };
  Row compare_row(int64_t i, const Sample &sample, const uint32_t *counts, Span<double> slope) const;
  void compare_held_out(int64_t i, const Sample &sample, const uint32_t *counts, double *sums, Row &row) const;
  Line compare_held_out_sites(const Sample &sample) const;
  void compare_sites(const Sample &sample, Span<double> slope, Agreement &found) const;
  Row compare_row_of_halves(int64_t i, const Sample *const (&halves)[2], const uint32_t *const (&counts)[2], const double *couplings) const;
  Agreement sum_rows() const;
  void measure_signal();

  const DenseShape pairs_;
  const int threads_;
  double pseudocount_ = 0, signal_ = 0, spread_ = 0;
  Span<double> f_;       // [L][q]
  Span<float> f_pairs_;  // [pairs][q][q]
  Span<double> sums_;    // [threads][q][q]
  Span<double> held_f_;  // [L][q], of the held-out sequences
  const Alignment *held_out_ = nullptr;
  Span<Row> rows_;  // [L]
};

}  // namespace atp
