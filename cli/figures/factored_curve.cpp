// SPDX-License-Identifier: MIT
#include "figures/factored_curve.hpp"

#include "figures/measured_run.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr double kSameMinimum = 0.01;  // nats

Trainer make_factored_trainer(const Session &session, const atp_alignment *train, const FactoredPlan &plan, int64_t seed) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM));
  check(atp_options_set_i64(options.get(), ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD));
  check(atp_options_set_i64(options.get(), ATP_OPT_EPOCHS, plan.epochs));
  check(atp_options_set_i64(options.get(), ATP_OPT_BATCH, plan.batch));
  check(atp_options_set_f64(options.get(), ATP_OPT_RATE, plan.rate), "--rate");
  check(atp_options_set_f64(options.get(), ATP_OPT_MOMENTUM, plan.momentum));
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), train, options.get(), out(trainer)));
  return trainer;
}

}  // namespace

std::string FactoredPlan::text() const {
  return fmt::format("SGD on masked tokens, batch {}, rate {:g}, momentum {:g}, best of {} starts", batch, rate, momentum, starts);
}

FactoredCurve train_factored(const Session &session, const atp_alignment *train, const atp_alignment *test, const atp_model *truth,
                             const FactoredPlan &plan, int64_t seed, const std::string &task) {
  FactoredCurve best;
  double best_loss = HUGE_VAL;
  std::vector<double> losses;
  for (int64_t start = 0; start < plan.starts; ++start) {
    const Trainer trainer = make_factored_trainer(session, train, plan, (seed + start) & INT64_MAX);
    FactoredCurve curve;
    MeasuredRun run;
    run.task = fmt::format("{}, start {} of {}", task, start + 1, plan.starts);
    run.what = "factored attention";
    run.rate = plan.rate;
    run.marks = epoch_marks(plan.epochs);
    run.measure = [&](int64_t epoch) {
      double loss = 0, error = 0;
      Model model;
      check(atp_trainer_loss(trainer.get(), test, &loss));
      check(atp_trainer_model(trainer.get(), out(model)));
      check(atp_model_coupling_error(session.context.get(), model.get(), truth, &error));
      curve.epochs.push_back(epoch);
      curve.test_losses.push_back(loss);
      curve.coupling_errors.push_back(error);
    };
    run_measured(session, trainer.get(), run);
    double loss = 0;
    check(atp_trainer_gradient(trainer.get(), &loss, nullptr, nullptr, 0));
    losses.push_back(loss);
    if (loss >= best_loss) continue;
    best_loss = loss;
    check(atp_trainer_model(trainer.get(), out(curve.model)));
    best = std::move(curve);
  }
  best.starts = plan.starts;
  for (double loss : losses) best.good_starts += loss < best_loss + kSameMinimum;
  return best;
}

}  // namespace cli
