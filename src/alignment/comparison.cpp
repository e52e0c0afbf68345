// SPDX-License-Identifier: MIT
// Works row by row: the counts of the pairs (i, j > i) of both alignments are q^2 L numbers each, for any number of sequences. Over
// colours, f_i and f_ij sum to 1 and C_ij sums to 0. The means of all three are thus known, and one pass gives centred moments.
#include "alignment/comparison.hpp"

#include "base/team.hpp"
#include "alignment/frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace atp {

namespace {

// Sums over elements of x (data) and y (samples), both minus their known mean.
struct Moments {
  double count, xx, yy, xy, dd, largest;
  void add(double x, double y) {
    count += 1;
    xx += x * x;
    yy += y * y;
    xy += x * y;
    dd += (x - y) * (x - y);
    largest = std::fmax(largest, std::fabs(x - y));
  }
  void add(const Moments &other) {
    count += other.count;
    xx += other.xx;
    yy += other.yy;
    xy += other.xy;
    dd += other.dd;
    largest = std::fmax(largest, other.largest);
  }
};
constexpr int64_t kMoments = sizeof(Moments) / sizeof(double);

// Converts counts to frequencies; returns false if all are 0.
bool normalise(double *block, int64_t q) {
  double total = 0;
  for (int64_t k = 0; k < q * q; ++k) total += block[k];
  if (total > 0)
    for (int64_t k = 0; k < q * q; ++k) block[k] /= total;
  return total > 0;
}

void marginals(const double *block, int64_t q, double *rows, double *columns) {
  std::fill_n(rows, q, 0.0);
  std::fill_n(columns, q, 0.0);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      rows[a] += block[a * q + b];
      columns[b] += block[a * q + b];
    }
}

void compare_row(double *x, double *y, int64_t L, int64_t q, int64_t i, Moments *out) {
  const double site_mean = 1 / static_cast<double>(q), pair_mean = site_mean * site_mean;
  for (int64_t j = i; j < L; ++j) {
    double *f = x + j * q * q, *g = y + j * q * q;
    if (!normalise(f, q) || !normalise(g, q)) continue;
    if (j == i) {
      for (int64_t a = 0; a < q; ++a) out[ATP_COMPARISON_SITES].add(f[a * q + a] - site_mean, g[a * q + a] - site_mean);
      continue;
    }
    double f_rows[256], f_columns[256], g_rows[256], g_columns[256];
    marginals(f, q, f_rows, f_columns);
    marginals(g, q, g_rows, g_columns);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const double u = f[a * q + b], v = g[a * q + b];
        out[ATP_COMPARISON_PAIRS].add(u - pair_mean, v - pair_mean);
        out[ATP_COMPARISON_COVARIANCES].add(u - f_rows[a] * f_columns[b], v - g_rows[a] * g_columns[b]);
      }
  }
}

void write_row(const Moments &m, double *out) {
  out[ATP_COMPARISON_COUNT] = m.count;
  out[ATP_COMPARISON_PEARSON] = m.xy / std::sqrt(m.xx * m.yy);
  out[ATP_COMPARISON_SLOPE] = m.xy / m.xx;
  out[ATP_COMPARISON_RMS] = std::sqrt(m.dd / m.count);
  out[ATP_COMPARISON_LARGEST] = m.count > 0 ? m.largest : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

int64_t comparison_scratch(const Alignment &samples, int threads) {
  const int64_t q = samples.colors();
  return samples.sites() * (ATP_COMPARISON_ROWS * kMoments + threads * 2 * q * q);
}

void compare_statistics(const Alignment &data, const Alignment &samples, Threads threads, Span<double> scratch, double *out) {
  const int64_t L = samples.sites(), q = samples.colors(), row = L * q * q, moments = ATP_COMPARISON_ROWS * kMoments;
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *x = scratch.sub(L * moments + thread * 2 * row, 2 * row).data(), *y = x + row;
    Moments found[ATP_COMPARISON_ROWS] = {};
    count_pairs(data, i, data.colors() - q, q, nullptr, x);
    count_pairs(samples, i, 0, q, nullptr, y);
    compare_row(x, y, L, q, i, found);
    std::memcpy(scratch.data() + i * moments, found, sizeof found);
  });
  for (int64_t r = 0; r < ATP_COMPARISON_ROWS; ++r) {
    Moments sum = {};
    for (int64_t i = 0; i < L; ++i) {
      Moments part;
      std::memcpy(&part, scratch.data() + i * moments + r * kMoments, sizeof part);
      sum.add(part);
    }
    write_row(sum, out + r * ATP_COMPARISON_COLUMNS);
  }
}

namespace {

// Sequences with their weights in a random order, and parts of it.
class Shuffled {
 public:
  Shuffled(Arena &arena, const Alignment &data)
      : data_(data),
        order_(arena.take<int64_t>(data.count())),
        sequences_(arena.take<uint8_t>(data.count(), data.sites())),
        weights_(arena.take<double>(data.count())) {}

