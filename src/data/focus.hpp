// SPDX-License-Identifier: MIT
// The columns where one sequence has a residue, numbered by it.
#pragma once

#include "data/alignment.hpp"

namespace atp {

// The sequence that a name means: the one with exactly this name, else the one whose name is it followed by '/12-170'. Throws ATP_E_VALUE
// where there is none (with the nearest names), or more than one.
int64_t find_sequence(const Alignment &source, const char *name);

// Keep the columns where a sequence has no gap (colour 0). Site numbers count its residues from the start in its name '/12-170', or from 1,
// also those of insert columns; backwards where the end in the name is smaller, as in genes of the other strand. A warning says where the
// name tells another number of residues. Throws ATP_E_VALUE where less than two columns would be left.
Alignment *focus_alignment(Context &context, const Alignment &source, int64_t sequence);

}  // namespace atp
