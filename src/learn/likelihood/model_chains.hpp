// SPDX-License-Identifier: MIT
// The chains of Boltzmann learning: those of the steps, which persist, and fresh ones that tell what the model is like in equilibrium.
// Their model is a point (couplings.hpp), which changes in place. Ranks share the groups of chains and give each other their states.
//
// All random numbers are those of (seed, chain, sweep): a clock counts the sweeps of all that has been done. The state that is saved is the
// clock and the colours of the persistent chains.
#pragma once

#include "learn/likelihood/annealed.hpp"
#include "learn/likelihood/exchange.hpp"
#include "learn/objective.hpp"
#include "sample/chains.hpp"

namespace atp {

class ModelChains {
 public:
  ModelChains(Context *owner, const DenseShape &pairs, const BoltzmannSettings &settings, uint64_t seed);
  void lay_out(Arena &arena);
  // chains: of those that persist, at most as many as the settings have room for.
  void init(const Alignment &family, const Statistics &statistics, int64_t chains);

  // Takes over a point. Returns false, and takes nothing, where local fields could leave the range of the kernels.
  bool fill(Span<const double> point);
  // Persistent chains at training sequences, clock 0.
  void restart();
  // Persistent chains at these sequences: chain r at number r, beginning again after the last one.
  void put(const Alignment &sequences);
  void get(int64_t chain, uint8_t *sequence) const { persistent_.get(chain, sequence); }
  int64_t count() const { return groups_ * kGibbsLanes; }
  // A step, of so many sweeps. Returns how many chains have made together.
  int64_t advance(int64_t sweeps);

  // Fresh chains: kFreshGroups groups at random colours, then as many at training sequences.
  static constexpr int64_t kFreshGroups = 16;
  void start_fresh();
  int64_t sweep_fresh(int64_t sweeps);
  // From now on each fresh chain is the first rung of a ladder, of which the others begin where it is.
  void start_exchange();
  int64_t rungs() const { return exchange_.rungs(); }
  double acceptance() const { return exchanging_ ? exchange_.acceptance() : 0; }
  // What is left of the starts of the natural chains, 1 at the start and 0 where chains have forgotten it: with o the fraction of sites
  // that are as at the start, and o' that of independent sequences, (o - o') / (1 - o').
  double remembered();
  // Estimates log Z of their model in so many steps. Returns false where the run was stopped.
  bool anneal(int64_t steps, Reporter &reporter, Estimate &out);
  Span<const double> point() const { return point_; }
  // The fresh ones become the last of the persistent chains, from both starts alike.
  void adopt_fresh();

  int64_t sites() const { return pairs_.sites; }
  int64_t groups() const { return groups_; }
  const uint8_t *persistent() const { return persistent_.colors.data(); }
  const uint8_t *random() const { return fresh_.colors.data(); }
  const uint8_t *natural() const { return random() + kFreshGroups * pairs_.sites * kGibbsLanes; }
  int64_t clock() const { return clock_; }
  void set_clock(int64_t clock) { clock_ = clock; }
  Span<uint8_t> states() { return persistent_.colors.sub(0, groups_ * pairs_.sites * kGibbsLanes); }
  Span<const uint8_t> states() const { return {persistent_.colors.data(), groups_ * pairs_.sites * kGibbsLanes}; }

 private:
  // Groups that make the same number of sweeps.
  struct Segment {
    int64_t first, end, sweeps;
    bool random = false;            // from random colours
    const float *fields = nullptr;  // other fields than those of the model
  };
  static constexpr int64_t kExchangeInterval = 2;  // sweeps
  int64_t sweep(Chains &chains, Span<const Segment> segments);
  int64_t sweep_ladders(int64_t sweeps);
  void start_at_family();
  int64_t drawn(int64_t chain, int64_t clock) const;

  Context *context_;
  const DenseShape pairs_;
  const BoltzmannSettings settings_;
  const uint64_t seed_;
  GibbsModel model_;
  Chains persistent_, fresh_;
  Exchange exchange_;  // of the fresh chains, which are its first rung
  Annealed annealed_;
  bool exchanging_ = false;
  Span<const double> point_;  // of the last fill()
  int64_t groups_;            // of persistent_ that there are
  int64_t clock_ = 0;         // sweeps so far
  const Alignment *family_ = nullptr;
  Span<double> weight_sums_;  // [N]: of the weights of the sequences up to each
  Span<int64_t> starts_;      // [natural chains]: their training sequences
  Span<double> overlaps_;     // [L]
  Span<double> largest_;      // [L]
};

}  // namespace atp