  // The same order on every machine, unlike that of std::shuffle.
  void shuffle(std::mt19937_64 &random) {
    const int64_t n = order_.size(), sites = data_.sites();
    for (int64_t k = 0; k < n; ++k) order_[k] = k;
    for (int64_t k = n; k > 1; --k) std::swap(order_[k - 1], order_[static_cast<int64_t>(random() % static_cast<uint64_t>(k))]);
    for (int64_t k = 0; k < n; ++k) {
      std::copy_n(data_.sequence(order_[k]), sites, sequences_.data() + k * sites);
      weights_[k] = data_.weights[order_[k]];
    }
  }
  // How many sequences from the first on have this summed weight; both parts keep at least one.
  int64_t cut_at(double weight) const {
    int64_t cut = 0;
    for (double sum = 0; cut + 1 < order_.size() && sum < weight; ++cut) sum += weights_[cut];
    return std::max<int64_t>(cut, 1);
  }
  Alignment *part(Context &context, int64_t first, int64_t end) const {
    return create_alignment(context, sequences_.data() + first * data_.sites(), {end - first, data_.sites(), data_.colors(), 0},
                            weights_.data() + first, false);
  }

 private:
  const Alignment &data_;
  Span<int64_t> order_;
  Span<uint8_t> sequences_;
  Span<double> weights_;
};

// A correlation or a slope of true values with noise, 1 / (1 + e), where e changes by a factor; the standard deviation goes with it.
void extend(double factor, double &value, double &deviation) {
  if (!(value > 0)) return;
  const double extended = 1 / (1 + (1 / value - 1) * factor);
  deviation *= factor * extended * extended / (value * value);
  value = extended;
}

// From the sizes of the parts to those of data and samples. Errors of frequencies go as the root of 1 / n.
void extend(double data, double samples, PartsComparison &parts) {
  const double of_data = parts.rest / data, of_both = (1 / data + 1 / samples) / (1 / parts.rest + 1 / parts.small);
  for (int r = 0; r < ATP_COMPARISON_ROWS; ++r) {
    extend(of_both, parts.mean[r][ATP_COMPARISON_PEARSON], parts.deviation[r][ATP_COMPARISON_PEARSON]);
    extend(of_data, parts.mean[r][ATP_COMPARISON_SLOPE], parts.deviation[r][ATP_COMPARISON_SLOPE]);
    for (const int column : {ATP_COMPARISON_RMS, ATP_COMPARISON_LARGEST})
      for (Comparison *of : {&parts.mean, &parts.deviation}) (*of)[r][column] *= std::sqrt(of_both);
  }
}

// Mean and standard deviation over the splits, of found [splits][rows][columns].
void average(Span<const double> found, int64_t splits, PartsComparison &out) {
  constexpr int64_t kNumbers = ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS;
  const auto n = static_cast<double>(splits);
  for (int64_t k = 0; k < kNumbers; ++k) {
    double mean = 0, squares = 0;
    for (int64_t s = 0; s < splits; ++s) mean += found[s * kNumbers + k] / n;
    for (int64_t s = 0; s < splits; ++s) squares += (found[s * kNumbers + k] - mean) * (found[s * kNumbers + k] - mean);
    (&out.mean[0][0])[k] = mean;
    if (splits > 1) (&out.deviation[0][0])[k] = std::sqrt(squares / (n - 1));
  }
}

}  // namespace

void compare_parts(Context &context, const Alignment &data, double samples, const Splits &splits, PartsComparison &out) {
  constexpr int64_t kNumbers = ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS;
  for (Comparison *numbers : {&out.mean, &out.deviation})
    std::fill_n(&(*numbers)[0][0], kNumbers, std::numeric_limits<double>::quiet_NaN());
  out.small = out.rest = 0;
  if (data.count() < 2 || splits.count < 1) return;
  const Threads threads = context.threads;
  const std::size_t shuffled_bytes = bytes_taken([&](Arena &arena) { Shuffled(arena, data); });
  const int64_t work = comparison_scratch(data, threads);
  const Scratch memory(context.allocator,
                       shuffled_bytes + Scratch::piece<double>(work) + Scratch::piece<double>(product_of(splits.count, kNumbers)));
  Arena arena = memory.arena();
  Shuffled shuffled(arena, data);
  const Span<double> scratch = arena.take<double>(work), found = arena.take<double>(splits.count, kNumbers);
  std::mt19937_64 random(splits.seed);
  for (int64_t s = 0; s < splits.count; ++s) {
    shuffled.shuffle(random);
    const int64_t cut = shuffled.cut_at(std::min(samples, data.effective_count() / 2));
    const Owner<Alignment> small(shuffled.part(context, 0, cut)), rest(shuffled.part(context, cut, data.count()));
    compare_statistics(*rest, *small, threads, scratch, found.data() + s * kNumbers);
    out.small += small->effective_count() / static_cast<double>(splits.count);
    out.rest += rest->effective_count() / static_cast<double>(splits.count);
  }
  average({found.data(), found.size()}, splits.count, out);
  extend(data.effective_count(), samples, out);
}

}  // namespace atp
