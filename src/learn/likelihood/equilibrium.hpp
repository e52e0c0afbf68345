// SPDX-License-Identifier: MIT
// Whether a model reproduces a family in equilibrium. Chains that persist follow a model that changes, and can agree with a family that the
// model does not have. Fresh chains from random colours and from training sequences are swept, twice as long each time, until those from
// training sequences have forgotten them, and as long again. Then kSnapshots samples are taken of both, an eighth of that time apart. Two
// halves of the chains tell how much noise these have (Statistics::compare_halves()). Where random starts alone miss the target, both are
// swept for longer, for they may need more time than the others.
//
// Where training sequences are remembered after kMostSweeps, replica exchange goes on from there (exchange.hpp), with at most
// kMostLadderSweeps.
//
// The entropy S = log Z - <theta> has log Z of annealing (annealed.hpp), which takes an eighth of the sweeps, and <theta> of all samples.
#pragma once

#include "base/progress.hpp"
#include "learn/likelihood/model_chains.hpp"

namespace atp {

inline constexpr double kLowestSlope = 0.95, kHighestSlope = 1.05;

inline bool reaches(const Agreement &found, double target) {
  return found.noiseless >= target && found.slope >= kLowestSlope && found.slope <= kHighestSlope;
}

struct Verdict {
  Agreement random, natural;
  int64_t sweeps = 0;       // of each chain
  int64_t work = 0;         // sweeps of all chains together
  int64_t mixing = 0;       // after which training sequences were forgotten; of replica exchange its own; 0: they were not
  double acceptance = 0;    // of exchanges; 0: there were none
  Estimate log_z, entropy;  // of the model, where it was in equilibrium and a report is wanted
  bool stopped = false;     // by the reporter: nothing else holds
  bool reaches(double target) const { return mixing > 0 && atp::reaches(random, target) && atp::reaches(natural, target); }
};

class Equilibrium {
 public:
  static constexpr int64_t kSnapshots = 32;
  static constexpr int64_t kMostSweeps = 4096, kMostLadderSweeps = 1024;

  Equilibrium(const DenseShape &pairs, int threads)
      : random_{Sample(pairs, kSnapshots * kHalf, threads), Sample(pairs, kSnapshots * kHalf, threads)},
        natural_{Sample(pairs, kSnapshots * kHalf, threads), Sample(pairs, kSnapshots * kHalf, threads)} {}
  void lay_out(Arena &arena) {
    for (Sample *half : {&random_[0], &random_[1], &natural_[0], &natural_[1]}) half->lay_out(arena);
  }
  Verdict verify(ModelChains &chains, Statistics &statistics, double target, Reporter &reporter, Target simd, Threads threads);

 private:
  bool forget(ModelChains &chains, int64_t most, Verdict &verdict, Reporter &reporter);
  bool sweep(ModelChains &chains, int64_t sweeps, Verdict &verdict, Reporter &reporter);
  bool estimate(ModelChains &chains, Verdict &verdict, Reporter &reporter);

  // Groups of one half of the chains of one start.
  static constexpr int64_t kHalf = ModelChains::kFreshGroups / 2;
  void take(int64_t snapshot, const uint8_t *colors, int64_t sites, Sample (&halves)[2], Threads threads);

  Sample random_[2], natural_[2];  // halves
};

}  // namespace atp
