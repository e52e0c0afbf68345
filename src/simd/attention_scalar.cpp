// SPDX-License-Identifier: MIT
// The specification of the attention kernels.
#include "simd/attention.hpp"

#include "simd/exp.hpp"
#include "simd/log.hpp"

namespace atp {

namespace {

void offsets(const uint8_t *colors, int64_t count, int stride, int start, uint16_t *out) {
  for (int64_t j = 0; j < count; ++j) out[j] = static_cast<uint16_t>(colors[j] * stride + start);
}

void scatter(const float *panel, int64_t sites, int64_t width, int64_t sequences, const uint16_t *places, float *acc) {
  for (int64_t n = 0; n < sequences; ++n)
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t i = 0; i < width; ++i) acc[2 * places[n * sites + j] + i] += panel[j * width + i];
}

void collect(const float *panel, int64_t width, int64_t count, const ColorSites *lists, const uint16_t *sites, float *acc) {
  for (int64_t m = 0; m < count; sites += lists[m].count, ++m)
    for (int64_t i = 0; i < width; ++i) {
      const uint16_t *j = sites;
      const auto p = [&](int k) { return panel[j[k] * width + i]; };
      float sum = 0;
      for (uint32_t fours = lists[m].count / 4; fours > 0; --fours, j += 4) sum += (p(0) + p(1)) + (p(2) + p(3));
      if (lists[m].count & 2) {
        sum += p(0) + p(1);
        j += 2;
      }
      if (lists[m].count & 1) sum += p(0);
      acc[lists[m].place * width + i] = sum;
    }
}

void gather(const float *acc, const uint16_t *places, int64_t sequences, int64_t sites, int64_t width, float *panel) {
  for (int64_t j = 0; j < sites; ++j)
    for (int64_t n = 0; n < sequences; ++n)
      for (int64_t i = 0; i < width; ++i) panel[j * width + i] += acc[2 * places[n * sites + j] + i];
}

void product(int64_t rows, int64_t depth, const float *weights, int64_t columns, const float *in, const float *start, float *out) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t x = 0; x < columns; ++x) {
      float sum = start == nullptr ? 0.0f : start[r * columns + x];
      for (int64_t k = 0; k < depth; ++k) sum = std::fma(weights[k * rows + r], in[k * columns + x], sum);
      out[r * columns + x] = sum;
    }
}

void softmax(int64_t colors, int64_t columns, const int32_t *own, const float *column_weights, float *logits, double *loss) {
  float sums[kAttentionLanes] = {};
  for (int64_t x = 0; x < columns; ++x) {
    float *h = logits + x;
    float top = 0;
    for (int64_t c = 0; c < colors - 1; ++c) top = h[c * columns] > top ? h[c * columns] : top;
    const float scaled_top = top * kLog2E, weight = column_weights[x];
    const float own_y = std::fma(logits[own[x]], kLog2E, -scaled_top);
    float total = exp2_f32(-scaled_top > kSoftmaxLowest ? -scaled_top : kSoftmaxLowest);
    for (int64_t c = 0; c < colors - 1; ++c) {
      const float y = std::fma(h[c * columns], kLog2E, -scaled_top);
      h[c * columns] = exp2_f32(y > kSoftmaxLowest ? y : kSoftmaxLowest);
      total += h[c * columns];
    }
    const float scale = weight / total;
    for (int64_t c = 0; c < colors - 1; ++c) h[c * columns] *= scale;
    logits[own[x]] -= weight;
    h[(colors - 1) * columns] = 0;
    sums[x % kAttentionLanes] = std::fma(weight, std::fma(own_y, -kLn2, log_f32(total)), sums[x % kAttentionLanes]);
  }
  for (int64_t lane = 0; lane < kAttentionLanes; ++lane) loss[lane] += static_cast<double>(sums[lane]);
}

void outer(int64_t rows_x, int64_t rows_y, int64_t columns, const float *x, const float *y, float *sums) {
  for (int64_t a = 0; a < rows_x; ++a)
    for (int64_t b = 0; b < rows_y; ++b) {
      float *sum = sums + (a * rows_y + b) * kAttentionLanes;
      for (int64_t k = 0; k < columns; ++k) {
        float &lane = sum[k % kAttentionLanes];
        lane = std::fma(x[a * columns + k], y[b * columns + k], lane);
      }
    }
}

void add(int64_t count, const float *x, float *sums) {
  for (int64_t k = 0; k < count; ++k) sums[k] += x[k];
}

}  // namespace

const AttentionKernels attention_scalar_kernels = {offsets, scatter, collect, gather, product, softmax, outer, add};

}  // namespace atp
