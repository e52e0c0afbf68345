// SPDX-License-Identifier: MIT
// The steps of a sampling run, so that it can stop anywhere and go on with the same numbers: results of the steps that are done, what the
// present one has gathered, and the states of the samplers.
//
// A run is the same row of steps every time. One that goes on from a checkpoint gets the results of steps that are done without doing them.
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
  // Without a checkpoint nothing is kept. `settings` is a line that tells everything that the numbers depend on; `checkpoint` has been
  // read.
  SamplingStore() = default;
  SamplingStore(const Session &session, Checkpoint &checkpoint, double interval, std::string settings);

  // A step that gives numbers; not saved while it is at work.
  std::vector<double> numbers(const std::function<std::vector<double>()> &make);
  // The samplers of all later steps.
  void watch(std::vector<atp_sampler *> samplers) { samplers_ = std::move(samplers); }
  void sweep(atp_sampler *sampler, int64_t sweeps, Progress &progress);
  // Rounds of `thin` sweeps, and what they show. The display begins at `offset` of `total` sweeps.
  Record record(atp_sampler *sampler, int64_t times, int64_t thin, Progress &progress, double offset = 0, double total = 0);

  // Sweeps of all samplers together in this process.
  double sweeps_made() const { return sweeps_made_; }

 private:
  using Clock = std::chrono::steady_clock;
  static int on_progress(const atp_progress *progress, void *self);
  bool finished(std::string *result);  // takes the result of a step that was done before
  void begin(atp_sampler *sampler);
  void end(std::string result);
  void pause();  // after a call: save where it is time, end where a signal has come
  void save();

  const Session *session_ = nullptr;
  Checkpoint *checkpoint_ = nullptr;
  double interval_ = 0;
  std::string settings_;
  std::vector<atp_sampler *> samplers_;
  std::vector<std::string> done_;  // results of the steps that are done
  std::size_t step_ = 0;
  std::vector<std::string> states_;  // to load when the first step begins that is not done
  int64_t base_ = 0;                 // sweeps of the sampler when the present step began
  std::string partial_;              // what the present step has gathered
  Progress *progress_ = nullptr;
  double sweeps_made_ = 0;
  bool due_ = false;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace cli
