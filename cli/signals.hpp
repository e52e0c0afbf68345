// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM: the first asks the running call to stop at its next consistent state, the second ends the program at once.
#pragma once

#include <attopotts.h>

namespace cli {

void install_signal_handlers();
// True once a signal has come.
bool interrupted();

// While one of these lives, a signal is handed on to its trainer, network or sampler.
class StopOnSignal {
 public:
  explicit StopOnSignal(atp_trainer *trainer);
  explicit StopOnSignal(atp_transformer *network);
  explicit StopOnSignal(atp_sampler *sampler);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal &) = delete;
  StopOnSignal &operator=(const StopOnSignal &) = delete;
};

}  // namespace cli
