// SPDX-License-Identifier: MIT
// Available memory, and a forecast of the memory of a training run. A run that does not fit is refused before it starts, with a flag that
// would make it fit.
#pragma once

#include "run/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

inline constexpr char kFewerSites[] = "fewer sites with --focus or --max-gaps-column";

// Bytes that the session's context can still allocate; negative without a limit.
double available_memory(const Session &session);
std::string memory_text(double bytes);
// Fails if the memory limit does not allow arrays of this size; `what` begins the message: "--samples 1000000: the sequences".
void require_memory(const Session &session, double bytes, const std::string &what);
// The same for tables of all pairs of sites that are there at the same time, with so many bytes for each i and j.
void require_pair_tables(const Session &session, int64_t sites, double bytes, const std::string &remedy = kFewerSites);

// Memory that a run needs in addition to training.
struct RunPlan {
  double more_training_bytes = 0;               // at the same time as the trainer
  bool checkpoint = false;                      // states are assembled in memory
  bool model = false;                           // a model is made from the trainer ...
  bool written = false;                         // ... and written to an HDF5 file, after the trainer has gone
  const std::vector<int64_t> *pairs = nullptr;  // dense couplings of these pairs only, [n][2]
};

struct MemoryForecast {
  double training = 0;  // the trainer
  double peak = 0;      // of the whole process
  double more = 0;      // still to be allocated
};

// Call it after the data are read and before the trainer is created.
MemoryForecast forecast_memory(const Session &session, const atp_alignment *data, const atp_options *options, const RunPlan &plan);

// "3616 sequences, 159 sites, 21 colours; training needs 350 MB, the process 420 MB at most (23 GB available)".
std::string forecast_text(const atp_alignment *data, const MemoryForecast &forecast, double available, const char *what = "training");
// Of work that takes so many bytes and leaves nothing besides.
MemoryForecast forecast_of(double bytes);

}  // namespace cli
