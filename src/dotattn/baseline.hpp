// SPDX-License-Identifier: MIT
// The best map of tokens that knows positions alone.
#pragma once

#include "dotattn/problem.hpp"

namespace atp::dotattn {

// Y^ = W x, W = E T = omega A + (1 - omega) E softmax(h h^T), and its generalisation loss (rho / 2) E |T - W|_F^2: any W that does not grow
// with d is learnt from n ~ d samples without error, so that neither depends on alpha. Trapezoidal sums over h in polar coordinates,
// doubled until they stand still; `map` may be null.
double linear_baseline(const Problem &problem, double *map);

}  // namespace atp::dotattn
