// SPDX-License-Identifier: MIT
// The options, and the columns of tables, of samplers, of the tuning of beta, of sampling runs and of log Z.
#pragma once

#include "base/options.hpp"
#include "base/table.hpp"

#include <attopotts/partition.h>
#include <attopotts/rungs.h>
#include <attopotts/sampler.h>

namespace atp {

// The largest number of rungs, and the largest inverse temperature.
inline constexpr int64_t kMaxRungs = 1024;
inline constexpr double kMaxBeta = 1e6;

extern const OptionTable kSamplerOptions, kTuningOptions, kSamplingOptions, kPartitionOptions;

extern const TableKind kRungsTable, kOverlapsTable, kTuningTable, kSamplingTable, kPartitionTable, kTrajectoryTable, kForgettingTable;

}  // namespace atp
