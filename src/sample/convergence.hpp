// SPDX-License-Identifier: MIT
// Means over chains that run side by side, and tests of whether two runs sample the same distribution. Nothing
// here allocates.
#pragma once

#include "base/span.hpp"
#include "sample/overlap.hpp"
#include "sample/record.hpp"

#include <cstdint>

namespace atp {

struct Estimate {
  double value, error;
};

// Mean Hamming distance between different chains at the same time, a fraction of the sites, with the jackknife
// error over chains. sums: work space, one number for each chain. Needs at least two chains.
Estimate hamming_between_chains(const Record &record, Span<double> sums);
// Mean Hamming distance over all pairs of sequences.
double hamming_of_all(const Record &record);

// Energies as [chains][times].
void energy_series(const Record &record, Span<double> series);
// Split R-hat of the energies; 0 for fewer than 4 times. series: work space, [chains][times].
double energy_rhat(const Record &record, Span<double> series);

// The number of read-outs after which a chain is decorrelated: nearly as far from its old state as from other
// chains. All read-outs of the record if there is none.
int64_t decorrelation(const Record &record, Span<double> sums);

// Work space of disagreement().
struct ConvergenceWork {
  OverlapWork overlap;  // its series is used for energies, too
  Span<double> sums;    // one number for each chain
  Span<char> text;
};
// Compares two runs that start from opposite sides: one from random states (too hot), the other from copies of
// one cold state (too cold). `all` has the chains of both. Writes to work.text the quantity that differs, ""
// if they agree.
void disagreement(const Record &a, const Record &b, const Record &all, const ConvergenceWork &work);

}  // namespace atp
