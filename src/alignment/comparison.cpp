// SPDX-License-Identifier: MIT
// Works row by row: the counts of the pairs (i, j > i) of both alignments are q^2 L numbers each, for any number of sequences. Over
// colours, f_i and f_ij sum to 1 and C_ij sums to 0. The means of all three are thus known, and one pass gives centred moments.
#include "alignment/comparison.hpp"

#include "base/team.hpp"
#include "alignment/frequencies.hpp"
#include "alignment/moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp {

namespace {

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
    sum.write(out + r * ATP_COMPARISON_COLUMNS);
  }
}

void compare_parts(Context &context, const Alignment &data, double samples, const Splits &splits, PartsComparison &out) {
  constexpr int64_t kNumbers = ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS;
  const Threads threads = context.threads;
  const Splits made{data.count() < 2 ? 0 : splits.count, splits.seed};
  const std::size_t parts_bytes = bytes_taken([&](Arena &arena) { RandomParts(arena, data, samples); });
  const int64_t work = comparison_scratch(data, threads);
  const Scratch memory(context.allocator,
                       parts_bytes + Scratch::piece<double>(work) + Scratch::piece<double>(product_of(made.count, kNumbers)));
  Arena arena = memory.arena();
  RandomParts parts(arena, data, samples);
  const Span<double> scratch = arena.take<double>(work), found = arena.take<double>(made.count, kNumbers);
  double *to = found.data();
  parts.each(context, made, [&](const Alignment &rest, const Alignment &small) {
    compare_statistics(rest, small, threads, scratch, to);
    to += kNumbers;
  });
  average_splits(found, made.count, kNumbers, &out.mean[0][0], &out.deviation[0][0]);
  out.small = parts.small();
  out.rest = parts.rest();
  for (int r = 0; r < ATP_COMPARISON_ROWS && made.count > 0; ++r) extend_row(parts, out.mean[r], out.deviation[r]);
}

}  // namespace atp
