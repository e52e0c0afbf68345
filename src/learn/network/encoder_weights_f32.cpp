// SPDX-License-Identifier: MIT
// The float32 passes of an encoder share its parameters, the tables of one block, and the part of a block after the attention.
#include "learn/network/encoder_f32.hpp"

#include <cmath>

namespace atp {

namespace {

// Where factors_ has the matrices of a block: [outputs][padded], with biases in column d where there are some, or [..][d] as weights of a
// product.
struct EncoderFactors {
  static constexpr int64_t kCount = 9;
  EncoderFactors(float *base, int64_t d, int64_t padded) {
    float **all[kCount] = {&query, &query_turned, &key, &key_narrow, &key_turned, &value, &value_turned, &out_narrow, &out_turned};
    for (float **f : all) {
      *f = base;
      base += (d + 1) * padded;
    }
  }
  float *query, *query_turned, *key, *key_narrow, *key_turned, *value, *value_turned, *out_narrow, *out_turned;
};

// Transposes a matrix [outputs][inputs], with its biases.
void turn(const double *w, const double *bias, int64_t in, int64_t out, float *to) {
  for (int64_t o = 0; o < out; ++o) {
    const double *row = w + o * in;
    for (int64_t i = 0; i < in; ++i) to[i * out + o] = static_cast<float>(row[i]);
    to[in * out + o] = static_cast<float>(bias[o]);
  }
}

void turn_back(const double *from, int64_t in, int64_t out, double *w, double *bias) {
  for (int64_t o = 0; o < out; ++o) {
    double *row = w + o * in;
    for (int64_t i = 0; i < in; ++i) row[i] = from[i * out + o];
    bias[o] = from[in * out + o];
  }
}

}  // namespace

void EncoderWeights::lay_out(Arena &arena) {
  const int64_t L = shape.sites, d = shape.width;
  forward_ = arena.take<float>(elements());
  transposed_ = arena.take<float>(shape.blocks * transposed_elements() + shape.colors * d);
  table_ = arena.take<float>(tokens());
  positions_ = arena.take<float>(L, d);
  factors_ = arena.take<float>(shape.blocks, EncoderFactors::kCount * (d + 1), padded());
  slopes_ = arena.take<float>(2 * (d + 1), padded());
  product_ = arena.take<float>(d + 1, padded());
  if (arena.measuring() || !shape.positions) return;
  for (int64_t j = 0; j < L; ++j)
    for (int64_t c = 0; c < d; ++c) positions_[j * d + c] = static_cast<float>(sinusoidal_position(j, c, d));
}

int64_t EncoderWeights::block_elements() const {
  const int64_t d = shape.width, h = shape.hidden;
  return (d + 1) * (2 * d + h) + (h + 1) * d + 4 * d;
}

void EncoderWeights::reduce(const EncoderKernels &kernels, float *sums, double *totals) const {
  const int64_t d = shape.width, h = shape.hidden;
  // Ranges of whole sixteens; what two of them share is 0 the second time.
  int64_t end = 0;
  const auto add = [&](int64_t size, int64_t outputs) {
    const int64_t first = end / kEncoderLanes * kEncoderLanes;
    end += size;
    if (outputs < EncoderOuter::kLarge) kernels.reduce(whole_lanes(end) - first, sums + first * kEncoderLanes, totals + first);
  };
  for (int64_t b = 0; b < shape.blocks; ++b) {
    add(2 * (d + 1) * d, d);
    add((d + 1) * h, h);
    add((h + 1) * d, d);
    add(4 * d, 0);
  }
  add((d + 1) * (shape.colors - 1), 0);
}

double EncoderWeights::score_scale() const { return 1 / std::sqrt(static_cast<double>(shape.width)); }

EncoderTransposed EncoderWeights::transposed(int64_t b) const {
  const int64_t d = shape.width, h = shape.hidden;
  EncoderTransposed t;
  t.query = transposed_.data() + b * transposed_elements();
  t.value = t.query + d * d;
  t.hidden = t.value + d * d;
  t.hidden_out = t.hidden + h * d;
  return t;
}

// Query weights are W_k^T [W_q b_q] / sqrt(d) and value weights W_o [W_v b_v] + [0 b_o], [d][d + 1] with the bias as the last column.
// EncoderFactors has the four matrices as factors of these products and of their derivatives.
void EncoderWeights::merge(const AttentionKernels &products, const double *p, int64_t b) {
  const int64_t d = shape.width, n = padded();
  const EncoderBlock at = layout_.block(b);
  const EncoderFactors f(factors_.data() + b * (factors_.size() / shape.blocks), d, n);
  const double *qkv = p + at.qkv, *bias = p + at.qkv_bias, *out = p + at.out;
  const float scale = static_cast<float>(score_scale());
  for (int64_t r = 0; r < d; ++r) {
    for (int64_t k = 0; k < d; ++k) {
      f.query[r * n + k] = scale * static_cast<float>(qkv[r * d + k]);
      f.query_turned[k * d + r] = f.query[r * n + k];
      f.key[r * n + k] = static_cast<float>(qkv[(d + r) * d + k]);
      f.key_narrow[r * d + k] = f.key[r * n + k];
      f.key_turned[k * d + r] = f.key[r * n + k];
      f.value[r * n + k] = static_cast<float>(qkv[(2 * d + r) * d + k]);
      f.value_turned[k * d + r] = f.value[r * n + k];
      f.out_narrow[r * d + k] = static_cast<float>(out[r * d + k]);
      f.out_turned[k * d + r] = f.out_narrow[r * d + k];
    }
    f.query[r * n + d] = f.query_turned[d * d + r] = scale * static_cast<float>(bias[r]);
    f.value[r * n + d] = f.value_turned[d * d + r] = static_cast<float>(bias[2 * d + r]);
  }
  const EncoderMatrices<float> m = matrices(forward_.data(), b, 1);
  float *transposed = transposed_.data() + b * transposed_elements();
  for (bool queries : {true, false}) {
    products.product(d, d, queries ? f.key_narrow : f.out_turned, n, queries ? f.query : f.value, nullptr, product_.data());
    float *to = queries ? m.query : m.value;
    for (int64_t r = 0; r < d; ++r) {
      std::copy_n(product_.data() + r * n, d, transposed);
      transposed += d;
      for (int64_t k = 0; k <= d; ++k) to[k * d + r] = product_[r * n + k];
    }
  }
  for (int64_t r = 0; r < d; ++r) m.value[d * d + r] += static_cast<float>(p[at.out_bias + r]);
}

// The derivatives of the four matrices from those of the two products, m, [d + 1][d].
void EncoderWeights::split(const AttentionKernels &products, const EncoderMatrices<const double> &m, int64_t b, double *g) {
  const int64_t d = shape.width, n = padded();
  const EncoderBlock at = layout_.block(b);
  const EncoderFactors f(factors_.data() + b * (factors_.size() / shape.blocks), d, n);
  float *slopes = slopes_.data(), *turned = slopes + (d + 1) * n, *to = product_.data();
  const auto load = [&](const double *from) {  // [d][d + 1] and [d + 1][d], rows padded
    for (int64_t k = 0; k <= d; ++k)
      for (int64_t r = 0; r < d; ++r) slopes[r * n + k] = turned[k * n + r] = static_cast<float>(from[k * d + r]);
  };
  const auto store = [&](double factor, double *weights, double *bias) {
    for (int64_t r = 0; r < d; ++r) {
      for (int64_t k = 0; k < d; ++k) weights[r * d + k] = factor * static_cast<double>(to[r * n + k]);
      if (bias != nullptr) bias[r] = factor * static_cast<double>(to[r * n + d]);
    }
  };
  double *qkv = g + at.qkv, *bias = g + at.qkv_bias;
  load(m.query);
  products.product(d, d, f.key_turned, n, slopes, nullptr, to);
  store(score_scale(), qkv, bias);
  products.product(d, d + 1, f.query_turned, n, turned, nullptr, to);
  store(1, qkv + d * d, nullptr);
  std::fill_n(bias + d, d, 0.0);  // one number added to all scores of a query
  load(m.value);
  products.product(d, d, f.out_narrow, n, slopes, nullptr, to);
  store(1, qkv + 2 * d * d, bias + 2 * d);
  products.product(d, d + 1, f.value_turned, n, turned, nullptr, to);
  for (int64_t o = 0; o < d; ++o)
    for (int64_t r = 0; r < d; ++r) g[at.out + r * d + o] = static_cast<double>(to[o * n + r]);
  std::copy_n(m.value + d * d, d, g + at.out_bias);
}

void EncoderWeights::pack(const AttentionKernels &products, const double *p) {
  const int64_t d = shape.width, h = shape.hidden, q = shape.colors;
  float *next = transposed_.data();
  const auto convert = [&](const double *w, int64_t size) {
    for (int64_t k = 0; k < size; ++k) next[k] = static_cast<float>(w[k]);
    next += size;
  };
  for (int64_t b = 0; b < shape.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const EncoderMatrices<float> m = matrices(forward_.data(), b, 1);
    merge(products, p, b);
    turn(p + at.hidden, p + at.hidden_bias, d, h, m.hidden);
    turn(p + at.hidden_out, p + at.hidden_out_bias, h, d, m.hidden_out);
    for (int64_t k = 0; k < 2 * d; ++k) {
      m.norm1[k] = static_cast<float>(p[at.norm1_scale + k]);
      m.norm2[k] = static_cast<float>(p[at.norm2_scale + k]);
    }
    next += 2 * d * d;
    convert(p + at.hidden, h * d);
    convert(p + at.hidden_out, d * h);
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

void EncoderWeights::unpack(const AttentionKernels &products, const double *sums, double *g) {
  const int64_t d = shape.width, h = shape.hidden, q = shape.colors;
  for (int64_t b = 0; b < shape.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const EncoderMatrices<const double> m = matrices(sums, b, 1);
    split(products, m, b, g);
    turn_back(m.hidden, d, h, g + at.hidden, g + at.hidden_bias);
    turn_back(m.hidden_out, h, d, g + at.hidden_out, g + at.hidden_out_bias);
    std::copy_n(m.norm1, 2 * d, g + at.norm1_scale);
    std::copy_n(m.norm2, 2 * d, g + at.norm2_scale);
  }
  const double *from = output(sums, 1);
  double *w = g + layout_.output(), *bias = g + layout_.output_bias();
  turn_back(from, d, q - 1, w, bias);
  for (int64_t i = 0; i <= d; ++i) {
    double all = 0;
    for (int64_t a = 0; a < q - 1; ++a) all += from[i * (q - 1) + a];
    (i < d ? w[(q - 1) * d + i] : bias[q - 1]) = -all;
  }
  const double *token_sums = sums + elements();
  for (int64_t a = 0; a <= q; ++a)
    for (int64_t r = 0; r < d; ++r) g[layout_.tokens() + a * d + r] = token_sums[r * token_stride() + a];
}

void tail_forward(const EncoderTools &tools, int64_t block, const EncoderTail &t, int64_t first, int64_t last, const EncoderArray &out) {
  const int64_t d = tools.weights.shape.width, h = tools.weights.shape.hidden, n = last - first;
  const EncoderMatrices<const float> m = tools.weights.block(block);
  const float epsilon = static_cast<float>(kNormEpsilon);
  const LaneOutput y = t.y.from(first), hidden = t.hidden.from(first), hat2 = t.hat2.from(first);
  tools.kernels.norm(n, d, epsilon, m.norm1, t.hat1.from(first), t.deviation1 + first * kEncoderLanes, y);
  tools.kernels.product(n, {h, d, m.hidden, m.hidden + d * h, y, {}, hidden, ProductEnd::relu, {}});
  tools.kernels.product(n, {d, h, m.hidden_out, m.hidden_out + h * d, hidden, y, hat2, ProductEnd::plain, {}});
  tools.kernels.norm(n, d, epsilon, m.norm2, hat2, t.deviation2 + first * kEncoderLanes, out.from(first));
}

void tail_backward(const EncoderTools &tools, int64_t block, const EncoderTail &t, int64_t first, int64_t last,
                   const EncoderMatrices<float> &sums, const EncoderTailSlopes &slopes) {
  const int64_t d = tools.weights.shape.width, h = tools.weights.shape.hidden, n = last - first;
  const EncoderMatrices<const float> m = tools.weights.block(block);
  const EncoderTransposed back = tools.weights.transposed(block);
  const LaneOutput out = slopes.out.from(first), hidden = slopes.hidden.from(first), sum = slopes.sum.from(first);
  tools.kernels.norm_back(n, d, m.norm2, t.hat2.from(first), t.deviation2 + first * kEncoderLanes, out, sums.norm2);
  tools.kernels.product(n, {h, d, back.hidden_out, nullptr, out, {}, hidden, ProductEnd::gate, t.hidden.from(first)});
  tools.kernels.product(n, {d, h, back.hidden, nullptr, hidden, out, sum, ProductEnd::plain, {}});
  tools.kernels.norm_back(n, d, m.norm1, t.hat1.from(first), t.deviation1 + first * kEncoderLanes, sum, sums.norm1);
}

void tail_weights(const EncoderTools &tools, const EncoderOuter &outer, const EncoderTail &t, int64_t vectors, const EncoderSums &to,
                  const EncoderMatrices<float> &sums, const EncoderTailSlopes &slopes) {
  const int64_t d = tools.weights.shape.width, h = tools.weights.shape.hidden;
  add_outer(tools, outer, vectors, {h, t.hidden}, {d, slopes.out}, to, sums.hidden_out);
  add_outer(tools, outer, vectors, {d, t.y}, {h, slopes.hidden}, to, sums.hidden);
}

void add_outer(const EncoderTools &tools, const EncoderOuter &outer, int64_t vectors, const EncoderFactor &x, const EncoderFactor &y,
               const EncoderSums &to, float *sums) {
  const int64_t rows = x.elements, columns = y.elements, stride = whole_lanes(columns);
  if (outer.sums == nullptr || columns < EncoderOuter::kLarge) {
    tools.kernels.add_sites(vectors, columns, y.array.all(), sums + rows * columns * kEncoderLanes);
    return tools.kernels.lane_product({rows, columns, vectors, x.array.turned(), y.array.turned(), sums, columns * kEncoderLanes, true});
  }
  std::fill_n(outer.sums, rows * stride, 0.0f);
  for (int64_t s = 0; s < vectors; s += EncoderOuter::kSites) {
    const int64_t n = std::min(EncoderOuter::kSites, vectors - s);
    tools.kernels.turn(n, columns, y.array.from(s), stride, outer.turned);
    tools.kernels.outer(n, rows, stride, x.array.from(s), outer.turned, outer.sums);
  }
  double *totals = to.totals + (sums - to.vectors) / kEncoderLanes;
  for (int64_t a = 0; a < rows; ++a)
    for (int64_t b = 0; b < columns; ++b) totals[a * columns + b] += static_cast<double>(outer.sums[a * stride + b]);
  std::fill_n(outer.bias, stride * kEncoderLanes, 0.0f);
  tools.kernels.add_sites(vectors, columns, y.array.all(), outer.bias);
  double *bias = totals + rows * columns;
  const int64_t whole = columns / kEncoderLanes * kEncoderLanes;
  tools.kernels.reduce(whole, outer.bias, bias);
  if (whole == columns) return;
  double rest[kEncoderLanes] = {};
  tools.kernels.reduce(kEncoderLanes, outer.bias + whole * kEncoderLanes, rest);
  for (int64_t k = whole; k < columns; ++k) bias[k] += rest[k - whole];
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
  values_ = arena.take<float>(d, n);
  values_turned_ = arena.take<float>(n, d);
  terms_turned_ = arena.take<float>(n, d);
  query_ = arena.take<float>(d, L);
  query_turned_ = arena.take<float>(L, d);
  scores_ = arena.take<float>(L, n);
  dscores_ = arena.take<float>(L, n);
  dscores_turned_ = arena.take<float>(L, n);
  dvalues_ = arena.take<float>(d, n);
  dquery_ = arena.take<float>(d, L);
  dterms_ = arena.take<float>(2, d, n);
  dmasked_ = arena.take<float>(d, L);
  sums_ = arena.take<float>(used ? whole_lanes((d + 1) * 2 * d) * kEncoderLanes : 0);
  if (arena.measuring() || !used) return;
  const int64_t first = shape_.colors + 1;
  for (int64_t j = 0; j < shape_.sites; ++j) {
    for (int64_t r = 0; r < d; ++r) terms_[r * n + first + j] = weights.positions()[j * d + r];
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
  tools.products.product(d, d + 1, m.value, n, terms_.data(), nullptr, values_.data());
  tools.products.product(d, d + 1, m.query, L, masked_.data(), nullptr, query_.data());
  tools.products.product(L, d, query_.data(), n, terms_.data(), nullptr, scores_.data());
  transpose(d, n, values(), values_turned_.data());
}

void EncoderTables::pull_back(const EncoderTools &tools, const double *vectors, const double *plain, double *elements, double *tokens) {
  const int64_t d = shape_.width, n = columns(), L = padded_sites(), q = shape_.colors;
  float *dvalues = dvalues_.data();
  for (int64_t x = 0; x < rows(); ++x)
    for (int64_t r = 0; r < d; ++r) dvalues[r * n + x] = static_cast<float>(vectors[x * d + r]);
  for (int64_t k = 0; k < plain_sums(); ++k) dscores_[k] = static_cast<float>(plain[k]);
  transpose(L, n, dscores_.data(), dscores_turned_.data());
  transpose(d, n, terms_.data(), terms_turned_.data());
  transpose(d, L, query_.data(), query_turned_.data());
  float *dkeys = dterms_.data(), *dterms = dkeys + d * n;
  tools.products.product(d, L, query_turned_.data(), n, dscores_.data(), nullptr, dkeys);
  tools.products.product(d, n, terms_turned_.data(), L, dscores_turned_.data(), nullptr, dquery_.data());
  // Weights.
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  tools.products.outer(d + 1, d, L, masked_.data(), dquery_.data(), sums_.data());
  tools.products.outer(d + 1, d, n, terms_.data(), dvalues, sums_.data() + (d + 1) * d * kEncoderLanes);
  const int64_t weights = (d + 1) * 2 * d;  // of queries, then of values, in the order of the elements
  const int64_t whole = weights / kEncoderLanes * kEncoderLanes;
  tools.kernels.reduce(whole, sums_.data(), elements);
  double rest[kEncoderLanes] = {};
  if (whole < weights) tools.kernels.reduce(kEncoderLanes, sums_.data() + whole * kEncoderLanes, rest);
  for (int64_t k = whole; k < weights; ++k) elements[k] += rest[k - whole];
  // Tokens. The masked token is in all queries, and in the input that the attention is added to.
  const EncoderTransposed back = tools.weights.transposed(0);
  tools.products.product(d, d, back.value, n, dvalues, dkeys, dterms);
  tools.products.product(d, d, back.query, L, dquery_.data(), nullptr, dmasked_.data());
  for (int64_t r = 0; r < d; ++r) {
    double *to = tokens + r * tools.weights.token_stride();
    for (int64_t a = 0; a <= q; ++a) to[a] = static_cast<double>(dterms[r * n + a]);
    double sum = vectors[rows() * d + r];
    for (int64_t i = 0; i < shape_.sites; ++i) sum += static_cast<double>(dmasked_[r * L + i]);
    to[q] += sum;
  }
}

}  // namespace atp
