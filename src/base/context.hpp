// SPDX-License-Identifier: MIT
// A context: memory, threads, SIMD target, log, last error.
#pragma once

#include "base/arena.hpp"
#include "base/ranks.hpp"
#include "base/running.hpp"
#include "base/team.hpp"

#include <attopotts/context.h>

#include <atomic>

namespace atp {

// SIMD targets, worst first. simd/targets.hpp tells which of them this machine has.
enum class Target : int { scalar = 0, sse4 = 1, avx2 = 2, avx512 = 3, neon = 4 };

struct Context {
  Context(atp_alloc_fn alloc, atp_free_fn release, void *user)
      : allocator(alloc, release, user), release_self(release), release_user(user) {
    threads.set_warning(&Context::few_threads, this);
  }

  Allocator allocator;
  atp_free_fn release_self;  // releases the context's own memory
  void *release_user;
  Team threads{1};
  mutable Ranks ranks{allocator};  // mutable: handles that are const make collective calls, too
  Target target = Target::scalar;
  StopFlag stop;  // of all runs in this context; stays set until it is cleared
  atp_log_fn log = nullptr;
  void *log_user = nullptr;
  char error[512] = "";  // read and written under error_lock: calls on const handles may fail in several threads at once
  mutable std::atomic_flag error_lock = ATOMIC_FLAG_INIT;

  // Passes one line to the log callback, if there is one.
  ATP_FOR_IO void message(atp_log_level level, const char *format, ...) const __attribute__((format(printf, 3, 4)));

 private:
  static void few_threads(void *context, int asked, int made);
};

// Sets the last error. Failing calls on const handles change nothing else.
ATP_FOR_IO void keep_error(Context &context, const char *text) noexcept;
// Copies the last error out; see atp_last_error() for the buffer, its size and the return value.
int64_t copy_error(const Context &context, Counting counting, char *buffer, int64_t size) noexcept;

}  // namespace atp
