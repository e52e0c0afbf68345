// SPDX-License-Identifier: MIT
// A stop request.
#pragma once

#include <atomic>

namespace atp {

// A signal handler or another thread sets it, and the run checks it between steps. The flag of a handle has
// that of its context behind it: a request to either stops the run. The end of a run clears the flag of the
// handle alone.
class StopFlag {
 public:
  StopFlag() = default;
  explicit StopFlag(const StopFlag *of_context) noexcept : of_context_(of_context) {}
  void request() noexcept { flag_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_.load(std::memory_order_relaxed) || (of_context_ != nullptr && of_context_->requested()); }
  void clear() noexcept { flag_.store(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "needed in signal handlers");
  std::atomic<bool> flag_{false};
  const StopFlag *of_context_ = nullptr;
};

}  // namespace atp
