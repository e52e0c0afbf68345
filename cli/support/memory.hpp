// SPDX-License-Identifier: MIT
// How much memory there is, and what a training run will need: forecast before it starts, so that what does not fit is refused with the
// flag that would make it fit.
#pragma once

#include "support/session.hpp"

#include <string>

namespace cli {

// Bytes that the session's context can still have; negative where nothing limits them.
double available_memory(const Session &session);
std::string memory_text(double bytes);
// Refuse arrays of the program's own that the memory limit does not leave; `what` begins the line: "--samples 1000000: the sequences".
void require_memory(const Session &session, double bytes, const std::string &what);

// What a run does beside training.
struct RunPlan {
  double more_training_bytes = 0;  // beside the trainer, at the same time
  bool checkpoint = false;         // states are made in memory
  bool model = false;              // a model is made from the trainer ...
  bool written = false;            // ... and written to an HDF5 file, after the trainer has gone
};

struct MemoryForecast {
  double training = 0;  // the trainer
  double peak = 0;      // of the process, from its beginning to its end
  double more = 0;      // what is not there yet
};

// After the data were read and before the trainer is made.
MemoryForecast forecast_memory(const Session &session, const atp_alignment *data, const atp_options *options, const RunPlan &plan);

// "3616 sequences, 159 sites, 21 colours; training needs 350 MB, the process 420 MB at most (23 GB available)".
std::string forecast_text(const atp_alignment *data, const MemoryForecast &forecast, double available);

}  // namespace cli
