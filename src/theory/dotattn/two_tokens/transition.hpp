// SPDX-License-Identifier: MIT
// The transition: the alpha above which the semantic branch has a smaller training loss than the positional one (the smaller one is the
// global minimum under replica symmetry), and the alphas at which the branches begin and end.
#pragma once

#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/curve.hpp"

namespace atp::dotattn {

// Its members are the columns of atp_dotattn_transition_column, in their order.
struct TransitionRow {
  double omega = 0, alpha_c = 0, alpha_linear = 0, alpha_semantic = 0, alpha_positional = 0, alpha_positional_end = 0;
  double error_c = 0, error_linear = 0, eg_linear = 0, et = 0, iterations = 0, outcome = ATP_OUTCOME_NONE;
};
static_assert(sizeof(TransitionRow) == ATP_DOTATTN_TRANSITION_COLUMNS * sizeof(double));

struct TransitionRequest {
  Problem problem;  // omega comes from the list
  const double *omegas;
  int64_t n;
  double accuracy;
  int64_t max_iter;
};

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows, int64_t columns);

}  // namespace atp::dotattn
