// SPDX-License-Identifier: MIT
// Reads matrices of whole numbers from a text in memory.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/text.hpp"

namespace atp {

// Reads one sequence per line: numbers 0..254, separated by blanks or tabs or by one comma. Empty lines and
// lines that begin with '#' are skipped. colors 0 means the largest number plus one, at least 2. Throws
// ATP_E_FORMAT or (a number >= colors) ATP_E_ALPHABET, with label and line.
Alignment *parse_integers(Context &context, const Text &text, int64_t colors);

}  // namespace atp
