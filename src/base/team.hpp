// SPDX-License-Identifier: MIT
// A team of threads for independent tasks. A task writes to places of its own, so that results do not depend on who runs it.
//
// OpenMP where there is OpenMP. Under ThreadSanitizer plain threads, made anew for each call: it sees neither the locks of libgomp nor
// what follows from them, and would call every task a race.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#define ATP_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATP_HAS_TSAN 1
#endif
#endif
#ifndef ATP_HAS_TSAN
#define ATP_HAS_TSAN 0
#endif

#if ATP_HAS_TSAN
#include <thread>
#include <vector>
#elif defined(_OPENMP)
#include <omp.h>
#endif

namespace atp {

inline constexpr bool kHasOpenMP =
#if defined(_OPENMP)
    true;
#else
    false;
#endif

inline constexpr bool kHasThreads = kHasOpenMP || ATP_HAS_TSAN;

// The threads that an unset context uses.
inline int default_threads() {
#if ATP_HAS_TSAN
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return cores > 1 ? cores : 2;
#elif defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

// Run function(task, thread) for task = 0..tasks-1 on at most `threads` threads (thread = 0..threads-1 tells whose work space to use).
// Tasks must not throw; nothing is allocated once the team of this size has been used.
template <class Function>
void parallel_for(int threads, int64_t tasks, Function &&function) {
  if (threads > 1 && tasks > 1) {
#if ATP_HAS_TSAN
    const int team = static_cast<int>(tasks < threads ? tasks : threads);
    // Dealt out in turn: every thread has work however short the tasks are, and nothing that the threads share orders them.
    const auto work = [&](int thread) {
      for (int64_t task = thread; task < tasks; task += team) function(task, thread);
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < team; ++thread) others.emplace_back(work, thread);
    work(0);
    for (std::thread &other : others) other.join();
    return;
#elif defined(_OPENMP)
    // The whole team, even for fewer tasks: libgomp keeps a team of the size used last and allocates for another.
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t task = 0; task < tasks; ++task) function(task, omp_get_thread_num());
    return;
#endif
  }
  for (int64_t task = 0; task < tasks; ++task) function(task, 0);
}

}  // namespace atp
