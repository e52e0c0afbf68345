// SPDX-License-Identifier: MIT
// The loss of accepted substitutions, see attopotts/selection.h: which single changes of a sequence its relatives have made.
#pragma once

#include "alignment/alignment.hpp"
#include "potts/model.hpp"

namespace atp {

struct SubstitutionRule {
  int64_t allowed = 0;  // differing columns of relatives
  int64_t gap = -1;     // colour of the data that is neither changed nor reached; -1: none
  int64_t first = 0;    // colour of the data that is colour 0 of the model
};

// accepted[L][q] = 1 for the substitutions of sequence n by its relatives among `rows`, else 0; their number.
int64_t find_accepted(const Alignment &alignment, const SubstitutionRule &rule, int64_t n, Span<const int64_t> rows, uint8_t *accepted);

// The loss of one sequence with energies of all its single mutants, delta[L][colours of the model].
double substitution_loss(const Alignment &alignment, const SubstitutionRule &rule, int64_t n, const uint8_t *accepted, const double *delta);

}  // namespace atp
