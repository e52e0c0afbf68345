// SPDX-License-Identifier: MIT
// Random models of one head (J, U), as functions of a seed.
#pragma once

#include "potts/model.hpp"

#include <attopotts/model.h>

namespace atp {

// Fills the maps and values of a model of one head. See atp_couplings and atp_color_matrix for the
// distributions.
void fill_random(Model &model, atp_couplings couplings, atp_color_matrix color_matrix, uint64_t seed);

}  // namespace atp
