// SPDX-License-Identifier: MIT
// The options, and the columns of tables, of the tasks of dot-product attention.
#pragma once

#include "base/options.hpp"
#include "base/table.hpp"

#include <attopotts/options.h>

namespace atp::dotattn {

extern const OptionTable kCurveOptions, kTransitionOptions, kTokensOptions, kSimulationOptions, kDynamicsOptions, kTrajectoryOptions;

// They resolve automatic options and check options together. They throw ATP_E_VALUE or ATP_E_CONFLICT.
void settle_tokens(Options &options);
void settle_simulation(Options &options);
void settle_dynamics(Options &options);
void settle_trajectory(Options &options);

extern const TableKind kDotattnCurveTable, kDotattnTransitionTable, kDotattnTokensTable, kDotattnSimulationTable, kDotattnDynamicsTable,
    kDotattnTrajectoryTable;

}  // namespace atp::dotattn
