// SPDX-License-Identifier: MIT
// A group of sixteen pairs through the encoder and back.
#include "transformer/encoder_pass_f32.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

// A group with fewer pairs is filled up with copies of its first that weigh nothing.
void EncoderPassF32::load_group(const Call &call, Work &w, int64_t first, int64_t count) const {
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const int64_t pair = first + (lane < count ? lane : 0), site = call.pairs.site(pair);
    const uint8_t *s = call.pairs.sequence(pair);
    w.sites[lane] = site;
    w.given_weights[lane] = lane < count ? call.pairs.weight(pair) : 0;
    w.weights[lane] = static_cast<float>(w.given_weights[lane] * call.weight_scale);
    w.own[lane] = static_cast<int32_t>(int64_t{s[site]} * kLanes + lane);
    for (int64_t j = 0; j < shape_.sites; ++j) w.tokens[j * kLanes + lane] = s[j];
    w.tokens[site * kLanes + lane] = static_cast<int32_t>(shape_.colors);
  }
  call.kernels.embed(shape_.width, shape_.sites, table_.data(), token_stride(), w.tokens, positions_.data(), w.blocks[0].x);
}

void EncoderPassF32::forward(const Call &call, const Work &w, int64_t b) const {
  const Block &k = w.blocks[b];
  const Matrices<float> m = matrices(weights_.data(), b, 1);
  const AttentionKernels &p = call.products;
  const EncoderKernels &e = call.kernels;
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden, all = L * kLanes, n = k.columns;
  const bool last = b + 1 == shape_.blocks;
  const float *x = k.x, *keys = k.key_value, *values = keys + d * all;
  if (last) {
    for (int64_t r = 0; r < d; ++r)
      for (int64_t lane = 0; lane < kLanes; ++lane) k.masked[r * kLanes + lane] = k.x[r * all + w.sites[lane] * kLanes + lane];
    x = k.masked;
  }
  p.product(d, d + 1, m.query, n, x, nullptr, k.query);
  p.product(2 * d, d + 1, m.key_value, all, k.x, nullptr, k.key_value);
  e.lane_product(k.queries, L, d, {k.query, kLanes, n}, {keys, kLanes, all}, k.a, all);
  e.site_softmax(k.queries, L, call.score_scale, k.a);
  e.lane_product(d, k.queries, L, {values, all, kLanes}, {k.a, all, kLanes}, k.c, n);
  p.product(d, d + 1, m.out, n, k.c, x, k.hat1);
  e.norm(d, n, static_cast<float>(kNormEpsilon), m.norm1, k.hat1, k.deviation1, k.y);
  p.product(h, d + 1, m.hidden, n, k.y, nullptr, k.hidden);
  e.relu(h * n, k.hidden);
  p.product(d, h + 1, m.hidden_out, n, k.hidden, k.y, k.hat2);
  e.norm(d, n, static_cast<float>(kNormEpsilon), m.norm2, k.hat2, k.deviation2, last ? w.output : w.blocks[b + 1].x);
}

// Logits, losses, conditionals; with a gradient also the way back through the output layer, into w.slopes [d][16].
void EncoderPassF32::output(const Call &call, const Work &w, int64_t first, int64_t count) const {
  const int64_t d = shape_.width, q = shape_.colors;
  const float *weights = weights_.data() + shape_.blocks * block_elements();
  call.products.product(q - 1, d + 1, weights, kLanes, w.output, nullptr, w.logits);
  std::fill_n(w.logits + (q - 1) * kLanes, kLanes, 0.0f);
  for (int64_t lane = 0; call.out.conditionals != nullptr && lane < count; ++lane) {
    double *to = call.out.conditionals + (first + lane) * q, top = 0, total = 0;
    for (int64_t a = 0; a < q; ++a) top = std::max(top, static_cast<double>(w.logits[a * kLanes + lane]));
    for (int64_t a = 0; a < q; ++a) total += to[a] = std::exp(static_cast<double>(w.logits[a * kLanes + lane]) - top);
    for (int64_t a = 0; a < q; ++a) to[a] /= total;
  }
  call.products.softmax(q, kLanes, w.own, w.weights, w.logits, w.loss);
  if (call.out.gradient == nullptr) return;
  call.products.outer(d + 1, q - 1, kLanes, w.output, w.logits, w.sums + shape_.blocks * block_elements() * kLanes);
  const float *back = backward_.data() + shape_.blocks * (4 * d * d + 2 * d * shape_.hidden);
  call.products.product(d, q - 1, back, kLanes, w.logits, nullptr, w.slopes);
}

