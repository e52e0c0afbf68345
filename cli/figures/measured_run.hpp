// SPDX-License-Identifier: MIT
// Training by stochastic gradient descent that stops at given epochs for measurements.
#pragma once

#include "support/session.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cli {

struct MeasuredRun {
  std::string task;            // label of the progress display
  std::string what;            // for messages: "factored attention"
  double rate = 0;             // for messages
  std::vector<int64_t> marks;  // epochs, increasing; the last is the end
  std::function<void(int64_t epoch)> measure;
};

// Epochs 0, 1, 2, 3, 4, 6, 8, 12, ... and `last`.
std::vector<int64_t> epoch_marks(int64_t last);

// A run that diverges or is interrupted ends the program (3, 130).
void run_measured(const Session &session, atp_trainer *trainer, const MeasuredRun &run);
void run_measured(const Session &session, atp_transformer *network, const MeasuredRun &run);

}  // namespace cli
