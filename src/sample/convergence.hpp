// SPDX-License-Identifier: MIT
// Computes means over chains that run side by side, and tests whether the chains visit the same parts of state space and whether two runs
// sample the same distribution. Nothing here allocates.
#pragma once

#include "base/arena.hpp"
#include "base/span.hpp"
#include "base/estimate.hpp"
#include "sample/mixing.hpp"

#include <cstdint>

namespace atp {

// States of some chains at several times. Chains first..first + chains - 1 of `stride` that are stored together:
// sequences [times][stride][sites], energies [times][stride].
struct Record {
  const uint8_t *sequences;
  const double *energies;
  int64_t times, chains, sites;
  int64_t first, stride;
  const uint8_t *state(int64_t t, int64_t c) const { return sequences + (t * stride + first + c) * sites; }
  double energy(int64_t t, int64_t c) const { return energies[t * stride + first + c]; }
};

// --- R-hat of overlaps with reference sequences ---
//
// The energy does not tell basins of equal energy apart; an overlap does.

inline constexpr int64_t kOverlapReferences = 16;  // at most
inline constexpr int64_t kOverlapTimes = 5;        // at least: split R-hat needs four, and the last states are references

// Work space for records of at most `times` times and `chains` chains.
struct OverlapWork {
  Span<int64_t> equal;   // [chains][times], numbers of sites
  Span<double> series;   // [chains][times]
  Span<int64_t> counts;  // [2 sites + 1]
  Span<double> scores;   // [2 sites + 1]
  void lay_out(Arena &arena, int64_t times, int64_t chains, int64_t sites);
};

// R-hat of the overlaps q_r(s) = (number of sites where s and reference r are equal) / sites. References are the last states of the
// chains c = k C / R, k = 0..R - 1, R = min(C, 16); the last states of all chains are left out of the series. For each reference it is
// the larger of the rank-normalised split R-hat of q_r and that of |q_r - median q_r|, which sees chains of different width; the result
// is the largest of all references. 0 for fewer than kOverlapTimes times. Infinite if every half of a chain is constant and they differ.
// Source: A. Vehtari et al., Bayesian Anal. 16, 667 (2021), sec. 4.
double overlap_rhat(const Record &record, const OverlapWork &work);

// --- two runs ---

// Mean Hamming distance between different chains at the same time, a fraction of the sites, with the jackknife
// error over chains. sums: work space, one number for each chain. Needs at least two chains.
Estimate hamming_between_chains(const Record &record, Span<double> sums);
// Mean Hamming distance over all pairs of sequences.
double hamming_of_all(const Record &record);

// Work space of the next functions.
struct ConvergenceWork {
  OverlapWork overlap;  // its series is used for energies, too
  MixingWork mixing;
  Span<double> sums;  // one number for each chain
  Span<char> text;
};

// Energies as [chains][times].
void energy_series(const Record &record, Span<double> series);
// R-hat of energies and overlaps and their limits (mixing.hpp); all 0 for fewer than 4 times, and than kOverlapTimes.
RhatTest test_energy(const Record &record, const ConvergenceWork &work);
RhatTest test_overlaps(const Record &record, const ConvergenceWork &work);

// The number of read-outs after which a chain is decorrelated: nearly as far from its old state as from other chains, and with a twentieth
// of the autocorrelation of the energy. All read-outs of the record if there is none.
int64_t decorrelation(const Record &record, const ConvergenceWork &work);

// Compares two runs that start from opposite sides: one from random states (too hot), the other from copies of
// one cold state (too cold). `all` has the chains of both. Writes to work.text the quantity that differs, ""
// if they agree.
void disagreement(const Record &a, const Record &b, const Record &all, const ConvergenceWork &work);

}  // namespace atp
