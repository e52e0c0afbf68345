// SPDX-License-Identifier: MIT
// A filter of similar sequences. The rule is with atp_alignment_filter_identity().
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// The sequences without those that are too similar to one that is kept. Throws as take_sequences().
Alignment *filter_identity(Context &context, const Alignment &source, double identity);

}  // namespace atp
