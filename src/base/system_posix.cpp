// SPDX-License-Identifier: MIT
// Linux and macOS.
#include "base/system.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach/mach.h>
#include <sys/random.h>
#endif
#ifdef __GLIBC__
#if !__GLIBC_PREREQ(2, 25)
#include <sys/syscall.h>
#define ATP_OLD_GLIBC
#endif
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace atp {

int process_number() { return static_cast<int>(getpid()); }

int usable_cores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

void get_host_name(char *name, std::size_t size) {
  if (gethostname(name, size - 1) != 0) std::strcpy(name, "?");
  name[size - 1] = '\0';
}

int64_t free_memory() {
#ifdef __APPLE__
  vm_statistics64_data_t pages = {};
  mach_msg_type_number_t size = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &size) != KERN_SUCCESS) return -1;
  return (int64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * getpagesize();
#else
  return -1;
#endif
}

#ifdef ATP_OLD_GLIBC
// What getentropy() is in later versions.
bool random_bytes(void *out, std::size_t size) { return syscall(SYS_getrandom, out, size, 0) == static_cast<long>(size); }
#else
bool random_bytes(void *out, std::size_t size) { return getentropy(out, size) == 0; }
#endif

void *aligned_memory(std::size_t bytes, std::size_t alignment) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void free_aligned(void *memory) { std::free(memory); }

void *map_pages(std::size_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void unmap_pages(void *pages, std::size_t bytes) { munmap(pages, bytes); }

void *SystemThread::enter(void *thread) {
  const SystemThread &self = *static_cast<SystemThread *>(thread);
  self.begin_(self.self_);
  return nullptr;
}

bool SystemThread::start(std::size_t stack, Begin begin, void *self) {
  begin_ = begin;
  self_ = self;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, stack);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool good = pthread_create(&handle_, &attributes, enter, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return good;
}

void SystemThread::join() { pthread_join(handle_, nullptr); }

void Monitor::lock() { pthread_mutex_lock(&lock_); }
void Monitor::unlock() { pthread_mutex_unlock(&lock_); }
void Monitor::wait() { pthread_cond_wait(&changed_, &lock_); }
void Monitor::wake() { pthread_cond_signal(&changed_); }

}  // namespace atp
