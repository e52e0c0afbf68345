// SPDX-License-Identifier: MIT
#include "run/potts_data.hpp"

#include "run/progress_display.hpp"

namespace cli {

namespace {

constexpr int64_t kDataChains = 64;

// Map and V in the gauge of one unit of V.
struct Gauged {
  std::vector<double> map, values;
};

Gauged gauged(const Session &session, const atp_model *model) {
  Model rewritten;
  check(atp_model_gauge(session.context.get(), model, ATP_GAUGE_COLORS, out(rewritten)));
  return {rewritten.maps(), rewritten.values()};
}

}  // namespace

std::string PottsData::tuning_text() const {
  return fmt::format("beta = {:.4f} +- {:.4f}: equilibrium samples differ at {:.3f} +- {:.3f} of the sites.{}", tuned.beta.value,
                     tuned.beta.error, tuned.hamming.value, tuned.hamming.error,
                     tuned.converged ? "" : " (not in equilibrium: the best known)");
}

std::string PottsData::sampling_text() const {
  return fmt::format("{} samples by replica exchange ({} ladders of {} betas): {} site updates/s, split R-hat {:.3f}{}.", samples, chains,
                     sampled.temperatures, short_number(sampled.updates_per_second), sampled.rhat,
                     sampled.equilibrated ? "" : ", NOT equilibrated: " + sampled.why);
}

PottsData draw_potts_data(const Session &session, Model truth, double hamming, int64_t samples, int64_t seed) {
  PottsData data;
  data.truth = std::move(truth);
  data.tuned = tune_beta(session, data.truth.get(), hamming, seed);
  data.truth.set_beta(data.tuned.beta.value);
  SamplingPlan plan;
  plan.beta = data.tuned.beta.value;
  plan.chains = data.chains = kDataChains;
  plan.samples = data.samples = samples;
  plan.seed = seed;
  data.sampled = draw(session, data.truth.get(), plan);
  data.all = std::move(data.sampled.data);
  return data;
}

ComparedMaps compare_maps(const Session &session, const atp_model *truth, const atp_model *learned) {
  Gauged a = gauged(session, truth), b = gauged(session, learned);
  ComparedMaps maps{std::move(a.map), std::move(b.map)};
  std::vector<double> j(maps.truth.size());
  check(atp_model_maps(truth, j.data(), static_cast<int64_t>(j.size())));
  double overlap = 0, square = 0;
  for (std::size_t k = 0; k < j.size(); ++k) {
    overlap += maps.truth[k] * j[k];
    square += maps.truth[k] * maps.truth[k];
  }
  const double unit = square > 0 ? overlap / square : 1;
  // The gauge takes its sign from the largest entry of each map; the sign of both V must be the same.
  double alike = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) alike += a.values[k] * b.values[k];
  if (alike < 0)
    for (double &x : maps.learned) x = -x;
  for (double &x : maps.truth) x *= unit * atp_model_beta(truth);
  for (double &x : maps.learned) x *= unit * atp_model_beta(learned);
  return maps;
}

}  // namespace cli
