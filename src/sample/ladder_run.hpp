// SPDX-License-Identifier: MIT
// One run of independent replica-exchange ladders from random starts. At every rung it measures distances,
// fluctuations of the energy and R-hat.
#pragma once

#include "base/arena.hpp"
#include "sample/mixing.hpp"
#include "sample/sampler.hpp"

namespace atp {

// Seeds of runs: functions of the caller's seed, distinct from it and from each other.
uint64_t run_seed(uint64_t seed, uint64_t run);

// Totals over several runs, for progress reports.
struct RunProgress {
  int64_t sweeps = 0;
  double site_updates = 0;
};

// The pairs of states that a distance compares: two ladders at the same time, in the first half, the second half or all of
// the run; or one ladder and itself half a run later.
enum class Pairs : int { first_half = 0, second_half = 1, ladders = 2, later = 3 };

class LadderRun {
 public:
  static constexpr int64_t kReads = 768;     // maximum number of read-outs of a run
  static constexpr int64_t kSnapshots = 24;  // states that are stored for Pairs::later

  // Betas increase and must outlive the run.
  LadderRun(Context &owner, const Model &source, int64_t ladders, Span<const double> betas);

  // Makes `sweeps` sweeps (at least 64); the first quarter is burn-in. Collective. Returns false if the callback stopped
  // the run; then nothing was measured.
  bool make(int64_t sweeps, uint64_t seed, Reporter &reporter, RunProgress &progress);

  int64_t rungs() const { return betas_.size(); }
  int64_t ladders() const { return ladders_; }
  // Of the last run, [ladders][read-outs].
  Span<const double> energies(int64_t rung) const { return {series(rung), ladders_ * reads_}; }
  double energy_deviation(int64_t rung) const { return arrays_.deviation[rung]; }
  // R-hat of the energy (mixing.hpp) that lies highest above its limit, of the first rungs.
  RhatTest rhat(int64_t rungs) const;

  // Mean Hamming distance at every rung, a fraction of the sites, over all ladders but `without` (-1: over
  // all). out[rungs]. Between ladders at beta = 0 the result is the exact 1 - 1/q.
  void distances(Pairs pairs, int64_t without, double *out) const;

 private:
  struct Arrays {
    Span<double> series;  // [rungs][ladders][kReads] at most, energies
    Span<int64_t> sums;   // [4 Pairs][rungs][ladders]: sites at which a ladder differs from all others, or from itself
    Span<double> deviation, rhat;
    MixingWork mixing;
    Span<uint8_t> states;     // [ladders][L]
    Span<uint8_t> snapshots;  // [kSnapshots][rungs][ladders][L]
    Span<double> energies;    // [ladders]
    void lay_out(Arena &arena, int64_t rungs, int64_t ladders, int64_t sites);
  };

  bool report(const Sampler &sampler, int64_t done, int64_t sweeps, Reporter &reporter, const RunProgress &progress);
  void read(const Sampler &sampler, int64_t index);
  void compare_ladders(int64_t *sums);
  void compare_snapshot(int64_t rung, int64_t index);
  void evaluate();
  double *series(int64_t rung) const { return arrays_.series.data() + rung * ladders_ * reads_; }
  int64_t *sums(Pairs pairs, int64_t rung) const { return arrays_.sums.data() + (static_cast<int64_t>(pairs) * rungs() + rung) * ladders_; }

  Context &context_;
  const Model &model_;
  int64_t ladders_, reads_ = 0, snapshot_count_ = 0;
  Span<const double> betas_;
  Scratch scratch_;
  Arrays arrays_;
};

}  // namespace atp
