// SPDX-License-Identifier: MIT
// Sequences are taken in tiles, in the order of the rule. Those of a tile are first compared with all that are kept, which is shared out
// among the threads, then with each other, one after the other.
#include "alignment/redundancy.hpp"

#include "alignment/packed_sequences.hpp"
#include "alignment/subset.hpp"
#include "base/team.hpp"

#include <algorithm>

namespace atp {

namespace {

class GreedyFilter {
 public:
  GreedyFilter(Context &context, const Alignment &source, double identity)
      : context_(context),
        source_(source),
        threads_(context.threads),
        memory_(context.allocator, bytes(source)),
        arena_(memory_.arena()),
        packed_(arena_, source),
        counter_(arena_, context.target, source, packed_),
        order_(arena_.take<int64_t>(source.count())),
        kept_(arena_.take<int64_t>(source.count())),
        by_thread_(arena_.take<int32_t>(source.count(), threads_)) {
    const double theta = 1 - identity;
    counter_.set({&theta, 1}, ATP_WEIGHTS_STRICT, true);
    sort_by_residues();
  }

  // The kept sequences, ascending.
  Span<const int64_t> run() {
    for (int64_t first = 0; first < order_.size(); first += kTile) take_tile(first, std::min(order_.size(), first + kTile));
    std::sort(kept_.begin(), kept_.begin() + count_);
    return kept_.sub(0, count_);
  }

 private:
  static constexpr int64_t kTile = 512, kPart = 16;  // sequences of a tile, and of a task

  std::size_t bytes(const Alignment &source) const {
    const int64_t n = source.count(), sites = source.sites();
    return PackedSequences::bytes(n, sites) + NeighbourCounter::bytes(n, sites) + 2 * Scratch::piece<int64_t>(n) +
           Scratch::piece<int32_t>(n * threads_);
  }

  // The first sequence, then the others by their number of residues, descending; by_thread_ holds these for the time.
  void sort_by_residues() {
    const Span<int32_t> residues = by_thread_;
    for (int64_t n = 0; n < source_.count(); ++n) {
      const uint8_t *s = source_.sequence(n);
      residues[n] = static_cast<int32_t>(source_.sites() - std::count(s, s + source_.sites(), uint8_t{0}));
      order_[n] = n;
    }
    std::sort(order_.begin() + 1, order_.end(),
              [&](int64_t a, int64_t b) { return residues[a] != residues[b] ? residues[a] > residues[b] : a < b; });
  }

  // Packs the kept sequences and behind them those of the tile, and compares.
  void take_tile(int64_t first, int64_t end) {
    const int64_t before = count_, size = end - first, all = before + size;
    std::copy(order_.begin() + first, order_.begin() + end, kept_.begin() + before);
    counter_.pack(kept_.sub(0, all));
    std::fill(by_thread_.begin(), by_thread_.end(), 0);
    const int64_t stride = source_.count();
    parallel_for(context_.threads, (size + kPart - 1) / kPart, [&](int64_t task, int thread) {
      const int64_t m = before + task * kPart;
      if (before > 0) counter_.count(packed_.block(0, before, m, std::min(m + kPart, all)), by_thread_.data() + thread * stride);
    });
    int32_t *similar = by_thread_.data();  // to how many kept ones
    for (int64_t m = before; m < all; ++m)
      for (int64_t t = 1; t < threads_; ++t) similar[m] += by_thread_[t * stride + m];
    for (int64_t m = before; m < all; ++m) {
      if (similar[m] > 0) continue;
      kept_[count_++] = order_[first + m - before];
      if (m + 1 < all) counter_.count(packed_.block(m, m + 1, m + 1, all), similar);
    }
  }

  Context &context_;
  const Alignment &source_;
  int64_t threads_;
  Scratch memory_;
  Arena arena_;
  PackedSequences packed_;
  NeighbourCounter counter_;
  Span<int64_t> order_, kept_;  // kept_: the first count_, and the tile behind them
  Span<int32_t> by_thread_;     // [threads][sequences]
  int64_t count_ = 0;
};

}  // namespace

Alignment *filter_identity(Context &context, const Alignment &source, double identity) {
  GreedyFilter filter(context, source, identity);
  return take_sequences(context, source, filter.run());
}

}  // namespace atp
