// SPDX-License-Identifier: MIT
// The specification of the encoder kernels.
#include "simd/encoder.hpp"

#include <cmath>

namespace atp {

namespace {

constexpr int64_t kLanes = kAttentionLanes;

void lane_product(int64_t rows_a, int64_t rows_b, int64_t depth, LaneMatrix x, LaneMatrix y, float *out, int64_t out_stride) {
  for (int64_t a = 0; a < rows_a; ++a)
    for (int64_t b = 0; b < rows_b; ++b)
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum = std::fma(x.data[a * x.row_stride + k * x.step + lane], y.data[b * y.row_stride + k * y.step + lane], sum);
        out[a * out_stride + b * kLanes + lane] = sum;
      }
}

void norm(int64_t width, int64_t columns, float epsilon, const float *scale_shift, float *x, float *deviation, float *y) {
  const float part = 1.0f / static_cast<float>(width);
  for (int64_t c = 0; c < columns; ++c) {
    float mean = 0, variance = 0;
    for (int64_t r = 0; r < width; ++r) mean += x[r * columns + c];
    mean *= part;
    for (int64_t r = 0; r < width; ++r) {
      const float away = x[r * columns + c] - mean;
      variance = std::fma(away, away, variance);
    }
    const float inverse = 1.0f / std::sqrt(std::fma(variance, part, epsilon));
    deviation[c] = inverse;
    for (int64_t r = 0; r < width; ++r) {
      const float hat = (x[r * columns + c] - mean) * inverse;
      x[r * columns + c] = hat;
      y[r * columns + c] = std::fma(scale_shift[r], hat, scale_shift[width + r]);
    }
  }
}

void norm_back(int64_t width, int64_t columns, const float *scale_shift, const float *hat, const float *deviation, float *slopes,
               float *sums) {
  const float part = 1.0f / static_cast<float>(width);
  for (int64_t c = 0; c < columns; ++c) {
    float mean = 0, along = 0;
    for (int64_t r = 0; r < width; ++r) {
      const float slope = slopes[r * columns + c], h = hat[r * columns + c], scaled = scale_shift[r] * slope;
      float *scale_sum = sums + r * kLanes + c % kLanes, *shift_sum = scale_sum + width * kLanes;
      *scale_sum = std::fma(slope, h, *scale_sum);
      *shift_sum += slope;
      mean += scaled;
      along = std::fma(scaled, h, along);
    }
    mean *= part;
    along *= part;
    for (int64_t r = 0; r < width; ++r) {
      const float scaled = scale_shift[r] * slopes[r * columns + c];
      slopes[r * columns + c] = std::fma(hat[r * columns + c], -along, scaled - mean) * deviation[c];
    }
  }
}

void relu(int64_t count, float *x) {
  for (int64_t k = 0; k < count; ++k) x[k] = x[k] > 0 ? x[k] : 0.0f;
}

void relu_back(int64_t count, const float *x, float *slopes) {
  for (int64_t k = 0; k < count; ++k) slopes[k] = x[k] > 0 ? slopes[k] : 0.0f;
}

void embed(int64_t width, int64_t sites, const float *table, int64_t stride, const int32_t *tokens, const float *positions, float *out) {
  for (int64_t r = 0; r < width; ++r)
    for (int64_t c = 0; c < sites * kLanes; ++c)
      out[r * sites * kLanes + c] = table[r * stride + tokens[c]] + positions[r * sites + c / kLanes];
}

void reduce(int64_t count, float *sums, double *totals) {
  for (int64_t k = 0; k < count; ++k) {
    float *x = sums + k * kLanes, t[8];
    for (int m = 0; m < 8; ++m) t[m] = x[m] + x[m + 8];
    for (int m = 0; m < 4; ++m) t[m] += t[m + 4];
    totals[k] += static_cast<double>((t[0] + t[2]) + (t[1] + t[3]));
    for (int m = 0; m < kLanes; ++m) x[m] = 0;
  }
}

}  // namespace

const EncoderKernels encoder_scalar_kernels = {lane_product, norm, norm_back, relu, relu_back, embed, reduce};

}  // namespace atp
