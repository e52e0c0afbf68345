// SPDX-License-Identifier: MIT
#include "alignment/quality.hpp"

#include "alignment/comparison.hpp"
#include "alignment/distances.hpp"
#include "alignment/plane.hpp"
#include "alignment/quality_limits.hpp"
#include "alignment/triples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr ColumnInfo kQuality[] = {
    {"measure", "", "an atp_quality: what is measured"},
    {"samples", "", "of the samples, against the data"},
    {"data", "", "the same of the data alone, of distances; NaN: not defined"},
    {"parts", "", "what independent samples would give, mean over random splits of the data"},
    {"parts_sd", "", "standard deviation over the splits"},
    {"low", "", "smaller numbers are a fault; NaN: any may be"},
    {"high", "", "larger numbers are a fault; NaN: any may be"},
    {"verdict", "", "-1: below low, 1: above high, 0: neither; NaN: no number, no limits, or too few sequences to tell"},
};

constexpr ColumnInfo kDistances[] = {
    {"distance", "", "fraction of the sites that differ: d / L, d = 0..L"},
    {"nearest_samples", "", "share of the samples whose nearest sequence in the data is at this distance"},
    {"nearest_data", "", "share of the data whose nearest other sequence is at this distance"},
    {"nearest_parts", "", "share of random parts of the data whose nearest sequence in the rest is at this distance"},
    {"pairs_samples", "", "share of the pairs of samples at this distance"},
    {"pairs_data", "", "share of the pairs of sequences of the data at this distance"},
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kAxes = 2;  // principal components

// All measures of samples against data, and the distributions of distances from which some follow.
class Meter {
 public:
  // For data and samples of at most `count` sequences each, and q colours that are not missing.
  Meter(Arena &arena, int64_t count, const Alignment &data, int64_t q, int64_t triples, int threads)
      : L_(data.sites()),
        scratch_(arena.take<double>(comparison_scratch(data, threads))),
        triples_(arena, count, L_, q, triples, threads),
        components_(arena, count, L_, q),
        coordinates_(arena.take<double>(2, count, kAxes)),
        plane_(arena),
        distances_(arena, count, L_),
        nearest_(arena.take<double>(L_ + 1)),
        pairs_(arena.take<double>(L_ + 1)) {}

  // out [ATP_QUALITY_ROWS]
  void measure(const Colored &data, const Colored &samples, Threads threads, double *out) {
    compare_statistics(data.alignment, samples.alignment, threads, scratch_, out);
    triples_.choose(data, threads);
    triples_.compare(samples, threads, out + ATP_QUALITY_TRIPLES);
    measure_plane(data, samples, threads, out);
    distances_.nearest(samples, data, threads, nearest_.data());
    distances_.pairs(samples, threads, pairs_.data());
    describe(out);
  }
  // The same of the data alone, where that is defined.
  void measure_data(const Colored &data, Threads threads, double *out) {
    std::fill_n(out, ATP_QUALITY_ROWS, kNone);
    distances_.nearest_other(data, threads, nearest_.data());
    distances_.pairs(data, threads, pairs_.data());
    describe(out);
  }
  const Span<double> &nearest() const { return nearest_; }
  const Span<double> &pairs() const { return pairs_; }

 private:
  void measure_plane(const Colored &data, const Colored &samples, Threads threads, double *out) {
    double *x = coordinates_.data(), *y = x + coordinates_.size() / 2;
    components_.find(data, kAxes, threads);
    components_.project(data, kAxes, threads, x);
    components_.project(samples, kAxes, threads, y);
    const PlanePoints of_data{x, data.alignment.weights}, of_samples{y, samples.alignment.weights};
    for (int axis = 0; axis < kAxes; ++axis)
      out[ATP_QUALITY_VARIANCE_1 + axis] = variance_along(of_samples, axis) / variance_along(of_data, axis);
    out[ATP_QUALITY_PLANE] = plane_.energy(of_data, of_samples);
  }
  void describe(double *out) const {
    constexpr double kShares[] = {0.05, 0.5, 0.95};
    out[ATP_QUALITY_NEAREST] = mean_distance(nearest_);
    out[ATP_QUALITY_COPIES] = std::isnan(out[ATP_QUALITY_NEAREST]) ? kNone : nearest_[0];
    out[ATP_QUALITY_SPREAD] = mean_distance(pairs_);
    for (int k = 0; k < 3; ++k) {
      out[ATP_QUALITY_NEAREST_Q05 + k] = distance_quantile(nearest_, kShares[k]);
      out[ATP_QUALITY_SPREAD_Q05 + k] = distance_quantile(pairs_, kShares[k]);
    }
  }

  int64_t L_;
  Span<double> scratch_;
  Triples triples_;
  Components components_;
  Span<double> coordinates_;  // [2][count][kAxes]
  Plane plane_;
  Distances distances_;
  Span<double> nearest_, pairs_;
};

// From the sizes of the parts to those of data and samples: atp_samples_quality().
void extend(const RandomParts &parts, double *mean, double *deviation) {
  for (const int row : {ATP_QUALITY_SITES, ATP_QUALITY_PAIRS, ATP_QUALITY_COVARIANCES, ATP_QUALITY_TRIPLES})
    extend_row(parts, mean + row, deviation + row);
  for (const int row : {ATP_QUALITY_VARIANCE_1, ATP_QUALITY_VARIANCE_2}) extend_ratio(parts.of_data(), mean[row], deviation[row]);
  for (double *of : {mean, deviation}) of[ATP_QUALITY_PLANE] *= parts.of_both();
  // The data have more sequences than the rest, each of which may be the same.
  const double times = 1 / parts.of_data(), others = 1 - mean[ATP_QUALITY_COPIES];
  mean[ATP_QUALITY_COPIES] = 1 - std::pow(others, times);
  deviation[ATP_QUALITY_COPIES] *= times * std::pow(others, times - 1);
}

struct Numbers {
  double samples[ATP_QUALITY_ROWS], data[ATP_QUALITY_ROWS], parts[ATP_QUALITY_ROWS], deviation[ATP_QUALITY_ROWS];
};

void append(const Numbers &numbers, Table &table) {
  Span<double> rows = table.room(ATP_QUALITY_ROWS);
  for (int row = 0; row < ATP_QUALITY_ROWS; ++row) {
    double *to = rows.data() + row * ATP_QUALITY_COLUMNS;
    const Limits limits = limits_of(row, {numbers.data[row], numbers.parts[row], numbers.deviation[row]});
    to[ATP_QUALITY_MEASURE] = row;
    to[ATP_QUALITY_SAMPLES] = numbers.samples[row];
    to[ATP_QUALITY_DATA] = numbers.data[row];
    to[ATP_QUALITY_PARTS] = numbers.parts[row];
    to[ATP_QUALITY_PARTS_SD] = numbers.deviation[row];
    to[ATP_QUALITY_LOW] = limits.low;
    to[ATP_QUALITY_HIGH] = limits.high;
    to[ATP_QUALITY_VERDICT] = limits.verdict(numbers.samples[row]);
  }
  table.append(ATP_QUALITY_ROWS);
}

// Columns of distributions, which are appended together.
class DistanceColumns {
 public:
  DistanceColumns(Table *table, int64_t sites) : table_(table), rows_(sites + 1) {}
  void set(int column, Span<const double> shares) {
    for (int64_t d = 0; d < rows_ && table_ != nullptr; ++d) to(d)[column] = shares[d];
  }
  void append() {
    if (table_ == nullptr) return;
    for (int64_t d = 0; d < rows_; ++d) to(d)[ATP_DISTANCES_DISTANCE] = static_cast<double>(d) / static_cast<double>(rows_ - 1);
    table_->append(rows_);
  }

 private:
  double *to(int64_t d) { return table_->room(rows_).data() + d * ATP_DISTANCES_COLUMNS; }
  Table *table_;
  int64_t rows_;
};

}  // namespace

