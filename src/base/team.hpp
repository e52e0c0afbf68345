// SPDX-License-Identifier: MIT
// A team of threads for independent tasks. A task writes to places of its own, so that results do not depend on who runs it.
#pragma once

#include <cstdint>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace atp {

// The threads that an unset context uses.
inline int default_threads() {
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

inline constexpr bool kHasOpenMP =
#if defined(_OPENMP)
    true;
#else
    false;
#endif

// Run function(task, thread) for task = 0..tasks-1 on at most `threads` threads (thread = 0..threads-1 tells whose work space to use).
// Tasks must not throw; nothing is allocated once the team of this size has been used.
template <class Function>
void parallel_for(int threads, int64_t tasks, Function &&function) {
#if defined(_OPENMP)
  if (threads > 1 && tasks > 1) {
    const int team = static_cast<int>(tasks < threads ? tasks : threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
    for (int64_t task = 0; task < tasks; ++task) function(task, omp_get_thread_num());
    return;
  }
#endif
  (void)threads;
  for (int64_t task = 0; task < tasks; ++task) function(task, 0);
}

}  // namespace atp
