// SPDX-License-Identifier: MIT
// Lets a sampling run stop anywhere and continue with the same numbers. The store keeps the results of finished steps, the partial result
// of the current step, and the states of the samplers.
//
// Every run consists of the same steps. A run that continues from a checkpoint reads the results of finished steps instead of computing
// them.
#pragma once

#include "support/checkpoint.hpp"
#include "support/progress_display.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cli {

// States of some chains at several times: sequences [times][chains][L] and energies [times][chains].
struct Record {
  int64_t times = 0, chains = 0, sites = 0;
  std::vector<uint8_t> sequences;
  std::vector<double> energies;
  const uint8_t *state(int64_t t, int64_t c) const { return sequences.data() + (t * chains + c) * sites; }
  double energy(int64_t t, int64_t c) const { return energies[static_cast<std::size_t>(t * chains + c)]; }
};

class SamplingStore {
 public:
  // Without a checkpoint nothing is kept. `settings` is one line with everything on which the numbers depend. `checkpoint` has been read.
  SamplingStore() = default;
  SamplingStore(const Session &session, Checkpoint &checkpoint, double interval, std::string settings);

  // A step that returns numbers; its partial results are not saved.
  std::vector<double> numbers(const std::function<std::vector<double>()> &make);
  // The samplers of all later steps.
  void watch(std::vector<atp_sampler *> samplers) { samplers_ = std::move(samplers); }
  void sweep(atp_sampler *sampler, int64_t sweeps, Progress &progress);
  // Sweeps in rounds of `thin` and records the states after each. The display begins at `offset` of `total` sweeps.
  Record record(atp_sampler *sampler, int64_t times, int64_t thin, Progress &progress, double offset = 0, double total = 0);

  // Sweeps of all samplers together in this process.
  double sweeps_made() const { return sweeps_made_; }

 private:
  using Clock = std::chrono::steady_clock;
  static int on_progress(const atp_progress *progress, void *self);
  bool finished(std::string *result);  // reads the result of a step that an earlier run finished
  void begin(atp_sampler *sampler);
  void end(std::string result);
  void pause();  // after a call: save if it is time, stop if a signal has arrived
  void save();

  const Session *session_ = nullptr;
  Checkpoint *checkpoint_ = nullptr;
  double interval_ = 0;
  std::string settings_;
  std::vector<atp_sampler *> samplers_;
  std::vector<std::string> done_;  // results of finished steps
  std::size_t step_ = 0;
  std::vector<std::string> states_;  // loaded when the first unfinished step begins
  int64_t base_ = 0;                 // sweeps of the sampler at the beginning of the current step
  std::string partial_;              // partial result of the current step
  Progress *progress_ = nullptr;
  double sweeps_made_ = 0;
  bool due_ = false;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace cli
