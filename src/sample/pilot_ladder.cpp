// SPDX-License-Identifier: MIT
#include "sample/pilot_ladder.hpp"

#include "sample/owned_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kPilotLadders = 16;
constexpr int64_t kFirstRungs = 16;  // if their number is not given
constexpr int64_t kFirstSweeps = 100;
constexpr int kPilots = 4;
static_assert(kPilotSweeps == kFirstSweeps * ((1 << kPilots) - 1));
constexpr double kRejection = 0.5;  // target between neighbours
// The search for the hottest rung: chains forget a cold start where no more than this share of its overlap is left after some sweeps. With
// 64 chains the standard error of the share is about 0.02 at 20 sites, and smaller at more.
constexpr int64_t kHotChains = 64, kForgetSweeps = 8;
constexpr double kForgotten = 0.15, kColdestHot = 0.5;  // the latter of the target's beta
constexpr int kHotAfter = 1;                            // the pilot run whose cold state it takes
constexpr int kHotSteps = 5;                            // of bisection, from beta_hot on
static_assert(kHotSweeps == 2 * kForgetSweeps * kHotSteps);

void space_geometrically(double hot, double cold, Span<double> betas) {
  const int64_t rungs = betas.size();
  for (int64_t k = 0; k < rungs; ++k) betas[k] = cold * std::pow(hot / cold, 1 - static_cast<double>(k) / static_cast<double>(rungs - 1));
  betas[rungs - 1] = cold;
}

// Work space of the pilot runs.
struct Pilots {
  Span<double> swaps, sum, spaced, energies;
  Span<uint8_t> states;  // [kHotChains][L]
  void lay_out(Arena &arena, int64_t rungs, int64_t sites) {
    swaps = arena.take<double>(rungs);
    sum = arena.take<double>(rungs);
    spaced = arena.take<double>(rungs);
    energies = arena.take<double>(kPilotLadders);
    states = arena.take<uint8_t>(kHotChains, sites);
  }
};

// Betas between which the summed rejection is the same, by linear interpolation of the sum.
void space_again(Ladder &ladder, int64_t given, const Pilots &work) {
  const int64_t rungs = ladder.rungs;
  const Span<double> sum = work.sum;
  sum[0] = 0;
  for (int64_t k = 0; k + 1 < rungs; ++k) sum[k + 1] = sum[k] + std::fmax(1 - work.swaps[k], 1e-3);
  const double all = sum[rungs - 1];
  const int64_t wanted = given > 0 ? given : std::clamp<int64_t>(static_cast<int64_t>(std::ceil(all / kRejection)) + 1, 2, kMostPilotRungs);
  int64_t at = 0;
  for (int64_t k = 0; k < wanted; ++k) {
    const double goal = all * static_cast<double>(k) / static_cast<double>(wanted - 1);
    while (at + 2 < rungs && sum[at + 1] < goal) ++at;
    work.spaced[k] = ladder.betas[at] + (ladder.betas[at + 1] - ladder.betas[at]) * (goal - sum[at]) / (sum[at + 1] - sum[at]);
  }
  work.spaced[0] = ladder.betas[0];
  work.spaced[wanted - 1] = ladder.betas[rungs - 1];
  std::copy_n(work.spaced.begin(), wanted, ladder.betas.begin());
  ladder.rungs = wanted;
}

// The mean overlap of chains with the cold state, some sweeps after that start or after a random one. Below 0: the run was stopped.
double overlap_after(Context &context, const Model &model, const LadderRequest &request, double beta, bool cold, const Ladder &ladder,
                     const Pilots &work, Relay &relay) {
  OwnedSampler sampler(context);
  sampler.reset(sampler_on(context, model, request, {&beta, 1}, request.seed, kHotChains));
  if (cold) sampler->start_cold(ladder.cold_state.data());
  if (!relay.sweep(*sampler, kForgetSweeps)) return -1;
  sampler->states(0, work.states.data());
  const int64_t sites = model.sites();
  int64_t equal = 0;
  for (int64_t k = 0; k < kHotChains * sites; ++k) equal += work.states[k] == ladder.cold_state[k % sites];
  return static_cast<double>(equal) / static_cast<double>(kHotChains * sites);
}

