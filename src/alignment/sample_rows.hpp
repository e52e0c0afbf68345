// SPDX-License-Identifier: MIT
// Random sequences of an alignment.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// Numbers 0..count-1 in ascending order, drawn uniformly. `replace`: each by itself, as resample_weights() of the sample 0 draws them;
// otherwise all different, the first of one random order, so that more of them contain fewer. Throws ATP_E_TOO_LARGE from 2^32 on.
void sample_rows(Context &context, int64_t count, bool replace, uint64_t seed, Span<int64_t> rows);

}  // namespace atp
