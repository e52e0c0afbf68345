// SPDX-License-Identifier: MIT
// Energy and log pseudo-likelihood differences of all single mutants of a sequence. The formulas are with
// atp_model_mutants().
#pragma once

#include "base/team.hpp"
#include "potts/model.hpp"

namespace atp {

// Elements of work space for single_mutants() with log pseudo-likelihoods. Without them it needs none.
constexpr int64_t mutants_scratch(int64_t sites, int64_t colors, int threads) {
  return sites * (colors + 1) + threads * colors * (colors + 1);
}

// H(mutant) - H(sequence), and the same difference of the log pseudo-likelihood (NULL: not computed), [L][q].
// Each site is one task, so the bits do not depend on the number of threads.
void single_mutants(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch, double *delta_energy,
                    double *delta_log_pseudolikelihood);

}  // namespace atp
