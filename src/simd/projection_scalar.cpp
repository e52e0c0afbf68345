// SPDX-License-Identifier: MIT
#include "simd/projection.hpp"

#include <cmath>

namespace atp {

namespace {

void project(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *q, float *chi) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < rank; ++k) {
      float sums[kProjectionLanes] = {};
      for (int64_t j = 0; j < stride; ++j) {
        float &sum = sums[j % kProjectionLanes];
        sum = std::fma(x[row * stride + j], q[k * stride + j], sum);
      }
      for (int64_t half = kProjectionLanes / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; ++j) sums[j] += sums[j + half];
      chi[row * rank + k] = sums[0];
    }
}

void accumulate(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *c, float *g) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < rank; ++k)
      for (int64_t j = 0; j < stride; ++j) g[k * stride + j] = std::fma(c[row * rank + k], x[row * stride + j], g[k * stride + j]);
}

}  // namespace

const ProjectionKernels projection_scalar_kernels = {project, accumulate};

}  // namespace atp
