// SPDX-License-Identifier: MIT
// Comparison of the one- and two-point statistics of two alignments. The formulas are with atp_statistics_compare().
#pragma once

#include "base/team.hpp"
#include "alignment/alignment.hpp"
#include "alignment/parts.hpp"

#include <attopotts/scores.h>

namespace atp {

// Elements of work space for compare_statistics().
int64_t comparison_scratch(const Alignment &samples, int threads);
// out[3][ATP_COMPARISON_COLUMNS]. The shapes must agree, or the data have one colour more, the first, which
// then means missing data. Sums have a fixed order, so the bits do not depend on the number of threads.
void compare_statistics(const Alignment &data, const Alignment &samples, Threads threads, Span<double> scratch, double *out);

using Comparison = double[ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS];
struct PartsComparison {
  Comparison mean, deviation;  // over the splits; NaN where there are too few sequences, or less than two splits
  double small, rest;          // summed weights of both parts, means over the splits
};
// Random parts of the data against each other, extended to the sizes of data and samples, which have this summed weight. The formulas are
// with atp_statistics_parts().
void compare_parts(Context &context, const Alignment &data, double samples, const Splits &splits, PartsComparison &out);

}  // namespace atp
