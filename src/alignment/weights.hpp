// SPDX-License-Identifier: MIT
// Weights of sequences that reduce the effect of similar ones.
#pragma once

#include "base/heartbeat.hpp"
#include "alignment/alignment.hpp"

#include <attopotts/weights.h>

namespace atp {

extern const TableKind kWeightsTable;

// The largest number of differing columns between neighbours that are compared in so many; -1 for no neighbours.
// theta is a fraction of the columns. theta * columns counts as whole if it is whole up to rounding.
int64_t allowed_differences(double theta, int64_t columns, atp_weight_rule rule);

// w_n = 1 / (number of sequences, n included, that are neighbours of n). Exact for any number of threads.
// ATP_OUTCOME_CANCELLED: the run was stopped, the weights are as before.
atp_outcome weigh_sequences(Context &context, Alignment &alignment, double theta, atp_weight_rule rule, Reporter &reporter);

// For each theta a row of atp_weights_column, as weigh_sequences() would weigh. The table has room.
void scan_weights(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule, Table &table);

// The mean fraction of identical columns of two sequences, from counts per column. Needs at least two
// sequences.
double mean_identity(const Alignment &alignment);
// min(0.5, 0.1216 / mean_identity).
double automatic_theta(const Alignment &alignment);

}  // namespace atp
