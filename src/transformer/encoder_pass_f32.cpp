// SPDX-License-Identifier: MIT
#include "transformer/encoder_pass_f32.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

int64_t EncoderPassF32::block_elements() const {
  const int64_t d = shape_.width, h = shape_.hidden;
  return (d + 1) * (4 * d + h) + (h + 1) * d + 4 * d;
}

int64_t EncoderPassF32::carve(float *base, Work &w, Span<Block> blocks) const {
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden, all = L * kLanes;
  int64_t used = 0;
  const auto take = [&](int64_t floats) {
    float *piece = base == nullptr ? nullptr : base + used;
    used += (floats + kLanes - 1) / kLanes * kLanes;
    return piece;
  };
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const bool last = b + 1 == shape_.blocks;
    Block k;
    k.queries = last ? 1 : L;
    k.columns = k.queries * kLanes;
    k.x = take((d + 1) * all);
    k.query = take(d * k.columns);
    k.key_value = take(2 * d * all);
    k.a = take(k.queries * all);
    k.c = take((d + 1) * k.columns);
    k.hat1 = take(d * k.columns);
    k.deviation1 = take(k.columns);
    k.y = take((d + 1) * k.columns);
    k.hidden = take((h + 1) * k.columns);
    k.hat2 = take(d * k.columns);
    k.deviation2 = take(k.columns);
    k.masked = take(last ? (d + 1) * kLanes : 0);
    if (base != nullptr) blocks[b] = k;
  }
  const int64_t most_queries = shape_.blocks > 1 ? L : 1, most_columns = most_queries * kLanes;
  w.output = take((d + 1) * kLanes);
  w.logits = take(shape_.colors * kLanes);
  w.slopes = take(d * all);
  w.more = take(d * most_columns);
  w.hidden = take(h * most_columns);
  w.dc = take(d * most_columns);
  w.da = take(most_queries * all);
  w.dqkv = take(3 * d * all);
  w.sums = take(elements() * kLanes);
  w.token_sums = take(d * token_stride());
  w.weights = take(kLanes);
  w.tokens = reinterpret_cast<int32_t *>(take(all));
  w.own = reinterpret_cast<int32_t *>(take(kLanes));
  w.blocks = blocks;
  return used;
}

void EncoderPassF32::lay_out(Arena &arena) {
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden;
  Work w;
  weights_ = arena.take<float>(elements());
  backward_ = arena.take<float>(shape_.blocks * (4 * d * d + 2 * d * h) + shape_.colors * d);
  table_ = arena.take<float>(d * token_stride());
  positions_ = arena.take<float>(d * L);
  floats_ = arena.take<float>(kTasks * carve(nullptr, w, {}));
  blocks_ = arena.take<Block>(kTasks * shape_.blocks);
  totals_ = arena.take<double>(kTasks * (elements() + d * token_stride()));
  maps_ = arena.take<double>(kTasks * shape_.blocks * L * L);
  losses_ = arena.take<double>(kTasks * kLanes);
  if (arena.measuring() || !shape_.positions) return;
  for (int64_t c = 0; c < d; ++c)
    for (int64_t j = 0; j < L; ++j) positions_[c * L + j] = static_cast<float>(sinusoidal_position(j, c, d));
}

EncoderPassF32::Work EncoderPassF32::work(int64_t task) const {
  const int64_t L = shape_.sites;
  Work w;
  carve(floats_.data() + task * (floats_.size() / kTasks), w, blocks_.sub(task * shape_.blocks, shape_.blocks));
  w.totals = totals_.data() + task * (totals_.size() / kTasks);
  w.maps = maps_.data() + task * shape_.blocks * L * L;
  w.loss = losses_.data() + task * kLanes;
  return w;
}

