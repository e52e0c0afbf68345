// SPDX-License-Identifier: MIT
#include "attention/data_pass.hpp"
#include "base/team.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kOneBlock = 64;        // up to this length a chain is one block
constexpr int64_t kBlock = 16;           // else sites per block
constexpr int64_t kItems = 16;           // items to share out where there are enough sequences
constexpr int64_t kTasks = 32;           // at most; work space is per task
constexpr int64_t kSplit = 64;           // sequences that are worth an item or task of their own
constexpr int64_t kMaskedColumns = 128;  // sequences of a masked batch
constexpr int64_t kChunk = 32;           // batches per float32 sum
constexpr int64_t kOuterBytes = 1 << 20;  // room for the vector sums of dV

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// The sum of a logical vector, as a tree.
double lane_sum(const float *x) {
  float t[8];
  for (int k = 0; k < 8; ++k) t[k] = x[k] + x[k + 8];
  for (int k = 0; k < 4; ++k) t[k] += t[k + 4];
  return static_cast<double>((t[0] + t[2]) + (t[1] + t[3]));
}

}  // namespace

struct DataPassF32::Call {
  const AttentionKernels &kernels;
  const AttentionInput &input;
  const MaskedData &data;
  const AttentionSums &sums;
  double weight_scale;  // makes the mean weight 1
};

void DataPassF32::lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads) {
  sites_ = sites;
  colors_ = colors;
  heads_ = heads;
  block_ = sites <= kOneBlock ? sites : kBlock;
  blocks_ = (sites + block_ - 1) / block_;
  const int64_t width = round_up(block_, 4), rows = heads * colors;
  sequences_ = width >= 40 ? 4 : width >= 20 ? 8 : 16;
  columns_ = std::max(sequences_ * width, kMaskedColumns);
  splits_ = std::max<int64_t>(1, kItems / blocks_);
  tasks_ = std::min(kTasks, blocks_ * splits_);
  band_ = std::min(colors, std::max<int64_t>(5, kOuterBytes / (rows * kAttentionLanes * 4)));
  map_areas_ = splits_ > 1 ? splits_ : 0;

  weights_forward_ = arena.take<float>(colors * rows);
  weights_backward_ = arena.take<float>(colors * rows);
  panels_ = arena.take<float>(tasks_ * 2 * heads * sites * width);
  batches_ = arena.take<float>(tasks_ * columns_ * (rows + 3 * colors + 2));
  outer_ = arena.take<float>(tasks_ * band_ * rows * kAttentionLanes);
  offsets_ = arena.take<int32_t>(tasks_ * sequences_ * sites);
  members_ = arena.take<int64_t>(tasks_ * columns_);
  losses_ = arena.take<double>(tasks_ * kAttentionLanes);
  value_sums_ = arena.take<double>(tasks_ * colors * rows);
  map_areas_sums_ = arena.take<double>(map_areas_ * heads * sites * sites);
  field_areas_sums_ = arena.take<double>(map_areas_ * sites * colors);
}

DataPassF32::Work DataPassF32::work(int64_t task) const {
  const int64_t width = round_up(block_, 4), rows = heads_ * colors_, panel = heads_ * sites_ * width;
  Work w;
  w.panel = panels_.data() + task * 2 * panel;
  w.panel_sums = w.panel + panel;
  w.acc = batches_.data() + task * columns_ * (rows + 3 * colors_ + 2);
  w.slopes = w.acc + rows * columns_;
  w.start = w.slopes + colors_ * columns_;
  w.start_sums = w.start + colors_ * columns_;
  w.own = w.start_sums + colors_ * columns_;
  w.weights = w.own + columns_;
  w.outer = outer_.data() + task * band_ * rows * kAttentionLanes;
  w.offsets = offsets_.data() + task * sequences_ * sites_;
  w.members = members_.data() + task * columns_;
  w.loss = losses_.data() + task * kAttentionLanes;
  w.value_sums = value_sums_.data() + task * colors_ * rows;
  return w;
}

