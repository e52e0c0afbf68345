// SPDX-License-Identifier: MIT
#include "learn/driver.hpp"

#include <algorithm>

namespace atp {

namespace {

// While an object of this class exists, a stop request ends evaluations of the objective. Ranks finish an iteration together.
class Interruptible {
 public:
  Interruptible(Objective &objective, const Reporter &reporter) : objective_(objective) {
    if (reporter.ranks() == nullptr) objective_.stop = &reporter.flag();
  }
  ~Interruptible() { objective_.stop = nullptr; }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

 private:
  Objective &objective_;
};

template <class History>
class LbfgsDriver final : public Driver {
 public:
  using Real = typename History::Real;

  template <class... More>
  explicit LbfgsDriver(Objective &objective, More... more)
      : Driver(objective),
        lbfgs_(objective.parameter_count(), objective.settings.history, objective.settings.tolerance, objective.resolution(), more...) {}
  void lay_out(Arena &arena) override {
    lbfgs_.lay_out(arena);
    x_ = arena.take<Real>(objective_.parameter_count());
    x = x_;
  }
  void prepare() override {
    lbfgs_.set_tolerance(objective_.tolerance());
    lbfgs_.set_norms(objective_.norms(0));
    if constexpr (History::kHasMetric) {
      objective_.metric(lbfgs_.spare());
      const Span<const Real> metric = lbfgs_.history().own(lbfgs_.spare());
      std::copy(metric.begin(), metric.end(), lbfgs_.history().metric.begin());
    }
  }
  void restart() override { lbfgs_.reset(); }
  atp_outcome run(int64_t last, RunPosition &at, const DriverCalls &calls) override;
  Evaluation evaluate(Span<double> gradient) override;

  int64_t payload() const override { return lbfgs_.payload() + static_cast<int64_t>(sizeof(Real)) * x_.size(); }
  void save(StateWriter &writer) const override {
    lbfgs_.save(writer);
    writer.array(Span<const Real>(x_));
  }
  void check(StateReader reader, const RunPosition &at) const override {
    const bool ended =
        at.end == ATP_OUTCOME_NONE || at.end == ATP_OUTCOME_CONVERGED || at.end == ATP_OUTCOME_DIVERGED || at.end == ATP_OUTCOME_STALLED;
    if (at.epoch < 0 || at.epoch > kMaxEpochs || at.step != 0 || !ended) fail_position(at);
    at.check_numbers();
    lbfgs_.check(reader);
    reader.reals<Real>(x_.size(), "parameters");
  }
  void load(StateReader &reader, const RunPosition &) override {
    lbfgs_.load(reader);
    reader.array(x_);
  }
  // The number of epochs is a limit, not a part of the problem.
  void describe(StateFields &fields) const override { fields.add("history", objective_.settings.history); }

 private:
  Evaluation at(Span<const Real> point, Span<Real> gradient) {
    if (!gradient.empty()) ++evaluations;
    return objective_.evaluate(point, MaskedData(objective_.train()), gradient);
  }

  BasicLbfgs<History> lbfgs_;
  Span<Real> x_;
};

// The last evaluation of an iteration that moved was made at the new point.
template <class History>
atp_outcome LbfgsDriver<History>::run(int64_t last, RunPosition &position, const DriverCalls &calls) {
  Evaluation now;
  const auto f = [&](Span<const Real> point, Span<Real> gradient) {
    now = at(point, gradient);
    return now.objective;
  };
  const Interruptible whole(objective_, calls.reporter);
  while (position.epoch < last) {
    if (calls.reporter.stopped()) return ATP_OUTCOME_CANCELLED;
    bool moved = false;
    Descent descent;
    try {
      descent = lbfgs_.iterate(objective_.threads(), x_, f, &moved);
    } catch (const Interrupted &) {
      return ATP_OUTCOME_CANCELLED;
    }
    if (descent == Descent::converged) position.end = ATP_OUTCOME_CONVERGED;
    if (descent == Descent::stalled) position.end = ATP_OUTCOME_STALLED;
    if (descent == Descent::diverged) position.end = ATP_OUTCOME_DIVERGED;
    if (moved) {
      ++position.epoch;
      position.loss = now.loss;
      position.objective = lbfgs_.value();
      position.rate = lbfgs_.step();
      if (calls.report(lbfgs_.gradient_norm(), position.objective)) return ATP_OUTCOME_CANCELLED;
    }
    if (position.end != ATP_OUTCOME_NONE) return position.outcome();
  }
  return ATP_OUTCOME_MAX_ITER;
}

// In float32, or with ranks that may fail: by way of a vector that is free between iterations.
template <class History>
Evaluation LbfgsDriver<History>::evaluate(Span<double> gradient) {
  if constexpr (!History::kHasMetric) {
    const Evaluation now = at(x_, gradient);
    if (!gradient.empty()) objective_.read_gradient(gradient, gradient.data());
    return now;
  } else {
    const Span<Real> own = gradient.empty() ? Span<Real>() : lbfgs_.spare();
    const Evaluation now = at(x_, own);
    if (!gradient.empty()) objective_.read_gradient(own, gradient.data());
    return now;
  }
}

StochasticSettings stochastic_settings(const Objective &o) {
  const TrainingSettings &from = o.settings;
  StochasticSettings s;
  s.adam = from.optimizer == ATP_OPTIMIZER_ADAM;
  s.masked = from.masked;
  s.mask_probability = from.mask_probability;
  s.unknowns = o.parameter_count();
  s.count = o.count();
  s.sites = o.sites();
  s.batch = from.batch;
  s.epochs = from.epochs;
  s.seed = from.seed;
  s.rate = from.rate;
  s.rate_constant = from.schedule == ATP_SCHEDULE_CONSTANT;
  s.momentum = from.momentum;
  return s;
}

class StochasticDriver final : public Driver {
 public:
  explicit StochasticDriver(Objective &objective) : Driver(objective), run_(stochastic_settings(objective)) {}
  void lay_out(Arena &arena) override {
    run_.lay_out(arena);
    x_ = arena.take<double>(objective_.parameter_count());
    x = x_;
  }
  void prepare() override { run_.settings.tolerance = objective_.tolerance() / objective_.batch_scale(); }
  void restart() override { run_.restart(); }
  atp_outcome run(int64_t last, RunPosition &at, const DriverCalls &calls) override;
  Evaluation evaluate(Span<double> gradient) override {
    if (!gradient.empty()) ++evaluations;
    return objective_.evaluate(Reals(x_), MaskedData(objective_.train()), gradient);
  }

