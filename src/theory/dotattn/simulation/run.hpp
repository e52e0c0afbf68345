// SPDX-License-Identifier: MIT
// One run of a simulation: its data, its descent, and what is measured at the end.
#pragma once

#include "base/context.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/stochastic.hpp"
#include "theory/dotattn/simulation/flips.hpp"
#include "theory/dotattn/simulation/risk.hpp"
#include "theory/dotattn/simulation/simulate.hpp"
#include "theory/dotattn/task.hpp"

namespace atp::dotattn {

// Samples of alpha in d dimensions, at least one. Throws ATP_E_TOO_LARGE.
int64_t samples_of(double alpha, int64_t d);
int64_t most_samples(const Simulation &simulation);

struct RunResult {
  double eg = 0, et = 0, q = 0, m = 0, theta = 0, q_least = 0, gradient = 0, v = 0;
  struct Numbers {
    double eg, et, q, m, v;
  } before{};                     // the flips
  int64_t flips = 0, trials = 0;  // samples that were moved, and how often it was tried
  int64_t steps = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;  // NONE: the run has not ended
  bool semantic = false;
  bool ended() const { return outcome != ATP_OUTCOME_NONE; }
};

// The work space of one thread, and the position of its run.
class Run {
 public:
  Run(const Simulation &simulation, Target target, int64_t most);
  void lay_out(Arena &arena);

  // Run number `run` on its samples; codes are u_0, u_1, ... [code_columns][d].
  void begin(int64_t run, int64_t samples, Span<const double> codes);
  // Run number `run` with a fresh sample in each step.
  void begin_online(int64_t run, Span<const double> codes);
  // Goes on for at most `steps` steps; false while it has not ended.
  bool descend(int64_t steps, RunResult &result);
  // Computes losses and overlaps of the result.
  void finish(Span<const double> codes, RunResult &result);
  // Steps of all descents.
  int64_t step() const { return (restart_ + trials_) * given_->steps + step_; }

  int64_t task = -1;  // which run of which alpha it is; -1: none

 private:
  void start(int64_t run, Span<const double> codes);
  void set_start(Span<const double> codes);
  void begin_descent();
  bool advance(RunResult &result);
  bool descend_once(int64_t &steps, RunResult &result);
  // After a descent: keeps the lowest minimum; true where another descent begins.
  bool begin_again(RunResult &result);
  void keep(const RunResult &result);
  // After the descents: V, and flips; true where another descent begins, from a trial of moves.
  bool flip_again(RunResult &result);
  void begin_flips(RunResult &result);
  double response();
  double fresh_loss(Span<const double> codes) const;
  void measure(Span<const double> codes, RunResult &result) const;
  Span<const double> teacher() const { return teacher_.sub(0, given_->task.d); }

  const Simulation *given_;
  int64_t unknowns_;
  Risk risk_;
  Adam adam_;
  Lbfgs lbfgs_;
  Response response_;
  Flips flips_;
  Span<double> teacher_, q_, gradient_;
  Span<const double> codes_;
  int64_t run_ = 0, step_ = 0, restart_ = 0;
  bool online_ = false;
  double value_ = 0;  // of R
  bool flipping_ = false;
  int64_t trials_ = 0;
  // The lowest minimum so far; with restarts or flips.
  Span<double> best_;  // parameters
  RunResult best_result_;
  double best_value_ = 0;
};

}  // namespace atp::dotattn