double DataPassF32::run(int threads, const AttentionKernels &kernels, const AttentionInput &input, const MaskedData &data, double total_weight,
                        const AttentionSums &sums) {
  const int64_t rows = heads_ * colors_, map_size = heads_ * sites_ * sites_, field_size = sites_ * colors_;
  const Call call{kernels, input, data, sums, static_cast<double>(data.count) / total_weight};
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t a = 0; a < colors_; ++a)
      for (int64_t b = 0; b < colors_; ++b) {
        const float v = static_cast<float>(input.values[(h * colors_ + a) * colors_ + b]);
        weights_forward_[(h * colors_ + b) * colors_ + a] = v;
        weights_backward_[a * rows + h * colors_ + b] = v;
      }

  const int64_t shares = std::max<int64_t>(1, data.count / kSplit);
  const int64_t splits = data.masked != nullptr ? 1 : std::min(splits_, shares), items = blocks_ * splits;
  const int64_t tasks = data.masked != nullptr ? std::min({tasks_, shares, sites_}) : std::min(tasks_, items);
  if (sums.gradient() && splits == 1) {
    std::fill_n(sums.maps, map_size, 0.0);
    if (sums.fields != nullptr) std::fill_n(sums.fields, field_size, 0.0);
  }
  parallel_for(threads, tasks, [&](int64_t task, int) {
    const Work w = work(task);
    std::fill_n(w.loss, kAttentionLanes, 0.0);
    if (sums.values != nullptr) {
      std::fill_n(w.value_sums, colors_ * rows, 0.0);
      if (band_ == colors_) std::fill_n(w.outer, colors_ * rows * kAttentionLanes, 0.0f);
    }
    if (data.masked != nullptr)
      run_masked(call, w, sites_ * task / tasks, sites_ * (task + 1) / tasks);
    else
      for (int64_t item = items * task / tasks; item < items * (task + 1) / tasks; ++item)
        run_item(call, w, item / splits, item % splits, splits);
  });

  // The parts, in their order.
  double loss = 0;
  for (int64_t k = 0; k < tasks * kAttentionLanes; ++k) loss += losses_[k];
  if (sums.values != nullptr)
    for (int64_t h = 0; h < heads_; ++h)
      for (int64_t a = 0; a < colors_; ++a)
        for (int64_t b = 0; b < colors_; ++b) {
          double sum = 0;
          for (int64_t task = 0; task < tasks; ++task) sum += value_sums_[(task * colors_ + a) * rows + h * colors_ + b];
          sums.values[(h * colors_ + a) * colors_ + b] = sum;
        }
  if (sums.gradient() && splits > 1) {
    for (int64_t k = 0; k < map_size; ++k) {
      double sum = 0;
      for (int64_t split = 0; split < splits; ++split) sum += map_areas_sums_[split * map_size + k];
      sums.maps[k] = sum;
    }
    for (int64_t k = 0; sums.fields != nullptr && k < field_size; ++k) {
      double sum = 0;
      for (int64_t split = 0; split < splits; ++split) sum += field_areas_sums_[split * field_size + k];
      sums.fields[k] = sum;
    }
  }
  const double scale = 1 / (static_cast<double>(data.count) * (data.masked == nullptr ? static_cast<double>(sites_) : 1.0));
  sums.scale(input, scale);
  if (sums.gradient())
    for (int64_t h = 0; h < heads_; ++h)
      for (int64_t i = 0; i < sites_; ++i) sums.maps[(h * sites_ + i) * sites_ + i] = 0;
  return loss * scale;
}