// From the slopes of what the block gives, in w.slopes, to those of its x, there too.
void EncoderPassF32::backward(const Call &call, const Work &w, int64_t b) const {
  const Block &k = w.blocks[b];
  const Matrices<float> m = matrices(weights_.data(), b, 1), sums = matrices(w.sums, b, kLanes);
  const AttentionKernels &p = call.products;
  const EncoderKernels &e = call.kernels;
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden, all = L * kLanes, n = k.columns;
  const float *qkv_back = backward_.data() + b * (4 * d * d + 2 * d * h), *out_back = qkv_back + 3 * d * d, *hidden_back = out_back + d * d,
              *hidden_out_back = hidden_back + h * d;
  // The two-layer network.
  e.norm_back(d, n, m.norm2, k.hat2, k.deviation2, w.slopes, sums.norm2);
  p.outer(h + 1, d, n, k.hidden, w.slopes, sums.hidden_out);
  p.product(h, d, hidden_out_back, n, w.slopes, nullptr, w.hidden);
  e.relu_back(h * n, k.hidden, w.hidden);
  p.outer(d + 1, h, n, k.y, w.hidden, sums.hidden);
  p.product(d, h, hidden_back, n, w.hidden, w.slopes, w.more);
  // The attention.
  e.norm_back(d, n, m.norm1, k.hat1, k.deviation1, w.more, sums.norm1);
  p.outer(d + 1, d, n, k.c, w.more, sums.out);
  p.product(d, d, out_back, n, w.more, nullptr, w.dc);
  const float *keys = k.key_value, *values = keys + d * all;
  float *dquery = w.dqkv, *dkeys = dquery + d * all, *dvalues = dkeys + d * all;
  e.lane_product(k.queries, L, d, {w.dc, kLanes, n}, {values, kLanes, all}, w.da, all);
  e.lane_product(d, L, k.queries, {w.dc, n, kLanes}, {k.a, kLanes, all}, dvalues, all);
  e.site_softmax_back(k.queries, L, call.score_scale, k.a, w.da);
  e.lane_product(d, k.queries, L, {keys, all, kLanes}, {w.da, all, kLanes}, dquery, n);
  e.lane_product(d, L, k.queries, {k.query, n, kLanes}, {w.da, kLanes, all}, dkeys, all);
  p.outer(d + 1, 2 * d, all, k.x, dkeys, sums.key_value);
  if (b + 1 < shape_.blocks) {
    p.outer(d + 1, d, all, k.x, dquery, sums.query);
    p.product(d, 3 * d, qkv_back, all, w.dqkv, w.more, w.slopes);
    return;
  }
  p.outer(d + 1, d, kLanes, k.masked, dquery, sums.query);
  p.product(d, 2 * d, qkv_back + d * d, all, dkeys, nullptr, w.slopes);
  p.product(d, d, qkv_back, kLanes, dquery, w.more, w.dc);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t lane = 0; lane < kLanes; ++lane) w.slopes[r * all + w.sites[lane] * kLanes + lane] += w.dc[r * kLanes + lane];
}

void EncoderPassF32::add_tokens(const Work &w) const {
  const int64_t all = shape_.sites * kLanes;
  for (int64_t r = 0; r < shape_.width; ++r)
    for (int64_t x = 0; x < all; ++x) w.token_sums[r * token_stride() + w.tokens[x]] += w.slopes[r * all + x];
}

void EncoderPassF32::add_maps(const Work &w, int64_t b, int64_t count) const {
  const int64_t L = shape_.sites, all = L * kLanes;
  const Block &k = w.blocks[b];
  for (int64_t lane = 0; lane < count; ++lane) {
    const int64_t site = w.sites[lane];
    const float *a = k.a + (k.queries == 1 ? 0 : site) * all + lane;
    double *row = w.maps + (b * L + site) * L;
    for (int64_t j = 0; j < L; ++j) row[j] += w.given_weights[lane] * static_cast<double>(a[j * kLanes]);
  }
}

void EncoderPassF32::flush(const Call &call, const Work &w) const {
  call.kernels.reduce(elements(), w.sums, w.totals);
  double *tokens = w.totals + elements();
  for (int64_t k = 0; k < shape_.width * token_stride(); ++k) {
    tokens[k] += static_cast<double>(w.token_sums[k]);
    w.token_sums[k] = 0;
  }
}

}  // namespace atp
