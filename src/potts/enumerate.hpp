// SPDX-License-Identifier: MIT
// Exact sums over all states of a small model.
#pragma once

#include "potts/model.hpp"

namespace atp {

inline constexpr int64_t kMaxStates = int64_t{1} << 26;

// q^L; throws ATP_E_TOO_LARGE above kMaxStates.
int64_t count_states(const Model &model);

// Moments of a state: the variance of the energy, and <m>, <m^2>, <m^4> of m = (q max_a rho_a - 1) / (q - 1), where rho_a is the fraction
// of sites of colour a; with a reference <r>, <r^2>, <r^4> of r = (q o - 1) / (q - 1), where o is the fraction of sites equal to it.
struct StateMoments {
  double energy_variance, order[3], reference[3];
};

// The requested sums; see atp_model_enumerate().
struct StateSums {
  double *log_z = nullptr, *energy = nullptr;
  double *marginals = nullptr;      // [L][q]
  double *pairs = nullptr;          // [L][L][q][q]
  double *probabilities = nullptr;  // [q^L]
  StateMoments *moments = nullptr;
  const uint8_t *reference = nullptr;  // [L]
  double beta = -1;                    // below 0: that of the model
};

// Requires q^L <= kMaxStates. Never allocates.
void enumerate_states(const Model &model, const StateSums &out);

}  // namespace atp
