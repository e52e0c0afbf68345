// SPDX-License-Identifier: MIT
#include "learn/network/encoder.hpp"

#include "learn/network/layers.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

// Results of a block's forward pass that its backward pass needs.
struct EncoderPassF64::Block {
  double *x, *qkv, *a, *c, *hat1, *deviation1, *y, *hidden, *hat2, *deviation2;
};

struct EncoderPassF64::Work {
  double *blocks;
  double *output;               // [L][d]: the output of the last block
  double *slopes, *more, *qkv;  // backward: [L][d] twice, [L][3 d]
  double *hidden;               // [L][hidden]
  double *row;                  // [L] or [q]
  double *gradient, *maps, *loss;
};

struct EncoderPassF64::Call {
  const double *parameters;
  const MaskedData &pairs;
  const EncoderOutput &out;
};

void EncoderPassF64::lay_out(Arena &arena) {
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden;
  block_doubles_ = L * (9 * d + h + L + 2);
  scratch_doubles_ = L * (6 * d + h) + std::max(L, shape_.colors);
  positions_ = arena.take<double>(L, d);
  blocks_ = arena.take<double>(kTasks, shape_.blocks, block_doubles_);
  scratch_ = arena.take<double>(kTasks, scratch_doubles_);
  gradients_ = arena.take<double>(kTasks, layout_.size());
  maps_ = arena.take<double>(kTasks, shape_.blocks, L, L);
  losses_ = arena.take<double>(kTasks);
  if (arena.measuring() || !shape_.positions) return;
  for (int64_t j = 0; j < L; ++j)
    for (int64_t c = 0; c < d; ++c) positions_[j * d + c] = sinusoidal_position(j, c, d);
}

EncoderPassF64::Block EncoderPassF64::block(const Work &w, int64_t b) const {
  const int64_t rows = shape_.sites, d = shape_.width;
  double *next = w.blocks + b * block_doubles_;
  const auto take = [&](int64_t elements) {
    double *piece = next;
    next += rows * elements;
    return piece;
  };
  Block k;
  k.x = take(d);
  k.qkv = take(3 * d);
  k.a = take(rows);
  k.c = take(d);
  k.hat1 = take(d);
  k.deviation1 = take(1);
  k.y = take(d);
  k.hidden = take(shape_.hidden);
  k.hat2 = take(d);
  k.deviation2 = take(1);
  return k;
}

EncoderPassF64::Work EncoderPassF64::work(int64_t task) const {
  const int64_t rows = shape_.sites, d = shape_.width;
  Work w;
  w.blocks = blocks_.data() + task * shape_.blocks * block_doubles_;
  w.output = scratch_.data() + task * scratch_doubles_;
  w.slopes = w.output + rows * d;
  w.more = w.slopes + rows * d;
  w.qkv = w.more + rows * d;
  w.hidden = w.qkv + rows * 3 * d;
  w.row = w.hidden + rows * shape_.hidden;
  w.gradient = gradients_.data() + task * layout_.size();
  w.maps = maps_.data() + task * shape_.blocks * rows * rows;
  w.loss = losses_.data() + task;
  return w;
}

Ranks *EncoderPassF64::sharing(int64_t tasks, const MaskedData &pairs, const EncoderOutput &out) const {
  if (ranks_ == nullptr || tasks == 1 || !out.sums_alone()) return nullptr;
  const bool gradient = out.gradient != nullptr;
  const int64_t numbers = tasks * ((gradient ? layout_.size() : 0) + 1);
  const double operations = static_cast<double>(pairs.pairs()) * encoder_operations(shape_, false, gradient);
  return ranks_->worth(operations, static_cast<double>(numbers) * sizeof(double));
}

double EncoderPassF64::run(Threads threads, Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out) {
  const Call call{parameters.data(), pairs, out};
  const int64_t count = pairs.pairs(), tasks = std::min(kTasks, (count + kPairs - 1) / kPairs);
  const int64_t map_size = shape_.blocks * shape_.sites * shape_.sites;
  Ranks *ranks = sharing(tasks, pairs, out);
  shared_for(ranks, threads, tasks, [&](int64_t task, int) {
    const Work w = work(task);
    *w.loss = 0;
    if (out.gradient != nullptr) std::fill_n(w.gradient, layout_.size(), 0.0);
    if (out.maps != nullptr) std::fill_n(w.maps, map_size, 0.0);
    for (int64_t pair = count * task / tasks; pair < count * (task + 1) / tasks; ++pair) {
      forward(call, w, pair);
      if (out.gradient != nullptr && pairs.weight_of(pair) != 0) backward(call, w, pair);
    }
  });
  if (ranks != nullptr) {
    constexpr int64_t kBytes = sizeof(double);
    ranks->gather(losses_.data(), tasks, kBytes);
    if (out.gradient != nullptr) ranks->gather(gradients_.data(), tasks, layout_.size() * kBytes);
  }
  const double total = pairs.total_weight(), scale = 1 / (pairs.masked != nullptr ? total : total * static_cast<double>(shape_.sites));
  const auto gather = [&](Span<const double> pieces, int64_t size, double factor, double *to) {
    for (int64_t k = 0; k < size; ++k) {
      double sum = 0;
      for (int64_t task = 0; task < tasks; ++task) sum += pieces[task * size + k];
      to[k] = factor * sum;
    }
  };
  if (out.gradient != nullptr) gather(gradients_, layout_.size(), scale, out.gradient);
  if (out.maps != nullptr) gather(maps_, map_size, 1 / total, out.maps);
  double loss = 0;
  gather(losses_, 1, scale, &loss);
  return loss;
}

