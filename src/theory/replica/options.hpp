// SPDX-License-Identifier: MIT
// The options, and the columns of tables, of the tasks of masked Gaussian modelling.
#pragma once

#include "base/options.hpp"
#include "base/table.hpp"

#include <attopotts/options.h>

namespace atp::replica {

extern const OptionTable kSquareOptions, kSaddleOptions, kLimitOptions, kConvexOptions, kPottsOptions, kSimulationOptions,
    kPottsSimulationOptions;

// The checks of options together. They throw ATP_E_VALUE or ATP_E_CONFLICT.
void settle_square(Options &options);
void settle_limit(Options &options);
void settle_convex(Options &options);
void settle_potts(Options &options);

extern const TableKind kReplicaCurveTable, kReplicaSimulationTable;

}  // namespace atp::replica
