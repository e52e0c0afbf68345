// SPDX-License-Identifier: MIT
#include "learn/likelihood/exchange.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atp {

void Exchange::lay_out(Arena &arena) {
  log_f_ = arena.take<double>(pairs_.sites, pairs_.colors);
  fields_ = arena.take<float>(rungs_, tables_.field_floats());
  u_ = arena.take<double>(rungs_, groups_, kGibbsLanes);
  swapped_ = arena.take<int64_t>(groups_);
}

void Exchange::init(const Statistics &statistics) {
  const int64_t q = pairs_.colors;
  for (int64_t i = 0; i < pairs_.sites; ++i)
    for (int64_t a = 0; a < q; ++a) log_f_[i * q + a] = std::log(statistics.family(i)[a]);
}

// The kernels multiply fields by t.
void Exchange::fill(Span<const double> point, Threads threads) {
  const int64_t q = pairs_.colors;
  parallel_for(threads, rungs_, [&](int64_t r, int) {
    const double t = time(r);
    float *to = fields_.data() + r * tables_.field_floats();
    for (int64_t i = 0; i < pairs_.sites; ++i)
      for (int64_t a = 0; a < q; ++a)
        to[tables_.field_index(i, a)] = static_cast<float>(point[i * q + a] + (1 - t) / t * log_f_[i * q + a]);
  });
}

// kBlock groups at a time for each block of couplings.
void measure_gains(const DenseShape &pairs, Span<const double> point, Span<const double> log_f, const GroupStates &states, double *u,
                   Threads threads) {
  constexpr int64_t kBlock = 8;
  const int64_t L = pairs.sites, q = pairs.colors;
  parallel_for(threads, (states.groups + kBlock - 1) / kBlock, [&](int64_t task, int) {
    const int64_t first = task * kBlock, n = std::min(kBlock, states.groups - first);
    const uint8_t *colors = states.colors + first * L * kGibbsLanes;
    double *to = u + first * kGibbsLanes;
    std::fill_n(to, n * kGibbsLanes, 0.0);
    const auto add = [&](auto &&term) {
      for (int64_t g = 0; g < n; ++g)
        for (int64_t lane = 0; lane < kGibbsLanes; ++lane) to[g * kGibbsLanes + lane] += term(colors + g * L * kGibbsLanes + lane);
    };
    for (int64_t i = 0; i < L; ++i) {
      const double *h = point.data() + i * q, *profile = log_f.data() + i * q;
      add([&](const uint8_t *s) { return h[s[i * kGibbsLanes]] - profile[s[i * kGibbsLanes]]; });
      for (int64_t k = pairs.below(i); k < pairs.degree(i); ++k) {
        const int64_t j = pairs.neighbor(i, k);
        const double *block = point.data() + L * q + pairs.pair(i, k) * q * q;
        add([&](const uint8_t *s) { return block[s[i * kGibbsLanes] * q + s[j * kGibbsLanes]]; });
      }
    }
  });
}

// Returns how many pairs of rungs exchanged.
int64_t Exchange::swap_ladder(int64_t ladder, int64_t round, uint8_t *colors) const {
  const int64_t group = ladder / kGibbsLanes, lane = ladder % kGibbsLanes, L = pairs_.sites, lanes = groups_ * kGibbsLanes;
  const RandomView random(seed_, Stream::swap, static_cast<uint64_t>(ladder), static_cast<uint64_t>(round));
  int64_t swaps = 0;
  for (int64_t r = round % 2; r + 1 < rungs_; r += 2) {
    const double gain = (time(r) - time(r + 1)) * (u_[(r + 1) * lanes + ladder] - u_[r * lanes + ladder]);
    if (!(std::log(random.uniform(static_cast<uint64_t>(r))) < gain)) continue;
    uint8_t *one = colors + (r * groups_ + group) * L * kGibbsLanes + lane, *other = one + groups_ * L * kGibbsLanes;
    for (int64_t i = 0; i < L; ++i) std::swap(one[i * kGibbsLanes], other[i * kGibbsLanes]);
    ++swaps;
  }
  return swaps;
}

void Exchange::swap(Span<const double> point, int64_t round, uint8_t *colors, Threads threads) {
  measure_gains(pairs_, point, log_f_, {colors, rungs_ * groups_}, u_.data(), threads);
  parallel_for(threads, groups_, [&](int64_t g, int) {
    swapped_[g] = 0;
    for (int64_t lane = 0; lane < kGibbsLanes; ++lane) swapped_[g] += swap_ladder(g * kGibbsLanes + lane, round, colors);
  });
  tried_ += groups_ * kGibbsLanes * ((rungs_ - round % 2) / 2);
  for (int64_t swaps : swapped_) accepted_ += swaps;
}

}  // namespace atp
