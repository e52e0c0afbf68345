// SPDX-License-Identifier: MIT
// Simulated descents of dot-product attention against time: with a fresh sample in each step, or with all samples in each.
#pragma once

#include "theory/dotattn/simulation/simulate.hpp"

#include <attopotts/dotattn_dynamics.h>

namespace atp::dotattn {

struct Trajectory {
  Simulation descent;   // of gradient descent; its alphas, steps and tolerance are not used
  double alpha;         // samples per dimension; 0: a fresh one in each step
  const double *times;  // rising; samples / d that were seen, with repetitions
  int64_t n_times;
};

// One row. Its members are the columns of atp_dotattn_trajectory_column, in their order.
struct TrajectoryRow {
  double run = 0, time = 0, steps = 0;
  double q = 0, m = 0, theta = 0, eg = 0, et = 0, semantic = 0, gradient = 0, outcome = 0;
};
static_assert(sizeof(TrajectoryRow) == ATP_DOTATTN_TRAJECTORY_COLUMNS * sizeof(double));

// The bytes that follow_descents() takes from the context. Throws ATP_E_TOO_LARGE.
std::size_t trajectory_bytes(const Context &context, const Trajectory &trajectory);

// The first `columns` numbers of each row, to rows [runs][n_times][columns].
atp_outcome follow_descents(Context &context, const Trajectory &trajectory, Reporter &reporter, double *rows, int64_t columns);

}  // namespace atp::dotattn
