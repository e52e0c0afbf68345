// SPDX-License-Identifier: MIT
#include "learn/likelihood/sample.hpp"

#include <algorithm>

namespace atp {

void Sample::lay_out(Arena &arena) {
  counter_.lay_out(arena);
  columns_ = arena.take<uint8_t>(pairs_.sites, count());
  p_ = arena.take<double>(pairs_.sites, pairs_.colors);
  counts_ = arena.take<uint32_t>(threads_, counter_.count_size(0));
}

void Sample::put(int64_t first, const uint8_t *colors, int64_t n, Threads threads) {
  const int64_t L = pairs_.sites;
  parallel_for(threads, n, [&](int64_t g, int) {
    const uint8_t *group = colors + g * L * kGibbsLanes;
    counter_.set_group(first + g, group);
    for (int64_t i = 0; i < L; ++i)
      std::copy_n(group + i * kGibbsLanes, kGibbsLanes, columns_.data() + i * count() + (first + g) * kGibbsLanes);
  });
}

void Sample::count_colors(Threads threads) {
  const int64_t q = pairs_.colors;
  parallel_for(threads, pairs_.sites, [&](int64_t i, int) {
    uint32_t counts[kMaxColors] = {};
    const uint8_t *column = columns_.data() + i * count();
    for (int64_t c = 0; c < count(); ++c) ++counts[column[c]];
    for (int64_t a = 0; a < q; ++a) p_[i * q + a] = counts[a] / static_cast<double>(count());
  });
}

}  // namespace atp
