// SPDX-License-Identifier: MIT
#include "learn/factored/data_pass.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <numeric>

namespace atp {

namespace {

constexpr int64_t kOneBlock = 64;         // up to this length a chain is one block
constexpr int64_t kBlock = 16;            // else sites per block
constexpr int64_t kWindow = 64;           // batches of such blocks that are listed at a time
constexpr int64_t kItems = 16;            // items to share out where there are enough sequences
constexpr int64_t kTasks = 32;            // at most; work space is per task
constexpr int64_t kSplit = 64;            // sequences that are worth an item or task of their own
constexpr int64_t kMaskedColumns = 128;   // sequences of a masked batch
constexpr int64_t kChunk = 32;            // batches per float32 sum
constexpr int64_t kOuterBytes = 1 << 20;  // room for the vector sums of dV

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

struct DataPassF32::Call {
  const AttentionKernels &kernels;
  const AttentionInput &input;
  const MaskedData &data;
  const AttentionSums &sums;
  double weight_scale;  // makes the mean weight 1
  SiteAreas areas{};
  int64_t items = 0, tasks = 0;
  Ranks *ranks = nullptr;                   // that share the tasks
  bool apart = false;                       // sums go to areas
  int64_t first_batch = 0, last_batch = 0;  // the present window

  SiteRows rows(int64_t block, int64_t split) const { return apart ? areas.rows(block, split) : sums.rows(input); }
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
  band_ = std::min(colors - 1, std::max<int64_t>(5, kOuterBytes / (rows * kAttentionLanes * 4)));
  shareable_ = ranks_.several();
  window_ = blocks_ > 1 ? kWindow : 0;

