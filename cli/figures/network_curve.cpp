// SPDX-License-Identifier: MIT
#include "figures/network_curve.hpp"

#include "figures/measured_run.hpp"

#include <cmath>

namespace cli {

namespace {

Transformer make_network(const Session &session, const atp_alignment *train, const NetworkPlan &plan, int64_t seed) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_ARCHITECTURE, plan.architecture));
  if (plan.architecture == ATP_ARCHITECTURE_ENCODER)
    check(atp_options_set_i64(options.get(), ATP_OPT_BLOCKS, plan.blocks));
  else
    check(atp_options_set_f64(options.get(), ATP_OPT_DIAL, plan.dial));
  if (plan.free_map) check(atp_options_set_i64(options.get(), ATP_OPT_MAP, ATP_MAP_FREE));
  check(atp_options_set_i64(options.get(), ATP_OPT_EPOCHS, plan.epochs));
  check(atp_options_set_i64(options.get(), ATP_OPT_BATCH, plan.batch));
  check(atp_options_set_f64(options.get(), ATP_OPT_RATE, plan.rate), "--rate");
  check(atp_options_set_f64(options.get(), ATP_OPT_MOMENTUM, plan.momentum));
  Transformer network;
  check(atp_transformer_create(session.context.get(), train, options.get(), out(network)));
  return network;
}

}  // namespace

NetworkCurve train_network(const Session &session, const atp_alignment *train, const atp_alignment *test, const NetworkPlan &plan,
                           int64_t seed, const std::string &task) {
  const int64_t sites = atp_alignment_sites(train);
  NetworkCurve best;
  double best_loss = HUGE_VAL;
  for (int64_t start = 0; start < plan.starts; ++start) {
    const Transformer network = make_network(session, train, plan, (seed + start) & INT64_MAX);
    NetworkCurve curve;
    MeasuredRun run;
    run.task = plan.starts == 1 ? task : fmt::format("{}, start {} of {}", task, start + 1, plan.starts);
    run.what = plan.what;
    run.rate = plan.rate;
    run.marks = epoch_marks(plan.epochs);
    run.measure = [&](int64_t epoch) {
      double loss = 0;
      check(atp_transformer_loss(network.get(), test, &loss));
      curve.epochs.push_back(epoch);
      curve.test_losses.push_back(loss);
    };
    run_measured(session, network.get(), run);
    double loss = 0;
    check(atp_transformer_gradient(network.get(), &loss, nullptr, 0));
    if (loss >= best_loss) continue;
    best_loss = loss;
    const int64_t count = atp_transformer_map_count(network.get());
    std::vector<double> maps(static_cast<std::size_t>(count * sites * sites));
    check(atp_transformer_maps(network.get(), test, maps.data(), static_cast<int64_t>(maps.size())));
    for (int64_t k = 0; k < count; ++k) curve.maps.emplace_back(maps.begin() + k * sites * sites, maps.begin() + (k + 1) * sites * sites);
    best = std::move(curve);
  }
  return best;
}

}  // namespace cli
