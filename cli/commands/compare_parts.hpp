// SPDX-License-Identifier: MIT
// What independent samples would give in `compare`: random parts of the data against each other, extended to the sizes of data and samples.
#pragma once

#include "support/session.hpp"

#include <array>
#include <string>

namespace cli {

// [ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS] numbers.
using Comparison = std::array<std::array<double, ATP_COMPARISON_COLUMNS>, ATP_COMPARISON_ROWS>;

Comparison compare_statistics(const Session &session, const atp_alignment *data, const atp_alignment *samples);

struct PartsComparison {
  Comparison mean, deviation;  // over the splits; NaN where there are too few sequences, or less than two splits
  double small = 0, rest = 0;  // summed weights of both parts, averages
};

// Splits the data at random into a part of as many effective sequences as the samples have, at most half of the data, and the rest. Their
// numbers are extended to as many sequences as data and samples have: `samples` is the summed weight of these.
PartsComparison compare_parts(const Session &session, const atp_alignment *data, double samples, int64_t splits);

}  // namespace cli
