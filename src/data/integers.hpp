// SPDX-License-Identifier: MIT
// Matrices of whole numbers from memory.
#pragma once

#include "data/alignment.hpp"
#include "data/text.hpp"

namespace atp {

// A sequence per line: numbers 0..254, separated by blanks or tabs or by one comma; empty lines and lines that begin with '#' are skipped.
// colors 0: the largest number plus one, at least 2. Throws ATP_E_FORMAT or (a number >= colors) ATP_E_ALPHABET with label and line.
Alignment *parse_integers(Context &context, const Text &text, int64_t colors);

}  // namespace atp
