// SPDX-License-Identifier: MIT
// What saved states of models and of alignments have in common: the alphabet, and the labels of sites.
//
// Labels are: numbers int64 [L] | residues char [L] | columns int64 [L], their total int64 | border int64. Bits say which follow
// the numbers.
#pragma once

#include "alignment/alphabet.hpp"
#include "alignment/site_labels.hpp"
#include "base/state.hpp"

namespace atp {

// Residues; columns, if some of the alignment's are missing; the border of two proteins.
inline constexpr int64_t kResidueBit = 1, kColumnBit = 2, kBorderBit = 8;

int64_t label_bits(const SiteLabels &labels);
// Bytes of labels of so many sites. Throws ATP_E_TOO_LARGE.
int64_t label_bytes(int64_t sites, int64_t bits);
void write_labels(StateWriter &writer, const SiteLabels &labels);

// The following throw ATP_E_FORMAT for what the functions above cannot have written.
void read_labels(StateReader &reader, int64_t bits, Allocator &allocator, SiteLabels &labels);
// A text in a field that ends with zeros.
void check_field(const char *field, int64_t size, const char *name);
// An alphabet: none, or a symbol for each colour. The second one also tells whether symbols differ and can be printed.
void check_alphabet(const AlphabetText &symbols, int64_t colors);
void read_alphabet(const AlphabetText &symbols, int64_t colors, AlphabetText &alphabet);

}  // namespace atp
