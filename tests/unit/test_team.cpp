// SPDX-License-Identifier: MIT
// Teams of threads: every task once, no thread before there is work, fewer threads than asked for, tasks that throw, tasks of tasks, two
// callers at a time, forks.
#include "base/error.hpp"
#include "base/team.hpp"

#include "own_threads.h"
#include "support.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

using namespace atp;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = ATP_HAS_TSAN != 0;
#endif

// What is seen of each task.
struct Marks {
  explicit Marks(int64_t tasks)
      : runs(static_cast<std::size_t>(tasks), 0), by(static_cast<std::size_t>(tasks), -1), foreign(static_cast<std::size_t>(tasks), 0) {}
  std::vector<int> runs, by;
  std::vector<char> foreign;
};

// Each task of fresh marks once, by a thread of the team; the caller is thread 0. Allocates nothing.
bool all_tasks_once(const Threads &threads, Marks &marks) {
  const pthread_t me = pthread_self();
  parallel_for(threads, static_cast<int64_t>(marks.runs.size()), [&](int64_t task, int thread) {
    const auto k = static_cast<std::size_t>(task);
    ++marks.runs[k];
    marks.by[k] = thread;
    marks.foreign[k] = (thread == 0) != (pthread_equal(pthread_self(), me) != 0);
  });
  for (std::size_t k = 0; k < marks.runs.size(); ++k)
    if (marks.runs[k] != 1 || marks.by[k] < 0 || marks.by[k] >= threads || marks.foreign[k]) return false;
  return true;
}

bool all_tasks_once(const Threads &threads, int64_t tasks) {
  Marks marks(tasks);
  return all_tasks_once(threads, marks);
}

void every_task_once(void **) {
  for (int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (int round = 0; round < 200; ++round)
      for (int64_t tasks : {0, 1, 2, 3, 7, 100}) assert_true(all_tasks_once(team, tasks));
    assert_true(all_tasks_once(Threads(team).at_most(2), 50));
  }
  Team changing(2);
  for (int threads : {2, 5, 1, 3, 7, 2}) {
    changing = threads;
    assert_int_equal(changing, threads);
    assert_true(all_tasks_once(changing, 60));
  }
}

// Helpers that have gone to sleep are woken.
void sleepers(void **) {
  const Team team(3);
  const timespec pause = {0, 3000000};
  for (int round = 0; round < 20; ++round) {
    assert_true(all_tasks_once(team, 30));
    nanosleep(&pause, nullptr);
  }
}

void no_thread_before_there_is_work(void **) {
  skip_where_emulated();
  const int before = own_threads();
  if (before < 0 || !kHasThreads) skip_because("threads of the process cannot be counted here, or this build has none");
  {
    Team team(4);
    assert_int_equal(own_threads(), before);
    assert_true(all_tasks_once(team, 1));  // nothing for a second thread
    assert_int_equal(own_threads(), before);
    team = 3;
    assert_int_equal(own_threads(), before);
    assert_true(all_tasks_once(team, 9));
    assert_int_equal(own_threads(), before + 2);
    team = 5;  // a team that has started starts what is missing
    assert_int_equal(own_threads(), before + 4);
  }
  assert_true(threads_become(before));
  const Team early(2);
  early.start();
  assert_int_equal(own_threads(), before + 1);
}

void tasks_that_throw(void **) {
  for (int threads : {1, 4}) {
    const Team team(threads);
    for (int round = 0; round < 50; ++round) {
      atp_status status = ATP_OK;
      try {
        parallel_for(team, 100, [&](int64_t task, int) {
          if (task % 10 == 3) fail(ATP_E_STAGE, "task %d", static_cast<int>(task));
        });
      } catch (const Error &error) {
        status = error.status();
      }
      assert_int_equal(status, ATP_E_STAGE);
      assert_true(all_tasks_once(team, 40));
    }
  }
}

