// SPDX-License-Identifier: MIT
#include "learn/network/dial.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kColumns = 112;         // pairs of a batch: a batch of 100 fits, and rows of 448 bytes spread over the cache
constexpr int64_t kTasks = 16;            // at most; each task has its own work space
constexpr int64_t kSplit = 128;           // pairs per task, while there are fewer than kTasks
constexpr int64_t kChunk = 32;            // batches per float32 sum
constexpr int64_t kOuterBytes = 1 << 20;  // maximum size of the vector sums of the values

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

struct DialPassF32::Call {
  const AttentionKernels &kernels;
  const ColumnKernels &columns;
  const MaskedData &pairs;
  const DialSums &sums;
  double weight_scale;  // makes the mean weight 1
};

void DialPassF32::lay_out(Arena &arena, const DialSizes &sizes) {
  sizes_ = sizes;
  const int64_t features = sizes.features(), q = sizes.colors;
  tasks_ = std::min(kTasks, sizes.sites);
  band_ = std::min(q - 1, std::max<int64_t>(5, kOuterBytes / (features * kAttentionLanes * 4)));
  scores_ = arena.take<float>(sizes.sites, sizes.sites);
  tokens_ = arena.take<float>(sizes.content ? product_of(sizes.sites, sizes.tokens()) : 0);
  weights_forward_ = arena.take<float>((q - 1), features);
  weights_backward_ = arena.take<float>((q - 1), features);
  batches_ = arena.take<float>(tasks_, kColumns, (2 * features + q + 1));
  outer_ = arena.take<float>(tasks_, band_, features, kAttentionLanes);
  own_ = arena.take<int32_t>(tasks_, kColumns);
  members_ = arena.take<int64_t>(tasks_, kColumns);
  losses_ = arena.take<double>(tasks_, kAttentionLanes);
  value_sums_ = arena.take<double>(tasks_, (q - 1), features);
}

DialPassF32::Work DialPassF32::work(int64_t task) const {
  const int64_t features = sizes_.features(), q = sizes_.colors;
  Work w{};
  w.features = batches_.data() + task * kColumns * (2 * features + q + 1);
  w.derivatives = w.features + features * kColumns;
  w.slopes = w.derivatives + features * kColumns;
  w.weights = w.slopes + q * kColumns;
  w.outer = outer_.data() + task * band_ * features * kAttentionLanes;
  w.own = own_.data() + task * kColumns;
  w.members = members_.data() + task * kColumns;
  w.loss = losses_.data() + task * kAttentionLanes;
  w.value_sums = value_sums_.data() + task * (q - 1) * features;
  return w;
}

double DialPassF32::run(Ranks *ranks, Threads threads, Target target, const DialTables &tables, const MaskedData &pairs,
                        double total_weight, const DialSums &sums) {
  const int64_t features = sizes_.features(), last = sizes_.colors - 1, sites = sizes_.sites;
  const Call call{attention_kernels(target), column_kernels(target), pairs, sums, static_cast<double>(pairs.pairs()) / total_weight};
  std::copy_n(tables.scores, sites * sites, scores_.data());
  if (sizes_.content) std::copy_n(tables.tokens, sites * sizes_.tokens(), tokens_.data());
  for (int64_t c = 0; c < last; ++c)
    for (int64_t f = 0; f < features; ++f)
      weights_forward_[f * last + c] = weights_backward_[c * features + f] =
          static_cast<float>(tables.values[c * features + f] - tables.values[last * features + f]);
  if (sums.wanted()) sizes_.clear(sums);

  const int64_t tasks = std::min(tasks_, std::max<int64_t>(1, pairs.pairs() / kSplit));
  ranks = sizes_.sharing(ranks, tasks, pairs, sums);
  shared_for(ranks, threads, tasks, [&](int64_t task, int) {
    const Work w = work(task);
    std::fill_n(w.loss, kAttentionLanes, 0.0);
    if (sums.wanted()) {
      std::fill_n(w.value_sums, last * features, 0.0);
      std::fill_n(w.outer, band_ * features * kAttentionLanes, 0.0f);
    }
    run_task(call, w, sites * task / tasks, sites * (task + 1) / tasks);
  });

  if (ranks != nullptr) {
    constexpr int64_t kBytes = sizeof(double);
    ranks->gather(losses_.data(), tasks, kAttentionLanes * kBytes);
    if (sums.wanted()) ranks->gather(value_sums_.data(), tasks, last * features * kBytes);
    if (sums.wanted()) sizes_.gather(*ranks, tasks, sums, [&](int64_t task) { return sites * task / tasks; });
  }

  // Adds the tasks up, in order.
  double loss = 0;
  for (int64_t k = 0; k < tasks * kAttentionLanes; ++k) loss += losses_[k];
  const double scale = 1 / static_cast<double>(pairs.pairs());
  if (sums.wanted()) {
    for (int64_t task = 0; task < tasks; ++task)
      for (int64_t k = 0; k < last * features; ++k) sums.values[k] += value_sums_[task * last * features + k];
    for (int64_t c = 0; c < last; ++c)
      for (int64_t f = 0; f < features; ++f) sums.values[last * features + f] -= sums.values[c * features + f];
    sizes_.scale(sums, scale);
  }
  return loss * scale;
}

