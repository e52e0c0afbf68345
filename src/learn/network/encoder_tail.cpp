// SPDX-License-Identifier: MIT
#include "learn/network/encoder_tail.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

void tail_set_ones(const EncoderShape &shape, const EncoderTail &tail) {
  const int64_t d = shape.width, n = tail.columns;
  std::fill_n(tail.c + d * n, n, 1.0f);
  std::fill_n(tail.y + d * n, n, 1.0f);
  std::fill_n(tail.hidden + shape.hidden * n, n, 1.0f);
}

void tail_forward(const EncoderTools &tools, int64_t block, const EncoderTail &t, float *out) {
  const int64_t d = tools.weights.shape.width, h = tools.weights.shape.hidden, n = t.columns;
  const EncoderMatrices<const float> m = tools.weights.block(block);
  const float epsilon = static_cast<float>(kNormEpsilon);
  tools.products.product(d, d + 1, m.out, n, t.c, t.x, t.hat1);
  tools.kernels.norm(d, n, epsilon, m.norm1, t.hat1, t.deviation1, t.y);
  tools.products.product(h, d + 1, m.hidden, n, t.y, nullptr, t.hidden);
  tools.kernels.relu(h * n, t.hidden);
  tools.products.product(d, h + 1, m.hidden_out, n, t.hidden, t.y, t.hat2);
  tools.kernels.norm(d, n, epsilon, m.norm2, t.hat2, t.deviation2, out);
}

void tail_backward(const EncoderTools &tools, int64_t block, const EncoderTail &t, float *slopes, const EncoderMatrices<float> &sums,
                   const EncoderTailSlopes &to) {
  const int64_t d = tools.weights.shape.width, h = tools.weights.shape.hidden, n = t.columns;
  const EncoderMatrices<const float> m = tools.weights.block(block);
  const EncoderTransposed back = tools.weights.transposed(block);
  tools.kernels.norm_back(d, n, m.norm2, t.hat2, t.deviation2, slopes, sums.norm2);
  tools.products.outer(h + 1, d, n, t.hidden, slopes, sums.hidden_out);
  tools.products.product(h, d, back.hidden_out, n, slopes, nullptr, to.hidden);
  tools.kernels.relu_back(h * n, t.hidden, to.hidden);
  tools.products.outer(d + 1, h, n, t.y, to.hidden, sums.hidden);
  tools.products.product(d, h, back.hidden, n, to.hidden, slopes, to.sum);
  tools.kernels.norm_back(d, n, m.norm1, t.hat1, t.deviation1, to.sum, sums.norm1);
  tools.products.outer(d + 1, d, n, t.c, to.sum, sums.out);
  tools.products.product(d, d, back.out, n, to.sum, nullptr, to.c);
}

void output_forward(const EncoderTools &tools, int64_t columns, const float *out, float *logits) {
  const int64_t d = tools.weights.shape.width, q = tools.weights.shape.colors;
  tools.products.product(q - 1, d + 1, tools.weights.output(), columns, out, nullptr, logits);
  std::fill_n(logits + (q - 1) * columns, columns, 0.0f);
}

void output_conditionals(const EncoderShape &shape, int64_t columns, int64_t count, const float *logits, double *conditionals) {
  for (int64_t x = 0; x < count; ++x) {
    double *to = conditionals + x * shape.colors, top = 0, total = 0;
    const auto logit = [&](int64_t a) { return static_cast<double>(logits[a * columns + x]); };
    for (int64_t a = 0; a < shape.colors; ++a) top = std::max(top, logit(a));
    for (int64_t a = 0; a < shape.colors; ++a) total += to[a] = std::exp(logit(a) - top);
    for (int64_t a = 0; a < shape.colors; ++a) to[a] /= total;
  }
}

void output_backward(const EncoderTools &tools, const EncoderMasks &masks, const float *out, float *logits, float *slopes, float *sums,
                     double *loss) {
  const int64_t d = tools.weights.shape.width, q = tools.weights.shape.colors;
  tools.products.softmax(q, masks.columns, masks.own, masks.weights, logits, loss);
  if (sums == nullptr) return;
  tools.products.outer(d + 1, q - 1, masks.columns, out, logits, sums);
  tools.products.product(d, q - 1, tools.weights.output_transposed(), masks.columns, logits, nullptr, slopes);
}

}  // namespace atp
