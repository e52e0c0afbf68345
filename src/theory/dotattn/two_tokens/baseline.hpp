// SPDX-License-Identifier: MIT
// The best linear map of positions.
#pragma once

#include "theory/dotattn/two_tokens/problem.hpp"

namespace atp::dotattn {

// Computes Y^ = W x, W = E T = omega A + (1 - omega) E softmax(h h^T), and its generalisation loss (rho / 2) E |T - W|_F^2. Neither depends
// on alpha, because n ~ d samples determine the four numbers of W without error. The averages are trapezoidal sums over h in polar
// coordinates; the number of points is doubled until they no longer change. `map` may be null.
double linear_baseline(const Problem &problem, double *map);

}  // namespace atp::dotattn
