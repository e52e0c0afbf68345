// SPDX-License-Identifier: MIT
// Long vectors of floats: what optimisers of millions of unknowns do with them.
#pragma once

#include "base/context.hpp"

namespace atp {

struct VectorKernels {
  // The inner product, float64: element k goes to partial sum k % 16, and the sums are added as a tree, k with k + 8, then + 4, + 2, + 1.
  // A product of two floats is exact, so that fused or not makes no difference.
  double (*dot)(int64_t n, const float *x, const float *y);
  // y[k] = fma(c, x[k], y[k])
  void (*add_scaled)(int64_t n, float c, const float *x, float *y);
};

extern const VectorKernels vector_scalar_kernels;
const VectorKernels &vector_kernels(Target target);

}  // namespace atp
