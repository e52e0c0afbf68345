// SPDX-License-Identifier: MIT
// Where lines are cut, because the minimiser x(w) jumps there.
#pragma once

#include "theory/dotattn/two_tokens/lines.hpp"

namespace atp::dotattn {

// Minimisations of one line at a time, at most: nine starts at each of its two ends.
inline constexpr int64_t kEndStarts = 9, kLineStarts = 2 * kEndStarts;

// The minimum at w = 0, to node.well.
void find_well(Node &node);

// The range of each line, and its cut where x . e changes sign: at an end where it has one sign on the whole range. low = high = the cut.
void cut_by_sign(const Node &node);

// Jumps that the sign of x . e does not show, after find_minima(). On lines without a jump the minimiser of each place is followed to the
// next one: where it is in another well than the minimiser there, x jumps in between. Cuts move to the largest of these jumps; false where
// there are none.
bool cut_elsewhere(const Node &node);

}  // namespace atp::dotattn
