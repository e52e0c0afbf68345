// SPDX-License-Identifier: MIT
#include "learn/likelihood/sample.hpp"

namespace atp {

void Sample::lay_out(Arena &arena) {
  counter_.lay_out(arena);
  p_ = arena.take<double>(pairs_.sites, pairs_.colors);
  counts_ = arena.take<uint32_t>(threads_, most_counts());
}

void Sample::put(int64_t first, const uint8_t *colors, int64_t n, Threads threads) {
  const int64_t L = pairs_.sites;
  parallel_for(threads, n, [&](int64_t g, int) { counter_.set_group(first + g, colors + g * L * kGibbsLanes); });
}

const uint32_t *Sample::pairs_of(Target target, int64_t i, int thread) const {
  uint32_t *counts = counts_.data() + thread * most_counts();
  if (method_ == PairCountMethod::sites) {
    counter_.count_site(target, i, thread, counts);
    return counts;
  }
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k)
    counter_.count_pair(i, pairs_.neighbor(i, k), thread, counts + place(i, k) * pairs_.block());
  return counts;
}

void Sample::count_colors(Threads threads) {
  const int64_t q = pairs_.colors;
  parallel_for(threads, pairs_.sites, [&](int64_t i, int) {
    uint32_t counts[kMaxColors] = {};
    const uint8_t *column = counter_.column(i);
    for (int64_t c = 0; c < count(); ++c) ++counts[column[c]];
    for (int64_t a = 0; a < q; ++a) p_[i * q + a] = counts[a] / static_cast<double>(count());
  });
}

}  // namespace atp