  weights_forward_ = arena.take<float>((colors - 1), rows);
  weights_backward_ = arena.take<float>((colors - 1), rows);
  panels_ = arena.take<float>(tasks_, 2, heads, sites, width);
  panel_totals_ = arena.take<double>(tasks_, heads, sites, width);
  batches_ = arena.take<float>(tasks_, columns_, (rows + 3 * colors + 1));
  outer_ = arena.take<float>(tasks_, band_, rows, kAttentionLanes);
  own_ = arena.take<int32_t>(tasks_, columns_);
  offsets_ = arena.take<uint16_t>(tasks_, sequences_, sites);
  listed_sites_ = arena.take<uint16_t>(window_, sequences_, sites);
  lists_ = arena.take<ColorSites>(window_, sequences_, colors);
  members_ = arena.take<int64_t>(tasks_, columns_);
  losses_ = arena.take<double>(tasks_, kAttentionLanes);
  value_sums_ = arena.take<double>(tasks_, (colors - 1), rows);
  const int64_t areas = splits_ > 1 || shareable_ ? splits_ : 0;
  areas_ = arena.take<double>(areas, blocks_, block_, heads * sites + colors);
}

DataPassF32::Work DataPassF32::work(int64_t task) const {
  const int64_t width = round_up(block_, 4), rows = heads_ * colors_, panel = heads_ * sites_ * width;
  Work w;
  w.panel = panels_.data() + task * 2 * panel;
  w.panel_sums = w.panel + panel;
  w.acc = batches_.data() + task * columns_ * (rows + 3 * colors_ + 1);
  w.slopes = w.acc + rows * columns_;
  w.start = w.slopes + colors_ * columns_;
  w.start_sums = w.start + colors_ * columns_;
  w.weights = w.start_sums + colors_ * columns_;
  w.own = own_.data() + task * columns_;
  w.outer = outer_.data() + task * band_ * rows * kAttentionLanes;
  w.panel_totals = panel_totals_.data() + task * panel;
  w.offsets = offsets_.data() + task * sequences_ * sites_;
  w.members = members_.data() + task * columns_;
  w.loss = losses_.data() + task * kAttentionLanes;
  w.value_sums = value_sums_.data() + task * (colors_ - 1) * rows;
  return w;
}

// Logits relative to those of the last colour: V_h(a, b) - V_h(q - 1, b).
void DataPassF32::pack_values(const AttentionInput &input) {
  const int64_t last = colors_ - 1, rows = heads_ * colors_;
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t a = 0; a < last; ++a)
      for (int64_t b = 0; b < colors_; ++b) {
        const double *v = input.values + h * colors_ * colors_ + b;
        const float difference = static_cast<float>(v[a * colors_] - v[last * colors_]);
        weights_forward_[(h * colors_ + b) * last + a] = difference;
        weights_backward_[a * rows + h * colors_ + b] = difference;
      }
}

// Divides the work into tasks, and the tasks among ranks and threads.
void DataPassF32::plan(Call &call) {
  const MaskedData &data = call.data;
  const AttentionSums &sums = call.sums;
  const int64_t shares = std::max<int64_t>(1, data.count / kSplit), splits = data.masked != nullptr ? 1 : std::min(splits_, shares);
  call.areas = {areas_.data(), block_, splits, sites_, heads_, colors_, sums.fields != nullptr};
  call.items = blocks_ * splits;
  call.tasks = data.masked != nullptr ? std::min({tasks_, shares, sites_}) : std::min(tasks_, call.items);
  const int64_t numbers = call.tasks * (kAttentionLanes + (sums.values != nullptr ? (colors_ - 1) * heads_ * colors_ : 0)) +
                          (sums.gradient() ? splits * sites_ * call.areas.row() : 0);
  const double bytes = static_cast<double>(numbers * static_cast<int64_t>(sizeof(double)));
  if (shareable_ && call.tasks > 1) call.ranks = ranks_.worth(pass_operations(call.input, data.pairs(), sums.gradient()), bytes);
  call.apart = sums.gradient() && (splits > 1 || call.ranks != nullptr);
}

double DataPassF32::run(Threads threads, const AttentionKernels &kernels, const AttentionInput &input, const MaskedData &data,
                        double total_weight, const AttentionSums &sums) {
  Call call{kernels, input, data, sums, static_cast<double>(data.count) / total_weight};
  pack_values(input);
  plan(call);
  if (data.masked != nullptr && sums.gradient()) {
    const SiteRows rows = call.rows(0, 0);
    for (int64_t i = 0; i < sites_; ++i) {
      for (int64_t h = 0; h < heads_; ++h) std::fill_n(rows.map(h, i), sites_, 0.0);
      if (sums.fields != nullptr) std::fill_n(rows.field(i), colors_, 0.0);
    }
  }
  const int64_t batches = (data.count + sequences_ - 1) / sequences_, window = window_ == 0 || data.masked != nullptr ? batches : window_;
  for (call.first_batch = 0; call.first_batch < batches; call.first_batch += window) {
    call.last_batch = std::min(call.first_batch + window, batches);
    if (window_ != 0 && data.masked == nullptr)
      parallel_for(threads, call.last_batch - call.first_batch, [&](int64_t batch, int) { list_sites(call, batch); });
    shared_for(call.ranks, threads, call.tasks, [&](int64_t task, int) { run_task(call, task); });
  }
  if (call.ranks != nullptr) gather(call);
  if (call.apart) call.areas.add_up(sums);
  const double loss = add_tasks(call);
  const double scale = 1 / (static_cast<double>(data.count) * (data.masked == nullptr ? static_cast<double>(sites_) : 1.0));
  sums.scale(input, scale);
  if (sums.gradient())
    for (int64_t h = 0; h < heads_; ++h)
      for (int64_t i = 0; i < sites_; ++i) sums.maps[(h * sites_ + i) * sites_ + i] = 0;
  return loss * scale;
}

void DataPassF32::run_task(const Call &call, int64_t task) const {
  const int64_t splits = call.areas.splits, tasks = call.tasks, rows = heads_ * colors_;
  const Work w = work(task);
  if (call.first_batch == 0) {
    std::fill_n(w.loss, kAttentionLanes, 0.0);
    if (call.sums.values != nullptr) {
      std::fill_n(w.value_sums, (colors_ - 1) * rows, 0.0);
      std::fill_n(w.outer, band_ * rows * kAttentionLanes, 0.0f);
    }
  }
  if (call.data.masked != nullptr)
    run_masked(call, w, sites_ * task / tasks, sites_ * (task + 1) / tasks);
  else
    for (int64_t item = call.items * task / tasks; item < call.items * (task + 1) / tasks; ++item)
      run_item(call, w, item / splits, item % splits);
}

// The results of all tasks, for all ranks.
void DataPassF32::gather(const Call &call) {
  constexpr int64_t kBytes = sizeof(double);
  Ranks &ranks = *call.ranks;
  ranks.gather(losses_.data(), call.tasks, kAttentionLanes * kBytes);
  if (call.sums.values != nullptr) ranks.gather(value_sums_.data(), call.tasks, (colors_ - 1) * heads_ * colors_ * kBytes);
  if (!call.sums.gradient()) return;
  ranks.gather_rows(areas_.data(), call.tasks, call.areas.row() * kBytes, [&](int64_t task) {
    return call.data.masked != nullptr ? sites_ * task / call.tasks : call.items * task / call.tasks * block_;
  });
}

// The sums of the tasks, in their order, besides the areas. Returns the loss.
double DataPassF32::add_tasks(const Call &call) const {
  const AttentionSums &sums = call.sums;
  const int64_t last = colors_ - 1, rows = heads_ * colors_;
  double loss = 0;
  for (int64_t k = 0; k < call.tasks * kAttentionLanes; ++k) loss += losses_[k];
  if (sums.values != nullptr)
    for (int64_t h = 0; h < heads_; ++h)
      for (int64_t b = 0; b < colors_; ++b) {
        double *v = sums.values + h * colors_ * colors_ + b, all = 0;
        for (int64_t a = 0; a < last; ++a) {
          double sum = 0;
          for (int64_t task = 0; task < call.tasks; ++task) sum += value_sums_[(task * last + a) * rows + h * colors_ + b];
          v[a * colors_] = sum;
          all += sum;
        }
        v[last * colors_] = -all;
      }
  for (int64_t i = 0; sums.fields != nullptr && i < sites_; ++i) {
    double all = 0;
    for (int64_t a = 0; a < last; ++a) all += sums.fields[i * colors_ + a];
    sums.fields[i * colors_ + last] = -all;
  }
  return loss;
}

// The sites of the sequences of a batch, by colour and in ascending order. Lists of the same length are neighbours.
void DataPassF32::list_sites(const Call &call, int64_t batch) {
  constexpr int64_t kTogether = 4;  // sequences: a colour that repeats along a sequence waits for the last increment
  constexpr uint32_t kLengths = 64;
  const int64_t q = colors_, batch_size = sequences_ * sites_;
  uint16_t *listed = listed_sites_.data() + batch * batch_size;
  ColorSites *lists = lists_.data() + batch * sequences_ * q;
  uint32_t next[kAttentionLanes][256], starts[kLengths + 1] = {};
  const uint8_t *s[kAttentionLanes];
  for (int64_t n = 0; n < sequences_; ++n) {
    const int64_t member = (call.first_batch + batch) * sequences_ + n;
    s[n] = call.data.sequence(member < call.data.count ? member : 0);
    std::fill_n(next[n], q, 0u);
  }
  for (int64_t n = 0; n < sequences_; n += kTogether)
    for (int64_t j = 0; j < sites_; ++j)
      for (int64_t m = n; m < n + kTogether; ++m) ++next[m][s[m][j]];
  for (int64_t n = 0; n < sequences_; ++n)
    for (int64_t c = 0; c < q; ++c) ++starts[std::min(next[n][c], kLengths - 1) + 1];
  for (uint32_t k = 0; k < kLengths; ++k) starts[k + 1] += starts[k];
  for (int64_t n = 0; n < sequences_; ++n)
    for (int64_t c = 0; c < q; ++c)
      lists[starts[std::min(next[n][c], kLengths - 1)]++] = {next[n][c], static_cast<uint32_t>(c * sequences_ + n)};
  uint32_t begin = 0;
  for (int64_t m = 0; m < sequences_ * q; ++m) {
    next[lists[m].place % sequences_][lists[m].place / sequences_] = begin;
    begin += lists[m].count;
  }
  for (int64_t n = 0; n < sequences_; n += kTogether)
    for (int64_t j = 0; j < sites_; ++j)
      for (int64_t m = n; m < n + kTogether; ++m) listed[next[m][s[m][j]]++] = static_cast<uint16_t>(j);
}

// A block of sites with its columns: so many sequences times its width.
struct DataPassF32::Item {
  int64_t first, sites, width, sequences, columns;
};

// Maps and fields of the block into its columns, and sums of their derivatives at 0.
void DataPassF32::start_item(const Call &call, const Work &w, const Item &x) const {
  const AttentionInput &input = call.input;
  const int64_t last = colors_ - 1, width = x.width, panel_size = heads_ * sites_ * width;
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t i = 0; i < width; ++i)
      for (int64_t j = 0; j < sites_; ++j)
        w.panel[(h * sites_ + j) * width + i] =
            i < x.sites ? static_cast<float>(input.maps[(h * sites_ + x.first + i) * sites_ + j]) : 0.0f;
  if (input.fields != nullptr)
    for (int64_t k = 0; k < x.columns; ++k) {
      const double *field = input.fields + (x.first + k % width) * colors_;
      for (int64_t c = 0; c < last; ++c)
        w.start[c * x.columns + k] = k % width < x.sites ? static_cast<float>(field[c] - field[last]) : 0.0f;
    }
  std::fill_n(w.slopes + last * x.columns, x.columns, 0.0f);
  if (!call.sums.gradient()) return;
  std::fill_n(w.panel_sums, panel_size, 0.0f);
  std::fill_n(w.panel_totals, panel_size, 0.0);
  if (call.sums.fields != nullptr) std::fill_n(w.start_sums, last * x.columns, 0.0f);
}

