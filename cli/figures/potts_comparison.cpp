// SPDX-License-Identifier: MIT
#include "figures/potts_comparison.hpp"

namespace cli {

ComparisonPlans comparison_plans(const FigureJob &job) {
  ComparisonPlans plans;
  plans.network.momentum = 0;
  plans.network.epochs = 500;
  if (job.quick) {
    plans.factored.epochs = 300;
    plans.factored.starts = 4;
    plans.network.epochs = 100;
  }
  if (job.rate > 0) plans.factored.rate = plans.network.rate = job.rate;
  return plans;
}

std::string network_text(const NetworkPlan &plan) {
  return fmt::format("SGD on masked tokens, batch {}, rate {:g}, momentum {:g}", plan.batch, plan.rate, plan.momentum);
}

SplitData draw_split(const Session &session, atp_couplings law, double hamming, int64_t key) {
  SplitData split;
  Model random;
  check(atp_model_create_random(session.context.get(), kSites, kColors, law, ATP_COLOR_MATRIX_GAUSSIAN, key, out(random)));
  split.data = draw_potts_data(session, std::move(random), hamming, kSamples + kTests, key);
  if (!split.data.equilibrated()) session.say("warning: {} {}", split.data.tuning_text(), split.data.sampling_text());
  split.train = rows_of(session, split.data.all.get(), 0, kSamples);
  split.test = rows_of(session, split.data.all.get(), kSamples, kTests);
  check(atp_model_loss(session.context.get(), split.data.truth.get(), split.test.get(), &split.optimal));
  return split;
}

}  // namespace cli
