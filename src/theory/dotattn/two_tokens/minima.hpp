// SPDX-License-Identifier: MIT
// Minimisers x(w) at the points of the quadrature over w.
#pragma once

#include "theory/dotattn/two_tokens/lines.hpp"

namespace atp::dotattn {

// Points below and above the cuts of node.lines, their weights, and the lowest minimum that is found at each.
void find_minima(const Node &node);

}  // namespace atp::dotattn
