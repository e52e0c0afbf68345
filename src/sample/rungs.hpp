// SPDX-License-Identifier: MIT
// What the chains of a sampler say of every rung: energies, magnetisation and overlaps with their fluctuations, and thermodynamics along
// the ladder. See atp_sampler_measure() in attopotts/rungs.h.
//
// A number f(<a>, <b>, ...) has the error of the mean of its influence y = sum_a df/d<a> (a - <a>), a series in time of each chain:
// sqrt(2 tau Var(y) / N) with the autocorrelation time tau of y (effective_samples()). Rungs of a ladder are read at the same time, so that
// sums over rungs, such as log Z, know of the correlations between them.
#pragma once

#include "base/arena.hpp"
#include "base/progress.hpp"
#include "base/estimate.hpp"
#include "sample/mixing.hpp"
#include "sample/sampler.hpp"

#include <attopotts/rungs.h>

namespace atp {

inline constexpr int64_t kMostBins = 128;

// Sites of a bin of the distribution of overlaps, and the number of bins.
inline int64_t overlap_bin_sites(int64_t sites) { return (sites + kMostBins) / kMostBins; }
inline int64_t overlap_bins(int64_t sites) { return (sites + overlap_bin_sites(sites)) / overlap_bin_sites(sites); }

// Exact rows of ATP_TABLE_RUNGS, [betas][ATP_RUNGS_COLUMNS]. Throws ATP_E_TOO_LARGE, ATP_E_MEMORY.
// reference: [L] or NULL.
void enumerate_rungs(Context &context, const Model &model, Span<const double> betas, const uint8_t *reference, Span<double> rows);

class RungReads {
 public:
  // Of a sampler with at least two chains; at least kMixingTimes read-outs.
  RungReads(Sampler &sampler, int64_t reads);

  // Makes `thin` sweeps before each read-out. Returns false if it was stopped. Collective.
  bool make(int64_t thin, Reporter &reporter);
  // Rows of ATP_TABLE_RUNGS, [K][ATP_RUNGS_COLUMNS].
  void put_rungs(Span<double> rows);
  // Rows of ATP_TABLE_OVERLAPS, [K * bins][ATP_OVERLAPS_COLUMNS].
  void put_overlaps(Span<double> rows);

 private:
  struct Arrays {
    Span<double> energies, order;  // [K][C][n]: H, and the magnetisation
    Span<int32_t> equal;           // [K][C / 2][n]: sites at which chains 2 k and 2 k + 1 are equal
    Span<int32_t> agree;           // [K][C][n]: sites equal to those of the reference, if there is one
    Span<double> values, y;        // [C][n]: overlaps, and an influence
    Span<double> log_z, integral;  // [C][n]: influences on sums over rungs
    Span<double> chain_energies;   // [C]
    Span<uint8_t> states;          // [C][L]
    MixingWork mixing;
    void lay_out(Arena &arena, const Sampler &sampler, int64_t reads);
  };
  struct Sums;  // over rungs: log Z by two ways

  void read(int64_t index);
  double overlap(int32_t equal) const;
  Span<const double> energies(int64_t rung) const { return arrays_.energies.sub(rung * chains_ * reads_, chains_ * reads_); }
  Span<const double> orders(int64_t rung) const { return arrays_.order.sub(rung * chains_ * reads_, chains_ * reads_); }
  Span<const int32_t> equals(int64_t rung) const { return arrays_.equal.sub(rung * pairs_ * reads_, pairs_ * reads_); }
  Span<const int32_t> agreeing(int64_t rung) const { return arrays_.agree.sub(rung * chains_ * reads_, chains_ * reads_); }
  Span<const double> overlaps_of(Span<const int32_t> equal);
  Span<const double> overlaps(int64_t rung) { return overlaps_of(equals(rung)); }

  double error(Span<const double> y) const;
  double tau(Span<const double> x) const;
  Estimate mean(Span<const double> x);
  Estimate mean_square(Span<const double> x);
  Estimate binder(Span<const double> x);
  Estimate specific_heat(int64_t rung);
  Estimate exchange(int64_t rung);
  void add_step(int64_t rung, Sums &sums);
  void put_sums(int64_t rung, const Sums &sums, double *row);
  void put_reference(int64_t rung, double *row);
  void put_mixing(int64_t rung, double *row);

  Sampler &sampler_;
  int64_t rungs_, chains_, pairs_, reads_, thin_ = 1;
  Scratch scratch_;
  Arrays arrays_;
};

}  // namespace atp