// Offsets, own colours and weights of the sequences of a batch. The last batch is filled up, to a multiple of four sequences at least, with
// copies that weigh nothing.
void DataPassF32::load_batch(const Call &call, const Work &w, const Item &x, int64_t batch) const {
  for (int64_t n = 0; n < x.sequences; ++n) {
    const int64_t member = batch * sequences_ + n;
    const bool real = member < call.data.count;
    const uint8_t *s = call.data.sequence(real ? member : 0);
    const float weight = real ? static_cast<float>(call.data.weight(member) * call.weight_scale) : 0.0f;
    uint16_t *offsets = w.offsets + n * sites_;
    call.kernels.offsets(s, sites_, static_cast<int>(x.columns / 2), static_cast<int>(n * x.width / 2), offsets);
    const int32_t column = static_cast<int32_t>(n * x.width);
    int32_t *own = w.own + column;
    float *weights = w.weights + column;
    for (int64_t i = 0; i < x.sites; ++i) own[i] = 2 * offsets[x.first + i] + static_cast<int32_t>(i);
    std::fill_n(weights, x.sites, weight);
    for (int64_t i = 0; call.input.gaps_ignored && i < x.sites; ++i)
      if (s[x.first + i] == 0) weights[i] = 0.0f;
    for (int64_t i = x.sites; i < x.width; ++i) {
      own[i] = column + static_cast<int32_t>(i);
      weights[i] = 0.0f;
    }
  }
}

