// SPDX-License-Identifier: MIT
// The steps of an encoder in float32 that are not products with weights. learn/network/encoder_*.cpp combines
// them with `product`, `outer` and `softmax` of simd/attention.hpp and the softmax over sites of
// simd/columns.hpp.
//
// Sixteen sequences are processed at a time: each is a lane of a logical vector of 16 floats. A matrix has a
// row per element and a vector per site, [elements][sites][16]. Normalisation, softmax and the small products
// within a sequence are then the same operations in all lanes. No sum goes across lanes, so the bits do not
// depend on the vector width of the machine. All arrays are aligned to vectors. Strides are in floats and
// multiples of 16; counts of columns are multiples of 16.
#pragma once

#include "simd/attention.hpp"

namespace atp {

// A matrix of vectors inside an array: element (row, k) at data[row * row_stride + k * step].
struct LaneMatrix {
  const float *data;
  int64_t row_stride, step;
};

struct EncoderKernels {
  // out[a * out_stride + b * 16 + lane] = sum_k x(a, k) y(b, k), lane by lane, k in ascending order, a < rows_a, b < rows_b.
  void (*lane_product)(int64_t rows_a, int64_t rows_b, int64_t depth, LaneMatrix x, LaneMatrix y, float *out, int64_t out_stride);

  // x [width][columns] -> (x - mean) / sqrt(var + epsilon), in place; deviation [columns] = 1 / sqrt(var + epsilon);
  // y = scale x + shift. scale_shift: [2][width].
  void (*norm)(int64_t width, int64_t columns, float epsilon, const float *scale_shift, float *x, float *deviation, float *y);
  // In place: slopes [width][columns] with respect to y become those with respect to the input of norm().
  // hat: the x that norm() left. sums [2][width][16]: += the derivatives with respect to scale and shift, by
  // lanes.
  void (*norm_back)(int64_t width, int64_t columns, const float *scale_shift, const float *hat, const float *deviation, float *slopes,
                    float *sums);

  // x = max(x, 0); slopes where x > 0, else 0.
  void (*relu)(int64_t count, float *x);
  void (*relu_back)(int64_t count, const float *x, float *slopes);

  // out[r][column] = table[r][tokens[column]] + positions[r * sites + column / 16], r < width; a row of the table has `stride` elements.
  void (*embed)(int64_t width, int64_t sites, const float *table, int64_t stride, const int32_t *tokens, const float *positions,
                float *out);

  // totals[k] += the 16 lanes of sums[k], added as a tree: lane l with l + 8, then + 4, + 2, + 1. The sums
  // become 0. count is a multiple of 4.
  void (*reduce)(int64_t count, float *sums, double *totals);
};

extern const EncoderKernels encoder_scalar_kernels;
const EncoderKernels &encoder_kernels(Target target);

}  // namespace atp
