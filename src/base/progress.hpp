// SPDX-License-Identifier: MIT
// Progress reports and stop requests of iterative computations.
#pragma once

#include "base/callback.hpp"

#include <attopotts/context.h>

#include <atomic>
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

// A stop request. A signal handler or another thread sets it, the run checks it between steps, and the end of
// the run clears it.
class StopFlag {
 public:
  void request() noexcept { flag_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_.load(std::memory_order_relaxed); }
  void clear() noexcept { flag_.store(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "needed in signal handlers");
  std::atomic<bool> flag_{false};
};

// The progress callback of one call, with its clock and stop flag.
class Reporter {
 public:
  Reporter(atp_progress_fn callback, void *user, StopFlag &stop) : callback_(callback), user_(user), stop_(stop) {}
  // A stop request is only for the run in progress, however that ends.
  ~Reporter() { stop_.clear(); }
  Reporter(const Reporter &) = delete;
  Reporter &operator=(const Reporter &) = delete;
  bool wanted() const { return callback_ != nullptr; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  // Passes a report to the callback. Returns true if the run must end. The calling thread calls it, never
  // within a parallel region. Throws ATP_E_CALLBACK.
  bool report(atp_progress &progress) {
    if (callback_ != nullptr) {
      progress.set(ATP_PROGRESS_SECONDS, seconds());
      if (call_host("progress", [&] { return callback_(&progress, user_); }) != 0) stop_.request();
    }
    return stop_.requested();
  }
  bool stopped() const { return stop_.requested(); }

 private:
  atp_progress_fn callback_;
  void *user_;
  StopFlag &stop_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace atp