// acc of the columns, from the offsets or from the lists of sites by colour.
void DataPassF32::accumulate(const Call &call, const Work &w, const Item &x, int64_t batch) const {
  const AttentionKernels &k = call.kernels;
  if (window_ == 0) std::fill_n(w.acc, heads_ * colors_ * x.columns, 0.0f);
  for (int64_t h = 0; h < heads_; ++h) {
    const float *panel = w.panel + h * sites_ * x.width;
    float *acc = w.acc + h * colors_ * x.columns;
    if (window_ == 0) {
      k.scatter(panel, sites_, x.width, x.sequences, w.offsets, acc);
    } else {
      const int64_t place = (batch - call.first_batch) * sequences_;
      k.collect(panel, x.width, sequences_ * colors_, lists_.data() + place * colors_, listed_sites_.data() + place * sites_, acc);
    }
  }
}

// The sums of the windows so far.
void DataPassF32::store_item(const Call &call, const Work &w, const Item &x, const SiteRows &to) const {
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t i = 0; i < x.sites; ++i) {
      double *map = to.map(h, x.first + i);
      for (int64_t j = 0; j < sites_; ++j) map[j] = (call.first_batch == 0 ? 0 : map[j]) + w.panel_totals[(h * sites_ + j) * x.width + i];
    }
  if (call.sums.fields == nullptr) return;
  for (int64_t i = 0; i < x.sites; ++i) {
    double *field = to.field(x.first + i);
    for (int64_t c = 0; c < colors_ - 1; ++c) {
      double sum = call.first_batch == 0 ? 0 : field[c];
      for (int64_t n = 0; n < sequences_; ++n) sum += static_cast<double>(w.start_sums[c * x.columns + n * x.width + i]);
      field[c] = sum;
    }
  }
}

