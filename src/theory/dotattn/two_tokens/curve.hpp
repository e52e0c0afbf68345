// SPDX-License-Identifier: MIT
// Rows of a branch at many alphas, to an accuracy that is asked for.
#pragma once

#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/nested.hpp"
#include "theory/dotattn/two_tokens/path.hpp"
#include "theory/dotattn/two_tokens/solver.hpp"

namespace atp::dotattn {

// Its members are the columns of atp_dotattn_column, in their order.
struct Row {
  double branch = 0, omega = 0, alpha = 0, q = 0, m = 0, v = 0, theta = 0;
  double eg = 0, et = 0, eg_linear = 0;
  double iterations = 0, residual = 0, outcome = ATP_OUTCOME_NONE, quadrature = 0;
  double q_hat = 0, m_hat = 0, v_hat = 0, theta_hat = 0;
  double replicon = 0, jumps = 0;
  double et_broken = 0, eg_broken = 0, q1 = 0, q0 = 0, v_broken = 0, m_broken = 0, theta_broken = 0, mu = 0;
  double error_broken = 0, outcome_broken = ATP_OUTCOME_NONE;
};
static_assert(sizeof(Row) == ATP_DOTATTN_COLUMNS * sizeof(double));

struct CurveRequest {
  Problem problem;
  Kind kind;
  const double *alphas;
  int64_t n;
  double accuracy;
  int64_t max_iter;       // applications of the equations for each row
  bool breaking = false;  // also one step of replica symmetry breaking
};

// Bytes that curve() of n alphas takes of the context, and transition() with n = 0.
std::size_t scratch_bytes(const Context &context, int64_t n, bool breaking = false);

// Fill rows[n][columns]; CONVERGED where all rows are.
atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows, int64_t columns);

// One step of replica symmetry breaking from a replica-symmetric solution of dot-product attention.

struct BrokenRow {
  BrokenOrder order{};
  double shift = 0;                        // of e_t, against replica symmetry on the same nodes
  double error = 0;                        // of the shift: its change on finer nodes
  atp_outcome outcome = ATP_OUTCOME_NONE;  // NONE: the jumps of x are too rare, and the shift too small, for the nodes that there are
};

BrokenRow break_symmetry(NestedFields &fields, const Problem &problem, Kind kind, const Solution &symmetric, const Spread &spread);

}  // namespace atp::dotattn
