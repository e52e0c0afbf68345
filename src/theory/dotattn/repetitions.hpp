// SPDX-License-Identifier: MIT
// Outcomes and cells of rows whose numbers are means over repetitions: runs of a simulation, shifts of a lattice.
#pragma once

#include "base/progress.hpp"
#include "base/span.hpp"

#include <attopotts/context.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

// The first of the worst: cancelled, diverged, not converged, converged.
template <class Result>
atp_outcome worst_of(Span<const Result> results) {
  const auto badness = [](atp_outcome outcome) {
    return outcome == ATP_OUTCOME_CANCELLED ? 3 : outcome == ATP_OUTCOME_DIVERGED ? 2 : outcome == ATP_OUTCOME_CONVERGED ? 0 : 1;
  };
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  for (const Result &result : results)
    if (badness(result.outcome) > badness(worst)) worst = result.outcome;
  return worst;
}

// Columns first..last of a row get NaN.
template <class Row>
void blank(Row &row, int first, int last) {
  double numbers[sizeof(Row) / sizeof(double)];
  std::memcpy(numbers, &row, sizeof numbers);
  std::fill(numbers + first, numbers + last + 1, std::nan(""));
  std::memcpy(&row, numbers, sizeof numbers);
}

// Of a table, row by row: the first that is not CONVERGED, or CANCELLED.
inline void join_outcome(atp_outcome &table, double row) {
  const atp_outcome mine = static_cast<atp_outcome>(static_cast<int>(row));
  if (table == ATP_OUTCOME_CONVERGED || mine == ATP_OUTCOME_CANCELLED) table = mine;
}

// How long the threads go on between two reports of a computation that is made in slices.

// A round ends after one slice of each thread where reports are wanted. Otherwise it has all slices that are left until a stop is asked
// for; with several ranks it lasts for about kRound, so that all of them see the stop of one. It does not change what is computed.
class Round {
 public:
  explicit Round(const Reporter &reporter) : reporter_(reporter) {}
  // Asked by each thread after a slice.
  bool over() const {
    if (reporter_.wanted() || reporter_.flag().requested()) return true;
    return reporter_.ranks() != nullptr && std::chrono::steady_clock::now() - begin_ > kRound;
  }

 private:
  static constexpr std::chrono::milliseconds kRound{100};

  const Reporter &reporter_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace atp::dotattn
