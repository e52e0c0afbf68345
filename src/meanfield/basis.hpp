// SPDX-License-Identifier: MIT
// Orthonormal coordinates of the q - 1 independent colours of a site.
#pragma once

#include <cmath>
#include <cstdint>

namespace atp {

// q - 1 orthonormal rows B_r that sum to zero: those of the reflection that swaps (1, ..., 1) / sqrt(q) with the last axis. Products with
// them take O(q) instead of O(q^2) operations. The sequences in coordinates sqrt(q) B have covariance 1 if colours are uniform.
class ColorBasis {
 public:
  explicit ColorBasis(int64_t colors)
      : q_(colors), last_(1 / std::sqrt(static_cast<double>(colors))), inner_(last_ * last_ / (1 - last_)) {}
  int64_t colors() const { return q_; }
  int64_t dimension() const { return q_ - 1; }

  // out = B f, out[q - 1], f[q] with a stride.
  void reduce(const double *f, int64_t stride, double *out) const {
    double sum = 0;
    for (int64_t a = 0; a + 1 < q_; ++a) sum += f[a * stride];
    const double shift = last_ * f[(q_ - 1) * stride] - inner_ * sum;
    for (int64_t r = 0; r + 1 < q_; ++r) out[r] = f[r * stride] + shift;
  }
  // out = B^T g, out[q] with a stride, g[q - 1]. The two may be the same array.
  void expand(const double *g, double *out, int64_t stride) const {
    double sum = 0;
    for (int64_t r = 0; r + 1 < q_; ++r) sum += g[r];
    for (int64_t a = 0; a + 1 < q_; ++a) out[a * stride] = g[a] - inner_ * sum;
    out[(q_ - 1) * stride] = last_ * sum;
  }
  // out = B F B^T, [q - 1][q - 1] from F [q][q]; work has (q - 1) q elements.
  void reduce_block(const double *block, double *work, double *out) const {
    for (int64_t b = 0; b < q_; ++b) reduce(block + b, q_, work + b * (q_ - 1));
    for (int64_t r = 0; r + 1 < q_; ++r) reduce(work + r, q_ - 1, out + r * (q_ - 1));
  }
  // out = B^T G B, [q][q] from G [q - 1][q - 1]; work has (q - 1) q elements.
  void expand_block(const double *block, double *work, double *out) const {
    for (int64_t r = 0; r + 1 < q_; ++r) expand(block + r * (q_ - 1), work + r, q_ - 1);
    for (int64_t b = 0; b < q_; ++b) expand(work + b * (q_ - 1), out + b, q_);
  }

 private:
  int64_t q_;
  double last_, inner_;
};

}  // namespace atp