// Processes all pairs that mask a site in [first_site, last_site), in order.
void DialPassF32::run_task(const Call &call, const Work &w, int64_t first_site, int64_t last_site) const {
  const MaskedData &pairs = call.pairs;
  int64_t size = 0, pending = 0;
  const auto batch = [&] {
    run_batch(call, w, size);
    size = 0;
    if (++pending < kChunk || !call.sums.wanted()) return;
    flush_values(w);
    pending = 0;
  };
  const auto take = [&](int64_t pair) {
    w.members[size++] = pair;
    if (size == kColumns) batch();
  };
  if (pairs.masked != nullptr) {
    for (int64_t pair = 0; pair < pairs.count; ++pair)
      if (pairs.masked[pair] >= first_site && pairs.masked[pair] < last_site) take(pair);
  } else {
    for (int64_t n = 0; n < pairs.count; ++n)
      for (int64_t site = first_site; site < last_site; ++site) take(n * sizes_.sites + site);
  }
  if (size > 0) batch();
  if (pending > 0 && call.sums.wanted()) flush_values(w);
}

void DialPassF32::run_batch(const Call &call, const Work &w, int64_t size) const {
  const AttentionKernels &k = call.kernels;
  const int64_t sites = sizes_.sites, q = sizes_.colors, features = sizes_.features();
  const int64_t columns = round_up(size, kAttentionLanes);
  fill(call, w, size, columns);
  k.product(q - 1, features, weights_forward_.data(), columns, w.features, nullptr, w.slopes);
  std::fill_n(w.slopes + (q - 1) * columns, columns, 0.0f);
  k.softmax(q, columns, w.own, w.weights, w.slopes, w.loss);
  if (!call.sums.wanted()) return;
  values_backward(call, w, columns);
  float *slopes = w.derivatives + (q + 1) * columns;  // of the attention, then of the scores
  if (sizes_.content) {
    for (int64_t x = 0; x < size; ++x) {
      const int64_t site = call.pairs.site(w.members[x]);
      const uint8_t *s = call.pairs.sequence_of(w.members[x]);
      for (int64_t j = 0; j < sites; ++j) slopes[j * columns + x] += w.derivatives[(j == site ? q : s[j]) * columns + x];
    }
    call.columns.softmax_back(sites, columns, w.features + (q + 1) * columns, slopes);
  }
  for (int64_t x = 0; x < size; ++x) {
    const int64_t site = call.pairs.site(w.members[x]);
    const uint8_t *s = call.pairs.sequence_of(w.members[x]);
    double *scores = call.sums.scores + site * sites;
    if (sizes_.content) {
      double *tokens = call.sums.tokens + site * (q + 1);
      for (int64_t j = 0; j < sites; ++j) {
        const double slope = static_cast<double>(slopes[j * columns + x]);
        scores[j] += slope;
        tokens[j == site ? q : s[j]] += slope;
      }
    } else {
      for (int64_t j = 0; j < sites; ++j)
        if (j != site) scores[j] += static_cast<double>(w.derivatives[s[j] * columns + x]);
    }
  }
}

// Features, weights and own colours of the columns. Columns after the last pair have weight 0.
void DialPassF32::fill(const Call &call, const Work &w, int64_t size, int64_t columns) const {
  const int64_t sites = sizes_.sites, q = sizes_.colors;
  float *attention = w.features + (q + 1) * columns;
  std::fill_n(w.features, sizes_.tokens() * columns, 0.0f);
  for (int64_t x = 0; x < columns; ++x) {
    w.own[x] = static_cast<int32_t>(x);
    w.weights[x] = 0;
    if (x >= size) {
      for (int64_t j = 0; sizes_.content && j < sites; ++j) attention[j * columns + x] = 0;
      continue;
    }
    const int64_t site = call.pairs.site(w.members[x]);
    const uint8_t *s = call.pairs.sequence_of(w.members[x]);
    w.own[x] += static_cast<int32_t>(s[site] * columns);
    w.weights[x] = static_cast<float>(call.pairs.weight_of(w.members[x]) * call.weight_scale);
    const float *scores = scores_.data() + site * sites;
    if (sizes_.content) {
      const float *tokens = tokens_.data() + site * (q + 1);
      for (int64_t j = 0; j < sites; ++j) attention[j * columns + x] = scores[j] + tokens[j == site ? q : s[j]];
    } else {
      for (int64_t j = 0; j < sites; ++j) w.features[s[j] * columns + x] += scores[j];  // 0 at the masked site
    }
  }
  if (!sizes_.content) return;
  call.columns.softmax(sites, columns, attention);
  for (int64_t x = 0; x < size; ++x) {
    const int64_t site = call.pairs.site(w.members[x]);
    const uint8_t *s = call.pairs.sequence_of(w.members[x]);
    for (int64_t j = 0; j < sites; ++j) w.features[(j == site ? q : s[j]) * columns + x] += attention[j * columns + x];
  }
}

// Derivatives of the values from D and the features, and derivatives of the features.
void DialPassF32::values_backward(const Call &call, const Work &w, int64_t columns) const {
  const int64_t last = sizes_.colors - 1, features = sizes_.features();
  for (int64_t c = 0; c < last; c += band_) {
    const int64_t height = std::min(band_, last - c);
    call.kernels.outer(height, features, columns, w.slopes + c * columns, w.features, w.outer);
    if (band_ < last) add_lanes(w.outer, height * features, w.value_sums + c * features);
  }
  call.kernels.product(features, last, weights_backward_.data(), columns, w.slopes, nullptr, w.derivatives);
}

void DialPassF32::flush_values(const Work &w) const {
  if (band_ == sizes_.colors - 1) add_lanes(w.outer, band_ * sizes_.features(), w.value_sums);
}

}  // namespace atp
