// SPDX-License-Identifier: MIT
// Mutual information of pairs of columns, in nats.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

void mutual_information(Context &context, const Alignment &alignment, double pseudocount, double *out);

}  // namespace atp
