// SPDX-License-Identifier: MIT
// Models on lattices and random graphs; see attopotts/lattice.h.
#pragma once

#include "base/options.hpp"
#include "potts/model.hpp"

namespace atp {

extern const OptionTable kLatticeOptions;

Model *make_lattice(Context &context, const Options &options);

}  // namespace atp
