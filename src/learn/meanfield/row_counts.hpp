// SPDX-License-Identifier: MIT
// Counts of pairs of colours, a row of blocks at a time, in several threads.
#pragma once

#include "base/arena.hpp"
#include "alignment/pair_counts.hpp"

namespace atp {

class RowCounts {
 public:
  // Shape: only count, sites and colours.
  RowCounts(const AlignmentShape &shape, int threads, Arena &arena)
      : shape_(shape), orders_(arena.take<int64_t>(threads, shape.count)), counts_(arena.take<double>(threads, size())) {}
  // The counts of the blocks (i, j >= i), [L][q][q], until the thread's next call.
  double *count(const Alignment &alignment, int64_t i, int thread) const {
    int64_t *order = orders_.data() + thread * shape_.count;
    double *out = counts_.data() + thread * size();
    order_by_color(alignment, i, order);
    count_pairs(alignment, i, 0, shape_.colors, order, out);
    return out;
  }
  static std::size_t bytes(const AlignmentShape &shape, int threads) {
    Arena measure;
    RowCounts counts(shape, threads, measure);
    return measure.bytes();
  }

 private:
  int64_t size() const { return shape_.sites * shape_.colors * shape_.colors; }
  AlignmentShape shape_;
  Span<int64_t> orders_;
  Span<double> counts_;
};

}  // namespace atp