// All sequences of a split for one block of sites.
void DataPassF32::run_item(const Call &call, const Work &w, int64_t block, int64_t split, int64_t splits) const {
  const AttentionKernels &k = call.kernels;
  const AttentionInput &input = call.input;
  const int64_t q = colors_, rows = heads_ * q, first = block * block_, sites = std::min(block_, sites_ - first);
  const int64_t width = round_up(sites, 4), columns = sequences_ * width;
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t j = 0; j < sites_; ++j)
      for (int64_t i = 0; i < width; ++i)
        w.panel[(h * sites_ + j) * width + i] = i < sites ? static_cast<float>(input.maps[(h * sites_ + first + i) * sites_ + j]) : 0.0f;
  if (input.fields != nullptr)
    for (int64_t c = 0; c < q; ++c)
      for (int64_t x = 0; x < columns; ++x)
        w.start[c * columns + x] = x % width < sites ? static_cast<float>(input.fields[(first + x % width) * q + c]) : 0.0f;
  if (call.sums.gradient()) {
    std::fill_n(w.panel_sums, heads_ * sites_ * width, 0.0f);
    if (call.sums.fields != nullptr) std::fill_n(w.start_sums, q * columns, 0.0f);
    if (splits > 1) {
      double *maps = map_areas_sums_.data() + split * heads_ * sites_ * sites_;
      for (int64_t h = 0; h < heads_; ++h) std::fill_n(maps + (h * sites_ + first) * sites_, sites * sites_, 0.0);
      std::fill_n(field_areas_sums_.data() + (split * sites_ + first) * q, sites * q, 0.0);
    }
  }

  const int64_t batches = (call.data.count + sequences_ - 1) / sequences_;
  int64_t pending = 0;
  for (int64_t batch = batches * split / splits; batch < batches * (split + 1) / splits; ++batch) {
    for (int64_t n = 0; n < sequences_; ++n) {
      // The last batch is filled up with copies that weigh nothing.
      const int64_t member = batch * sequences_ + n;
      const bool real = member < call.data.count;
      const uint8_t *s = call.data.sequences + call.data.row(real ? member : 0) * sites_;
      const float weight = real ? static_cast<float>(call.data.weight(member) * call.weight_scale) : 0.0f;
      k.offsets(s, sites_, static_cast<int32_t>(columns), static_cast<int32_t>(n * width), w.offsets + n * sites_);
      float *own = w.own + n * width, *weights = w.weights + n * width;
      for (int64_t i = 0; i < sites; ++i) own[i] = static_cast<float>(s[first + i]);
      for (int64_t i = sites; i < width; ++i) own[i] = 0.0f;
      for (int64_t i = 0; i < width; ++i) weights[i] = i < sites ? weight : 0.0f;
    }
    std::fill_n(w.acc, rows * columns, 0.0f);
    for (int64_t h = 0; h < heads_; ++h)
      k.scatter(w.panel + h * sites_ * width, sites_, width, sequences_, w.offsets, w.acc + h * q * columns);
    k.product(q, rows, weights_forward_.data(), columns, w.acc, input.fields == nullptr ? nullptr : w.start, w.slopes);
    k.softmax(q, columns, w.own, w.weights, w.slopes, w.loss);
    if (!call.sums.gradient()) continue;
    if (call.sums.fields != nullptr) k.add(q * columns, w.slopes, w.start_sums);
    values_backward(call, w, columns);
    for (int64_t h = 0; h < heads_; ++h)
      k.gather(w.acc + h * q * columns, w.offsets, sequences_, sites_, width, w.panel_sums + h * sites_ * width);
    if (++pending == kChunk) {
      flush_block(call, w, block, split, splits);
      pending = 0;
    }
  }
  if (pending > 0) flush_block(call, w, block, split, splits);
}

// dV from D and acc; then acc becomes its derivative V^T D.
void DataPassF32::values_backward(const Call &call, const Work &w, int64_t columns) const {
  const int64_t q = colors_, rows = heads_ * q;
  if (call.sums.values != nullptr) {
    if (band_ == q) {
      call.kernels.outer(q, rows, columns, w.slopes, w.acc, w.outer);
    } else {
      for (int64_t a = 0; a < q; a += band_) {
        const int64_t height = std::min(band_, q - a);
        std::fill_n(w.outer, height * rows * kAttentionLanes, 0.0f);
        call.kernels.outer(height, rows, columns, w.slopes + a * columns, w.acc, w.outer);
        for (int64_t m = 0; m < height * rows; ++m) w.value_sums[a * rows + m] += lane_sum(w.outer + m * kAttentionLanes);
      }
    }
  }
  call.kernels.product(rows, q, weights_backward_.data(), columns, w.slopes, nullptr, w.acc);
}

void DataPassF32::flush_values(const Call &call, const Work &w) const {
  if (call.sums.values == nullptr || band_ != colors_) return;
  const int64_t size = colors_ * heads_ * colors_;
  for (int64_t m = 0; m < size; ++m) w.value_sums[m] += lane_sum(w.outer + m * kAttentionLanes);
  std::fill_n(w.outer, size * kAttentionLanes, 0.0f);
}

