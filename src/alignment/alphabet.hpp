// SPDX-License-Identifier: MIT
// The symbols of colours: named alphabets, and checks of alphabets from callers.
#pragma once

#include "base/for_io.hpp"

#include <cstdint>

namespace atp {

inline constexpr int kMaxSymbols = 255;
using AlphabetText = char[kMaxSymbols + 1];

// Returns the symbols of "protein", "rna" or "dna", gap first; returns any other text unchanged.
ATP_FOR_IO const char *alphabet_symbols(const char *text);

// The colour of the gap: 0 where an alphabet begins with - . _ or ~, else -1.
int64_t gap_color(const char *alphabet);

// Returns the number of symbols. Throws ATP_E_ALPHABET unless they are distinct, printable ASCII, not blank and
// not '>', which begins a FASTA header.
ATP_FOR_IO int64_t check_symbols(const char *symbols, const char *argument);

// Copies the symbols that a text stands for ("" for none). Throws ATP_E_ALPHABET as above, and ATP_E_SHAPE if
// there are not `colors` symbols.
ATP_FOR_IO void set_alphabet(AlphabetText &alphabet, const char *text, int64_t colors, const char *argument);

}  // namespace atp
