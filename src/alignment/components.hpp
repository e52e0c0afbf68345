// SPDX-License-Identifier: MIT
// Principal components of sequences, and coordinates of sequences along them. The formulas are with atp_statistics_components().
#pragma once

#include "alignment/alignment.hpp"
#include "base/team.hpp"
#include "math/leading.hpp"

namespace atp {

// An alignment in q colours: all of its own, or those after the first, which then means missing data.
struct Colored {
  const Alignment &alignment;
  int64_t missing;  // 0 or 1
  int64_t q() const { return alignment.colors() - missing; }
};

class Components {
 public:
  static constexpr int64_t kMost = LeadingEigen::kBlock;

  // `count` sequences at most will be analysed.
  Components(Arena &arena, int64_t count, int64_t sites, int64_t q);
  // Finds the components of the data, starting from those that it found last. Logs a warning if they are not accurate.
  void find(const Colored &data, int64_t components, Threads threads);
  // The variance along component k, 0 where sequences differ in fewer directions.
  double variance(int64_t k) const { return eigen_.value(k); }
  // Coordinates of other sequences, [count][components].
  void project(const Colored &sequences, int64_t components, Threads threads, double *coordinates) const;

 private:
  struct Product;

  int64_t sites_, q_;
  LeadingEigen eigen_;
  Span<double> frequencies_;  // [sites][q]
  Span<double> vectors_;      // [sites][q][kMost], less their means over the colours with these frequencies
  Span<double> coordinates_;  // [count][kMost]
};

}  // namespace atp
