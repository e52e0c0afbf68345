// SPDX-License-Identifier: MIT
// The inverse of the covariances of colours with a pseudocount, in orthonormal coordinates sqrt(q) B of the colours of each site:
//     C = c 1 + Z^T Z,  Z [N + 1][n],  n = sum_i min(q_i, q - 1), q_i colours occur at site i,
// where c is the pseudocount, row n of Z is sqrt((1 - c) w_n / sum w) (y_n - m), the last is sqrt((1 - c) c) m, and m is the mean of the
// coordinates y. All eigenvalues are at least c. Orthogonal to these coordinates C is c, whatever the other sites are. Derivation:
// docs/theory.md.
//
// Where sequences are few, C^-1 = (1 - Z^T (c 1 + Z Z^T)^-1 Z) / c is quicker than factors of C; see by_sequences().
#pragma once

#include "alignment/frequencies.hpp"
#include "base/arena.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

struct MeanFieldSettings {
  double pseudocount;
  int64_t precision;  // 32 or 64
};

// Counts of pairs of colours, a row of blocks at a time, in several threads.
class RowCounts {
 public:
  // Shape: only count, sites and colours.
  RowCounts(const AlignmentShape &shape, int threads, Arena &arena)
      : shape_(shape), orders_(arena.take<int64_t>(threads, shape.count)), counts_(arena.take<double>(threads, size())) {}
  // The counts of the blocks (i, j >= i), [L][q][q], until the thread's next call.
  double *count(const Alignment &alignment, int64_t i, int thread) const {
    int64_t *order = orders_.data() + thread * shape_.count;
    double *out = counts_.data() + thread * size();
    order_by_color(alignment, i, order);
    count_pairs(alignment, i, 0, shape_.colors, order, out);
    return out;
  }
  static std::size_t bytes(const AlignmentShape &shape, int threads) {
    return bytes_taken([&](Arena &arena) { RowCounts(shape, threads, arena); });
  }

 private:
  int64_t size() const { return shape_.sites * shape_.colors * shape_.colors; }
  AlignmentShape shape_;
  Span<int64_t> orders_;
  Span<double> counts_;
};

// Orthonormal rows B_r that sum to zero, over q colours of which k do not occur: min(q - k, q - 1) rows, which have equal numbers for all
// absent colours. With 1 / sqrt(q) for each present colour and sqrt(k / q) for the normalised sum of the absent ones (k = 0: the last
// present one), they are those of the reflection that swaps this unit vector with its last axis. Products with them take O(q) instead of
// O(q^2) operations. The sequences in coordinates sqrt(q) B have covariance 1 if colours are uniform.
class ColorBasis {
 public:
  // `order` [q]: the present colours, then the absent ones.
  ColorBasis(int64_t colors, int64_t present, const int32_t *order) : q_(colors), d_(std::min(present, colors - 1)), order_(order) {
    const double one = 1 / std::sqrt(static_cast<double>(colors)), rest = std::sqrt(static_cast<double>(colors - d_));
    share_ = one / rest;
    inner_ = one * one / (1 - rest * one);
  }
  int64_t dimension() const { return d_; }

  // out = B f, out[d], f[q] with a stride.
  void reduce(const double *f, int64_t stride, double *out) const {
    double sum = 0, rest = 0;
    for (int64_t k = 0; k < d_; ++k) sum += f[order_[k] * stride];
    for (int64_t k = d_; k < q_; ++k) rest += f[order_[k] * stride];
    const double shift = share_ * rest - inner_ * sum;
    for (int64_t r = 0; r < d_; ++r) out[r] = f[order_[r] * stride] + shift;
  }
  // out = B^T g, out[q] with a stride, g[d].
  void expand(const double *g, double *out, int64_t stride) const {
    double sum = 0;
    for (int64_t r = 0; r < d_; ++r) sum += g[r];
    for (int64_t r = 0; r < d_; ++r) out[order_[r] * stride] = g[r] - inner_ * sum;
    for (int64_t k = d_; k < q_; ++k) out[order_[k] * stride] = share_ * sum;
  }

 private:
  int64_t q_, d_;
  const int32_t *order_;
  double share_, inner_;
};

// out = B F B'^T, [d][d'] from F [q][q]; work has q^2 elements.
void reduce_block(const ColorBasis &rows, const ColorBasis &columns, int64_t q, const double *block, double *work, double *out);

struct InverseShape {
  int64_t count = 0, sites = 0, colors = 0;
  int64_t found = -1;  // n; -1: as if all colours occur at all sites
  int64_t largest_order() const { return sites * (colors - 1); }
  int64_t order() const { return found < 0 ? largest_order() : found; }
  // The operations are n^3 from C, and 2 N^2 n + N^3 / 3 + N n^2 from the sequences. With the largest order, so that the memory for
  // fewer colours is not more.
  bool by_sequences() const { return 2 * (count + 1) <= largest_order(); }
};

// Throws ATP_E_TOO_LARGE if LAPACK cannot count the order.
void check_order(const InverseShape &shape);

// The bases of all sites of an alignment, one after the other, with memory of their own.
class ColorBases {
 public:
  // Throws as check_order().
  ColorBases(Context &context, const Alignment &alignment);
  ColorBasis at(int64_t i) const { return {shape_.colors, present_[i], order_.data() + i * shape_.colors}; }
  // Where the coordinates of a site begin; i = L: their number.
  int64_t first(int64_t i) const { return first_[i]; }
  const InverseShape &shape() const { return shape_; }
  static std::size_t bytes(int64_t sites, int64_t colors) {
    return Scratch::piece<int32_t>(sites) + Scratch::piece<int64_t>(sites + 1) + Scratch::piece<int32_t>(sites * colors);
  }

 private:
  InverseShape shape_;
  Scratch scratch_;
  Span<int32_t> present_;
  Span<int64_t> first_;
  Span<int32_t> order_;
};

// The upper triangle of C^-1 in either precision, and what follows from it: the blocks of coordinates, and the couplings -(C^-1)_ij.
class Inverse {
 public:
  // Takes memory for the matrix, and work space while it is computed; or puts the matrix at the end of `room`, of [L][L][q][q]. Throws
  // ATP_E_VALUE if rounding leaves a matrix that is not positive definite.
  Inverse(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, const ColorBases &bases, Span<double> room = {});
  // What the constructor keeps, and what it takes besides for a while.
  static std::size_t own_bytes(const InverseShape &shape, int64_t precision, int threads, bool in_room);
  static std::size_t work_bytes(const InverseShape &shape, int64_t precision, int threads);

  // (C^-1)_ij [d_i][d_j], d_i coordinates at site i.
  void block(int64_t i, int64_t j, double *out) const;
  // The couplings of two sites in the zero-sum gauge, [q][q].
  void coupling(int64_t i, int64_t j, int thread, double *out) const;
  // The rows of site i from its own columns on, [d_i][n - first(i)], and the couplings of sites i < j from them.
  void copy_rows(int64_t i, double *rows) const;
  void coupling_of(const double *rows, int64_t i, int64_t j, int thread, double *out) const;
  // With the pseudocount, [L][q].
  const double *frequencies() const { return frequencies_.data(); }

 private:
  void expand(int64_t i, int64_t j, int thread, double *out) const;
  double *reduced(int thread) const { return work_.data() + thread * 2 * bases_.shape().colors * bases_.shape().colors; }

  const ColorBases &bases_;
  Scratch scratch_;
  Span<float> single_;  // one of the two
  Span<double> double_;
  Span<double> frequencies_, work_;
};

}  // namespace atp
