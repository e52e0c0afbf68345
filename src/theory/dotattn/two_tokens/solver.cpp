// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/solver.hpp"

#include "theory/dotattn/two_tokens/equations.hpp"
#include "theory/dotattn/two_tokens/newton.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSettled = 1e-3;                  // residual where Newton's method takes over from damped iteration
constexpr double kShrinkV = 0.5;                   // of log V where the equations give no positive V
constexpr double kLeast = 1e-9, kMost = 1 - 1e-6;  // shares of the iteration

}  // namespace

double State::largest() const {
  double most = 0;
  for (double v : residual) {
    if (!std::isfinite(v)) return kInfinity;
    most = std::max(most, std::fabs(v));
  }
  return most;
}

State Solver::apply(Kind kind, const Point &point) {
  ++applications;
  const Averages mean = integrator_.average(problem_, order_at(problem_, kind, point));
  if (integrator_.stopped()) most = 0;
  return apply(kind, point, mean);
}

State Solver::apply(Kind kind, const Point &point, const Averages &mean) const {
  const Order at = order_at(problem_, kind, point);
  Hats hats = hats_of(problem_, std::exp(point.log_alpha), at, mean);
  if (kind != Kind::positional) hats.m = 0;
  if (kind != Kind::semantic) hats.theta = 0;
  const Order next = order_of(problem_, hats);
  State state{point, at, hats, mean, {kInfinity, kInfinity, 0}};
  if (!(next.v > 0) || !(next.q > 0)) return state;
  state.residual[0] = std::log(next.q / at.q);
  state.residual[1] = std::log(next.v / at.v);
  // Divided by the order parameter: the uninformed solution is none of these equations.
  if (kind == Kind::semantic) state.residual[2] = next.theta / at.theta - 1;
  if (kind == Kind::positional) state.residual[2] = next.m / at.m - 1;
  return state;
}

Point Solver::iterate(Kind kind, Point point, int steps, double step, bool *unbounded, double least_share) {
  for (int k = 0; k < steps && applications < most; ++k) {
    const State state = apply(kind, point);
    const bool infinite = !(state.largest() < kInfinity);
    if (unbounded != nullptr) *unbounded = infinite;
    if (infinite) {
      point.log_v -= kShrinkV;
      continue;
    }
    const auto limited = [&](double x) { return std::max(-1.0, std::min(1.0, step * x)); };
    const double dq = limited(state.residual[0]);
    point.log_q += dq;
    point.log_v += limited(state.residual[1]);
    if (kind != Kind::uninformed) {
      const double growth = std::max(-0.5, limited(state.residual[2]));
      point.share = std::max(kLeast, std::min(kMost, point.share * std::exp(2 * std::log1p(growth) - dq)));
    }
    if (state.largest() < kSettled || point.share < least_share) break;
  }
  return point;
}

Solution Solver::solve(Kind kind, const Point &start, bool hold) { return Newton(*this, kind, hold).run(start); }

}  // namespace atp::dotattn