void EncoderPassF32::pack(const double *parameters) {
  const int64_t d = shape_.width, h = shape_.hidden, q = shape_.colors;
  float *back = backward_.data();
  // Outputs first..last-1 of a matrix, with their biases.
  const auto forward = [&](const double *w, const double *bias, int64_t in, int64_t first, int64_t last, float *to) {
    const int64_t out = last - first;
    for (int64_t i = 0; i < in; ++i)
      for (int64_t o = 0; o < out; ++o) to[i * out + o] = static_cast<float>(w[(first + o) * in + i]);
    for (int64_t o = 0; o < out; ++o) to[in * out + o] = static_cast<float>(bias[first + o]);
  };
  const auto backward = [&](const double *w, int64_t size) {
    for (int64_t k = 0; k < size; ++k) back[k] = static_cast<float>(w[k]);
    back += size;
  };
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const Matrices<float> m = matrices(weights_.data(), b, 1);
    const double *p = parameters;
    forward(p + at.qkv, p + at.qkv_bias, d, 0, d, m.query);
    forward(p + at.qkv, p + at.qkv_bias, d, d, 3 * d, m.key_value);
    forward(p + at.out, p + at.out_bias, d, 0, d, m.out);
    forward(p + at.hidden, p + at.hidden_bias, d, 0, h, m.hidden);
    forward(p + at.hidden_out, p + at.hidden_out_bias, h, 0, d, m.hidden_out);
    for (int64_t k = 0; k < 2 * d; ++k) {
      m.norm1[k] = static_cast<float>(p[at.norm1_scale + k]);
      m.norm2[k] = static_cast<float>(p[at.norm2_scale + k]);
    }
    backward(p + at.qkv, 3 * d * d);
    backward(p + at.out, d * d);
    backward(p + at.hidden, h * d);
    backward(p + at.hidden_out, d * h);
  }
  // Logits relative to that of the last colour.
  const double *w = parameters + layout_.output(), *bias = parameters + layout_.output_bias();
  float *to = weights_.data() + shape_.blocks * block_elements();
  for (int64_t i = 0; i < d; ++i)
    for (int64_t a = 0; a < q - 1; ++a) back[a * d + i] = to[i * (q - 1) + a] = static_cast<float>(w[a * d + i] - w[(q - 1) * d + i]);
  for (int64_t a = 0; a < q - 1; ++a) to[d * (q - 1) + a] = static_cast<float>(bias[a] - bias[q - 1]);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t a = 0; a <= q; ++a) table_[r * token_stride() + a] = static_cast<float>(parameters[layout_.tokens() + a * d + r]);
}

// The totals of the tasks, as parameters.
void EncoderPassF32::unpack(int64_t tasks, double factor, double *gradient) {
  const int64_t d = shape_.width, h = shape_.hidden, q = shape_.colors, size = totals_.size() / kTasks;
  double *sum = totals_.data();
  for (int64_t k = 0; k < size; ++k) {
    for (int64_t task = 1; task < tasks; ++task) sum[k] += sum[task * size + k];
    sum[k] *= factor;
  }
  const auto forward = [&](const double *from, int64_t in, int64_t first, int64_t last, double *w, double *bias) {
    const int64_t out = last - first;
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i) w[(first + o) * in + i] = from[i * out + o];
      bias[first + o] = from[in * out + o];
    }
  };
  double *g = gradient;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const EncoderBlock at = layout_.block(b);
    const Matrices<double> m = matrices(sum, b, 1);
    forward(m.query, d, 0, d, g + at.qkv, g + at.qkv_bias);
    forward(m.key_value, d, d, 3 * d, g + at.qkv, g + at.qkv_bias);
    forward(m.out, d, 0, d, g + at.out, g + at.out_bias);
    forward(m.hidden, d, 0, h, g + at.hidden, g + at.hidden_bias);
    forward(m.hidden_out, h, 0, d, g + at.hidden_out, g + at.hidden_out_bias);
    std::copy_n(m.norm1, 2 * d, g + at.norm1_scale);
    std::copy_n(m.norm2, 2 * d, g + at.norm2_scale);
  }
  const double *output = sum + shape_.blocks * block_elements();
  double *w = g + layout_.output(), *bias = g + layout_.output_bias();
  forward(output, d, 0, q - 1, w, bias);
  for (int64_t i = 0; i <= d; ++i) {
    double all = 0;
    for (int64_t a = 0; a < q - 1; ++a) all += output[i * (q - 1) + a];
    (i < d ? w[(q - 1) * d + i] : bias[q - 1]) = -all;
  }
  const double *tokens = sum + elements();
  for (int64_t a = 0; a <= q; ++a)
    for (int64_t r = 0; r < d; ++r) g[layout_.tokens() + a * d + r] = tokens[r * token_stride() + a];
}