// The sequences of the window that belong to a split, for one block of sites.
void DataPassF32::run_item(const Call &call, const Work &w, int64_t block, int64_t split) const {
  const AttentionKernels &k = call.kernels;
  const int64_t q = colors_, last = q - 1, rows = heads_ * q;
  Item x{block * block_, std::min(block_, sites_ - block * block_), 0, sequences_, 0};
  x.width = round_up(x.sites, 4);
  x.columns = x.sequences * x.width;
  const bool gradient = call.sums.gradient(), fields = call.sums.fields != nullptr;
  const float *start = call.input.fields == nullptr ? nullptr : w.start;
  start_item(call, w, x);
  const int64_t splits = call.areas.splits, panel_size = heads_ * sites_ * x.width;
  const int64_t batches = call.last_batch - call.first_batch, end = call.first_batch + batches * (split + 1) / splits;
  int64_t pending = 0;
  for (int64_t batch = call.first_batch + batches * split / splits; batch < end; ++batch) {
    if (window_ == 0 && start == nullptr && !fields && call.data.count - batch * sequences_ < x.sequences) {
      x.sequences = round_up(call.data.count - batch * sequences_, 4);
      x.columns = x.sequences * x.width;
      std::fill_n(w.slopes + last * x.columns, x.columns, 0.0f);
    }
    load_batch(call, w, x, batch);
    accumulate(call, w, x, batch);
    k.product(last, rows, weights_forward_.data(), x.columns, w.acc, start, w.slopes);
    k.softmax(q, x.columns, w.own, w.weights, w.slopes, w.loss);
    if (!gradient) continue;
    if (fields) k.add(last * x.columns, w.slopes, w.start_sums);
    values_backward(call, w, x.columns);
    for (int64_t h = 0; h < heads_; ++h)
      k.gather(w.acc + h * q * x.columns, w.offsets, x.sequences, sites_, x.width, w.panel_sums + h * sites_ * x.width);
    if (++pending == kChunk || batch + 1 == end) {
      flush_values(call, w);
      for (int64_t m = 0; m < panel_size; ++m) w.panel_totals[m] += static_cast<double>(w.panel_sums[m]);
      std::fill_n(w.panel_sums, panel_size, 0.0f);
      pending = 0;
    }
  }
  if (gradient) store_item(call, w, x, call.rows(block, split));
}

