// SPDX-License-Identifier: MIT
// How long chains remember their starts: overlaps from sweep to sweep, and the time after which they have fallen to those of independent
// sequences. Tables of the walks themselves.
#pragma once

#include "base/arena.hpp"
#include "base/table.hpp"
#include "sample/convergence.hpp"
#include "sample/sampling.hpp"

namespace atp {

struct Forgetting {
  Estimate time;      // sweeps, infinite where the overlap has not fallen to 1/e of its excess
  Estimate exponent;  // of the stretched exponential; 1 without an error where there are too few times to fit it
  Estimate plateau;   // overlap of the starts with independent sequences
};

struct ForgettingWork {
  Span<double> overlaps;            // [chains][times]
  Span<double> means, errors, fit;  // [times]
  Span<double> left_out;            // [times]
  Span<double> frequencies;         // [L][q] of the starts
  Span<double> sweeps;              // [times]
  void lay_out(Arena &arena, int64_t times, int64_t chains, int64_t sites, int64_t colors);
};

// The overlap of chain c at time t, the fraction of sites equal to the start of the chain, is in work.overlaps, [chains][times]. sweeps: of
// the times. Fills means, errors and fit:
//   o(t) = p + (1 - p) exp(-(t / time)^exponent),
// by least squares with the errors of o(t); errors of the fit are from a jackknife over at most 16 blocks of chains, and that of the
// plateau p.
Forgetting fit_forgetting(Span<const double> sweeps, const Estimate &plateau, const ForgettingWork &work);

// The mean overlap of starts [chains][L] with independent sequences [n][L], and its error over the latter.
Estimate plateau_of(const uint8_t *starts, int64_t chains, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                    Span<double> frequencies);

// Appends the rows of ATP_TABLE_FORGETTING, one for each time, to a table that has room for them. The run is done and has starts;
// independent [n][L].
void append_forgetting(const Sampling &run, const uint8_t *independent, int64_t n, Table &table);
// The same of ATP_TABLE_TRAJECTORY, one row for each sequence.
void append_trajectory(const Sampling &run, Table &table);

}  // namespace atp