// Bisection of log beta. Returns 0 if the run was stopped.
double search_hot(Context &context, const Model &model, const LadderRequest &request, const Ladder &ladder, const Pilots &work,
                  Relay &relay) {
  double hot = request.beta_hot, too_cold = kColdestHot * request.beta;
  for (int step = 0; step < kHotSteps; ++step) {
    const double middle = step == 0 ? too_cold : std::sqrt(hot * too_cold);
    const double cold = overlap_after(context, model, request, middle, true, ladder, work, relay);
    const double random = cold < 0 ? -1 : overlap_after(context, model, request, middle, false, ladder, work, relay);
    if (random < 0) return 0;
    (cold - random <= kForgotten * (1 - random) ? hot : too_cold) = middle;
  }
  return hot;
}

// Leaves out the rungs that are hotter than this one, which becomes the first.
void cut_ladder(Ladder &ladder, double hot, const Pilots &work) {
  int64_t first = 0;
  while (first + 2 < ladder.rungs && ladder.betas[first + 1] <= hot) ++first;
  const double left = (ladder.betas[first + 1] - hot) / (ladder.betas[first + 1] - ladder.betas[first]);
  work.swaps[first] = 1 - (1 - work.swaps[first]) * left;
  ladder.betas[first] = hot;
  ladder.rungs -= first;
  std::copy_n(ladder.betas.begin() + first, ladder.rungs, ladder.betas.begin());
  std::copy_n(work.swaps.begin() + first, ladder.rungs - 1, work.swaps.begin());
}

}  // namespace

Sampler *sampler_on(Context &context, const Model &model, const LadderRequest &request, Span<const double> betas, uint64_t seed,
                    int64_t chains) {
  const int64_t rungs = betas.size();
  Options options(kSamplerOptions);
  options.set(ATP_OPT_SEED, static_cast<int64_t>(seed));
  options.set(ATP_OPT_CHAINS, chains);
  options.set(ATP_OPT_FIRST_CHAIN, request.first_chain);
  options.set(ATP_OPT_TEMPERATURES, rungs);
  options.set(ATP_OPT_SWAP_INTERVAL, request.swap_interval);
  if (rungs > 1) options.set(ATP_OPT_BETA_HOT, betas[0]);
  options.set(ATP_OPT_KEPT_COLOR, request.kept);
  options.set(ATP_OPT_MAX_MUTATIONS, request.most);
  OwnedSampler sampler(context, model, SamplerOptions(options, betas[rungs - 1]));
  if (request.restriction->any()) sampler->restrict_to(*request.restriction);
  if (request.start != nullptr) sampler->start_near(request.start, 1);
  if (rungs > 1) sampler->set_betas(betas.data());
  return sampler.release();
}

bool make_ladder(Context &context, const Model &model, const LadderRequest &request, Ladder &ladder, Relay &relay) {
  const int64_t sites = model.sites(), room = ladder.betas.size();
  const Scratch scratch(context.allocator, bytes_laid_out(Pilots(), room, sites));
  Arena arena = scratch.arena();
  Pilots work;
  work.lay_out(arena, room, sites);
  ladder.rungs = request.rungs > 0 ? request.rungs : kFirstRungs;
  space_geometrically(request.beta_hot, request.beta, ladder.betas.sub(0, ladder.rungs));
  double lowest = std::numeric_limits<double>::infinity();
  for (int pilot = 0; pilot < kPilots; ++pilot) {
    const int64_t sweeps = kFirstSweeps << pilot, rungs = ladder.rungs;
    const Span<const double> betas = ladder.betas.sub(0, rungs);
    OwnedSampler sampler(context);
    sampler.reset(sampler_on(context, model, request, betas, request.seed, kPilotLadders));
    if (!relay.sweep(*sampler, sweeps)) return false;
    sampler->shared_energies(rungs - 1, work.energies.data());
    sampler->states(rungs - 1, work.states.data());
    const double *best = std::min_element(work.energies.begin(), work.energies.end());
    if (*best < lowest) {
      lowest = *best;
      std::copy_n(work.states.begin() + (best - work.energies.begin()) * sites, sites, ladder.cold_state.begin());
    }
    for (int64_t k = 0; k + 1 < rungs; ++k) work.swaps[k] = sampler->swap_rate(k);
    ladder.slowest_swap = *std::min_element(work.swaps.begin(), work.swaps.begin() + rungs - 1);
    if (request.search_hot && pilot == kHotAfter) {
      const double hot = search_hot(context, model, request, ladder, work, relay);
      if (hot == 0) return false;
      cut_ladder(ladder, hot, work);
    }
    if (pilot + 1 < kPilots) space_again(ladder, request.rungs, work);
  }
  return true;
}

}  // namespace atp