// dV from D and acc; then acc becomes its derivative V^T D.
void DataPassF32::values_backward(const Call &call, const Work &w, int64_t columns) const {
  const int64_t last = colors_ - 1, rows = heads_ * colors_;
  if (call.sums.values != nullptr) {
    for (int64_t a = 0; a < last; a += band_) {
      const int64_t height = std::min(band_, last - a);
      call.kernels.outer(height, rows, columns, w.slopes + a * columns, w.acc, w.outer);
      if (band_ < last) add_lanes(w.outer, height * rows, w.value_sums + a * rows);
    }
  }
  call.kernels.product(rows, last, weights_backward_.data(), columns, w.slopes, nullptr, w.acc);
}

void DataPassF32::flush_values(const Call &call, const Work &w) const {
  if (call.sums.values != nullptr && band_ == colors_ - 1) add_lanes(w.outer, band_ * heads_ * colors_, w.value_sums);
}

// One site per sequence: those whose site is in [first_site, last_site). Columns are sequences; scattering and gathering are scalar.
void DataPassF32::run_masked(const Call &call, const Work &w, int64_t first_site, int64_t last_site) const {
  const AttentionKernels &k = call.kernels;
  const AttentionInput &input = call.input;
  const MaskedData &data = call.data;
  const int64_t q = colors_, last = q - 1, rows = heads_ * q;
  const SiteRows to = call.rows(0, 0);
  int64_t next = 0, pending = 0;
  while (next < data.count) {
    int64_t size = 0;
    for (; next < data.count && size < kMaskedColumns; ++next)
      if (data.masked[next] >= first_site && data.masked[next] < last_site) w.members[size++] = next;
    if (size == 0) break;
    const int64_t columns = round_up(size, kAttentionLanes);
    std::fill_n(w.acc, rows * columns, 0.0f);
    std::fill_n(w.slopes + last * columns, columns, 0.0f);
    std::iota(w.own, w.own + columns, 0);
    std::fill_n(w.weights, columns, 0.0f);
    if (input.fields != nullptr) std::fill_n(w.start, last * columns, 0.0f);
    for (int64_t x = 0; x < size; ++x) {
      const int64_t member = w.members[x], site = data.masked[member];
      const uint8_t *s = data.sequence(member), *hidden = data.hidden_sites(member);
      w.own[x] += static_cast<int32_t>(s[site] * columns);
      w.weights[x] = input.gaps_ignored && s[site] == 0 ? 0.0f : static_cast<float>(data.weight(member) * call.weight_scale);
      for (int64_t h = 0; h < heads_; ++h) {
        const double *map = input.maps + (h * sites_ + site) * sites_;
        float *acc = w.acc + h * q * columns + x;
        for (int64_t j = 0; j < sites_; ++j)
          if (hidden == nullptr || hidden[j] == 0) acc[s[j] * columns] += static_cast<float>(map[j]);
      }
      if (input.fields != nullptr) {
        const double *field = input.fields + site * q;
        for (int64_t c = 0; c < last; ++c) w.start[c * columns + x] = static_cast<float>(field[c] - field[last]);
      }
    }
    k.product(last, rows, weights_forward_.data(), columns, w.acc, input.fields == nullptr ? nullptr : w.start, w.slopes);
    k.softmax(q, columns, w.own, w.weights, w.slopes, w.loss);
    if (!call.sums.gradient()) continue;
    if (call.sums.fields != nullptr)
      for (int64_t x = 0; x < size; ++x)
        for (int64_t c = 0; c < last; ++c) to.field(data.masked[w.members[x]])[c] += static_cast<double>(w.slopes[c * columns + x]);
    values_backward(call, w, columns);
    for (int64_t x = 0; x < size; ++x) {
      const int64_t member = w.members[x];
      const uint8_t *s = data.sequence(member), *hidden = data.hidden_sites(member);
      for (int64_t h = 0; h < heads_; ++h) {
        double *map = to.map(h, data.masked[member]);
        const float *acc = w.acc + h * q * columns + x;
        for (int64_t j = 0; j < sites_; ++j)
          if (hidden == nullptr || hidden[j] == 0) map[j] += static_cast<double>(acc[s[j] * columns]);
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
