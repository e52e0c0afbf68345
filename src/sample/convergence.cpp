// SPDX-License-Identifier: MIT
#include "sample/convergence.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/philox.hpp"
#include "math/mean_error.hpp"
#include "sample/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace atp {

namespace {

// Replaces counts of the values 0, 1, ... by their normal scores Phi^-1((rank - 3/8) / (n + 1/4)); equal values share their mean rank.
// Overlaps have few values: ranks come from counting, without a sort.
void score_values(Span<const int64_t> counts, int64_t n, Span<double> scores) {
  int64_t below = 0;
  for (int64_t v = 0; v < counts.size(); ++v) {
    const double rank = static_cast<double>(below) + (static_cast<double>(counts[v]) + 1) / 2;
    if (counts[v] > 0) scores[v] = normal_quantile((rank - 0.375) / (static_cast<double>(n) + 0.25));
    below += counts[v];
  }
}

// Twice the median of n values.
int64_t doubled_median(Span<const int64_t> counts, int64_t n) {
  const auto value_at = [&](int64_t rank) {
    int64_t v = 0;
    for (int64_t seen = counts[0]; seen <= rank; seen += counts[++v]) {
    }
    return v;
  };
  return value_at((n - 1) / 2) + value_at(n / 2);
}

// Rank-normalised split R-hat of value(k), k = 0..chains n - 1, whole numbers from 0 to `highest`.
template <class Value>
double rank_rhat(Value value, int64_t chains, int64_t n, int64_t highest, const OverlapWork &work) {
  const Span<int64_t> counts = work.counts.sub(0, highest + 1);
  std::fill(counts.begin(), counts.end(), 0);
  for (int64_t k = 0; k < chains * n; ++k) ++counts[value(k)];
  score_values(counts, chains * n, work.scores);
  for (int64_t k = 0; k < chains * n; ++k) work.series[k] = work.scores[value(k)];
  return split_rhat(work.series.data(), chains, n);
}

// Writes to work.equal at how many sites each state before the last equals the last one of a chain.
void compare_with(const Record &r, int64_t reference, const OverlapWork &work) {
  const int64_t n = r.times - 1;
  const uint8_t *other = r.state(n, reference);
  for (int64_t c = 0; c < r.chains; ++c)
    for (int64_t t = 0; t < n; ++t) {
      const uint8_t *state = r.state(t, c);
      int64_t same = 0;
      for (int64_t i = 0; i < r.sites; ++i) same += state[i] == other[i];
      work.equal[c * n + t] = same;
    }
}

}  // namespace

void OverlapWork::lay_out(Arena &arena, int64_t times, int64_t chains, int64_t sites) {
  equal = arena.take<int64_t>(times, chains);
  series = arena.take<double>(times, chains);
  counts = arena.take<int64_t>(sum_of(sites, sites, 1));
  scores = arena.take<double>(sum_of(sites, sites, 1));
}

double overlap_rhat(const Record &r, const OverlapWork &work) {
  if (r.times < kOverlapTimes) return 0;
  const int64_t n = r.times - 1, references = std::min(r.chains, kOverlapReferences);
  double largest = 0;
  for (int64_t k = 0; k < references; ++k) {
    compare_with(r, k * r.chains / references, work);
    const auto equal = [&](int64_t at) { return work.equal[at]; };
    largest = std::max(largest, rank_rhat(equal, r.chains, n, r.sites, work));
    // The values have been counted once more than the folded ones need.
    const int64_t median = doubled_median(work.counts.sub(0, r.sites + 1), r.chains * n);
    const auto folded = [&](int64_t at) { return std::abs(2 * work.equal[at] - median); };
    largest = std::max(largest, rank_rhat(folded, r.chains, n, 2 * r.sites, work));
  }
  return largest;
}

// --- two runs ---

namespace {

constexpr int kMostColors = 256;        // of a byte
constexpr double kAgreement = 4;        // standard errors between the two runs
constexpr double kDecorrelated = 0.95;  // of the distance between chains

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

// Of an energy whose autocorrelation is exponential, rho^t: tau = (1 + rho) / (2 (1 - rho)).
int64_t energy_decorrelation(const Record &r, const ConvergenceWork &work) {
  energy_series(r, work.overlap.series);
  const double n = static_cast<double>(r.chains * r.times);
  const double tau = n / (2 * effective_samples(work.overlap.series.data(), r.chains, r.times, work.mixing));
  const double rho = (2 * tau - 1) / (2 * tau + 1), left = 1 - kDecorrelated;
  return rho <= left ? 1 : static_cast<int64_t>(std::fmin(static_cast<double>(r.times), std::ceil(std::log(left) / std::log(rho))));
}

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

RhatTest test_energy(const Record &r, const ConvergenceWork &work) {
  if (r.times < 4) return {0, 0};
  energy_series(r, work.overlap.series);
  return rank_rhat(work.overlap.series.data(), r.chains, r.times, work.mixing);
}

RhatTest test_overlaps(const Record &r, const ConvergenceWork &work) {
  if (r.times < kOverlapTimes) return {0, 0};
  return {overlap_rhat(r, work.overlap), rhat_limit(r.chains, r.times - 1, 2 * std::min(r.chains, kOverlapReferences))};
}

int64_t decorrelation(const Record &r, const ConvergenceWork &work) {
  const double between = hamming_between_chains(r, work.sums).value;
  for (int64_t lag = energy_decorrelation(r, work); lag < r.times; ++lag)
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
  const RhatTest energy = test_energy(all, work);
  if (!energy.agreed()) {
    format_text(text, size, "R-hat of the energy is %.4f, above %.4f", energy.rhat, energy.limit);
    return;
  }
  const RhatTest overlaps = test_overlaps(all, work);
  if (!overlaps.agreed())
    format_text(text, size, "R-hat of the overlaps is %.4f, above %.4f: ladders stay in different parts of state space", overlaps.rhat,
                overlaps.limit);
}

}  // namespace atp
