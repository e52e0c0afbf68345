// SPDX-License-Identifier: MIT
// A team of threads for independent tasks. Each task writes only to its own memory, so results do not depend on which thread runs it.
//
// Each context has a team. The team starts its threads with the first handle or call that has work for several. They sleep between calls
// and are joined when the context is destroyed. If the system gives fewer threads than requested, the team is smaller and warns once; the
// numbers are the same. After fork() the child has none of its parent's threads: the team notices and starts its own.
//
//     caller:  call helpers 1..n-1 | tasks ... | dismiss helpers that have not begun | wait for the others
//     helper:  idle (spins, then sleeps) -> called -> running: tasks ... -> idle
//
// Threads take tasks one by one. Under ThreadSanitizer each thread gets every n-th task instead. Every thread then has work, however short
// the tasks are, and no shared counter orders the threads, so that races between tasks are detected.
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

// The default number of threads: the cores that this process may use, subject to OMP_NUM_THREADS and OMP_THREAD_LIMIT.
int default_threads();

class Team {
 public:
  // Called when the system gives fewer threads than requested.
  using Warning = void (*)(void *user, int asked, int made);

  explicit Team(int threads = 1) : asked_(threads) {}
  ~Team() { end(); }
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  // Sets the number of threads of later calls. Starts missing threads only if the team has already started.
  Team &operator=(int threads);
  operator int() const { return asked_; }
  void set_warning(Warning warning, void *user);
  // Starts the missing threads now, so that later calls find them. If the system refuses some, the team works without them.
  void start() const {
    forget_parent();
    start(asked_);
  }

  // Runs call(function, task, thread) for all tasks on at most `size` threads; the caller is thread 0. Returns false if nothing was run:
  // there is no second thread, or the team is busy (nested tasks, or another host thread uses the context). Rethrows an exception of a
  // task; tasks that have not begun are then skipped.
  using Call = void (*)(void *function, int64_t task, int thread);
  bool run(int size, int64_t tasks, Call call, void *function) const;

 private:
  struct Helper;
  struct Crew;

  void start(int size) const;
  bool make_crew() const;
  bool hire(Crew &crew, int index) const;
  void forget_parent() const;
  void end() noexcept;

  int asked_;
  Warning warning_ = nullptr;
  void *warning_user_ = nullptr;
  mutable Crew *crew_ = nullptr;         // in pages of its own, mapped from the system like the stacks of the threads
  mutable int refused_ = 0;              // index of the first helper that the system refused; 0: none was refused
  mutable std::atomic<pid_t> owner_{0};  // the process that owns the threads; 0: there are none
  mutable std::atomic<bool> busy_{false};
};

// A team and the number of its threads that a call may use. Converts to that number.
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

// Runs function(task, thread) for task = 0..tasks-1 on at most `threads` threads. `thread` = 0..threads-1
// selects the work space; the caller is thread 0. Allocates nothing once the team has started.
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
