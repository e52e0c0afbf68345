// SPDX-License-Identifier: MIT
// Orthonormal coordinates of the colours of a site that its data have.
#pragma once

#include "base/arena.hpp"
#include "alignment/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace atp {

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
inline void reduce_block(const ColorBasis &rows, const ColorBasis &columns, int64_t q, const double *block, double *work, double *out) {
  const int64_t d = rows.dimension(), e = columns.dimension();
  for (int64_t b = 0; b < q; ++b) rows.reduce(block + b, q, work + b * d);
  for (int64_t r = 0; r < d; ++r) columns.reduce(work + r, d, out + r * e);
}

// out = B^T G B', [q][q] from G [d][d']; work has q^2 elements.
inline void expand_block(const ColorBasis &rows, const ColorBasis &columns, int64_t q, const double *block, double *work, double *out) {
  const int64_t d = rows.dimension(), e = columns.dimension();
  for (int64_t r = 0; r < d; ++r) columns.expand(block + r * e, work + r * q, 1);
  for (int64_t b = 0; b < q; ++b) {
    double column[256];
    for (int64_t r = 0; r < d; ++r) column[r] = work[r * q + b];
    rows.expand(column, out + b, q);
  }
}

// The bases of all sites of an alignment, one after the other.
class ColorBases {
 public:
  ColorBases() = default;
  ColorBases(int64_t sites, int64_t colors, Arena &arena)
      : q_(colors),
        present_(arena.take<int32_t>(sites)),
        first_(arena.take<int64_t>(sites + 1)),
        order_(arena.take<int32_t>(sites, colors)) {}
  // All colours are absent before.
  void find(const Alignment &x);
  ColorBasis at(int64_t i) const { return {q_, present_[i], order_.data() + i * q_}; }
  int64_t colors() const { return q_; }
  // Where the coordinates of a site begin; i = L: their number.
  int64_t first(int64_t i) const { return first_[i]; }

 private:
  int64_t q_ = 0;
  Span<int32_t> present_;
  Span<int64_t> first_;
  Span<int32_t> order_;
};

// Those of an alignment, with memory of their own.
class FoundBases {
 public:
  FoundBases(Context &context, const Alignment &x);
  const ColorBases &bases() const { return bases_; }
  static std::size_t bytes(int64_t sites, int64_t colors);

 private:
  Scratch scratch_;
  Arena arena_;
  ColorBases bases_;
};

}  // namespace atp
