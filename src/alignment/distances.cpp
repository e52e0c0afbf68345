// SPDX-License-Identifier: MIT
#include "alignment/distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kLanes = 16;    // bytes that are compared side by side
constexpr int64_t kRounds = 255;  // that a byte can count
constexpr int64_t kTasks = 64;    // sums of their own: the order of additions does not depend on the threads

int64_t sum_of(const uint8_t *lanes) {
  int64_t sum = 0;
  for (int64_t l = 0; l < kLanes; ++l) sum += lanes[l];
  return sum;
}

int64_t count_different(const uint8_t *x, const uint8_t *y, int64_t stride) {
  int64_t sum = 0;
  for (int64_t k = 0; k < stride;) {
    uint8_t lanes[kLanes] = {};
    for (const int64_t end = std::min(stride, k + kLanes * kRounds); k < end; k += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = static_cast<uint8_t>(lanes[l] + (x[k + l] != y[k + l]));
    sum += sum_of(lanes);
  }
  return sum;
}

// Sites that both have, and those of them that differ.
void count_common(const uint8_t *x, const uint8_t *y, int64_t stride, int64_t *common, int64_t *different) {
  *common = *different = 0;
  for (int64_t k = 0; k < stride;) {
    uint8_t both[kLanes] = {}, unequal[kLanes] = {};
    for (const int64_t end = std::min(stride, k + kLanes * kRounds); k < end; k += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) {
        const int has = (x[k + l] != 0) & (y[k + l] != 0);
        both[l] = static_cast<uint8_t>(both[l] + has);
        unequal[l] = static_cast<uint8_t>(unequal[l] + (has & (x[k + l] != y[k + l])));
      }
    *common += sum_of(both);
    *different += sum_of(unequal);
  }
}

// Where sequences miss sites: the differing part of the common sites, extended to L sites. -1: less than half of the sites are common.
int64_t distance(const uint8_t *x, const uint8_t *y, int64_t stride, int64_t sites, bool complete) {
  if (complete) return count_different(x, y, stride);
  int64_t common, different;
  count_common(x, y, stride, &common, &different);
  return 2 * common < sites ? -1 : (2 * sites * different + common) / (2 * common);
}

// One sequence after each step, as bytes that are 0 where there is no colour; returns how many.
int64_t pack(const Colored &of, int64_t step, int64_t stride, uint8_t *to) {
  const int64_t sites = of.alignment.sites();
  int64_t n = 0;
  for (int64_t m = 0; m < of.alignment.count(); m += step, ++n) {
    const uint8_t *s = of.alignment.sequence(m);
    for (int64_t i = 0; i < sites; ++i) to[n * stride + i] = static_cast<uint8_t>(s[i] + 1 - of.missing);
    std::fill_n(to + n * stride + sites, stride - sites, uint8_t{0});
  }
  return n;
}

int64_t step_of(const Colored &of) { return (of.alignment.count() + Distances::kMostSequences - 1) / Distances::kMostSequences; }

void divide_by_sum(int64_t n, double *shares) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += shares[k];
  for (int64_t k = 0; k < n && sum > 0; ++k) shares[k] /= sum;
}

}  // namespace

Distances::Distances(Arena &arena, int64_t count, int64_t sites)
    : sites_(sites),
      stride_((sites + kLanes - 1) / kLanes * kLanes),
      from_(arena.take<uint8_t>(kMostSequences, stride_)),
      others_(arena.take<uint8_t>(count, stride_)),
      nearest_(arena.take<int64_t>(kMostSequences)),
      sums_(arena.take<double>(kTasks, sites + 1)) {}

void Distances::nearest(const Colored &from, const Colored &others, bool without_itself, Threads threads, double *out) {
  const bool complete = from.missing == 0 && others.missing == 0;
  const int64_t step = step_of(from), n = pack(from, step, stride_, from_.data()), m = pack(others, 1, stride_, others_.data());
  parallel_for(threads, n, [&](int64_t k, int) {
    int64_t least = INT64_MAX;
    for (int64_t o = 0; o < m; ++o) {
      if (without_itself && o == k * step) continue;
      const int64_t d = distance(from_.data() + k * stride_, others_.data() + o * stride_, stride_, sites_, complete);
      if (d >= 0) least = std::min(least, d);
    }
    nearest_[k] = least;
  });
  std::fill_n(out, sites_ + 1, 0.0);
  for (int64_t k = 0; k < n; ++k)
    if (nearest_[k] <= sites_) out[nearest_[k]] += from.alignment.weights[k * step];
  divide_by_sum(sites_ + 1, out);
}

void Distances::pairs(const Colored &of, Threads threads, double *out) {
  const int64_t step = step_of(of), n = pack(of, step, stride_, from_.data());
  std::fill(sums_.begin(), sums_.end(), 0.0);
  parallel_for(threads, kTasks, [&](int64_t task, int) {
    double *mine = sums_.data() + task * (sites_ + 1);
    for (int64_t k = task; k < n; k += kTasks)
      for (int64_t o = k + 1; o < n; ++o) {
        const int64_t d = distance(from_.data() + k * stride_, from_.data() + o * stride_, stride_, sites_, of.missing == 0);
        if (d >= 0) mine[d] += of.alignment.weights[k * step] * of.alignment.weights[o * step];
      }
  });
  std::fill_n(out, sites_ + 1, 0.0);
  for (int64_t task = 0; task < kTasks; ++task)
    for (int64_t d = 0; d <= sites_; ++d) out[d] += sums_[task * (sites_ + 1) + d];
  divide_by_sum(sites_ + 1, out);
}

double mean_distance(Span<const double> shares) {
  double mean = 0, sum = 0;
  for (int64_t d = 0; d < shares.size(); ++d) {
    mean += static_cast<double>(d) * shares[d];
    sum += shares[d];
  }
  return sum > 0 ? mean / static_cast<double>(shares.size() - 1) : std::numeric_limits<double>::quiet_NaN();
}

double distance_quantile(Span<const double> shares, double share) {
  double sum = 0;
  for (int64_t d = 0; d < shares.size(); ++d) {
    sum += shares[d];
    if (sum > 0 && sum >= share * (1 - 1e-12)) return static_cast<double>(d) / static_cast<double>(shares.size() - 1);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace atp
