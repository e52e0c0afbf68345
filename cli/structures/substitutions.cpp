// SPDX-License-Identifier: MIT
#include "structures/substitutions.hpp"

#include <gemmi/resinfo.hpp>
#include <gemmi/seqalign.hpp>

#include <string>

namespace cli {

Substitutions::Substitutions(bool protein) {
  constexpr int8_t kSame = 5, kOther = -4, kUnknown = -1;
  for (std::array<int8_t, 256> &row : scores_) row.fill(protein ? kUnknown : kOther);
  if (!protein) {
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b)
        if (same_residue(static_cast<char>(a), static_cast<char>(b))) scores_[static_cast<uint8_t>(a)][static_cast<uint8_t>(b)] = kSame;
    return;
  }
  const gemmi::AlignmentScoring blosum = gemmi::prepare_blosum62_scoring();
  std::string letters;
  for (const std::string &name : blosum.matrix_encoding) letters += gemmi::find_tabulated_residue(name).one_letter_code;
  for (std::size_t a = 0; a < letters.size(); ++a)
    for (std::size_t b = 0; b < letters.size(); ++b)
      scores_[static_cast<uint8_t>(letters[a])][static_cast<uint8_t>(letters[b])] = blosum.score_matrix[a * letters.size() + b];
}

}  // namespace cli
