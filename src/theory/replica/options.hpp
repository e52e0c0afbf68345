// SPDX-License-Identifier: MIT
// The options of the tasks of masked Gaussian modelling.
#pragma once

#include "base/options.hpp"

namespace atp::replica {

extern const OptionTable kSquareOptions, kSaddleOptions, kLimitOptions, kConvexOptions, kPottsOptions, kSimulationOptions,
    kPottsSimulationOptions;

// The checks of options together. They throw ATP_E_VALUE or ATP_E_CONFLICT.
void settle_square(Options &options);
void settle_limit(Options &options);
void settle_convex(Options &options);
void settle_potts(Options &options);

}  // namespace atp::replica
