// SPDX-License-Identifier: MIT
// Lists of pairs of sites: their checks and their order.
#pragma once

#include "base/span.hpp"

#include <cstdint>

namespace atp {

struct SitePair {
  int64_t first, second;  // first < second
};

constexpr int64_t all_pairs(int64_t sites) { return sites * (sites - 1) / 2; }
// The place of the pair i < j among all pairs in the order (0, 1), (0, 2), ...
constexpr int64_t pair_place(int64_t sites, int64_t i, int64_t j) { return i * (2 * sites - i - 1) / 2 + j - i - 1; }

// Writes pairs [count][2], each in any order of its two sites, as sorted.size() = count pairs in the order above. Throws ATP_E_VALUE where
// a site is out of range, a pair is a site and itself, or a pair is there twice; `name` is what the text calls the list.
void sort_pairs(const int64_t *pairs, int64_t sites, const char *name, Span<SitePair> sorted);
// Throws ATP_E_VALUE unless 1 <= count <= L (L - 1) / 2.
void check_pair_count(int64_t count, int64_t sites, const char *name);

}  // namespace atp
