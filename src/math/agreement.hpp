// SPDX-License-Identifier: MIT
// Rank statistics of pairs (x, y) with ties, and their bootstrap intervals. The definitions are with atp_agreement.
#pragma once

#include "base/span.hpp"
#include "base/team.hpp"

#include <cstddef>
#include <cstdint>

namespace atp {

enum class Agreement { spearman = 1, kendall = 2, auc = 3, recall = 4 };

struct AgreementProblem {
  Agreement measure;
  const double *x, *y;  // [n], finite
  int64_t n;
  int64_t top;  // of the recall, 1..n
};

// Work space of agreement() for n pairs.
struct AgreementWork {
  Span<double> x, y;  // drawn pairs
  Span<double> a, b;  // ranks, or buffers
  Span<int64_t> order;
};

// NaN where the measure is not defined.
double agreement(const AgreementProblem &problem, const AgreementWork &work);

// The quantiles 0.025 and 0.975 over `values.size()` bootstrap draws; NaN if no draw has a value. works has one element per thread.
struct Interval {
  double low, high;
};
Interval bootstrap(const AgreementProblem &problem, uint64_t seed, Threads threads, Span<const AgreementWork> works, Span<double> values);

}  // namespace atp
