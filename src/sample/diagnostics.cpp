// SPDX-License-Identifier: MIT
#include "sample/diagnostics.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// A power of two that scales the differences of the series to about 1. Their squares then neither overflow nor
// vanish.
struct Range {
  double lowest, highest;
  double scale() const {
    int exponent = 0;
    std::frexp(highest / 2 - lowest / 2, &exponent);
    return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
  }
};

Range range_of(const double *series, int64_t count) {
  const auto ends = std::minmax_element(series, series + count);
  return {*ends.first, *ends.second};
}

// Sum of scale (x[k] - shift) in eight partial sums: a fixed order that the compiler can vectorise.
constexpr int kLanes = 8;

double sum_of_lanes(const double (&lane)[kLanes]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double shifted_sum(const double *x, int64_t n, double shift, double scale) {
  double lane[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += scale * (x[k + l] - shift);
  for (; k < n; ++k) lane[0] += scale * (x[k] - shift);
  return sum_of_lanes(lane);
}

// Sum of scale^2 (x[k] - mean) (y[k] - mean).
double shifted_product(const double *x, const double *y, int64_t n, double mean, double scale) {
  double lane[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += scale * (x[k + l] - mean) * (scale * (y[k + l] - mean));
  for (; k < n; ++k) lane[0] += scale * (x[k] - mean) * (scale * (y[k] - mean));
  return sum_of_lanes(lane);
}

// Mean of count numbers, taken relative to the middle of their range so that it cannot overflow.
double mean_of(const double *x, int64_t count, const Range &range, double scale) {
  const double middle = range.lowest / 2 + range.highest / 2;
  return middle + shifted_sum(x, count, middle, scale) / static_cast<double>(count) / scale;
}

}  // namespace

// The covariance at lag t is the mean over all chains of products of deviations from the mean of all chains.
// Chains that stay at different levels then show as a long autocorrelation time instead of cancelling.
AutocorrelationTime autocorrelation_time(const double *series, int64_t chains, int64_t n) {
  const Range range = range_of(series, chains * n);
  if (range.lowest == range.highest) fail(ATP_E_VALUE, "series is %.17g throughout: a constant has no autocorrelation time", range.lowest);
  const double scale = range.scale();
  const double mean = mean_of(series, chains * n, range, scale);
  const auto covariance = [&](int64_t lag) {
    double sum = 0;
    for (int64_t c = 0; c < chains; ++c) sum += shifted_product(series + c * n, series + c * n + lag, n - lag, mean, scale);
    return sum / (static_cast<double>(chains) * static_cast<double>(n - lag));
  };
  const double variance = covariance(0);
  double tau = 0.5;
  int64_t window = 0;
  while (window < n / 2) {
    ++window;
    tau += covariance(window) / variance;
    if (tau > 0 && static_cast<double>(window) >= 6 * tau) break;
  }
  const double samples = static_cast<double>(chains) * static_cast<double>(n);
  return {tau, std::fabs(tau) * std::sqrt((4.0 * static_cast<double>(window) + 2) / samples), window};
}

double split_rhat(const double *series, int64_t chains, int64_t n) {
  const Range range = range_of(series, chains * n);
  if (range.lowest == range.highest) return 1;
  const double scale = range.scale();
  const int64_t half = n / 2;  // the middle element of a chain of odd length belongs to neither half
  const double h = static_cast<double>(half), halves = 2.0 * static_cast<double>(chains);
  const auto part = [&](int64_t k) { return series + k / 2 * n + (k % 2 == 0 ? 0 : n - half); };
  const double middle = range.lowest / 2 + range.highest / 2;
  double mean = 0, within = 0;
  for (int64_t k = 0; k < 2 * chains; ++k) {
    const double part_mean = mean_of(part(k), half, range, scale);
    const Range part_range = range_of(part(k), half);
    mean += scale * (part_mean - middle) / halves;
    if (part_range.lowest != part_range.highest)  // otherwise the variance is exactly 0, whatever the rounding of the mean
      within += shifted_product(part(k), part(k), half, part_mean, scale) / (h - 1) / halves;
  }
  double between = 0;  // B / h of [G13], docs/theory.md
  for (int64_t k = 0; k < 2 * chains; ++k) {
    const double deviation = scale * (mean_of(part(k), half, range, scale) - middle) - mean;
    between += deviation * deviation / (halves - 1);
  }
  if (within == 0) return HUGE_VAL;
  return std::sqrt((h - 1) / h + between / within);
}

// Compares blocks of 64 sequences with blocks of 64. The second block is transposed, a chunk of sites at a
// time: one byte of a sequence is then compared with a row of 64, on whole vectors of bytes. A chunk has at
// most 255 sites, so byte counts cannot overflow.
double hamming_histogram(const uint8_t *sequences, int64_t n, int64_t sites, int64_t *counts) {
  constexpr int kBlock = 64, kChunk = 64;
  alignas(64) uint8_t columns[kChunk][kBlock];
  alignas(64) uint32_t distance[kBlock][kBlock];
  std::fill_n(counts, sites + 1, 0);
  for (int64_t first_j = 0; first_j < n; first_j += kBlock) {
    const int block_j = static_cast<int>(std::min<int64_t>(kBlock, n - first_j));
    for (int64_t first_i = 0; first_i <= first_j; first_i += kBlock) {
      const int block_i = static_cast<int>(std::min<int64_t>(kBlock, n - first_i));
      for (int64_t first = 0; first < sites; first += kChunk) {
        const int chunk = static_cast<int>(std::min<int64_t>(kChunk, sites - first));
        for (int j = 0; j < kBlock; ++j) {
          const uint8_t *sequence = sequences + (first_j + std::min(j, block_j - 1)) * sites + first;
          for (int k = 0; k < chunk; ++k) columns[k][j] = sequence[k];
        }
        for (int i = 0; i < block_i; ++i) {
          const uint8_t *sequence = sequences + (first_i + i) * sites + first;
          alignas(64) uint8_t different[kBlock] = {};
          for (int k = 0; k < chunk; ++k) {
            const uint8_t color = sequence[k];
            for (int j = 0; j < kBlock; ++j) different[j] = static_cast<uint8_t>(different[j] + (columns[k][j] != color));
          }
          if (first == 0)
            for (int j = 0; j < kBlock; ++j) distance[i][j] = different[j];
          else
            for (int j = 0; j < kBlock; ++j) distance[i][j] += different[j];
        }
      }
      for (int i = 0; i < block_i; ++i)
        for (int j = first_i == first_j ? i + 1 : 0; j < block_j; ++j) ++counts[distance[i][j]];
    }
  }
  double sum = 0;
  for (int64_t d = 1; d <= sites; ++d) sum += static_cast<double>(d) * static_cast<double>(counts[d]);
  return sum / (static_cast<double>(n) * static_cast<double>(n - 1) / 2) / static_cast<double>(sites);
}

}  // namespace atp
