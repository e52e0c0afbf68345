// SPDX-License-Identifier: MIT
// The float32 passes of an encoder share its parameters, the tables of one block, and the part of a block after the attention.
#include "learn/network/encoder_f32.hpp"

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

namespace {

void transpose(int64_t rows, int64_t columns, const float *from, float *to) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) to[c * rows + r] = from[r * columns + c];
}

}  // namespace

void EncoderTables::lay_out(Arena &arena, const EncoderWeights &weights) {
  const bool used = shape_.blocks == 1;
  const int64_t d = shape_.width, n = used ? columns() : 0, L = used ? padded_sites() : 0;
  terms_ = arena.take<float>((d + 1), n);
  masked_ = arena.take<float>((d + 1), L);
  key_value_ = arena.take<float>(2, d, n);
  values_turned_ = arena.take<float>(n, d);
  keys_turned_ = arena.take<float>(n, d);
  query_ = arena.take<float>(d, L);
  query_turned_ = arena.take<float>(L, d);
  scores_ = arena.take<float>(L, n);
  dscores_ = arena.take<float>(L, n);
  dscores_turned_ = arena.take<float>(L, n);
  dkey_value_ = arena.take<float>(2, d, n);
  dquery_ = arena.take<float>(d, L);
  dterms_ = arena.take<float>(d, n);
  dmasked_ = arena.take<float>(d, L);
  sums_ = arena.take<float>(used ? ((d + 1) * 3 * d + 3) / 4 * 4 * kEncoderLanes : 0);
  if (arena.measuring() || !used) return;
  const int64_t first = shape_.colors + 1;
  for (int64_t j = 0; j < shape_.sites; ++j) {
    for (int64_t r = 0; r < d; ++r) terms_[r * n + first + j] = weights.positions()[r * shape_.sites + j];
    terms_[d * n + first + j] = masked_[d * L + j] = 1;
  }
}

void EncoderTables::make(const EncoderTools &tools) {
  const int64_t d = shape_.width, n = columns(), L = padded_sites(), q = shape_.colors;
  const EncoderMatrices<const float> m = tools.weights.block(0);
  for (int64_t r = 0; r < d; ++r) {
    const float *token = tools.weights.table() + r * tools.weights.token_stride();
    std::copy_n(token, q + 1, terms_.data() + r * n);
    for (int64_t j = 0; j < shape_.sites; ++j) masked_[r * L + j] = token[q] + terms_[r * n + q + 1 + j];
  }
  tools.products.product(2 * d, d + 1, m.key_value, n, terms_.data(), nullptr, key_value_.data());
  tools.products.product(d, d + 1, m.query, L, masked_.data(), nullptr, query_.data());
  tools.products.product(L, d, query_.data(), n, key_value_.data(), nullptr, scores_.data());
  transpose(d, n, values(), values_turned_.data());
}

void EncoderTables::pull_back(const EncoderTools &tools, const double *vectors, const double *plain, double *elements, double *tokens) {
  const int64_t d = shape_.width, n = columns(), L = padded_sites(), q = shape_.colors;
  float *dkeys = dkey_value_.data(), *dvalues = dkeys + d * n;
  for (int64_t x = 0; x < rows(); ++x)
    for (int64_t r = 0; r < d; ++r) dvalues[r * n + x] = static_cast<float>(vectors[x * d + r]);
  for (int64_t k = 0; k < plain_sums(); ++k) dscores_[k] = static_cast<float>(plain[k]);
  transpose(L, n, dscores_.data(), dscores_turned_.data());
  transpose(d, n, key_value_.data(), keys_turned_.data());
  transpose(d, L, query_.data(), query_turned_.data());
  tools.products.product(d, L, query_turned_.data(), n, dscores_.data(), nullptr, dkeys);
  tools.products.product(d, n, keys_turned_.data(), L, dscores_turned_.data(), nullptr, dquery_.data());
  // Weights.
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  tools.products.outer(d + 1, d, L, masked_.data(), dquery_.data(), sums_.data());
  tools.products.outer(d + 1, 2 * d, n, terms_.data(), dkeys, sums_.data() + (d + 1) * d * kEncoderLanes);
  static_assert(sizeof(double) == 8);
  const int64_t weights = (d + 1) * 3 * d;  // weights of queries, then of key_value, in the order of the elements
  const int64_t fours = weights / 4 * 4;
  tools.kernels.reduce(fours, sums_.data(), elements);
  double rest[4] = {};
  if (fours < weights) tools.kernels.reduce(4, sums_.data() + fours * kEncoderLanes, rest);
  for (int64_t k = fours; k < weights; ++k) elements[k] += rest[k - fours];
  // Tokens. The masked token is in all queries, and in the input that the attention is added to.
  const float *qkv = tools.weights.transposed(0).qkv;
  tools.products.product(d, 2 * d, qkv + d * d, n, dkeys, nullptr, dterms_.data());
  tools.products.product(d, d, qkv, L, dquery_.data(), nullptr, dmasked_.data());
  for (int64_t r = 0; r < d; ++r) {
    double *to = tokens + r * tools.weights.token_stride();
    for (int64_t a = 0; a <= q; ++a) to[a] = static_cast<double>(dterms_[r * n + a]);
    double sum = vectors[rows() * d + r];
    for (int64_t i = 0; i < shape_.sites; ++i) sum += static_cast<double>(dmasked_[r * L + i]);
    to[q] += sum;
  }
}

}  // namespace atp
