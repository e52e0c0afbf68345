// SPDX-License-Identifier: MIT
// Overlaps of online descent against time, in the limit of many dimensions.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/task.hpp"

#include <attopotts/dotattn_dynamics.h>

namespace atp::dotattn {

// task.d is not used; task.rank is 1.
struct Dynamics {
  Task task;
  const double *times;  // rising
  int64_t n_times;
  double rate, start_theta, start_m, start_scale;  // cosines of the start with Q* and u_0; |Q| / sqrt(d)
  bool flow;                                       // the limit of small rates
  int64_t points, shifts, max_iter;
  double tolerance;
  uint64_t seed;
};

// One row. Its members are the columns of atp_dotattn_dynamics_column, in their order.
struct DynamicsRow {
  double time = 0;
  double q = 0, q_sem = 0, m = 0, m_sem = 0, theta = 0, theta_sem = 0, eg = 0, eg_sem = 0;
  double growth_m = 0, growth_theta = 0, spread_m = 0, spread_theta = 0, iterations = 0, shifts = 0, outcome = 0;
};
static_assert(sizeof(DynamicsRow) == ATP_DOTATTN_DYNAMICS_COLUMNS * sizeof(double));

// The bytes that solve_dynamics() takes from the context.
std::size_t dynamics_bytes(const Context &context, const Dynamics &dynamics);

// The first `columns` numbers of each row, to rows [n_times][columns].
atp_outcome solve_dynamics(Context &context, const Dynamics &dynamics, Reporter &reporter, double *rows, int64_t columns);

}  // namespace atp::dotattn
