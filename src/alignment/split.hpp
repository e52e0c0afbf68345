// SPDX-License-Identifier: MIT
// Training and test sets without similar sequences.
#pragma once

#include "alignment/alignment.hpp"
#include "base/options.hpp"

#include <attopotts/weights.h>

namespace atp {

// The atp_part of each sequence, by options of ATP_OWNER_SPLIT. The same for any number of threads. Throws ATP_E_VALUE if no run has a
// sequence in each set.
void split_sequences(Context &context, const Alignment &alignment, const Options &options, Span<int64_t> parts);

}  // namespace atp
