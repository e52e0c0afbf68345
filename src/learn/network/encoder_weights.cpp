// SPDX-License-Identifier: MIT
#include "learn/network/encoder_weights.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

void EncoderWeights::lay_out(Arena &arena) {
  const int64_t L = shape.sites, d = shape.width;
  forward_ = arena.take<float>(elements());
  transposed_ = arena.take<float>(shape.blocks * transposed_elements() + shape.colors * d);
  table_ = arena.take<float>(tokens());
  positions_ = arena.take<float>(d, L);
  if (arena.measuring() || !shape.positions) return;
  for (int64_t c = 0; c < d; ++c)
    for (int64_t j = 0; j < L; ++j) positions_[c * L + j] = static_cast<float>(sinusoidal_position(j, c, d));
}

int64_t EncoderWeights::block_elements() const {
  const int64_t d = shape.width, h = shape.hidden;
  return (d + 1) * (4 * d + h) + (h + 1) * d + 4 * d;
}

double EncoderWeights::score_scale() const { return 1 / std::sqrt(static_cast<double>(shape.width)); }

EncoderTransposed EncoderWeights::transposed(int64_t b) const {
  const int64_t d = shape.width, h = shape.hidden;
  EncoderTransposed t;
  t.qkv = transposed_.data() + b * transposed_elements();
  t.out = t.qkv + 3 * d * d;
  t.hidden = t.out + d * d;
  t.hidden_out = t.hidden + h * d;
  return t;
}

namespace {

// Transposes outputs first..last-1 of a matrix [outputs][inputs], with their biases, times a factor.
void turn(const double *w, const double *bias, int64_t in, int64_t first, int64_t last, double factor, float *to) {
  const int64_t out = last - first;
  for (int64_t o = 0; o < out; ++o) {
    const double *row = w + (first + o) * in;
    for (int64_t i = 0; i < in; ++i) to[i * out + o] = static_cast<float>(factor * row[i]);
    to[in * out + o] = static_cast<float>(factor * bias[first + o]);
  }
}

void turn_back(const double *from, int64_t in, int64_t first, int64_t last, double factor, double *w, double *bias) {
  const int64_t out = last - first;
  for (int64_t o = 0; o < out; ++o) {
    double *row = w + (first + o) * in;
    for (int64_t i = 0; i < in; ++i) row[i] = factor * from[i * out + o];
    bias[first + o] = factor * from[in * out + o];
  }
}

}  // namespace

void EncoderWeights::pack(const double *p) {
  const int64_t d = shape.width, h = shape.hidden, q = shape.colors;
  float *next = transposed_.data();
  const auto convert = [&](const double *w, int64_t size, double factor) {
    for (int64_t k = 0; k < size; ++k) next[k] = static_cast<float>(factor * w[k]);
    next += size;
  };
  for (int64_t b = 0; b < shape.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const EncoderMatrices<float> m = matrices(forward_.data(), b, 1);
    turn(p + at.qkv, p + at.qkv_bias, d, 0, d, score_scale(), m.query);
    turn(p + at.qkv, p + at.qkv_bias, d, d, 3 * d, 1, m.key_value);
    turn(p + at.out, p + at.out_bias, d, 0, d, 1, m.out);
    turn(p + at.hidden, p + at.hidden_bias, d, 0, h, 1, m.hidden);
    turn(p + at.hidden_out, p + at.hidden_out_bias, h, 0, d, 1, m.hidden_out);
    for (int64_t k = 0; k < 2 * d; ++k) {
      m.norm1[k] = static_cast<float>(p[at.norm1_scale + k]);
      m.norm2[k] = static_cast<float>(p[at.norm2_scale + k]);
    }
    convert(p + at.qkv, d * d, score_scale());
    convert(p + at.qkv + d * d, 2 * d * d, 1);
    convert(p + at.out, d * d, 1);
    convert(p + at.hidden, h * d, 1);
    convert(p + at.hidden_out, d * h, 1);
  }
  // Logits relative to that of the last colour.
  const double *w = p + layout_.output(), *bias = p + layout_.output_bias();
  float *to = output(forward_.data(), 1);
  for (int64_t a = 0; a < q - 1; ++a) {
    for (int64_t i = 0; i < d; ++i) next[a * d + i] = to[i * (q - 1) + a] = static_cast<float>(w[a * d + i] - w[(q - 1) * d + i]);
    to[d * (q - 1) + a] = static_cast<float>(bias[a] - bias[q - 1]);
  }
  for (int64_t a = 0; a <= q; ++a)
    for (int64_t r = 0; r < d; ++r) table_[r * token_stride() + a] = static_cast<float>(p[layout_.tokens() + a * d + r]);
}

void EncoderWeights::unpack(const double *sums, double *g) const {
  const int64_t d = shape.width, h = shape.hidden, q = shape.colors;
  for (int64_t b = 0; b < shape.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const EncoderMatrices<const double> m = matrices(sums, b, 1);
    turn_back(m.query, d, 0, d, score_scale(), g + at.qkv, g + at.qkv_bias);
    turn_back(m.key_value, d, d, 3 * d, 1, g + at.qkv, g + at.qkv_bias);
    turn_back(m.out, d, 0, d, 1, g + at.out, g + at.out_bias);
    turn_back(m.hidden, d, 0, h, 1, g + at.hidden, g + at.hidden_bias);
    turn_back(m.hidden_out, h, 0, d, 1, g + at.hidden_out, g + at.hidden_out_bias);
    std::copy_n(m.norm1, 2 * d, g + at.norm1_scale);
    std::copy_n(m.norm2, 2 * d, g + at.norm2_scale);
  }
  const double *from = output(sums, 1);
  double *w = g + layout_.output(), *bias = g + layout_.output_bias();
  turn_back(from, d, 0, q - 1, 1, w, bias);
  for (int64_t i = 0; i <= d; ++i) {
    double all = 0;
    for (int64_t a = 0; a < q - 1; ++a) all += from[i * (q - 1) + a];
    (i < d ? w[(q - 1) * d + i] : bias[q - 1]) = -all;
  }
  const double *token_sums = sums + elements();
  for (int64_t a = 0; a <= q; ++a)
    for (int64_t r = 0; r < d; ++r) g[layout_.tokens() + a * d + r] = token_sums[r * token_stride() + a];
}

}  // namespace atp
