// SPDX-License-Identifier: MIT
// Convergence diagnostics of Markov chains: autocorrelation time, split R-hat, Hamming distances. Nothing here
// allocates.
#pragma once

#include <cstdint>

namespace atp {

struct AutocorrelationTime {
  double tau, error;
  int64_t window;
};

// series[chains][n], finite. Throws ATP_E_VALUE if all elements are equal.
AutocorrelationTime autocorrelation_time(const double *series, int64_t chains, int64_t n);

// series[chains][n], n >= 4. Returns infinity if every half chain is constant and they differ.
double split_rhat(const double *series, int64_t chains, int64_t n);

// Writes to counts[sites + 1] how many pairs of sequences[n][sites], n >= 2, have each distance. Returns the
// mean distance as a fraction of the sites.
double hamming_histogram(const uint8_t *sequences, int64_t n, int64_t sites, int64_t *counts);

}  // namespace atp