constexpr TableKind kQualityTable = kind_of(ATP_TABLE_QUALITY, "ATP_TABLE_QUALITY", kQuality);
constexpr TableKind kDistancesTable = kind_of(ATP_TABLE_DISTANCES, "ATP_TABLE_DISTANCES", kDistances);

void measure_quality(Context &context, const Alignment &data, const Alignment &samples, const QualityOptions &options, Table &quality,
                     Table *distances) {
  const Threads threads = context.threads;
  const int64_t L = data.sites(), missing = data.colors() - samples.colors(), count = std::max(data.count(), samples.count());
  const Splits splits{data.count() < 2 ? 0 : options.splits.count, options.splits.seed};
  const auto take = [&](Arena &arena) {
    Meter(arena, count, data, samples.colors(), options.triples, threads);
    RandomParts(arena, data, samples.effective_count());
    arena.take<double>(splits.count, ATP_QUALITY_ROWS);
    arena.take<double>(L + 1);
  };
  const Scratch memory(context.allocator, bytes_taken(take));
  Arena arena = memory.arena();
  Meter meter(arena, count, data, samples.colors(), options.triples, threads);
  RandomParts parts(arena, data, samples.effective_count());
  const Span<double> found = arena.take<double>(splits.count, ATP_QUALITY_ROWS), nearest = arena.take<double>(L + 1);
  Numbers numbers;
  DistanceColumns columns(distances, L);
  const Colored all{data, missing};
  meter.measure_data(all, threads, numbers.data);
  columns.set(ATP_DISTANCES_NEAREST_DATA, meter.nearest());
  columns.set(ATP_DISTANCES_PAIRS_DATA, meter.pairs());
  meter.measure(all, {samples, 0}, threads, numbers.samples);
  columns.set(ATP_DISTANCES_NEAREST_SAMPLES, meter.nearest());
  columns.set(ATP_DISTANCES_PAIRS_SAMPLES, meter.pairs());
  std::fill(nearest.begin(), nearest.end(), splits.count > 0 ? 0 : kNone);
  double *to = found.data();
  parts.each(context, splits, [&](const Alignment &rest, const Alignment &small) {
    meter.measure({rest, missing}, {small, missing}, threads, to);
    for (int64_t d = 0; d <= L; ++d) nearest[d] += meter.nearest()[d] / static_cast<double>(splits.count);
    to += ATP_QUALITY_ROWS;
  });
  average_splits(found, splits.count, ATP_QUALITY_ROWS, numbers.parts, numbers.deviation);
  if (splits.count > 0) extend(parts, numbers.parts, numbers.deviation);
  columns.set(ATP_DISTANCES_NEAREST_PARTS, nearest);
  columns.append();
  append(numbers, quality);
}

void principal_components(Context &context, const Alignment &data, const Alignment *samples, int64_t components, double *coordinates,
                          double *variances) {
  const Threads threads = context.threads;
  const int64_t missing = samples == nullptr ? 0 : data.colors() - samples->colors();
  const int64_t count = samples == nullptr ? data.count() : std::max(data.count(), samples->count());
  const std::size_t bytes = bytes_taken([&](Arena &arena) { Components(arena, count, data.sites(), data.colors() - missing); });
  const Scratch memory(context.allocator, bytes);
  Arena arena = memory.arena();
  Components found(arena, count, data.sites(), data.colors() - missing);
  const Colored all{data, missing};
  found.find(all, components, threads);
  found.project(all, components, threads, coordinates);
  if (samples != nullptr) found.project({*samples, 0}, components, threads, coordinates + data.count() * components);
  for (int64_t k = 0; k < components; ++k) variances[k] = found.variance(k);
}

}  // namespace atp
