// SPDX-License-Identifier: MIT
// A team of threads for independent tasks. A task writes to places of its own, so that results do not depend on who runs it.
//
// Each context has a team. It starts its threads with the first handle or call that has work for several, keeps them asleep between calls,
// and joins them when the context goes. Where the system gives fewer threads than were asked for, the team is smaller and says so once;
// the numbers are the same. After fork() the child has none of its parent's threads: the team notices and starts its own.
//
//     caller:  summon(1..n-1) | tasks ... | dismiss who has not begun | wait for the others
//     helper:  idle (spins, then sleeps) -> called -> running: tasks ... -> idle
//
// Tasks are handed out one by one. Under ThreadSanitizer they are dealt out in turn instead: every thread has work however short the
// tasks are, and nothing that the threads share orders them, so that a race between two tasks is seen.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

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

namespace atp {

inline constexpr bool kHasThreads = ATP_HAS_THREADS != 0;
inline constexpr int kMaxThreads = 1024;

// The threads that an unset context uses: the cores that this process may run on; OMP_NUM_THREADS and OMP_THREAD_LIMIT are respected.
int default_threads();

class Team {
 public:
  // Told when the system gives fewer threads than were asked for.
  using Warning = void (*)(void *user, int asked, int made);

  explicit Team(int threads = 1) : asked_(threads) {}
  ~Team() { end(); }
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  // The number of threads of later calls. Starts what is missing only in a team that has started.
  Team &operator=(int threads);
  operator int() const { return asked_; }
  void set_warning(Warning warning, void *user);
  // Start the threads that are missing now, so that later calls find them. Those that cannot be had are done without.
  void start() const {
    forget_parent();
    start(asked_);
  }

  // Run call(function, task, thread) for all tasks on at most `size` threads, the caller being thread 0. False: nothing was run, because
  // there is no second thread, or because the team is busy (a task has tasks of its own, or another thread of the host uses the context).
  // What a task throws comes out of here; tasks that have not begun then are left out.
  using Call = void (*)(void *function, int64_t task, int thread);
  bool run(int size, int64_t tasks, Call call, void *function) const;

 private:
  struct Helper;
  struct Crew;

  void start(int size) const;
  bool hire(Crew &crew, int index) const;
  void forget_parent() const;
  void end() noexcept;

  int asked_;
  Warning warning_ = nullptr;
  void *warning_user_ = nullptr;
  mutable Crew *crew_ = nullptr;         // in pages of its own, from the system like the stacks of the threads
  mutable std::atomic<pid_t> owner_{0};  // the process whose threads they are; 0: there is no crew
  mutable std::atomic<bool> busy_{false};
};

// A team, and how many of its threads a call may use. Converts to that number.
class Threads {
 public:
  Threads(const Team &team) : team_(&team), count_(team) {}
  Threads at_most(int64_t count) const { return Threads(*team_, count < count_ ? static_cast<int>(count) : count_); }
  operator int() const { return count_; }
  const Team &team() const { return *team_; }

 private:
  Threads(const Team &team, int count) : team_(&team), count_(count) {}
  const Team *team_;
  int count_;
};

// Run function(task, thread) for task = 0..tasks-1 on at most `threads` threads (thread = 0..threads-1 tells whose work space to use; the
// caller is thread 0). Nothing is allocated once the team has started.
template <class Function>
void parallel_for(const Threads &threads, int64_t tasks, Function &&function) {
  const int size = tasks < threads ? static_cast<int>(tasks) : static_cast<int>(threads);
  if (size > 1) {
    const auto call = [](void *body, int64_t task, int thread) { (*static_cast<std::remove_reference_t<Function> *>(body))(task, thread); };
    if (threads.team().run(size, tasks, call, const_cast<void *>(static_cast<const void *>(&function)))) return;
  }
  for (int64_t task = 0; task < tasks; ++task) function(task, 0);
}

}  // namespace atp
