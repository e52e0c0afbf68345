// SPDX-License-Identifier: MIT
// What the core takes of the operating system: threads, pages, the number of the process, memory that is left, random bytes.
// system_posix.cpp and system_windows.cpp implement it; no other file of the core calls the system.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace atp {

int process_number();
// The cores that this process may use, at least 1.
int usable_cores();
// The name of this machine, "?" if it has none.
void get_host_name(char *name, std::size_t size);
// Fills memory with bytes that nobody can predict. Returns false if the system has none.
bool random_bytes(void *out, std::size_t size);
// Memory at a multiple of `alignment`, a power of two; nullptr if there is none.
void *aligned_memory(std::size_t bytes, std::size_t alignment);
void free_aligned(void *memory);
// Pages of zeros from the system; nullptr if there are none.
void *map_pages(std::size_t bytes);
void unmap_pages(void *pages, std::size_t bytes);

inline constexpr int64_t kUnlimited = INT64_MAX;

// The memory that this process can still get: the smallest of
//   MemAvailable of /proc/meminfo;
//   Max address space - VmSize and Max data size - VmData, of /proc/self/limits and /proc/self/status;
//   memory.max and memory.high - (memory.current - inactive_file), of the process's control group and all above it (version 2);
//   memory.limit_in_bytes - (memory.usage_in_bytes - total_inactive_file), likewise (version 1).
// A missing file sets no limit, and macOS and Windows tell their free memory themselves. Returns kUnlimited if nothing sets a limit. Tests
// pass their own tree as `root`, which is put before every path. Allocates nothing; takes about 0.1 ms.
int64_t available_memory(const char *root = "");

// A thread. start() returns false if the system refuses it. Signals go to the host's threads.
class SystemThread {
 public:
  using Begin = void (*)(void *self);
  bool start(std::size_t stack, Begin begin, void *self);
  void join();

 private:
#ifdef _WIN32
  void *handle_ = nullptr;
  static unsigned __stdcall enter(void *thread);
#else
  pthread_t handle_{};
  static void *enter(void *thread);
#endif
  Begin begin_ = nullptr;
  void *self_ = nullptr;
};

// A lock, and a place where one thread sleeps until another one wakes it. Allocates nothing and needs no destructor.
class Monitor {
 public:
  void lock();
  void unlock();
  void wait();  // unlocks while it sleeps
  void wake();

 private:
#ifdef _WIN32
  void *lock_ = nullptr, *changed_ = nullptr;  // SRWLOCK, CONDITION_VARIABLE
#else
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
#endif
};

}  // namespace atp