// Stores the slopes of the logits, times the weight of the pair, in w.row.
void EncoderPassF64::forward(const Call &call, const Work &w, int64_t pair) const {
  const int64_t rows = shape_.sites, d = shape_.width, h = shape_.hidden, q = shape_.colors, site = call.pairs.site(pair);
  const double *p = call.parameters, weight = call.pairs.weight_of(pair);
  const uint8_t *s = call.pairs.sequence_of(pair);
  double *x = block(w, 0).x;
  for (int64_t j = 0; j < rows; ++j) {
    const double *token = p + layout_.tokens() + (j == site ? q : int64_t{s[j]}) * d;
    for (int64_t c = 0; c < d; ++c) x[j * d + c] = token[c] + positions_[j * d + c];
  }
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const Block k = block(w, b);
    const bool last_block = b + 1 == shape_.blocks;
    const int64_t first = last_block ? site : 0, last = last_block ? site + 1 : rows, n = last - first;
    double *next = last_block ? w.output : block(w, b + 1).x;
    layers::linear(rows, d, 3 * d, p + at.qkv, p + at.qkv_bias, k.x, k.qkv);
    layers::attention(rows, d, first, last, k.qkv, k.a, k.c);
    layers::linear(n, d, d, p + at.out, p + at.out_bias, k.c + first * d, k.hat1 + first * d);
    for (int64_t m = first * d; m < last * d; ++m) k.hat1[m] += k.x[m];
    layers::norm(n, d, p + at.norm1_scale, p + at.norm1_shift, k.hat1 + first * d, k.hat1 + first * d, k.deviation1 + first,
                 k.y + first * d);
    layers::linear(n, d, h, p + at.hidden, p + at.hidden_bias, k.y + first * d, k.hidden + first * h);
    layers::relu(n * h, k.hidden + first * h);
    layers::linear(n, h, d, p + at.hidden_out, p + at.hidden_out_bias, k.hidden + first * h, k.hat2 + first * d);
    for (int64_t m = first * d; m < last * d; ++m) k.hat2[m] += k.y[m];
    layers::norm(n, d, p + at.norm2_scale, p + at.norm2_shift, k.hat2 + first * d, k.hat2 + first * d, k.deviation2 + first,
                 next + first * d);
    if (call.out.maps != nullptr)
      for (int64_t j = 0; j < rows; ++j) w.maps[(b * rows + site) * rows + j] += weight * k.a[site * rows + j];
  }
  layers::linear(1, d, q, p + layout_.output(), p + layout_.output_bias(), w.output + site * d, w.row);
  if (call.out.conditionals != nullptr) {
    double *to = call.out.conditionals + pair * q;
    layers::cross_entropy(q, w.row, 0, 1, to);
    to[0] += 1;
  }
  *w.loss += weight * layers::cross_entropy(q, w.row, s[site], weight, w.row);
}

void EncoderPassF64::backward(const Call &call, const Work &w, int64_t pair) const {
  const int64_t rows = shape_.sites, d = shape_.width, h = shape_.hidden, q = shape_.colors, site = call.pairs.site(pair);
  const double *p = call.parameters;
  double *g = w.gradient;
  std::fill_n(w.slopes, rows * d, 0.0);
  layers::linear_back(1, d, q, p + layout_.output(), w.output + site * d, w.row, g + layout_.output(), g + layout_.output_bias(),
                      w.slopes + site * d);
  for (int64_t b = shape_.blocks - 1; b >= 0; --b) {
    const EncoderBlock at = layout_.block(b);
    const Block k = block(w, b);
    const bool last_block = b + 1 == shape_.blocks;
    const int64_t first = last_block ? site : 0, last = last_block ? site + 1 : rows, n = last - first;
    double *slopes = w.slopes + first * d, *hidden = w.hidden, *c = w.more + first * d;
    layers::norm_back(n, d, p + at.norm2_scale, k.hat2 + first * d, k.deviation2 + first, slopes, g + at.norm2_scale, g + at.norm2_shift,
                      slopes);
    std::fill_n(hidden, n * h, 0.0);
    layers::linear_back(n, h, d, p + at.hidden_out, k.hidden + first * h, slopes, g + at.hidden_out, g + at.hidden_out_bias, hidden);
    layers::relu_back(n * h, k.hidden + first * h, hidden);
    layers::linear_back(n, d, h, p + at.hidden, k.y + first * d, hidden, g + at.hidden, g + at.hidden_bias, slopes);
    layers::norm_back(n, d, p + at.norm1_scale, k.hat1 + first * d, k.deviation1 + first, slopes, g + at.norm1_scale, g + at.norm1_shift,
                      slopes);
    std::fill_n(c, n * d, 0.0);
    layers::linear_back(n, d, d, p + at.out, k.c + first * d, slopes, g + at.out, g + at.out_bias, c);
    layers::attention_back(rows, d, first, last, k.qkv, k.a, w.more, w.qkv, w.row);
    layers::linear_back(rows, d, 3 * d, p + at.qkv, k.x, w.qkv, g + at.qkv, g + at.qkv_bias, w.slopes);
  }
  const uint8_t *s = call.pairs.sequence_of(pair);
  for (int64_t j = 0; j < rows; ++j) {
    double *token = g + layout_.tokens() + (j == site ? q : int64_t{s[j]}) * d;
    for (int64_t c = 0; c < d; ++c) token[c] += w.slopes[j * d + c];
  }
}

}  // namespace atp
