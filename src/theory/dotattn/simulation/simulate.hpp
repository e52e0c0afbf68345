// SPDX-License-Identifier: MIT
// Dot-product attention by drawing data and descending. [C24]
#pragma once

#include "base/checked.hpp"
#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/task.hpp"

#include <attopotts/dotattn_dynamics.h>
#include <attopotts/dotattn_simulate.h>

namespace atp::dotattn {

struct Simulation {
  Task task;
  const double *alphas;
  int64_t n_alphas;
  atp_dotattn_start start;
  atp_optimizer optimizer;
  int64_t steps;
  double rate, tolerance;
  int64_t fresh, runs;
  uint64_t seed;
  int64_t restarts = 0;
  double perturbation = 0, start_scale = 1;
  int64_t probes = 0, flips = 0;  // for the response V, of rank one; most trials of flips, which need V, two tokens and L-BFGS
  double flip_margin = 0;
  int64_t most_steps() const { return product_of(steps, restarts + 1 + flips); }  // of a run
  double start_theta = 0, start_m = 0;                                            // cosines of a random start with Q* and u_0; rank one
};

// One row. Its members are the columns of atp_dotattn_sim_column, in their order.
struct SimRow {
  double alpha = 0;
  double eg = 0, eg_sem = 0, et = 0, et_sem = 0, q = 0, q_sem = 0, m = 0, m_sem = 0, theta = 0, theta_sem = 0;
  double q_least = 0, q_least_sem = 0;
  double semantic = 0, gradient = 0, steps = 0, samples = 0, runs = 0, outcome = 0;
  double v = 0, v_sem = 0, flips = 0, trials = 0, eg_excess = 0, eg_excess_sem = 0, et_excess = 0, et_excess_sem = 0;
  double q_excess = 0, q_excess_sem = 0, m_excess = 0, m_excess_sem = 0, v_excess = 0, v_excess_sem = 0;
};
static_assert(sizeof(SimRow) == ATP_DOTATTN_SIM_COLUMNS * sizeof(double));

// The bytes that simulate() takes from the context. Throws ATP_E_TOO_LARGE.
std::size_t simulation_bytes(const Context &context, const Simulation &simulation);

// Writes rows [n_alphas].
atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows);

// --- against time: with a fresh sample in each step, or with all samples in each ---

struct Trajectory {
  Simulation descent;   // of gradient descent; its alphas, steps and tolerance are not used
  double alpha;         // samples per dimension; 0: a fresh one in each step
  const double *times;  // rising; samples / d that were seen, with repetitions
  int64_t n_times;
  bool limit = false;       // the limit of many dimensions, of so many samples; alpha > 0
  bool hold_theta = false;  // in the limit: theta stays as it starts
};

// One row. Its members are the columns of atp_dotattn_trajectory_column, in their order.
struct TrajectoryRow {
  double run = 0, time = 0, steps = 0;
  double q = 0, m = 0, theta = 0, eg = 0, et = 0, semantic = 0, gradient = 0, outcome = 0, v = 0;
};
static_assert(sizeof(TrajectoryRow) == ATP_DOTATTN_TRAJECTORY_COLUMNS * sizeof(double));

// The bytes that follow_descents() takes from the context. Throws ATP_E_TOO_LARGE.
std::size_t trajectory_bytes(const Context &context, const Trajectory &trajectory);

// Writes rows [runs][n_times].
atp_outcome follow_descents(Context &context, const Trajectory &trajectory, Reporter &reporter, double *rows);

}  // namespace atp::dotattn
