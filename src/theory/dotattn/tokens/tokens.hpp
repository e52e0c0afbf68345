// SPDX-License-Identifier: MIT
// State evolution of dot-product attention for any number of tokens and students of rank one or two, by randomised quasi-Monte Carlo.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/task.hpp"

#include <attopotts/dotattn_tokens.h>

namespace atp::dotattn {

// task.d is not used.
struct Evolution {
  Task task;
  const double *alphas;
  int64_t n_alphas;
  atp_dotattn_start solution;
  int64_t points, shifts, max_iter;
  double tolerance;
  uint64_t seed;
};

// One row. Its members are the columns of atp_dotattn_tokens_column, in their order.
struct TokensRow {
  double alpha = 0;
  double eg = 0, eg_sem = 0, et = 0, et_sem = 0, q = 0, q_sem = 0, m = 0, m_sem = 0, theta = 0, theta_sem = 0;
  double q_least = 0, q_least_sem = 0, v = 0, v_sem = 0;
  double iterations = 0, residual = 0, points = 0, shifts = 0, outcome = 0;
};
static_assert(sizeof(TokensRow) == ATP_DOTATTN_TOKENS_COLUMNS * sizeof(double));

// The bytes that evolve() takes from the context.
std::size_t evolution_bytes(const Context &context, const Evolution &evolution);

// Writes rows [n_alphas].
atp_outcome evolve(Context &context, const Evolution &evolution, Reporter &reporter, double *rows);

}  // namespace atp::dotattn
