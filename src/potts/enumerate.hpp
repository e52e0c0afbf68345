// SPDX-License-Identifier: MIT
// Exact sums over all states of a small model.
#pragma once

#include "potts/model.hpp"

namespace atp {

inline constexpr int64_t kMaxStates = int64_t{1} << 26;

// q^L; throws ATP_E_TOO_LARGE above kMaxStates.
int64_t count_states(const Model &model);

// The requested sums; see atp_model_enumerate().
struct StateSums {
  double *log_z = nullptr, *energy = nullptr;
  double *marginals = nullptr;      // [L][q]
  double *pairs = nullptr;          // [L][L][q][q]
  double *probabilities = nullptr;  // [q^L]
};

// Requires q^L <= kMaxStates. Never allocates.
void enumerate_states(const Model &model, const StateSums &out);

}  // namespace atp
