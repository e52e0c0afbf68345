// SPDX-License-Identifier: MIT
#include "network_curve.hpp"

#include "measured_run.hpp"

#include <chrono>

namespace cli {

NetworkCurve train_network(const Session &session, const atp_alignment *train, const atp_alignment *test, const NetworkPlan &plan,
                           int64_t seed, const std::string &task) {
  const auto begin = std::chrono::steady_clock::now();
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
  NetworkCurve curve;
  MeasuredRun run;
  run.task = task;
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
  const int64_t sites = atp_alignment_sites(train), count = atp_transformer_map_count(network.get());
  std::vector<double> maps(static_cast<std::size_t>(count * sites * sites));
  check(atp_transformer_maps(network.get(), test, maps.data(), static_cast<int64_t>(maps.size())));
  for (int64_t k = 0; k < count; ++k) curve.maps.emplace_back(maps.begin() + k * sites * sites, maps.begin() + (k + 1) * sites * sites);
  curve.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return curve;
}

}  // namespace cli