void tasks_of_tasks(void **) {
  const Team team(3);
  std::atomic<int> runs{0};
  parallel_for(team, 10, [&](int64_t, int) { parallel_for(team, 10, [&](int64_t, int) { ++runs; }); });
  assert_int_equal(runs.load(), 100);
}

struct Caller {
  const Team *team;
  bool good = true;
};

// The second caller finds the team busy and does its tasks itself.
void two_callers(void **) {
  const Team team(3);
  Caller callers[4];
  pthread_t threads[4];
  for (int k = 0; k < 4; ++k) {
    callers[k].team = &team;
    const auto body = [](void *user) -> void * {
      Caller &caller = *static_cast<Caller *>(user);
      for (int round = 0; round < 500; ++round) caller.good = caller.good && all_tasks_once(*caller.team, 20);
      return nullptr;
    };
    assert_int_equal(pthread_create(&threads[k], nullptr, body, &callers[k]), 0);
  }
  for (int k = 0; k < 4; ++k) {
    pthread_join(threads[k], nullptr);
    assert_true(callers[k].good);
  }
}

// The exit status of a child that runs `body`; -1 where it did not end within a minute.
template <class Body>
int in_child(Body &&body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  for (int k = 0; k < 6000; ++k) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    const timespec pause = {0, 10000000};
    nanosleep(&pause, nullptr);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

void forks(void **) {
  skip_where_emulated();
  if (ATP_HAS_TSAN) skip_because("the thread sanitizer refuses threads in the child of a process with threads");
  Team team(4);
  assert_true(all_tasks_once(team, 30));
  const auto child = [&] {
    if (!all_tasks_once(team, 30)) return 1;
    if (kHasThreads && own_threads() > 0 && own_threads() != 4) return 2;
    team = 6;
    if (!all_tasks_once(team, 30)) return 3;
    // A child of the child, and one that only ends.
    return in_child([&] { return all_tasks_once(team, 30) ? 7 : 8; }) == 7 ? 5 : 4;
  };
  for (int round = 0; round < 10; ++round) {
    assert_int_equal(in_child(child), 5);
    assert_true(all_tasks_once(team, 30));
  }
}

int asked_seen, made_seen, warnings;

// In a child, whose address space has room for `megabytes` more: for a few threads only, or for none. The limit is
// set from what the process has: memory pools of earlier threads hold 64 MB each. The marks are allocated before: musl's malloc keeps
// no room that was freed, and has none without new pages.
int with_little_room(rlim_t megabytes) {
  std::vector<Marks> marks(3, Marks(3000));
  unsigned long long pages = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%llu", &pages) != 1) return 9;
  std::fclose(file);
  const rlim_t bytes = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (megabytes << 20);
  const rlimit limit = {bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  Team team(1000);
  team.set_warning(
      [](void *, int asked, int made) {
        asked_seen = asked;
        made_seen = made;
        ++warnings;
      },
      nullptr);
  for (Marks &fresh : marks)
    if (!all_tasks_once(team, fresh)) return 2;
  if (warnings != 1 || asked_seen != 1000 || made_seen < 1 || made_seen > 200) return 3;
  if (megabytes == 0 && made_seen != 1) return 5;
  if (own_threads() > 0 && own_threads() != made_seen) return 4;
  return 9;
}

void fewer_threads_than_asked_for(void **) {
  skip_where_emulated();
  if (kSanitized || !kHasThreads) skip_because("sanitizers take addresses of their own, or this build has no threads");
  for (rlim_t megabytes : {200, 0}) assert_int_equal(in_child([&] { return with_little_room(megabytes); }), 9);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(every_task_once),
    cmocka_unit_test(sleepers),
    cmocka_unit_test(no_thread_before_there_is_work),
    cmocka_unit_test(tasks_that_throw),
    cmocka_unit_test(tasks_of_tasks),
    cmocka_unit_test(two_callers),
    cmocka_unit_test(forks),
    cmocka_unit_test(fewer_threads_than_asked_for),
};

}  // namespace

ATP_TEST_MAIN(tests)