void DataPassF32::flush_block(const Call &call, const Work &w, int64_t block, int64_t split, int64_t splits) const {
  flush_values(call, w);
  const int64_t q = colors_, first = block * block_, sites = std::min(block_, sites_ - first), width = round_up(sites, 4);
  const int64_t columns = sequences_ * width;
  double *maps = splits > 1 ? map_areas_sums_.data() + split * heads_ * sites_ * sites_ : call.sums.maps;
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites_; ++j)
        maps[(h * sites_ + first + i) * sites_ + j] += static_cast<double>(w.panel_sums[(h * sites_ + j) * width + i]);
  std::fill_n(w.panel_sums, heads_ * sites_ * width, 0.0f);
  if (call.sums.fields == nullptr) return;
  double *fields = splits > 1 ? field_areas_sums_.data() + split * sites_ * q : call.sums.fields;
  for (int64_t n = 0; n < sequences_; ++n)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t c = 0; c < q; ++c) fields[(first + i) * q + c] += static_cast<double>(w.start_sums[c * columns + n * width + i]);
  std::fill_n(w.start_sums, q * columns, 0.0f);
}

// One site per sequence: those whose site is in [first_site, last_site). Columns are sequences; scattering and gathering are scalar.
void DataPassF32::run_masked(const Call &call, const Work &w, int64_t first_site, int64_t last_site) const {
  const AttentionKernels &k = call.kernels;
  const AttentionInput &input = call.input;
  const MaskedData &data = call.data;
  const int64_t q = colors_, rows = heads_ * q;
  int64_t next = 0, pending = 0;
  while (next < data.count) {
    int64_t size = 0;
    for (; next < data.count && size < kMaskedColumns; ++next)
      if (data.masked[next] >= first_site && data.masked[next] < last_site) w.members[size++] = next;
    if (size == 0) break;
    const int64_t columns = round_up(size, kAttentionLanes);
    std::fill_n(w.acc, rows * columns, 0.0f);
    std::fill_n(w.own, columns, 0.0f);
    std::fill_n(w.weights, columns, 0.0f);
    if (input.fields != nullptr) std::fill_n(w.start, q * columns, 0.0f);
    for (int64_t x = 0; x < size; ++x) {
      const int64_t member = w.members[x], site = data.masked[member];
      const uint8_t *s = data.sequences + data.row(member) * sites_;
      w.own[x] = static_cast<float>(s[site]);
      w.weights[x] = static_cast<float>(data.weight(member) * call.weight_scale);
      for (int64_t h = 0; h < heads_; ++h) {
        const double *map = input.maps + (h * sites_ + site) * sites_;
        float *acc = w.acc + h * q * columns + x;
        for (int64_t j = 0; j < sites_; ++j) acc[s[j] * columns] += static_cast<float>(map[j]);
      }
      if (input.fields != nullptr)
        for (int64_t c = 0; c < q; ++c) w.start[c * columns + x] = static_cast<float>(input.fields[site * q + c]);
    }
    k.product(q, rows, weights_forward_.data(), columns, w.acc, input.fields == nullptr ? nullptr : w.start, w.slopes);
    k.softmax(q, columns, w.own, w.weights, w.slopes, w.loss);
    if (!call.sums.gradient()) continue;
    if (call.sums.fields != nullptr)
      for (int64_t x = 0; x < size; ++x)
        for (int64_t c = 0; c < q; ++c) call.sums.fields[data.masked[w.members[x]] * q + c] += static_cast<double>(w.slopes[c * columns + x]);
    values_backward(call, w, columns);
    for (int64_t x = 0; x < size; ++x) {
      const int64_t member = w.members[x];
      const uint8_t *s = data.sequences + data.row(member) * sites_;
      for (int64_t h = 0; h < heads_; ++h) {
        double *map = call.sums.maps + (h * sites_ + data.masked[member]) * sites_;
        const float *acc = w.acc + h * q * columns + x;
        for (int64_t j = 0; j < sites_; ++j) map[j] += static_cast<double>(acc[s[j] * columns]);
      }
    }
    if (++pending == kChunk) {
      flush_values(call, w);
      pending = 0;
    }
  }
  if (pending > 0) flush_values(call, w);
}

}  // namespace atp
