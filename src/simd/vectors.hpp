// SPDX-License-Identifier: MIT
// Operations on long vectors of floats, for optimisers of millions of unknowns.
#pragma once

#include "base/context.hpp"

namespace atp {

struct VectorKernels {
  // The inner product in float64. Element k goes to partial sum k % 16; the sums are added as a tree, k with
  // k + 8, then + 4, + 2, + 1. A product of two floats is exact in float64, so fusing makes no difference.
  double (*dot)(int64_t n, const float *x, const float *y);
  // y[k] = fma(c, x[k], y[k])
  void (*add_scaled)(int64_t n, float c, const float *x, float *y);
};

extern const VectorKernels vector_scalar_kernels;
const VectorKernels &vector_kernels(Target target);

}  // namespace atp
