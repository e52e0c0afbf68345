// SPDX-License-Identifier: MIT
// What comes before a training run: whether it fits into memory, and where it starts.
#pragma once

#include "support/memory.hpp"
#include "support/session.hpp"
#include "support/training.hpp"

#include <string>

namespace cli {

// Start parameters: random, or by way of a problem with more heads, where data are frozen and few heads have local minima.
enum class Start { random, wide };
inline constexpr int64_t kWideTimes = 4, kWideIterations = 100, kWideBelow = 4, kMostHeads = 1024;

// Refuse what does not fit into memory and name a flag that would make it fit; gives a line on what is needed.
std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan);

// The trainer of a wide start, with more heads than the options have. Its states are those of any trainer.
Trainer make_wide(const Session &session, const atp_alignment *data, const atp_options *options);
// Train it, from where it is; then the closest couplings with the heads of `trainer`, unless the outcome is CANCELLED or DIVERGED.
atp_outcome wide_start(const Session &session, atp_trainer *wide, atp_trainer *trainer, TrainingJob job = {});

}  // namespace cli
