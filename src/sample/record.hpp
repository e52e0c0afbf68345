// SPDX-License-Identifier: MIT
// States that were read from chains that run side by side.
#pragma once

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

}  // namespace atp
