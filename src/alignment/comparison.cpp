// SPDX-License-Identifier: MIT
// Works row by row: the counts of the pairs (i, j > i) of both alignments are q^2 L numbers each, for any
// number of sequences. Over colours, f_i and f_ij sum to 1 and C_ij sums to 0. The means of all three are thus
// known, and one pass gives centred moments.
#include "alignment/comparison.hpp"

#include "base/team.hpp"
#include "alignment/pair_counts.hpp"

#include <attopotts/scores.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace atp