double EncoderPassF32::run(int threads, Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out) {
  const double total = pairs.total_weight();
  const Call call{attention_kernels(target_),
                  encoder_kernels(target_),
                  pairs,
                  out,
                  1 / std::sqrt(static_cast<float>(shape_.width)),
                  static_cast<double>(pairs.count) / total};
  const int64_t count = pairs.pairs(), groups = (count + kLanes - 1) / kLanes, tasks = std::min(kTasks, (groups + kGroups - 1) / kGroups);
  pack(parameters.data());
  parallel_for(threads, tasks, [&](int64_t task, int) { run_task(call, work(task), groups * task / tasks, groups * (task + 1) / tasks); });
  if (out.gradient != nullptr) unpack(tasks, 1 / static_cast<double>(count), out.gradient);
  const int64_t map_size = shape_.blocks * shape_.sites * shape_.sites;
  for (int64_t k = 0; out.maps != nullptr && k < map_size; ++k) {
    double sum = 0;
    for (int64_t task = 0; task < tasks; ++task) sum += maps_[task * map_size + k];
    out.maps[k] = sum / total;
  }
  double loss = 0;
  for (int64_t k = 0; k < tasks * kLanes; ++k) loss += losses_[k];
  return loss / static_cast<double>(count);
}

void EncoderPassF32::run_task(const Call &call, Work w, int64_t first, int64_t last) const {
  const int64_t d = shape_.width, h = shape_.hidden, all = shape_.sites * kLanes;
  std::fill_n(w.loss, kLanes, 0.0);
  for (const Block &k : w.blocks) {
    std::fill_n(k.x + d * all, all, 1.0f);
    std::fill_n(k.c + d * k.columns, k.columns, 1.0f);
    std::fill_n(k.y + d * k.columns, k.columns, 1.0f);
    std::fill_n(k.hidden + h * k.columns, k.columns, 1.0f);
  }
  std::fill_n(w.blocks[shape_.blocks - 1].masked + d * kLanes, kLanes, 1.0f);
  std::fill_n(w.output + d * kLanes, kLanes, 1.0f);
  if (call.out.gradient != nullptr) {
    std::fill_n(w.sums, elements() * kLanes, 0.0f);
    std::fill_n(w.token_sums, d * token_stride(), 0.0f);
    std::fill_n(w.totals, totals_.size() / kTasks, 0.0);
  }
  if (call.out.maps != nullptr) std::fill_n(w.maps, shape_.blocks * shape_.sites * shape_.sites, 0.0);
  int64_t pending = 0;
  for (int64_t group = first; group < last; ++group) {
    const int64_t pair = group * kLanes, count = std::min(kLanes, call.pairs.pairs() - pair);
    load_group(call, w, pair, count);
    for (int64_t b = 0; b < shape_.blocks; ++b) forward(call, w, b);
    if (call.out.maps != nullptr)
      for (int64_t b = 0; b < shape_.blocks; ++b) add_maps(w, b, count);
    output(call, w, pair, count);
    if (call.out.gradient == nullptr) continue;
    for (int64_t b = shape_.blocks - 1; b >= 0; --b) backward(call, w, b);
    add_tokens(w);
    if (++pending == kChunk || group + 1 == last) {
      flush(call, w);
      pending = 0;
    }
  }
}

}  // namespace atp
