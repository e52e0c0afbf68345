// SPDX-License-Identifier: MIT
#include "learn/dense/pair_lists.hpp"

#include <algorithm>

namespace atp {

void PairLists::lay_out(Arena &arena) {
  pairs_ = arena.take<SitePair>(count_);
  for (Span<int64_t> *x : {&begins_, &firsts_}) *x = arena.take<int64_t>(sites_ + 1);
  below_ = arena.take<int64_t>(sites_);
  for (Span<int32_t> *x : {&neighbors_, &places_}) *x = arena.take<int32_t>(2, count_);
}

// The pairs are sorted. Those in which a site is the second come before those in which it is the first, so that each site meets its
// neighbours in ascending order.
void PairLists::init(const int64_t *pairs) {
  sort_pairs(pairs, sites_, "pairs", pairs_);
  for (const SitePair &p : pairs_) {
    ++begins_[p.first + 1];
    ++begins_[p.second + 1];
    ++firsts_[p.first + 1];
    ++below_[p.second];
  }
  for (int64_t i = 0; i < sites_; ++i) {
    most_ = std::max(most_, begins_[i + 1]);
    begins_[i + 1] += begins_[i];
    firsts_[i + 1] += firsts_[i];
  }
  for (int64_t n = 0; n < count_; ++n) {
    const SitePair p = pairs_[n];
    // begins_[i] moves along while site i is filled, and is put back below.
    for (const auto &[own, other] : {std::pair(p.first, p.second), std::pair(p.second, p.first)}) {
      const int64_t at = begins_[own]++;
      neighbors_[at] = static_cast<int32_t>(other);
      places_[at] = static_cast<int32_t>(n);
    }
  }
  for (int64_t i = sites_; i > 0; --i) begins_[i] = begins_[i - 1];
  begins_[0] = 0;
}

int64_t PairLists::place(int64_t i, int64_t j) const {
  const Span<const int32_t> all = neighbors_.sub(begins_[i], degree(i));
  return std::lower_bound(all.begin(), all.end(), static_cast<int32_t>(j)) - all.begin();
}

}  // namespace atp
