// SPDX-License-Identifier: MIT
// One solution of the equations of online descent, from its start to one time after the other.
#pragma once

#include "base/progress.hpp"
#include "theory/dotattn/dynamics/dynamics.hpp"
#include "theory/dotattn/dynamics/dynamics_equations.hpp"
#include "math/runge_kutta.hpp"

namespace atp::dotattn {

// What is known at a time.
struct PathPlace {
  double q = 0, m = 0, theta = 0, eg = 0, growth_m = 0, growth_theta = 0, spread_m = 0, spread_theta = 0;
  int64_t steps = 0;
  atp_outcome outcome = ATP_OUTCOME_CANCELLED;
};

class DynamicsPath {
 public:
  DynamicsPath() = default;
  explicit DynamicsPath(const Dynamics &dynamics);
  // Goes on to `time`, which is not before the last one. What failed stays so.
  void advance(const DynamicsEquations &equations, double time, const StopFlag &stop, PathPlace &place);

 private:
  static constexpr int64_t kOverlaps = 1 + kMostCode, kMostUnknowns = 1 + kOverlaps + kOverlaps * kOverlaps;
  static_assert(kMostUnknowns <= RungeKutta::kMost);

  Statistics statistics(const double *x) const;
  void slope(const DynamicsEquations &equations, const double *x, double *change) const;
  void describe(const DynamicsEquations &equations, PathPlace &place) const;

  int64_t overlaps_ = 0;   // theta, m_0, ...
  bool searches_ = false;  // from overlaps of 0: then their covariance, times d, follows the other unknowns
  double now_ = 0, x_[kMostUnknowns] = {};
  int64_t most_steps_ = 0;
  RungeKutta solver_{0, 0, 0};
  atp_outcome outcome_ = ATP_OUTCOME_CONVERGED;
};

}  // namespace atp::dotattn
