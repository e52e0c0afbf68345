// SPDX-License-Identifier: MIT
// Before a training run: checks its memory and chooses its start.
#pragma once

#include "run/memory.hpp"
#include "run/session.hpp"
#include "run/training.hpp"

#include <string>

namespace cli {

// Start parameters: random, or from a wider problem with more heads, because few heads have local minima on low-temperature data.
enum class Start { random, wide };
inline constexpr int64_t kWideTimes = 4, kWideIterations = 100, kWideBelow = 4, kMostHeads = 1024;

// Fails if the run does not fit into memory, with a flag that would make it fit. Returns one line on the memory needed.
std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan);

// Creates the trainer of a wide start, with more heads than the options have. Its states are ordinary trainer states.
Trainer make_wide(const Session &session, const atp_alignment *data, const atp_options *options);
// Trains it from its present state. Unless the outcome is CANCELLED or DIVERGED, `trainer` starts from the closest couplings with its
// heads.
atp_outcome wide_start(const Session &session, atp_trainer *wide, atp_trainer *trainer, TrainingJob job = {});

}  // namespace cli
