// SPDX-License-Identifier: MIT
// Selects the columns in which one sequence has a residue, and numbers the sites by its residues.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// The index of the sequence with exactly this name, else of the one whose name is this followed by a range such
// as '/12-170'. Throws ATP_E_VALUE if there is none (the text lists the nearest names) or more than one.
int64_t find_sequence(const Alignment &source, const char *name);

// Keeps the columns where a sequence has no gap (colour 0). Site numbers count its residues, including those of
// insert columns, from the start in its name '/12-170', or from 1. They count backwards if the end in the name
// is smaller than the start, as in genes of the other strand. Logs a warning if the range does not match the
// number of residues. Throws ATP_E_VALUE if fewer than two columns would remain.
Alignment *focus_alignment(Context &context, const Alignment &source, int64_t sequence);

}  // namespace atp
