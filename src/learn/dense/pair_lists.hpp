// SPDX-License-Identifier: MIT
// For training on some pairs of sites only: the neighbours of every site, that is, the sites that it is coupled to. Made once, in a
// block of its own; a learner keeps it.
#pragma once

#include "base/arena.hpp"
#include "potts/pair_list.hpp"

namespace atp {

class PairLists {
 public:
  PairLists(int64_t sites, int64_t count) : sites_(sites), count_(count) {}
  void lay_out(Arena &arena);
  // pairs [count][2] as sort_pairs() takes them.
  void init(const int64_t *pairs);

  int64_t count() const { return count_; }
  Span<const SitePair> pairs() const { return pairs_; }
  int64_t most_neighbors() const { return most_; }

  int64_t degree(int64_t i) const { return begins_[i + 1] - begins_[i]; }
  int64_t below(int64_t i) const { return below_[i]; }  // neighbours before i
  // Neighbour k of site i, in ascending order, and the number of their pair.
  int64_t neighbor(int64_t i, int64_t k) const { return neighbors_[begins_[i] + k]; }
  int64_t pair(int64_t i, int64_t k) const { return places_[begins_[i] + k]; }
  // Which neighbour of i site j is; they are a pair.
  int64_t place(int64_t i, int64_t j) const;
  // Neighbours of the sites before i, and pairs whose first site is before i; i may be L.
  int64_t first_neighbor(int64_t i) const { return begins_[i]; }
  int64_t first_pair(int64_t i) const { return firsts_[i]; }

  std::size_t block_bytes = 0;

 private:
  int64_t sites_, count_;
  int64_t most_ = 0;
  Span<SitePair> pairs_;
  Span<int64_t> begins_, firsts_, below_;  // [L + 1], [L + 1], [L]
  Span<int32_t> neighbors_, places_;       // [2 count]
};

}  // namespace atp
