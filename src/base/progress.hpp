// SPDX-License-Identifier: MIT
// Progress reports and stop requests of iterative computations.
#pragma once

#include "base/running.hpp"
#include "base/ranks.hpp"
#include "base/table.hpp"

#include <attopotts/context.h>
#include <attopotts/trainer.h>

#include <chrono>
#include <cmath>

// The opaque struct of the public API.
struct atp_progress {
  static constexpr int kKeys = ATP_PROGRESS_SLOPE_TEST_PAIRS + 1;
  double values[kKeys];
  atp_progress() {
    for (double &v : values) v = std::nan("");
  }
  void set(atp_progress_key key, double value) { values[key] = value; }
};

namespace atp {

// Appends a row of numbers of a report to a training log. Throws ATP_E_BUFFER where it is full.
inline void append_report(Table &log, const atp_progress &progress) {
  constexpr atp_progress_key kKeys[] = {ATP_PROGRESS_STEP,
                                        ATP_PROGRESS_SECONDS,
                                        ATP_PROGRESS_TRAIN_LOSS,
                                        ATP_PROGRESS_TEST_LOSS,
                                        ATP_PROGRESS_OPTIMAL_LOSS,
                                        ATP_PROGRESS_COUPLING_ERROR,
                                        ATP_PROGRESS_GRADIENT_NORM,
                                        ATP_PROGRESS_RATE,
                                        ATP_PROGRESS_OBJECTIVE,
                                        ATP_PROGRESS_PEARSON,
                                        ATP_PROGRESS_SLOPE,
                                        ATP_PROGRESS_FIELD_ERROR,
                                        ATP_PROGRESS_PEARSON_RANDOM,
                                        ATP_PROGRESS_SLOPE_RANDOM,
                                        ATP_PROGRESS_PEARSON_NATURAL,
                                        ATP_PROGRESS_SLOPE_NATURAL,
                                        ATP_PROGRESS_MIXING_SWEEPS,
                                        ATP_PROGRESS_DENSITY,
                                        ATP_PROGRESS_GAIN,
                                        ATP_PROGRESS_PEARSON_SITES,
                                        ATP_PROGRESS_SLOPE_SITES,
                                        ATP_PROGRESS_PEARSON_PAIRS,
                                        ATP_PROGRESS_SLOPE_PAIRS,
                                        ATP_PROGRESS_PEARSON_TEST,
                                        ATP_PROGRESS_SLOPE_TEST,
                                        ATP_PROGRESS_SITE_ENTROPY,
                                        ATP_PROGRESS_SWEEPS,
                                        ATP_PROGRESS_SWAP_RATE,
                                        ATP_PROGRESS_ENTROPY,
                                        ATP_PROGRESS_ENTROPY_ERROR,
                                        ATP_PROGRESS_LOG_Z,
                                        ATP_PROGRESS_LOG_Z_ERROR,
                                        ATP_PROGRESS_PEARSON_TEST_SITES,
                                        ATP_PROGRESS_SLOPE_TEST_SITES,
                                        ATP_PROGRESS_PEARSON_TEST_PAIRS,
                                        ATP_PROGRESS_SLOPE_TEST_PAIRS};
  static_assert(sizeof kKeys / sizeof *kKeys == ATP_TRAINING_COLUMNS);
  log.require_room(1);
  const Span<double> row = log.room(1);
  for (int64_t k = 0; k < row.size(); ++k) row[k] = progress.values[kKeys[k]];
  log.append(1);
}

// The callback of one call with its clock and stop flag, and the log that its reports go to.
//
// With several ranks, whether a report is wanted, the clock and the stop are what the ranks have agreed on. They agree when the reporter is
// made, in report() and in meet(), which all ranks call at the same steps. seconds() and stopped() do not change in between.
class Reporter {
 public:
  Reporter(atp_progress_fn callback, void *user, StopFlag &stop, Table *log = nullptr, Ranks *ranks = nullptr)
      : callback_(callback), user_(user), stop_(stop), log_(log), ranks_(ranks != nullptr && ranks->several() ? ranks : nullptr) {
    wanted_ = callback_ != nullptr || log_ != nullptr;
    if (ranks_ == nullptr) return;
    wanted_ = ranks_->any(wanted_);
    meet();
  }
  // Clears the stop request however the call ends: it is meant for the run in progress.
  ~Reporter() { stop_.clear(); }
  Reporter(const Reporter &) = delete;
  Reporter &operator=(const Reporter &) = delete;
  bool wanted() const { return wanted_; }
  double seconds() const { return ranks_ == nullptr ? own_seconds() : agreed_seconds_; }
  // Hands a report over; returns true when the run must end. Called by the thread of the call, never within a parallel region. Throws
  // ATP_E_CALLBACK, ATP_E_BUFFER, ATP_E_RANK.
  bool report(atp_progress &progress) {
    meet();
    if (wanted()) progress.set(ATP_PROGRESS_SECONDS, seconds());
    if (log_ != nullptr) append_report(*log_, progress);
    if (callback_ != nullptr && call_host("progress", [&] { return callback_(&progress, user_); }) != 0) stop_.request();
    return meet();
  }
  // Agrees with the other ranks on clock and stop; returns true when the run must end. Throws ATP_E_RANK.
  bool meet() {
    if (ranks_ == nullptr) return stopped();
    int64_t sums[] = {stop_.requested() ? 1 : 0, ranks_->rank() == 0 ? static_cast<int64_t>(own_seconds() * 1e6) : 0};
    ranks_->sum(sums, 2);
    agreed_stop_ = sums[0] != 0;
    agreed_seconds_ = static_cast<double>(sums[1]) * 1e-6;
    return agreed_stop_;
  }
  // Begins a step of so many multiply-adds; returns true when the run must end. Steps may be short: ranks meet about four times a second.
  bool stopped_before(double operations) {
    constexpr double kStep = 3e4, kMeeting = 3e8;  // what a step costs besides; from meeting to meeting
    operations_ += kStep + operations;
    if (ranks_ == nullptr || operations_ < kMeeting) return stopped();
    operations_ = 0;
    return meet();
  }
  bool stopped() const { return ranks_ == nullptr ? stop_.requested() : agreed_stop_; }
  // The flag that stops the run: this rank's alone.
  const StopFlag &flag() const { return stop_; }
  Ranks *ranks() const { return ranks_; }

 private:
  double own_seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  atp_progress_fn callback_;
  void *user_;
  StopFlag &stop_;
  Table *log_;
  Ranks *ranks_;  // NULL for one rank
  bool wanted_ = false, agreed_stop_ = false;
  double agreed_seconds_ = 0, operations_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Reports of a run whose steps may take long: one after each step, and others in between, so that a callback is called about every
// kHeartbeat seconds and a stop request is seen soon.
class Heartbeat {
 public:
  Heartbeat(Reporter &reporter, double total) : reporter_(reporter), total_(total) {}
  // Reports steps that are done; returns true if the run must end.
  bool step(double steps = 1) {
    done_ += steps;
    return report();
  }
  // Called within a step, as often as is convenient, by the thread of the call; returns true if the run must end.
  bool beat() { return reporter_.meet() || (reporter_.wanted() && reporter_.seconds() - last_ > kHeartbeat && report()); }
  bool stopped() const { return reporter_.stopped(); }

 private:
  static constexpr double kHeartbeat = 0.05;

  bool report() {
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, done_);
    progress.set(ATP_PROGRESS_TOTAL, total_);
    last_ = reporter_.seconds();
    return reporter_.report(progress);
  }

  Reporter &reporter_;
  double total_, done_ = 0, last_ = 0;
};

}  // namespace atp
