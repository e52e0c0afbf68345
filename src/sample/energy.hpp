// SPDX-License-Identifier: MIT
// The energy of one state in float64, without work space.
#pragma once

#include "potts/model.hpp"

namespace atp {

// H(s) = -1/2 sum_{i != j} C_ij(s_i, s_j) - sum_i b_i(s_i). With `symmetric` each pair is read once.
double energy_of(const Model &model, bool symmetric, const uint8_t *sequence);

}  // namespace atp
