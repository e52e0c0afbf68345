// SPDX-License-Identifier: MIT
// Weights of sequences that reduce the effect of similar ones.
#pragma once

#include "data/alignment.hpp"

#include <attopotts/alignment.h>

namespace atp {

// The largest number of differing columns between neighbours; -1 for no neighbours. theta is a fraction of the
// columns. theta * sites counts as whole if it is whole up to rounding.
int64_t allowed_differences(double theta, int64_t sites, atp_weight_rule rule);

// w_n = 1 / (number of sequences, n included, that differ from n in at most `allowed` columns). Exact for any
// number of threads.
void weigh_sequences(Context &context, Alignment &alignment, int64_t allowed);

// The mean fraction of identical columns of two sequences, from counts per column. Needs at least two
// sequences.
double mean_identity(const Alignment &alignment);
// min(0.5, 0.1216 / mean_identity).
double automatic_theta(const Alignment &alignment);

}  // namespace atp
