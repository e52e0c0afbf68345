// SPDX-License-Identifier: MIT
#include "sample/mixing.hpp"

#include "base/checked.hpp"
#include "base/philox.hpp"
#include "sample/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atp {

namespace {

// Puts the indices of values in their order, and the normal scores Phi^-1((rank - 3/8) / (N + 1/4)) of values to `scores`; equal values
// share their mean rank.
void score_ranks(Span<const double> values, Span<int64_t> order, Span<double> scores) {
  const int64_t all = values.size();
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
  for (int64_t k = 0, end = 0; k < all; k = end) {
    while (end < all && values[order[end]] == values[order[k]]) ++end;
    const double rank = static_cast<double>(k + 1 + end) / 2;
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(all) + 0.25));
    for (int64_t at = k; at < end; ++at) scores[order[at]] = score;
  }
}

// Quantile p of sorted values, linear between order statistics.
double quantile(Span<const double> values, Span<const int64_t> order, double p) {
  const double at = p * static_cast<double>(values.size() - 1);
  const int64_t low = static_cast<int64_t>(at), high = std::min(low + 1, values.size() - 1);
  const double share = at - static_cast<double>(low);
  return values[order[low]] + share * (values[order[high]] - values[order[low]]);
}

// Effective samples of halves[halves][h], by Geyer's initial monotone sequence over all of them.
class Effective {
 public:
  Effective(Span<const double> x, int64_t halves) : x_(x), halves_(halves), h_(x.size() / halves) {
    const double h = static_cast<double>(h_);
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < halves_; ++c) {
      const double mean = mean_of(c);
      sum += mean;
      squares += mean * mean;
    }
    const double n = static_cast<double>(halves_), mean = sum / n;
    within_ = covariance(0) * h / (h - 1);
    total_ = within_ * (h - 1) / h + std::fmax(0, (squares - n * mean * mean) / (n - 1));
  }

  double samples() const {
    const double all = static_cast<double>(x_.size());
    if (!(total_ > 0)) return all;
    double sum = 0, even = 1, odd = correlation(1), before = HUGE_VAL;
    for (int64_t t = 0; t < h_ - 5 && even + odd > 0;) {
      before = std::fmin(before, even + odd);
      sum += before;
      t += 2;
      even = correlation(t);
      odd = correlation(t + 1);
    }
    const double last = even > 0 || even + odd >= 0 ? even : 0;
    return all / std::fmax(2 * sum + last - 1, 1 / std::log10(all));
  }

 private:
  double mean_of(int64_t c) const {
    const Span<const double> part = x_.sub(c * h_, h_);
    return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(h_);
  }
  // Mean over halves of the covariance at a lag, divided by h whatever the lag.
  double covariance(int64_t lag) const {
    double all = 0;
    for (int64_t c = 0; c < halves_; ++c) {
      const double *x = x_.data() + c * h_;
      const double mean = mean_of(c);
      double sum = 0;
      for (int64_t t = 0; t + lag < h_; ++t) sum += (x[t] - mean) * (x[t + lag] - mean);
      all += sum / static_cast<double>(h_);
    }
    return all / static_cast<double>(halves_);
  }
  double correlation(int64_t lag) const { return 1 - (within_ - covariance(lag)) / total_; }

  Span<const double> x_;
  int64_t halves_, h_;
  double within_, total_;
};

// Puts the halves of chains one behind the other; the middle element of a chain of odd length belongs to neither.
Span<double> halve(const double *series, int64_t chains, int64_t n, const MixingWork &work) {
  const int64_t h = n / 2;
  for (int64_t c = 0; c < chains; ++c) {
    std::copy_n(series + c * n, h, work.halves.begin() + 2 * c * h);
    std::copy_n(series + (c + 1) * n - h, h, work.halves.begin() + (2 * c + 1) * h);
  }
  return work.halves.sub(0, 2 * chains * h);
}

// R-hat of the scores in work.scores, and then of those of |x - median|, which replace x in work.halves.
double folded_rhat(Span<double> x, int64_t chains, const MixingWork &work) {
  const int64_t n = x.size() / chains;
  const double of_values = split_rhat(work.scores.data(), chains, n), median = quantile(x, work.order, 0.5);
  for (double &value : x) value = std::fabs(value - median);
  score_ranks(x, work.order.sub(0, x.size()), work.scores.sub(0, x.size()));
  return std::fmax(of_values, split_rhat(work.scores.data(), chains, n));
}

}  // namespace

// Quantile of F: E. Paulson, Ann. Math. Stat. 13, 233 (1942).
double rhat_limit(int64_t chains, int64_t n, int64_t quantities) {
  const int64_t h = n / 2;
  const double between = static_cast<double>(2 * chains - 1), within = static_cast<double>(2 * chains * (h - 1));
  const double z = -normal_quantile(kFalseAlarm / static_cast<double>(quantities)), a = 2 / (9 * within), b = 2 / (9 * between);
  const double root = z * std::sqrt(b * (1 - a) * (1 - a) + a * (1 - b) * (1 - b) - a * b * z * z);
  const double x = ((1 - a) * (1 - b) + root) / ((1 - a) * (1 - a) - a * z * z);
  return std::sqrt(kRhatTarget * kRhatTarget + (x * x * x - 1) / static_cast<double>(h));
}

void MixingWork::lay_out(Arena &arena, int64_t chains, int64_t n) {
  halves = arena.take<double>(chains, n);
  scores = arena.take<double>(chains, n);
  order = arena.take<int64_t>(chains, n);
}

RhatTest rank_rhat(const double *series, int64_t chains, int64_t n, const MixingWork &work, int64_t tests) {
  const Span<double> x = halve(series, chains, n, work);
  score_ranks(x, work.order.sub(0, x.size()), work.scores.sub(0, x.size()));
  return {folded_rhat(x, chains, work), rhat_limit(chains, n, 2 * tests)};
}

double effective_samples(const double *series, int64_t chains, int64_t n, const MixingWork &work) {
  return Effective(halve(series, chains, n, work), 2 * chains).samples();
}

Mixing mixing_of(const double *series, int64_t chains, int64_t n, const MixingWork &work, int64_t tests) {
  const Span<double> x = halve(series, chains, n, work), scores = work.scores.sub(0, x.size());
  const Span<int64_t> order = work.order.sub(0, x.size());
  score_ranks(x, order, scores);
  Mixing out{};
  out.bulk = Effective(scores, 2 * chains).samples();
  out.tail = HUGE_VAL;
  for (const double p : {0.05, 0.95}) {
    const double level = quantile(x, order, p);
    for (int64_t k = 0; k < x.size(); ++k) scores[k] = x[k] <= level ? 1 : 0;
    out.tail = std::fmin(out.tail, Effective(scores, 2 * chains).samples());
  }
  score_ranks(x, order, scores);
  out.rhat = folded_rhat(x, chains, work);
  out.limit = rhat_limit(chains, n, 2 * tests);
  return out;
}

}  // namespace atp
