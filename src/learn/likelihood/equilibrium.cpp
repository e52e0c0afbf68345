// SPDX-License-Identifier: MIT
#include "learn/likelihood/equilibrium.hpp"

#include "math/mean_error.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kForgotten = 0.05;                                          // of the start
constexpr int64_t kFirstSweeps = 16;                                         // of fresh chains
constexpr int64_t kTries = 2;                                                // samples that are taken where random starts lag behind
constexpr int64_t kAnnealedShare = 8, kFewestSteps = 16, kMostSteps = 1024;  // of annealing

}  // namespace

// Returns false where the run was stopped.
bool Equilibrium::sweep(ModelChains &chains, int64_t sweeps, Verdict &verdict, Reporter &reporter) {
  verdict.work += chains.sweep_fresh(sweeps);
  verdict.sweeps += sweeps;
  verdict.stopped = reporter.meet();
  return !verdict.stopped;
}

void Equilibrium::take(int64_t snapshot, const uint8_t *colors, int64_t sites, Sample (&halves)[2], Threads threads) {
  for (int64_t h = 0; h < 2; ++h) halves[h].put(snapshot * kHalf, colors + h * kHalf * sites * kGibbsLanes, kHalf, threads);
}

// Blocks of sweeps, twice as long each time, until training sequences are forgotten. Returns false where the run was stopped.
bool Equilibrium::forget(ModelChains &chains, int64_t most, Verdict &verdict, Reporter &reporter) {
  int64_t sweeps = 0;
  for (int64_t block = kFirstSweeps; verdict.mixing == 0 && sweeps < most; block = sweeps) {
    if (!sweep(chains, block, verdict, reporter)) return false;
    sweeps += block;
    if (chains.remembered() < kForgotten) verdict.mixing = sweeps;
  }
  return true;
}

// Log Z and entropy. Returns false where the run was stopped.
bool Equilibrium::estimate(ModelChains &chains, Verdict &v, Reporter &reporter) {
  const int64_t steps = v.work / (kAnnealedShare * Annealed::kGroups * kGibbsLanes);
  if (!chains.anneal(std::clamp(steps, kFewestSteps, kMostSteps), reporter, v.log_z)) return false;
  const double scores[] = {v.random.scores[0], v.random.scores[1], v.natural.scores[0], v.natural.scores[1]};
  const MeanError score = mean_error(Span<const double>(scores, 4));
  v.entropy = {v.log_z.value - score.mean, std::hypot(v.log_z.error, score.error)};
  return true;
}

Verdict Equilibrium::verify(ModelChains &chains, Statistics &statistics, double target, Reporter &reporter, Target simd, Threads threads) {
  Verdict v;
  chains.start_fresh();
  int64_t before = 0;  // sweeps without exchanges
  if (!forget(chains, kMostSweeps, v, reporter)) return v;
  if (v.mixing == 0 && chains.rungs() > 1) {
    before = v.sweeps;
    chains.start_exchange();
    if (!forget(chains, kMostLadderSweeps, v, reporter)) return v;
  }
  for (int64_t k = 0; k < kTries; ++k) {
    if (v.mixing > 0 && !sweep(chains, v.sweeps - before, v, reporter)) return v;
    for (int64_t n = 0; n < kSnapshots; ++n) {
      if (!sweep(chains, std::max<int64_t>(1, v.mixing / 8), v, reporter)) return v;
      take(n, chains.random(), chains.sites(), random_, threads);
      take(n, chains.natural(), chains.sites(), natural_, threads);
    }
    for (Sample *half : {&random_[0], &random_[1], &natural_[0], &natural_[1]}) half->count_colors(threads);
    v.random = statistics.compare_halves(random_[0], random_[1], chains.point(), simd, threads);
    v.natural = statistics.compare_halves(natural_[0], natural_[1], chains.point(), simd, threads);
    if (v.reaches(target) || !reaches(v.natural, target) || v.mixing == 0) break;
  }
  v.acceptance = chains.acceptance();
  if (v.mixing > 0 && reporter.wanted()) v.stopped = !estimate(chains, v, reporter);
  return v;
}

}  // namespace atp
