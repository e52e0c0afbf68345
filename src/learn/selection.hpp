// SPDX-License-Identifier: MIT
// Cross-validation of penalties and numbers of heads; attopotts/selection.h has the rules.
#pragma once

#include "learn/objective.hpp"
#include "alignment/weights.hpp"
#include "base/progress.hpp"

#include <attopotts/selection.h>

namespace atp {

// Throws ATP_E_VALUE or ATP_E_CONFLICT where this alignment and these options have no selection.
void check_selection(const Options &options, const Alignment &alignment);
// The number of rows that a selection appends at most.
int64_t selection_rows(const Options &options);
// The pairs [count][2] that have couplings, as create_trainer() takes them; NULL: all.
struct SelectedPairs {
  const int64_t *pairs = nullptr;
  int64_t count = 0;
};
// Appends the path to the table; not where it was cancelled.
atp_outcome select_penalty(const Alignment &alignment, const Options &options, const SelectedPairs &pairs, Reporter &reporter,
                           Table &table);

// --- losses of held-out sequences (held_out.cpp) ---

// The site-independent model: fields h [q] that minimise sum_a n_a -log p(a) + penalty |h|^2, p(a) = exp(h_a) / sum_b exp(h_b), for one
// site; counts[q] >= 0, and penalty > 0. Newton's method; the objective is strictly convex. Writes log p(a), [q].
void fit_site(const double *counts, int64_t colors, double penalty, double *log_probabilities);

// Accepted substitutions: which single changes of a sequence its relatives have made.
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
