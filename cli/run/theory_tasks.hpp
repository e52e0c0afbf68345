// SPDX-License-Identifier: MIT
// Tasks of the theory: options, arrays, a run, its rows; learning curves of masked Gaussian modelling, dot-product attention with
// positional codes.
#pragma once

#include "run/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

class Progress;

// Rows of a table of the library, and how the run ended.
struct CurveTable {
  int64_t columns = 0;
  std::vector<double> numbers;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  CurveTable(std::size_t rows, int64_t columns_of_a_row) : columns(columns_of_a_row), numbers(rows * static_cast<std::size_t>(columns)) {}
  double at(std::size_t row, int column) const {
    return numbers[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
  std::vector<double> column(int index) const {
    std::vector<double> values;
    for (auto k = static_cast<std::size_t>(index); k < numbers.size(); k += static_cast<std::size_t>(columns)) values.push_back(numbers[k]);
    return values;
  }
};

class TaskRun {
 public:
  // Nothing is set without a value.
  struct Setting {
    template <class Number>
    Setting(atp_option option, Number number) : key(option), value(static_cast<double>(number)) {}
    Setting(atp_option option, std::optional<double> number) : key(option), value(number) {}
    atp_option key;
    std::optional<double> value;
  };
  // The session's seed is set, too, where the kind has one. `what` goes in front of messages.
  TaskRun(const Session &session, atp_task_kind kind, const std::vector<Setting> &settings, std::string what = "");
  TaskRun &array(atp_task_array which, const std::vector<double> &values, int64_t columns = 1);
  // Without `progress`, a signal throws the failure of stop_if_interrupted().
  CurveTable run(Progress *progress = nullptr);
  const Task &get() const { return task_; }

 private:
  const Session &session_;
  Task task_;
  std::string what_;
};

// Learning curves of masked Gaussian modelling: systems and curves of the library.

// Inputs and teacher of a masked site, and the variance of the masked value given the inputs. The spectrum is computed when a curve first
// needs it.
struct MaskedSystem {
  Masked handle;
  mutable std::vector<double> eigenvalues, projections;
  int64_t parameters() const { return atp_masked_parameters(handle.get()); }
  double noise() const { return atp_masked_noise(handle.get()); }
};

// P = z I - J with a random J; `what` in front of messages.
MaskedSystem random_system(const Session &session, int64_t sites, double shift, int64_t site, const std::string &what);
// A covariance of all sites, [sites][sites].
MaskedSystem masked_covariance(const Session &session, const std::vector<double> &full, int64_t sites, int64_t site,
                               const std::string &what);

// The points of a curve: its alphas, or with a target the smallest alpha whose loss is at most so many times the best possible one. In a
// system of so many parameters this alpha is that of a whole number of samples.
struct CurvePoints {
  std::vector<double> alphas;
  double lambda = 1e-8;
  bool best_lambda = false;  // for each alpha the penalty of smallest loss
  double target = 0;
  int64_t parameters = 0;
};
struct Curve {
  CurveTable table;
  double optimum;  // the loss of w = w*, the best possible one
};

Curve limit_curve(const Session &session, double shift, const CurvePoints &points);
// From the equation for kappa, or from the saddle-point equations.
Curve square_curve(const Session &session, const MaskedSystem &system, const CurvePoints &points, bool saddle);

// Any convex loss.
Curve convex_curve(const Session &session, const MaskedSystem &system, atp_replica_loss loss, const CurvePoints &points);
CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations);

// q-colour pseudo-likelihood with known V. covariance: K of the fields, [q][q].
struct PottsFields {
  std::vector<double> covariance;
  int64_t colors;
};
Curve potts_curve(const Session &session, const MaskedSystem &system, const PottsFields &fields, const CurvePoints &points);
CurveTable simulated_potts(const Session &session, const MaskedSystem &system, const PottsFields &fields, const std::vector<double> &alphas,
                           double lambda, int64_t realisations);

// Dot-product attention with positional codes: the task, and tables of simulation and theory from the library.

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

// Rows of atp_dotattn_sim_column numbers; --set start-theta and start-m take the place of `start`. Fails, with the name of the flag, if the
// runs do not fit into memory.
CurveTable simulated_attention(const Session &session, const AttentionTask &task, const AttentionSimulation &simulation,
                               atp_dotattn_start start, const std::vector<double> &alphas);

// The columns that a table shows, "eg_sim", "eg_sim_sem", ..., with those of the response and of flips where they are wanted; the cells of
// a row.
std::vector<std::string> simulation_names(const Session &session);
std::vector<std::string> simulation_cells(const Session &session, const CurveTable &simulated, std::size_t row);

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
