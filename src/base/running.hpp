// SPDX-License-Identifier: MIT
// Calls that run: the handle that one works with, the host's callbacks that it makes, and requests to stop it.
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <exception>

namespace atp {

// Whether a call works with a handle and has not returned. Its callbacks may make other calls; those that would change the handle under it
// ask first.
class Running {
 public:
  // Throws ATP_E_STAGE within a callback of such a call.
  void require_idle(const char *what) const {
    if (on_) fail(ATP_E_STAGE, "the %s is in use by a call that has not returned: callbacks cannot make this call", what);
  }

  // One such call, from begin to end.
  class Call {
   public:
    Call(Running &running, const char *what) : running_(running) {
      running.require_idle(what);
      running.on_ = true;
    }
    ~Call() { running_.on_ = false; }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

   private:
    Running &running_;
  };

 private:
  bool on_ = false;
};

// Calls a callback of the host. The thread that called the library does it, outside of parallel regions. An
// exception that a callback throws becomes an Error. Returns call(). Throws ATP_E_CALLBACK with the name of the callback if it throws.
template <class Call>
auto call_host(const char *name, Call &&call) -> decltype(call()) {
  try {
    return call();
  } catch (const Error &) {
    throw;  // of a callback that handed the report on
  } catch (const std::exception &e) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception: %s", name, e.what());
  } catch (...) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception", name);
  }
}

// A stop request. A signal handler or another thread sets it, and the run checks it between steps. The flag of a handle refers to that of
// its context: a request to either stops the run. The end of a run clears the flag of the handle alone.
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
