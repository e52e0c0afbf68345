// SPDX-License-Identifier: MIT
// Progress reports and stop requests of iterative computations.
#pragma once

#include "base/callback.hpp"
#include "base/stop_flag.hpp"
#include "base/table.hpp"

#include <attopotts/context.h>

#include <chrono>
#include <cmath>

// The opaque struct of the public API.
struct atp_progress {
  static constexpr int kKeys = ATP_PROGRESS_OBJECTIVE + 1;
  double values[kKeys];
  atp_progress() {
    for (double &v : values) v = std::nan("");
  }
  void set(atp_progress_key key, double value) { values[key] = value; }
};

namespace atp {

// Append a row of numbers of a report to a training log. Throws ATP_E_BUFFER where it is full.
void append_report(Table &log, const atp_progress &progress);

// The callback of one call with its clock and stop flag, and the log that its reports go to.
class Reporter {
 public:
  Reporter(atp_progress_fn callback, void *user, StopFlag &stop, Table *log = nullptr)
      : callback_(callback), user_(user), stop_(stop), log_(log) {}
  // However the call ends: a stop request is for the run that it finds.
  ~Reporter() { stop_.clear(); }
  Reporter(const Reporter &) = delete;
  Reporter &operator=(const Reporter &) = delete;
  bool wanted() const { return callback_ != nullptr || log_ != nullptr; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  // Hand a report over; true when the run must end. Called by the thread of the call, never within a parallel region; throws
  // ATP_E_CALLBACK, ATP_E_BUFFER.
  bool report(atp_progress &progress) {
    if (wanted()) progress.set(ATP_PROGRESS_SECONDS, seconds());
    if (log_ != nullptr) append_report(*log_, progress);
    if (callback_ != nullptr && call_host("progress", [&] { return callback_(&progress, user_); }) != 0) stop_.request();
    return stop_.requested();
  }
  bool stopped() const { return stop_.requested(); }
  // The flag that stops the run.
  const StopFlag &flag() const { return stop_; }

 private:
  atp_progress_fn callback_;
  void *user_;
  StopFlag &stop_;
  Table *log_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace atp
