// SPDX-License-Identifier: MIT
// Reads distances between sites from a text in memory.
#pragma once

#include "data/text.hpp"

namespace atp {

struct DistanceCount {
  int64_t pairs = 0;  // lines with two distinct numbers
  int64_t used = 0;   // those of them in which both numbers are sites
};

// Reads lines `i j d` or `i j x d`, all of one kind: two site numbers, an ignored column x, a distance >= 0.
// Blanks, tabs or commas separate columns; '#' starts a comment. out is [sites][sites], symmetric, with 0 on
// the diagonal and NaN for unknown distances. Of several distances of a pair the smallest counts. Lines with i
// = j are skipped. numbers [sites] are the sites' own, or NULL for 1..sites. Throws ATP_E_FORMAT with label and
// line.
ATP_FOR_IO DistanceCount parse_distances(const Text &text, const int64_t *numbers, int64_t sites, double *out);

}  // namespace atp