  int64_t payload() const override { return run_.payload(); }
  void save(StateWriter &writer) const override { run_.save(writer, x_); }
  void check(StateReader reader, const RunPosition &at) const override { run_.check(reader, at); }
  void load(StateReader &reader, const RunPosition &) override { run_.load(reader, x_); }
  void describe(StateFields &fields) const override {
    const TrainingSettings &s = objective_.settings;
    fields.add("batch", s.batch);
    fields.add("epochs", s.epochs);
    fields.add("rate", s.rate);
    fields.add("momentum", s.momentum);
    fields.add("schedule", int64_t{s.schedule});
    fields.add("mask-probability", s.mask_probability);
  }

 private:
  StochasticRun run_;
  Span<double> x_;
};

// Positions have the units of batches, reports those of the whole objective.
atp_outcome StochasticDriver::run(int64_t last, RunPosition &at, const DriverCalls &calls) {
  const double scale = objective_.batch_scale();
  const auto batch = [&](const Batch &chosen, Span<double> gradient) {
    MaskedData data(objective_.train());
    data.count = chosen.rows.size();
    data.rows = chosen.rows.data();
    if (!chosen.all_sites) data.masked = chosen.masked.data();
    data.hidden = chosen.hidden;
    const Evaluation now = objective_.evaluate(Reals(x_), data, gradient);
    return BatchLoss{now.loss, now.objective, now.weight};
  };
  const auto whole = [&](Span<double> gradient) {
    objective_.evaluate(Reals(x_), MaskedData(objective_.train()), gradient);
    for (double &g : gradient) g /= scale;
  };
  const double operations = objective_.operations(run_.settings.batch);
  const auto stopped = [&] { return calls.reporter.stopped_before(operations); };
  const auto report = [&](double gradient_norm) { return calls.report(gradient_norm * scale, at.objective * scale); };
  return run_.run(last, x_, at, {batch, whole, stopped, report});
}

}  // namespace

void fail_position(const RunPosition &at) {
  fail(ATP_E_FORMAT, "the state's position (epoch %lld, step %lld, outcome %lld) does not exist", static_cast<long long>(at.epoch),
       static_cast<long long>(at.step), static_cast<long long>(at.end));
}

Driver *put_driver(void *place, Objective &objective) {
  const Target target = objective.context->target;
  Ranks *ranks = &objective.context->ranks;
  if (Separable *sites = objective.separable()) return put_site_driver(place, objective, *sites);
  if (objective.row.objective == ATP_OBJECTIVE_LIKELIHOOD) return put_likelihood_driver(place, objective, *objective.couplings());
  if (objective.settings.stochastic()) return put_in_place<StochasticDriver, kDriverBytes>(place, objective);
  if (!objective.large()) return put_in_place<LbfgsDriver<TwoLoops>, kDriverBytes>(place, objective);
  if (objective.settings.precision == 64)
    return put_in_place<LbfgsDriver<InnerProducts<double>>, kDriverBytes>(place, objective, target, ranks);
  return put_in_place<LbfgsDriver<InnerProducts<float>>, kDriverBytes>(place, objective, target, ranks);
}

}  // namespace atp
