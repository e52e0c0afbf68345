// SPDX-License-Identifier: MIT
// Keeps a sampling run and the search for its beta in a checkpoint.
#pragma once

#include "run/checkpoint.hpp"
#include "run/session.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cli {

class SamplingCheckpoint {
 public:
  // Without a checkpoint nothing is kept. `settings` is one line with everything on which the numbers depend. `checkpoint` has been read.
  SamplingCheckpoint(const Session &session, Checkpoint &checkpoint, double interval, std::string settings);

  // The numbers that come before the run: made now, or those of the run that is continued.
  std::vector<double> numbers(const std::function<std::vector<double>()> &make);
  // Loads the state of the run that is continued, if there is one.
  void load(atp_sampling *run);
  // Whether it is time to save.
  bool due() const;
  void save(const atp_sampling *run);
  // Throws the failure that ends an interrupted run.
  [[noreturn]] void end_interrupted() const;

 private:
  using Clock = std::chrono::steady_clock;
  const Session &session_;
  Checkpoint &checkpoint_;
  double interval_;
  std::string settings_, numbers_;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace cli
