// SPDX-License-Identifier: MIT
// Fixed points of the state evolution: which, in what unknowns, and what is known of one.
#pragma once

#include "theory/dotattn/two_tokens/averages.hpp"

namespace atp::dotattn {

// Which fixed point: theta > 0 and m = 0, m > 0 and theta = 0, or both 0.
enum class Kind { semantic = ATP_DOTATTN_SEMANTIC, positional = ATP_DOTATTN_POSITIONAL, uninformed = ATP_DOTATTN_UNINFORMED };

// The unknowns. `share` is what the order parameter has of q: theta^2 / (rho q) or rho m^2 / q, in (0, 1).
struct Point {
  double log_q, log_v, share, log_alpha;
};

inline Order order_at(const Problem &problem, Kind kind, const Point &point) {
  Order order{std::exp(point.log_q), 0, 0, std::exp(point.log_v)};
  if (kind == Kind::semantic) order.theta = std::sqrt(point.share * problem.rho() * order.q);
  if (kind == Kind::positional) order.m = std::sqrt(point.share * order.q / problem.rho());
  return order;
}

// How a search for a fixed point ended; `vanished`: it ran into the uninformed solution.
enum class Ending { converged, vanished, stalled, too_many };

struct Solution {
  Point point{};
  Order order{};
  Hats hats{};
  Averages mean;
  double residual = 0;  // largest relative change of q, V and the order parameter by one more application
  Ending ending = Ending::stalled;
};

}  // namespace atp::dotattn
