// SPDX-License-Identifier: MIT
// Whether chains visit the same parts of state space in the same proportions: R-hat of overlaps with reference sequences. The energy
// does not tell basins of equal energy apart; an overlap does. Nothing here allocates.
#pragma once

#include "base/arena.hpp"
#include "base/span.hpp"
#include "sample/record.hpp"

#include <cstdint>

namespace atp {

inline constexpr int64_t kOverlapReferences = 16;  // at most
inline constexpr int64_t kOverlapTimes = 5;        // at least: split R-hat needs four, and the last states are references

// Work space for records of at most `times` times and `chains` chains.
struct OverlapWork {
  Span<int64_t> equal;   // [chains][times], numbers of sites
  Span<double> series;   // [chains][times]
  Span<int64_t> counts;  // [2 sites + 1]
  Span<double> scores;   // [2 sites + 1]
  void lay_out(Arena &arena, int64_t times, int64_t chains, int64_t sites);
};

// R-hat of the overlaps q_r(s) = (number of sites where s and reference r are equal) / sites. References are the last states of the
// chains c = k C / R, k = 0..R - 1, R = min(C, 16); the last states of all chains are left out of the series. For each reference it is
// the larger of the rank-normalised split R-hat of q_r and that of |q_r - median q_r|, which sees chains of different width; the result
// is the largest of all references. 0 for fewer than kOverlapTimes times. Infinite if every half of a chain is constant and they differ.
// Source: A. Vehtari et al., Bayesian Anal. 16, 667 (2021), sec. 4.
double overlap_rhat(const Record &record, const OverlapWork &work);

}  // namespace atp
