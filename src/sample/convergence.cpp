// SPDX-License-Identifier: MIT
#include "sample/convergence.hpp"

#include "base/error.hpp"
#include "math/mean_error.hpp"
#include "sample/diagnostics.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kMostColors = 256;  // of a byte
constexpr double kAgreement = 4;  // standard errors between the two runs
constexpr double kRhat = 1.05;
constexpr double kOverlapMargin = 0.05;  // R-hat of overlaps is the largest of up to 32
constexpr double kDecorrelated = 0.95;   // of the distance between chains

// Mean over chains and times. The error is from the scatter of the chains, because times are correlated.
Estimate mean_energy(const Record &r, Span<double> means) {
  std::fill_n(means.begin(), r.chains, 0.0);
  for (int64_t t = 0; t < r.times; ++t)
    for (int64_t c = 0; c < r.chains; ++c) means[c] += r.energy(t, c) / static_cast<double>(r.times);
  const MeanError energy = mean_error(means.sub(0, r.chains));
  return {energy.mean, r.chains > 1 ? energy.error : 0};
}

// Mean Hamming distance of a chain to itself `lag` times later.
double hamming_at_lag(const Record &r, int64_t lag) {
  int64_t different = 0;
  for (int64_t t = 0; t + lag < r.times; ++t)
    for (int64_t c = 0; c < r.chains; ++c) {
      const uint8_t *now = r.state(t, c), *later = r.state(t + lag, c);
      for (int64_t i = 0; i < r.sites; ++i) different += now[i] != later[i];
    }
  return static_cast<double>(different) / static_cast<double>((r.times - lag) * r.chains * r.sites);
}

// The limit for R-hat of the energy: 1.05 plus two standard deviations of the statistical error for mixed chains of this length.
double rhat_limit(const Record &r) {
  return kRhat + 2 * std::sqrt(2.0 / static_cast<double>(2 * r.chains - 1)) / static_cast<double>(r.times);
}

// The same for overlaps.
double overlap_limit(const Record &r) { return rhat_limit(r) + kOverlapMargin; }

bool disagree(const Estimate &a, const Estimate &b) {
  return std::fabs(a.value - b.value) > kAgreement * std::hypot(a.error, b.error) + 1e-9;
}

}  // namespace

// From the counts of colours: chain c differs from C - n(s_c) others at a site.
Estimate hamming_between_chains(const Record &r, Span<double> sums) {
  const auto chains = static_cast<double>(r.chains);
  std::fill_n(sums.begin(), r.chains, 0.0);
  int64_t counts[kMostColors];
  for (int64_t t = 0; t < r.times; ++t)
    for (int64_t i = 0; i < r.sites; ++i) {
      std::fill_n(counts, kMostColors, 0);
      for (int64_t c = 0; c < r.chains; ++c) ++counts[r.state(t, c)[i]];
      for (int64_t c = 0; c < r.chains; ++c) sums[c] += static_cast<double>(r.chains - counts[r.state(t, c)[i]]);
    }
  double all = 0, squares = 0;
  for (int64_t c = 0; c < r.chains; ++c) {
    sums[c] /= static_cast<double>(r.times * r.sites);
    all += sums[c];
  }
  const double mean = all / (chains * (chains - 1));
  if (r.chains < 3) return {mean, 0};
  for (int64_t c = 0; c < r.chains; ++c) {
    const double without = (all - 2 * sums[c]) / ((chains - 1) * (chains - 2));
    squares += (without - mean) * (without - mean);
  }
  return {mean, std::sqrt(squares * (chains - 1) / chains)};
}

double hamming_of_all(const Record &r) {
  const int64_t n = r.times * r.chains;
  if (n < 2) return 0;
  double same = 0;
  int64_t counts[kMostColors];
  for (int64_t i = 0; i < r.sites; ++i) {
    std::fill_n(counts, kMostColors, 0);
    for (int64_t t = 0; t < r.times; ++t)
      for (int64_t c = 0; c < r.chains; ++c) ++counts[r.state(t, c)[i]];
    for (const int64_t m : counts) same += static_cast<double>(m) * static_cast<double>(m - 1);
  }
  return 1 - same / (static_cast<double>(n) * static_cast<double>(n - 1) * static_cast<double>(r.sites));
}

void energy_series(const Record &r, Span<double> series) {
  for (int64_t c = 0; c < r.chains; ++c)
    for (int64_t t = 0; t < r.times; ++t) series[c * r.times + t] = r.energy(t, c);
}

double energy_rhat(const Record &r, Span<double> series) {
  if (r.times < 4) return 0;
  energy_series(r, series);
  return split_rhat(series.data(), r.chains, r.times);
}

int64_t decorrelation(const Record &r, Span<double> sums) {
  const double between = hamming_between_chains(r, sums).value;
  for (int64_t lag = 1; lag < r.times; ++lag)
    if (hamming_at_lag(r, lag) >= kDecorrelated * between) return lag;
  return r.times;
}

void disagreement(const Record &a, const Record &b, const Record &all, const ConvergenceWork &work) {
  const auto size = static_cast<std::size_t>(work.text.size());
  char *text = work.text.data();
  text[0] = '\0';
  const Estimate energy_a = mean_energy(a, work.sums), energy_b = mean_energy(b, work.sums);
  if (disagree(energy_a, energy_b)) {
    format_text(text, size, "the mean energies of the two runs differ: %.4f +- %.4f and %.4f +- %.4f", energy_a.value, energy_a.error,
                energy_b.value, energy_b.error);
    return;
  }
  const Estimate hamming_a = hamming_between_chains(a, work.sums), hamming_b = hamming_between_chains(b, work.sums);
  if (disagree(hamming_a, hamming_b)) {
    format_text(text, size, "the mean Hamming distances of the two runs differ: %.4f +- %.4f and %.4f +- %.4f", hamming_a.value,
                hamming_a.error, hamming_b.value, hamming_b.error);
    return;
  }
  const double rhat = energy_rhat(all, work.overlap.series);
  if (rhat > rhat_limit(all)) {
    format_text(text, size, "split R-hat of the energy is %.3f, above %.3f", rhat, rhat_limit(all));
    return;
  }
  const double of_overlaps = overlap_rhat(all, work.overlap);
  if (of_overlaps > overlap_limit(all))
    format_text(text, size, "R-hat of the overlaps is %.3f, above %.3f: ladders stay in different parts of state space", of_overlaps,
                overlap_limit(all));
}

}  // namespace atp
