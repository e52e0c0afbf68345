// SPDX-License-Identifier: MIT
// The steps of an encoder in float32. learn/network/encoder_*.cpp puts them together, with the softmax over colours of
// simd/attention.hpp and the softmax over sites of simd/columns.hpp.
//
// Sixteen sequences are processed at a time: each is a lane of a logical vector of 16 floats. A matrix has one logical vector for each
// site and element. Normalisation, softmax and the products within a sequence are then the same operations in all lanes. No sum goes
// across lanes, so the bits do not depend on the vector width of the machine. All arrays are aligned to vectors; strides are in floats and
// multiples of 16.
#pragma once

#include "simd/attention.hpp"

namespace atp {

// A matrix of logical vectors inside an array: element (row, k) at data[row * row_stride + k * step].
struct LaneMatrix {
  const float *data;
  int64_t row_stride, step;
};

struct LaneOutput {
  float *data;
  int64_t row_stride, step;
  operator LaneMatrix() const { return {data, row_stride, step}; }
};

// What a product with weights does with a sum before it is stored. `gate`: 0 where the gate is not positive.
enum class ProductEnd { plain, relu, gate };

// out(s, r) = end(start(s, r) + bias[r] + sum_k weights[k][r] in(s, k)), k in ascending order, for sites s and r < rows.
struct EncoderProduct {
  int64_t rows, depth;
  const float *weights;  // [depth][rows]
  const float *bias;     // [rows]; NULL: 0
  LaneMatrix in, start;  // start.data NULL: 0
  LaneOutput out;
  ProductEnd end;
  LaneMatrix gate;  // of `out`
};

// out[a * out_stride + b * 16 + lane] = sum_k x(a, k) y(b, k), lane by lane, k in ascending order, a < rows_a, b < rows_b.
// `add`: the sum begins with what `out` holds. Of x and y, one stride each is 16.
// If it is not the step of x, it is not that of y.
struct LaneProduct {
  int64_t rows_a, rows_b, depth;
  LaneMatrix x, y;
  float *out;
  int64_t out_stride;
  bool add;
};

struct EncoderKernels {
  void (*product)(int64_t sites, const EncoderProduct &p);
  void (*lane_product)(const LaneProduct &p);
  // The transpose of a matrix: to[(16 s + lane) stride + k] = y(s, k) of the lane, k < elements.
  void (*turn)(int64_t sites, int64_t elements, LaneMatrix y, int64_t stride, float *to);
  // sums[a][b] += x(s, a) y(s, b), summed over sites and lanes in ascending order, a < rows, b < stride. y: as turn() leaves it. The step
  // of x is 16. For large matrices: their sums by lanes, of lane_product, would not stay in the caches.
  void (*outer)(int64_t sites, int64_t rows, int64_t stride, LaneMatrix x, const float *y, float *sums);
  // sums[k][16] += sum over the sites of y(s, k), k < elements.
  void (*add_sites)(int64_t sites, int64_t elements, LaneMatrix y, float *sums);

  // x(s, .) of `width` elements -> (x - mean) / sqrt(var + epsilon), in place; deviation [sites][16] = 1 / sqrt(var + epsilon);
  // y = scale x + shift. scale_shift: [2][width].
  void (*norm)(int64_t sites, int64_t width, float epsilon, const float *scale_shift, LaneOutput x, float *deviation, LaneOutput y);
  // In place: slopes with respect to y become those with respect to the input of norm(). hat: the x that norm() left. sums
  // [2][width][16]: += the derivatives with respect to scale and shift, by lanes.
  void (*norm_back)(int64_t sites, int64_t width, const float *scale_shift, LaneMatrix hat, const float *deviation, LaneOutput slopes,
                    float *sums);

  // out(s, r) of a lane = table[r][tokens[s][lane]] + positions[s][r], r < width; a row of the table has `stride` elements.
  void (*embed)(int64_t sites, int64_t width, const float *table, int64_t stride, const int32_t *tokens, const float *positions,
                LaneOutput out);

  // totals[k] += the 16 lanes of sums[k], added as a tree: lane l with l + 8, then + 4, + 2, + 1. The sums
  // become 0. count is a multiple of 16.
  void (*reduce)(int64_t count, float *sums, double *totals);
};

extern const EncoderKernels encoder_scalar_kernels;
const EncoderKernels &encoder_kernels(Target target);

}  // namespace atp
