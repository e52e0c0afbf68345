// SPDX-License-Identifier: MIT
// One application of the state evolution: hats from averages, order parameters from hats.
#pragma once

#include "theory/dotattn/two_tokens/averages.hpp"

namespace atp::dotattn {

// The derivatives of alpha E M, M the smallest F / 2, with respect to the order parameters.
inline Hats hats_of(const Problem &problem, double alpha, const Order &order, const Averages &mean) {
  const double rho = problem.rho(), s = std::sqrt(order.q - order.theta * order.theta / rho), scale = alpha / order.v;
  Hats hats;
  hats.q = scale / order.v * mean.square;
  hats.m = scale * mean.difference;
  hats.theta = scale / rho * (mean.field - order.theta / s * mean.noise);
  hats.v = -scale / s * mean.noise;
  return hats;
}

// What the prior makes of the hats; m and theta are 0 where they are held there.
inline Order order_of(const Problem &problem, const Hats &hats) {
  const double rho = problem.rho(), stiffness = problem.lambda + rho * hats.v;
  Order order;
  order.v = rho / stiffness;
  order.m = hats.m / stiffness;
  order.theta = rho * rho * hats.theta / stiffness;
  order.q = rho * (rho * hats.q + hats.m * hats.m + rho * rho * hats.theta * hats.theta) / (stiffness * stiffness);
  return order;
}

}  // namespace atp::dotattn
