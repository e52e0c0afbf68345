// SPDX-License-Identifier: MIT
// The symbols of colours: named alphabets, checks of alphabets from callers, the meaning of each byte of a sequence.
#pragma once

#include "base/error.hpp"

#include <cstddef>
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

inline constexpr int16_t kUnknownSymbol = -1, kSkippedSymbol = -2, kInsertSymbol = -3, kInsertGap = -4;

// The meaning of each byte of a sequence. Blanks, tabs and line ends are skipped. '.' stands for '-' if the alphabet has '-' and no '.'.
// Lower case stands for upper case if the alphabet has no lower case. With `inserts` both are symbols of insert columns instead. In an
// alphabet of nucleotides T stands for U, or U for T. A symbol of the alphabet always stands for itself.
class SymbolTable {
 public:
  SymbolTable(const char *symbols, bool inserts);
  int16_t operator[](char c) const { return color_[static_cast<unsigned char>(c)]; }
  // The other letter of the pair T, U: the one that is not in the alphabet but has a colour; 0 where there is none.
  char other_base() const { return other_base_; }
  bool is_other_base(char c) const { return other_base_ != 0 && (c & ~0x20) == other_base_; }

 private:
  void set(char c, int16_t value) { color_[static_cast<unsigned char>(c)] = value; }
  int16_t color_[256];
  char other_base_ = 0;
};

struct SymbolCounts {
  int64_t known = 0, unknown = 0;
  int64_t unknown_of[256] = {};
  void add_unknown(char c) {
    ++unknown;
    ++unknown_of[static_cast<unsigned char>(c)];
  }
  // "'X' 7, 'B' 4, ...": the most frequent first, at most eight.
  void list_unknown(char *out, std::size_t size) const;
  // The named alphabet to which the unknown symbols point: "rna" for U, "dna" for T, "protein" for letters that stand for no nucleotides.
  // nullptr where they point to none.
  const char *fitting_alphabet() const;
};

}  // namespace atp
