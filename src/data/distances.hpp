// SPDX-License-Identifier: MIT
// Distances between sites from memory.
#pragma once

#include "data/text.hpp"

namespace atp {

struct DistanceCount {
  int64_t pairs = 0;  // lines with two different numbers
  int64_t used = 0;   // those whose numbers are both sites
};

// Lines `i j d` or `i j x d`, all of one kind: numbers of two sites, anything, a distance >= 0; separated by blanks, tabs or commas; '#'
// starts a comment. out is [sites][sites], symmetric, NaN where nothing is known and 0 on the diagonal; of several distances of a pair the
// smallest counts; i = j is skipped. numbers [sites] are the sites' own, or NULL for 1..sites. Throws ATP_E_FORMAT with label and line.
DistanceCount parse_distances(const Text &text, const int64_t *numbers, int64_t sites, double *out);

}  // namespace atp
