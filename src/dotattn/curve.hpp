// SPDX-License-Identifier: MIT
// Rows of a branch at many alphas, to an accuracy that is asked for.
#pragma once

#include "base/progress.hpp"
#include "dotattn/branch.hpp"

namespace atp::dotattn {

// Its members are the columns of atp_dotattn_column, in their order.
struct Row {
  double branch = 0, omega = 0, alpha = 0, q = 0, m = 0, v = 0, theta = 0;
  double eg = 0, et = 0, eg_linear = 0;
  double iterations = 0, residual = 0, outcome = ATP_OUTCOME_NONE, quadrature = 0;
  double q_hat = 0, m_hat = 0, v_hat = 0, theta_hat = 0;
};
static_assert(sizeof(Row) == ATP_DOTATTN_COLUMNS * sizeof(double));

// (alpha rho / 2) E |softmax(x x^T) - T|^2 + lambda q / (2 sigma^2), and (rho / 2) E |softmax(w w^T) - T|^2.
double training_loss(const Problem &problem, const Solution &solution);
double test_loss(const Problem &problem, const Solution &solution);

// A solution on finer and finer levels from the one that `at` was found on, until it changes by at most `accuracy` relatively. *level is
// where it ends, *error the last change of q, V, the order parameter and the losses; Found::lost where the levels end first or a
// level loses the solution.
Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error);

struct CurveRequest {
  Problem problem;
  Kind kind;
  const double *alphas;
  int64_t n;
  double accuracy;
  int64_t max_iter;  // applications of the equations for each row
};

// Bytes that curve() of n alphas takes of the context, and transition() with n = 0.
std::size_t scratch_bytes(const Context &context, int64_t n);

// Fill rows[n][columns]; CONVERGED where all rows are.
atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows, int64_t columns);

}  // namespace atp::dotattn
