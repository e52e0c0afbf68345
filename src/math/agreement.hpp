// SPDX-License-Identifier: MIT
// Rank statistics of pairs (x, y) with ties, and their bootstrap intervals. The definitions are with atp_agreement.
#pragma once

#include "base/context.hpp"
#include "base/table.hpp"

#include <attopotts/diagnostics.h>
#include <attopotts/mutations.h>

namespace atp {

extern const TableKind kMeasuredTable;

enum class Agreement { spearman = 1, kendall = 2, auc = 3, recall = 4 };

struct AgreementProblem {
  Agreement measure;
  const double *x, *y;  // [n], finite
  int64_t n;
  int64_t top;  // of the recall, 1..n
};

// Work space of agreement() for n pairs or fewer.
struct AgreementWork {
  Span<double> x, y;  // drawn pairs
  Span<double> a, b;  // ranks, or buffers
  Span<int64_t> order;
};

// NaN where the measure is not defined.
double agreement(const AgreementProblem &problem, const AgreementWork &space);

// The quantiles 0.025 and 0.975 over `values.size()` bootstrap draws; NaN if no draw has a value. works has one element per thread.
struct Interval {
  double low, high;
};
Interval bootstrap(const AgreementProblem &problem, uint64_t seed, Threads threads, Span<const AgreementWork> works, Span<double> values);

struct Draws {
  int64_t count;  // 0: no intervals
  uint64_t seed;
};
// A measure and its interval, NaN without draws.
struct Measure {
  double value;
  Interval interval;
};
Measure measure_agreement(Context &context, const AgreementProblem &problem, const Draws &draws);

// Mean, standard deviation and quantiles of numbers over samples, values [samples][numbers], errors [numbers][ATP_BOOTSTRAP_COLUMNS].
// sorted [samples] is work space.
void bootstrap_errors(Span<const double> values, int64_t numbers, Span<double> sorted, double *errors);

// Scores of mutants, measurements (NaN: none), numbers of mutations.
struct MeasuredMutants {
  const double *scores, *measured;
  const int64_t *mutations;
  int64_t n;
};
// The groups of atp_mutants_agreement(): all measured mutants, and those with as many mutations.
int64_t count_groups(Context &context, const MeasuredMutants &mutants);
// Appends the rows of all groups to a table that has room. top and threshold are those of atp_mutants_agreement().
struct GroupSettings {
  Draws draws;
  int64_t top;
  double threshold;
};
void measure_groups(Context &context, const MeasuredMutants &mutants, const GroupSettings &settings, Table &table);

}  // namespace atp
