// SPDX-License-Identifier: MIT
// Drivers minimise the objective of a trainer: by L-BFGS with either kind of history, by SGD or Adam, or by L-BFGS for each site alone
// (site_driver.cpp). A driver has the optimiser and the parameters.
#pragma once

#include "base/progress.hpp"
#include "learn/objective.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/stochastic.hpp"

namespace atp {

class ModelChains;

struct DriverCalls {
  Reporter &reporter;
  FunctionRef<bool(double gradient_norm, double objective)> report;  // after each epoch; true: the run must end
};

class Driver {
 public:
  Reals x;  // the parameters

  virtual void lay_out(Arena &arena) = 0;
  // Sets tolerance and metric from the data. Called before restart(), and again when the data change.
  virtual void prepare() = 0;
  // Of objectives with kHasReintegration: adds tested sequences to the training data, in place of those added before. Throws ATP_E_VALUE,
  // and then changes nothing.
  virtual void reintegrate(const Alignment &, Span<const double>, double) {}
  // Sequences that reports compare with, too; borrowed; NULL: none.
  virtual void hold_out(const Alignment *) {}
  // Begins again from other parameters; the owner sets the position back to {}.
  virtual void restart() = 0;
  // Runs up to epoch `last`. Returns CANCELLED, MAX_ITER (more can follow unless at.end says otherwise) or at.end.
  virtual atp_outcome run(int64_t last, RunPosition &at, const DriverCalls &calls) = 0;
  // Evaluates all training data, with the gradient as the C API has it; it may be empty.
  virtual Evaluation evaluate(Span<double> gradient) = 0;
  virtual bool evaluates_during_runs() const { return true; }
  virtual int64_t most_epochs() const { return objective_.settings.epochs; }
  // Whether the parameters are those of one point, so that tests of them mean something.
  virtual bool whole(const RunPosition &) const { return true; }

  // Optimiser and parameters.
  virtual int64_t payload() const = 0;
  virtual void save(StateWriter &writer) const = 0;
  // Throws ATP_E_FORMAT where a run cannot be at this position, or cannot have this state there.
  virtual void check(StateReader reader, const RunPosition &at) const = 0;
  virtual void load(StateReader &reader, const RunPosition &at) = 0;
  virtual void describe(StateFields &fields) const = 0;

  virtual ModelChains *chains() { return nullptr; }  // of objectives with kHasChains
  // Numbers of its own for a report.
  virtual void add_to(atp_progress &) const {}

  double evaluations = 0;  // of all training data with a gradient

 protected:
  explicit Driver(Objective &objective) : objective_(objective) {}
  ~Driver() = default;
  Objective &objective_;
};

inline constexpr std::size_t kDriverBytes = 4096;

// Makes the driver for an objective, at a place of kDriverBytes.
Driver *put_driver(void *place, Objective &objective);
Driver *put_site_driver(void *place, Objective &objective, Separable &sites);
Driver *put_likelihood_driver(void *place, Objective &objective, CouplingParameters &couplings);

// Throws ATP_E_FORMAT, because a run cannot be at this position.
[[noreturn]] void fail_position(const RunPosition &at);

}  // namespace atp
