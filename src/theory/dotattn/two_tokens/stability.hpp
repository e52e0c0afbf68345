// SPDX-License-Identifier: MIT
// What decides whether a replica-symmetric solution is stable: how far the proximal operator x(w) spreads cavity fields that differ a
// little.
// docs/theory.md derives the condition.
#pragma once

#include "theory/dotattn/two_tokens/lines.hpp"

namespace atp::dotattn {

// d: the change of x - w when w changes by a normal vector of variance step^2 per component. alpha E |d|^2 / step^2 is
// alpha (smooth + sqrt(2 / pi) jumps / step) for small steps: it must be below 1.
struct Spread {
  double smooth = 0;  // E |dx/dw - 1|_F^2 away from jumps
  double jumps = 0;   // the integral of (density of w) |jump of x|^2 over the surface where x jumps
};

// dx/dw - 1 of a minimum x, and the sum of its squares.
double squared_response(const Field &field, Vector x);

// Over the points and cuts of a node, after find_minima().
Spread spread_of(const Node &node);

}  // namespace atp::dotattn
