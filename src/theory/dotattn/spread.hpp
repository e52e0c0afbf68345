// SPDX-License-Identifier: MIT
// Rows of tables whose numbers are means over repetitions: runs of a simulation, shifts of a lattice.
#pragma once

#include "base/span.hpp"

#include <attopotts/context.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

// Mean and its standard error, in the order of the repetitions; NaN for the error of one.
template <class Result, class Number>
void mean_and_error(Span<const Result> results, Number &&number, double &mean, double &error) {
  const double n = static_cast<double>(results.size());
  double sum = 0, squares = 0;
  for (const Result &result : results) sum += number(result);
  mean = sum / n;
  for (const Result &result : results) squares += (number(result) - mean) * (number(result) - mean);
  error = n > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("");
}

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

}  // namespace atp::dotattn
