// SPDX-License-Identifier: MIT
// Dot-product attention with positional codes: the task, and tables of simulation and theory from the library.
#pragma once

#include "run/task_run.hpp"

namespace cli {

struct AttentionTask {
  int64_t tokens = 2, code_columns = 1, rank = 1;
  std::vector<double> code = {1, -1}, teacher = {0.6, 0.4, 0.4, 0.6};  // [tokens][code_columns], [tokens][tokens]
  double omega = 0.3, sigma = 0.5, lambda = 0.01;
};

// Rows of atp_dotattn_column numbers.
CurveTable attention_branch(const Session &session, const AttentionTask &task, atp_dotattn_branch branch, const std::vector<double> &alphas,
                            Progress &progress);

// The row of atp_dotattn_transition_column numbers at the task's omega; `progress` may be null.
CurveTable attention_transition(const Session &session, const AttentionTask &task, Progress *progress);

struct AttentionSimulation {
  int64_t dimension = 1000, runs = 10;
  double rate = 0;                              // 0: that of the optimiser
  atp_optimizer optimizer = ATP_OPTIMIZER_SGD;  // plain gradient descent, as in the paper
};

// Rows of atp_dotattn_sim_column numbers. Fails, with the name of the flag, if the runs do not fit into memory.
CurveTable simulated_attention(const Session &session, const AttentionTask &task, const AttentionSimulation &simulation,
                               atp_dotattn_start start, const std::vector<double> &alphas);

// The columns that a table shows, "eg_sim", "eg_sim_sem", ..., and the cells of a row.
std::vector<std::string> simulation_names();
std::vector<std::string> simulation_cells(const CurveTable &simulated, std::size_t row);

// Rows of atp_dotattn_tokens_column numbers.
CurveTable evolved_attention(const Session &session, const AttentionTask &task, atp_dotattn_start solution,
                             const std::vector<double> &alphas);

// Of descents with a fresh sample in each step, alpha = 0, or with all.
struct AttentionDynamics {
  std::vector<double> times;
  double alpha = 0;
  std::optional<double> rate;
  int64_t dimension = 1000, runs = 10;  // of trajectories
};

// Rows of atp_dotattn_dynamics_column numbers.
CurveTable attention_dynamics(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics);
// Rows of atp_dotattn_trajectory_column numbers. Fails, with the name of the flag, if the runs do not fit into memory.
CurveTable attention_trajectories(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics);

// "semantic", "positional", "mixed".
const char *solution_name(atp_dotattn_start solution);

}  // namespace cli
