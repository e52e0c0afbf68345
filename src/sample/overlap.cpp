// SPDX-License-Identifier: MIT
#include "sample/overlap.hpp"

#include "base/checked.hpp"
#include "base/philox.hpp"
#include "sample/diagnostics.hpp"

#include <algorithm>
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

}  // namespace atp
