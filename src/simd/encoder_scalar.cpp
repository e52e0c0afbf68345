// SPDX-License-Identifier: MIT
// The specification of the encoder kernels.
#include "simd/encoder.hpp"

#include <cmath>

namespace atp {

namespace {

constexpr int64_t kLanes = kAttentionLanes;

float &at(const LaneOutput &m, int64_t row, int64_t k, int64_t lane) { return m.data[row * m.row_stride + k * m.step + lane]; }
float at(const LaneMatrix &m, int64_t row, int64_t k, int64_t lane) { return m.data[row * m.row_stride + k * m.step + lane]; }

void product(int64_t sites, const EncoderProduct &p) {
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t r = 0; r < p.rows; ++r)
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        float sum = p.bias == nullptr ? 0.0f : p.bias[r];
        if (p.start.data != nullptr) sum += at(p.start, s, r, lane);
        for (int64_t k = 0; k < p.depth; ++k) sum = std::fma(p.weights[k * p.rows + r], at(p.in, s, k, lane), sum);
        if (p.end == ProductEnd::relu) sum = sum > 0 ? sum : 0.0f;
        if (p.end == ProductEnd::gate) sum = at(p.gate, s, r, lane) > 0 ? sum : 0.0f;
        at(p.out, s, r, lane) = sum;
      }
}

void lane_product(const LaneProduct &p) {
  for (int64_t a = 0; a < p.rows_a; ++a)
    for (int64_t b = 0; b < p.rows_b; ++b)
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        float &out = p.out[a * p.out_stride + b * kLanes + lane];
        float sum = p.add ? out : 0.0f;
        for (int64_t k = 0; k < p.depth; ++k) sum = std::fma(at(p.x, a, k, lane), at(p.y, b, k, lane), sum);
        out = sum;
      }
}

void turn(int64_t sites, int64_t elements, LaneMatrix y, int64_t stride, float *to) {
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t k = 0; k < elements; ++k)
      for (int64_t lane = 0; lane < kLanes; ++lane) to[(s * kLanes + lane) * stride + k] = at(y, s, k, lane);
}

void outer(int64_t sites, int64_t rows, int64_t stride, LaneMatrix x, const float *y, float *sums) {
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t lane = 0; lane < kLanes; ++lane, y += stride)
      for (int64_t a = 0; a < rows; ++a)
        for (int64_t b = 0; b < stride; ++b) sums[a * stride + b] = std::fma(at(x, s, a, lane), y[b], sums[a * stride + b]);
}

void add_sites(int64_t sites, int64_t elements, LaneMatrix y, float *sums) {
  for (int64_t k = 0; k < elements; ++k)
    for (int64_t s = 0; s < sites; ++s)
      for (int64_t lane = 0; lane < kLanes; ++lane) sums[k * kLanes + lane] += at(y, s, k, lane);
}

void norm(int64_t sites, int64_t width, float epsilon, const float *scale_shift, LaneOutput x, float *deviation, LaneOutput y) {
  const float part = 1.0f / static_cast<float>(width);
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      float mean = 0, variance = 0;
      for (int64_t r = 0; r < width; ++r) mean += at(x, s, r, lane);
      mean *= part;
      for (int64_t r = 0; r < width; ++r) {
        const float away = at(x, s, r, lane) - mean;
        variance = std::fma(away, away, variance);
      }
      const float inverse = 1.0f / std::sqrt(std::fma(variance, part, epsilon));
      deviation[s * kLanes + lane] = inverse;
      for (int64_t r = 0; r < width; ++r) {
        float &hat = at(x, s, r, lane);
        hat = (hat - mean) * inverse;
        at(y, s, r, lane) = std::fma(scale_shift[r], hat, scale_shift[width + r]);
      }
    }
}

void norm_back(int64_t sites, int64_t width, const float *scale_shift, LaneMatrix hat, const float *deviation, LaneOutput slopes,
               float *sums) {
  const float part = 1.0f / static_cast<float>(width);
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      float mean = 0, along = 0;
      for (int64_t r = 0; r < width; ++r) {
        const float slope = at(slopes, s, r, lane), h = at(hat, s, r, lane), scaled = scale_shift[r] * slope;
        float *scale_sum = sums + r * kLanes + lane, *shift_sum = scale_sum + width * kLanes;
        *scale_sum = std::fma(slope, h, *scale_sum);
        *shift_sum += slope;
        mean += scaled;
        along = std::fma(scaled, h, along);
      }
      mean *= part;
      along *= part;
      for (int64_t r = 0; r < width; ++r) {
        float &slope = at(slopes, s, r, lane);
        slope = std::fma(at(hat, s, r, lane), -along, scale_shift[r] * slope - mean) * deviation[s * kLanes + lane];
      }
    }
}

void embed(int64_t sites, int64_t width, const float *table, int64_t stride, const int32_t *tokens, const float *positions,
           LaneOutput out) {
  for (int64_t s = 0; s < sites; ++s)
    for (int64_t r = 0; r < width; ++r)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        at(out, s, r, lane) = table[r * stride + tokens[s * kLanes + lane]] + positions[s * width + r];
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

const EncoderKernels encoder_scalar_kernels = {product, lane_product, turn, outer, add_sites, norm, norm_back, embed, reduce};

}  // namespace atp
