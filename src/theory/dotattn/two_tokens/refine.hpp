// SPDX-License-Identifier: MIT
// Losses of a solution, and the same solution on finer levels of the quadrature.
#pragma once

#include "theory/dotattn/two_tokens/branch.hpp"

namespace atp::dotattn {

// (alpha rho / 2) E |softmax(x x^T) - T|^2 + lambda q / (2 sigma^2), and (rho / 2) E |softmax(w w^T) - T|^2.
double training_loss(const Problem &problem, const Solution &solution);
double test_loss(const Problem &problem, const Solution &solution);

// Solves again on finer and finer levels, from the level of `at`, until the solution changes by at most `accuracy` relatively. *level
// receives the last level, *error the last change of q, V, the order parameter and the losses, and no less than the residual before it.
// Returns Found::lost if the levels end first. Levels without a solution are left out.
Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error);

}  // namespace atp::dotattn
