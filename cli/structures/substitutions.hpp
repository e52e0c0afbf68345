// SPDX-License-Identifier: MIT
// Scores of pairs of residues in alignments.
#pragma once

#include <array>
#include <cstdint>

namespace cli {

class Substitutions {
 public:
  explicit Substitutions(bool protein);
  int score(char a, char b) const { return scores_[static_cast<uint8_t>(a)][static_cast<uint8_t>(b)]; }

 private:
  std::array<std::array<int8_t, 256>, 256> scores_;
};

// Whether two letters are the same residue: T and U are.
inline bool same_residue(char a, char b) { return a == b || (a == 'T' && b == 'U') || (a == 'U' && b == 'T'); }

}  // namespace cli
