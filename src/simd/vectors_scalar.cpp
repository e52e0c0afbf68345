// SPDX-License-Identifier: MIT
#include "simd/vectors.hpp"

#include <cmath>

namespace atp {

namespace {

double dot(int64_t n, const float *x, const float *y) {
  double sums[16] = {};
  for (int64_t k = 0; k < n; ++k) sums[k % 16] += static_cast<double>(x[k]) * static_cast<double>(y[k]);
  for (int half = 8; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  return sums[0];
}

void add_scaled(int64_t n, float c, const float *x, float *y) {
  for (int64_t k = 0; k < n; ++k) y[k] = std::fma(c, x[k], y[k]);
}

}  // namespace

const VectorKernels vector_scalar_kernels = {dot, add_scaled};

}  // namespace atp
