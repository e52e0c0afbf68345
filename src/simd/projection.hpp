// SPDX-License-Identifier: MIT
// Products of rows of single-precision numbers with a few vectors: inner products, and weighted sums of the
// rows.
#pragma once

#include "base/context.hpp"

namespace atp {

// Rows and vectors are `stride` floats apart, a multiple of this. Padding is zero.
inline constexpr int64_t kProjectionLanes = 16;

struct ProjectionKernels {
  // chi[row * rank + k] = x_row . q_k. A fused multiply-add adds element j to partial sum j % 16; the partial
  // sums are added as a tree, k with k + 8, then + 4, + 2, + 1.
  void (*project)(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *q, float *chi);
  // g_k[j] = fma(c[row * rank + k], x_row[j], g_k[j]), one row after the other.
  void (*accumulate)(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *c, float *g);
};

extern const ProjectionKernels projection_scalar_kernels;
const ProjectionKernels &projection_kernels(Target target);

}  // namespace atp
