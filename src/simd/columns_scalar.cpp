// SPDX-License-Identifier: MIT
// The scalar reference of the column kernels.
#include "simd/attention.hpp"
#include "simd/columns.hpp"
#include "simd/exp.hpp"

namespace atp {

namespace {

void softmax(int64_t rows, int64_t columns, float *x) {
  for (int64_t k = 0; k < columns; ++k) {
    float *p = x + k;
    float top = p[0];
    for (int64_t r = 1; r < rows; ++r) top = p[r * columns] > top ? p[r * columns] : top;
    const float scaled_top = top * kLog2E;
    float total = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const float y = std::fma(p[r * columns], kLog2E, -scaled_top);
      p[r * columns] = exp2_f32(y > kColumnLowest ? y : kColumnLowest);
      total += p[r * columns];
    }
    const float scale = 1 / total;
    for (int64_t r = 0; r < rows; ++r) p[r * columns] *= scale;
  }
}

void softmax_back(int64_t rows, int64_t columns, const float *p, float *d) {
  for (int64_t k = 0; k < columns; ++k) {
    float mean = 0;
    for (int64_t r = 0; r < rows; ++r) mean = std::fma(p[r * columns + k], d[r * columns + k], mean);
    for (int64_t r = 0; r < rows; ++r) d[r * columns + k] = p[r * columns + k] * (d[r * columns + k] - mean);
  }
}

}  // namespace

const ColumnKernels column_scalar_kernels = {softmax, softmax_back};

}  // namespace atp
