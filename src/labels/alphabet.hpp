// SPDX-License-Identifier: MIT
// The symbols of colours: named alphabets, and checks of those that callers give.
#pragma once

#include <cstdint>

namespace atp {

inline constexpr int kMaxSymbols = 255;
using AlphabetText = char[kMaxSymbols + 1];

// "protein", "rna" and "dna" stand for their symbols, first the gap; other text stands for itself.
const char *alphabet_symbols(const char *text);

// The number of symbols; throws ATP_E_ALPHABET unless they differ, are printable ASCII without the blank, and none is '>', which begins a
// FASTA header.
int64_t check_symbols(const char *symbols, const char *argument);

// Copy the symbols that a text stands for, "" for none; throws ATP_E_ALPHABET as above, ATP_E_SHAPE where they are not `colors`.
void set_alphabet(AlphabetText &alphabet, const char *text, int64_t colors, const char *argument);

}  // namespace atp
