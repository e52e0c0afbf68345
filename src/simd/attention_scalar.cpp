// SPDX-License-Identifier: MIT
// The specification of the attention kernels.
#include "simd/attention.hpp"

#include "simd/exp.hpp"
#include "simd/log.hpp"

namespace atp {

namespace {

void offsets(const uint8_t *colors, int64_t count, int32_t stride, int32_t start, int32_t *out) {
  for (int64_t j = 0; j < count; ++j) out[j] = colors[j] * stride + start;
}

void scatter(const float *panel, int64_t sites, int64_t width, int64_t sequences, const int32_t *places, float *acc) {
  for (int64_t n = 0; n < sequences; ++n)
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t i = 0; i < width; ++i) acc[places[n * sites + j] + i] += panel[j * width + i];
}

void gather(const float *acc, const int32_t *places, int64_t sequences, int64_t sites, int64_t width, float *panel) {
  for (int64_t j = 0; j < sites; ++j)
    for (int64_t n = 0; n < sequences; ++n)
      for (int64_t i = 0; i < width; ++i) panel[j * width + i] += acc[places[n * sites + j] + i];
}

void product(int64_t rows, int64_t depth, const float *weights, int64_t columns, const float *in, const float *start, float *out) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t x = 0; x < columns; ++x) {
      float sum = start == nullptr ? 0.0f : start[r * columns + x];
      for (int64_t k = 0; k < depth; ++k) sum = std::fma(weights[k * rows + r], in[k * columns + x], sum);
      out[r * columns + x] = sum;
    }
}

void softmax(int64_t colors, int64_t columns, const float *own, const float *column_weights, float *logits, double *loss) {
  float sums[kAttentionLanes] = {};
  for (int64_t x = 0; x < columns; ++x) {
    float *h = logits + x;
    float top = h[0], own_logit = 0;
    for (int64_t c = 0; c < colors; ++c) {
      const float value = h[c * columns];
      top = value > top ? value : top;
      if (own[x] == static_cast<float>(c)) own_logit = value;
    }
    const float scaled_top = top * kLog2E, weight = column_weights[x];
    float total = 0;
    for (int64_t c = 0; c < colors; ++c) {
      const float y = std::fma(h[c * columns], kLog2E, -scaled_top);
      h[c * columns] = exp2_f32(y > kSoftmaxLowest ? y : kSoftmaxLowest);
      total += h[c * columns];
    }
    const float scale = weight / total;
    for (int64_t c = 0; c < colors; ++c) {
      const float d = h[c * columns] * scale;
      h[c * columns] = own[x] == static_cast<float>(c) ? d - weight : d;
    }
    const float own_y = std::fma(own_logit, kLog2E, -scaled_top);
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

const AttentionKernels attention_scalar_kernels = {offsets, scatter, gather, product, softmax, outer, add};

}  // namespace atp
