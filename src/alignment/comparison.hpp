// SPDX-License-Identifier: MIT
// Comparison of the one- and two-point statistics of two alignments. The formulas are with
// atp_statistics_compare().
#pragma once

#include "base/team.hpp"
#include "alignment/alignment.hpp"

namespace atp {

// Elements of work space for compare_statistics().
int64_t comparison_scratch(const Alignment &samples, int threads);
// out[3][ATP_COMPARISON_COLUMNS]. The shapes must agree, or the data have one colour more, the first, which
// then means missing data. Sums have a fixed order, so the bits do not depend on the number of threads.
void compare_statistics(const Alignment &data, const Alignment &samples, Threads threads, Span<double> scratch, double *out);

}  // namespace atp
