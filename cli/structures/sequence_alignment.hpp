// SPDX-License-Identifier: MIT
// Alignment of two sequences.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// Scores of pairs of residues in alignments.
class Substitutions {
 public:
  explicit Substitutions(bool protein);
  int score(char a, char b) const { return scores_[static_cast<uint8_t>(a)][static_cast<uint8_t>(b)]; }

 private:
  std::array<std::array<int8_t, 256>, 256> scores_;
};

// Whether two letters are the same residue: T and U are.
inline bool same_residue(char a, char b) { return a == b || (a == 'T' && b == 'U') || (a == 'U' && b == 'T'); }

// A sequence to align.
struct AlignedSequence {
  std::string letters;
  std::vector<bool> interrupted;  // [letters] whether residues of unknown number and kind follow; empty: nowhere
};

struct SequenceAlignment {
  std::vector<int64_t> partner;  // [letters of the first] place in the second, -1: none
  int64_t aligned = 0, identical = 0, shorter = 0;
  // Identical pairs in the residues of the shorter sequence.
  double identity() const { return shorter == 0 ? 0 : static_cast<double>(identical) / static_cast<double>(shorter); }
};

// The alignment of the highest score: BLOSUM62 for proteins, 5 and -4 for nucleic acids; a gap of n residues costs 10 + n, at the ends of
// either sequence nothing, and 1 where the other sequence is interrupted (O. Gotoh, J. Mol. Biol. 162, 705 (1982)).
SequenceAlignment align_sequences(const AlignedSequence &first, const AlignedSequence &second, bool protein);

// Lines of 60 columns: both sequences, and between them `|` for identical residues.
std::vector<std::string> alignment_lines(const std::string &first_name, const std::string &first, const std::string &second_name,
                                         const std::string &second, const SequenceAlignment &alignment);

}  // namespace cli
