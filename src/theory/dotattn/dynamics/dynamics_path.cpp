// SPDX-License-Identifier: MIT
#include "theory/dotattn/dynamics/dynamics_path.hpp"

#include <cmath>

namespace atp::dotattn {

namespace {
constexpr double kSmallest = 1e-6;  // unknowns below it may have a larger relative error; roundings of sums that cancel are far below
}

DynamicsPath::DynamicsPath(const Dynamics &dynamics)
    : overlaps_(1 + dynamics.task.code_columns),
      searches_(dynamics.start_theta == 0 && dynamics.start_m == 0),
      most_steps_(dynamics.max_iter),
      solver_(1 + overlaps_ + (searches_ ? overlaps_ * overlaps_ : 0), dynamics.tolerance, kSmallest) {
  const double rho = dynamics.task.sigma * dynamics.task.sigma, scale = dynamics.start_scale;
  x_[0] = rho * scale * scale;
  x_[1] = rho * scale * dynamics.start_theta;
  x_[2] = scale * dynamics.start_m;
  if (!searches_) return;
  // Q ~ scale N(0, 1): variances of theta and m are scale^2 times rho^2 / d and 1 / d.
  for (int64_t i = 0; i < overlaps_; ++i) x_[1 + overlaps_ + i * (overlaps_ + 1)] = scale * scale * (i == 0 ? rho * rho : 1);
}

Statistics DynamicsPath::statistics(const double *x) const {
  Statistics at;
  at.q = std::fmax(x[0], 0);
  for (int64_t i = 0; i < overlaps_; ++i) at.overlap(i) = x[1 + i];
  return at;
}

void DynamicsPath::slope(const DynamicsEquations &equations, const double *x, double *change) const {
  Statistics by = equations.change(statistics(x));
  change[0] = by.q;
  for (int64_t i = 0; i < overlaps_; ++i) change[1 + i] = by.overlap(i);
  if (!searches_) return;
  // dC/dt = J C + C J^T + D.
  const Linear linear = equations.linear(std::fmax(x[0], 0));
  const double *c = x + 1 + overlaps_;
  for (int64_t i = 0; i < overlaps_; ++i)
    for (int64_t j = 0; j < overlaps_; ++j) {
      double sum = linear.kicks[i][j];
      for (int64_t k = 0; k < overlaps_; ++k)
        sum += linear.growth[i][k] * c[k * overlaps_ + j] + linear.growth[j][k] * c[i * overlaps_ + k];
      change[1 + overlaps_ + i * overlaps_ + j] = sum;
    }
}

void DynamicsPath::describe(const DynamicsEquations &equations, PathPlace &place) const {
  const Statistics at = statistics(x_);
  const Linear linear = equations.linear(at.q);
  double m = 0, spread = 0;
  for (int64_t k = 1; k < overlaps_; ++k) {
    m += x_[1 + k] * x_[1 + k];
    spread += x_[1 + overlaps_ + k * (overlaps_ + 1)];
  }
  place.q = at.q;
  place.m = overlaps_ == 2 ? x_[2] : std::sqrt(m);
  place.theta = at.theta;
  place.eg = equations.loss(at);
  place.growth_m = linear.growth[1][1];
  place.growth_theta = linear.growth[0][0];
  place.spread_m = searches_ ? std::sqrt(spread) : std::nan("");
  place.spread_theta = searches_ ? std::sqrt(x_[1 + overlaps_]) : std::nan("");
}

void DynamicsPath::advance(const DynamicsEquations &equations, double time, const StopFlag &stop, PathPlace &place) {
  if (outcome_ == ATP_OUTCOME_CONVERGED) {
    const auto by = [&](const double *x, double *change) { slope(equations, x, change); };
    const auto ends = [&] { return stop.requested() || solver_.steps() >= most_steps_; };
    if (!solver_.advance(time - now_, x_, by, ends))
      outcome_ = stop.requested() ? ATP_OUTCOME_CANCELLED : solver_.steps() >= most_steps_ ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_DIVERGED;
    now_ = time;
  }
  place.steps = solver_.steps();
  place.outcome = outcome_;
  if (outcome_ == ATP_OUTCOME_CONVERGED) describe(equations, place);
}

}  // namespace atp::dotattn
