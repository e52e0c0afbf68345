// SPDX-License-Identifier: MIT
#include "support/ladder.hpp"

#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cli {

namespace {

constexpr int64_t kPilotLadders = 16;
constexpr int64_t kMostRungs = 64;
constexpr int kPilots = 4;
constexpr double kRejection = 0.5;  // target between neighbours

std::vector<double> geometric(double hot, double cold, int64_t rungs) {
  std::vector<double> betas;
  for (int64_t k = 0; k < rungs; ++k)
    betas.push_back(cold * std::pow(hot / cold, 1 - static_cast<double>(k) / static_cast<double>(rungs - 1)));
  betas.back() = cold;
  return betas;
}

// Betas between which the summed rejection is the same, by linear interpolation of the sum.
std::vector<double> respaced(const std::vector<double> &betas, const std::vector<double> &swaps, int64_t rungs) {
  std::vector<double> sum(betas.size(), 0);
  for (std::size_t k = 0; k < swaps.size(); ++k) sum[k + 1] = sum[k] + std::fmax(1 - swaps[k], 1e-3);
  const int64_t wanted =
      rungs > 0 ? rungs : std::clamp<int64_t>(static_cast<int64_t>(std::ceil(sum.back() / kRejection)) + 1, 2, kMostRungs);
  std::vector<double> spaced;
  std::size_t at = 0;
  for (int64_t k = 0; k < wanted; ++k) {
    const double goal = sum.back() * static_cast<double>(k) / static_cast<double>(wanted - 1);
    while (at + 2 < sum.size() && sum[at + 1] < goal) ++at;
    spaced.push_back(betas[at] + (betas[at + 1] - betas[at]) * (goal - sum[at]) / (sum[at + 1] - sum[at]));
  }
  spaced.front() = betas.front();
  spaced.back() = betas.back();
  return spaced;
}

}  // namespace

Sampler make_sampler(const Session &session, const atp_model *model, int64_t seed, int64_t chains, const std::vector<double> &betas) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_CHAINS, chains), "--chains");
  const auto rungs = static_cast<int64_t>(betas.size());
  check(atp_options_set_i64(options.get(), ATP_OPT_TEMPERATURES, rungs), "--temperatures");
  // 0 in the option means the model's own beta, so beta is set in the model.
  Model cooled;
  check(atp_model_copy(session.context.get(), model, out(cooled)));
  check(atp_model_set_beta(cooled.get(), betas.back()), "--beta");
  if (rungs > 1) check(atp_options_set_f64(options.get(), ATP_OPT_BETA_HOT, betas.front()), "--beta-hot");
  Sampler sampler;
  check(atp_sampler_create(session.context.get(), cooled.get(), options.get(), out(sampler)));
  if (rungs > 1) check(atp_sampler_set_betas(sampler.get(), betas.data(), rungs));
  return sampler;
}

Ladder make_ladder(const Session &session, const atp_model *model, double beta, double beta_hot, int64_t temperatures, int64_t seed) {
  const int64_t sites = atp_model_sites(model);
  Ladder ladder;
  if (beta <= 0 || temperatures == 1) {
    ladder.betas = {beta};
    ladder.cold_state.assign(static_cast<std::size_t>(sites), 0);
    return ladder;
  }
  const double hot = beta_hot > 0 ? beta_hot : beta / 10;
  ladder.betas = geometric(hot, beta, temperatures > 0 ? temperatures : 16);
  double lowest = std::numeric_limits<double>::infinity();
  Progress progress(session, "ladder", "sweeps");
  double swept = 0;
  for (int pilot = 0; pilot < kPilots; ++pilot) {
    const int64_t sweeps = 100 << pilot;
    progress.set_frame(swept, 100 * ((1 << kPilots) - 1));
    swept += static_cast<double>(sweeps);
    const auto rungs = static_cast<int64_t>(ladder.betas.size());
    const Sampler sampler = make_sampler(session, model, seed, kPilotLadders, ladder.betas);
    const StopOnSignal stop(sampler.get());
    check(atp_sampler_sweep(sampler.get(), sweeps, Progress::callback, &progress, nullptr));
    stop_if_interrupted();
    std::vector<double> energies(kPilotLadders), swaps(static_cast<std::size_t>(rungs - 1));
    std::vector<uint8_t> states(static_cast<std::size_t>(kPilotLadders * sites));
    check(atp_sampler_energies(sampler.get(), rungs - 1, energies.data(), kPilotLadders));
    check(atp_sampler_states(sampler.get(), rungs - 1, states.data(), kPilotLadders * sites));
    const auto best = std::min_element(energies.begin(), energies.end());
    if (*best < lowest) {
      lowest = *best;
      const auto from = states.begin() + (best - energies.begin()) * sites;
      ladder.cold_state.assign(from, from + sites);
    }
    check(atp_sampler_swap_rates(sampler.get(), swaps.data(), rungs - 1));
    ladder.slowest_swap = *std::min_element(swaps.begin(), swaps.end());
    if (pilot + 1 < kPilots) ladder.betas = respaced(ladder.betas, swaps, temperatures);
  }
  return ladder;
}

}  // namespace cli
