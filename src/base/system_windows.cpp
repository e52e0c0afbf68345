// SPDX-License-Identifier: MIT
#include "base/system.hpp"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <malloc.h>
#include <process.h>

#include <algorithm>
#include <cstring>

// RtlGenRandom of advapi32.
extern "C" BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

namespace atp {

static_assert(sizeof(SRWLOCK) == sizeof(void *) && sizeof(CONDITION_VARIABLE) == sizeof(void *),
              "Monitor holds both, and null is their start");

int process_number() { return static_cast<int>(GetCurrentProcessId()); }

int usable_cores() {
  DWORD_PTR own = 0, all = 0;
  // 0 where the process is in several groups of processors.
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) != 0 && own != 0) return __builtin_popcountll(own);
  return std::max(1, static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

void get_host_name(char *name, std::size_t size) {
  DWORD length = static_cast<DWORD>(size);
  if (GetComputerNameA(name, &length) == 0) std::strcpy(name, "?");
}

// The smallest of free memory, of what the system still promises to this process (limits of its job object are in it), and of addresses.
int64_t available_memory(const char *) {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return kUnlimited;
  return static_cast<int64_t>(std::min({status.ullAvailPhys, status.ullAvailPageFile, status.ullAvailVirtual}));
}

bool random_bytes(void *out, std::size_t size) { return SystemFunction036(out, static_cast<ULONG>(size)) != 0; }

void *aligned_memory(std::size_t bytes, std::size_t alignment) { return _aligned_malloc(bytes, alignment); }

void free_aligned(void *memory) { _aligned_free(memory); }

void *map_pages(std::size_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }

void unmap_pages(void *pages, std::size_t) { VirtualFree(pages, 0, MEM_RELEASE); }

unsigned __stdcall SystemThread::enter(void *thread) {
  const SystemThread &self = *static_cast<SystemThread *>(thread);
  self.begin_(self.self_);
  return 0;
}

bool SystemThread::start(std::size_t stack, Begin begin, void *self) {
  begin_ = begin;
  self_ = self;
  const uintptr_t handle = _beginthreadex(nullptr, static_cast<unsigned>(stack), enter, this, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  handle_ = reinterpret_cast<void *>(handle);
  return handle != 0;
}

void SystemThread::join() {
  WaitForSingleObject(handle_, INFINITE);
  CloseHandle(handle_);
}

void Monitor::lock() { AcquireSRWLockExclusive(reinterpret_cast<SRWLOCK *>(&lock_)); }
void Monitor::unlock() { ReleaseSRWLockExclusive(reinterpret_cast<SRWLOCK *>(&lock_)); }
void Monitor::wait() {
  SleepConditionVariableSRW(reinterpret_cast<CONDITION_VARIABLE *>(&changed_), reinterpret_cast<SRWLOCK *>(&lock_), INFINITE, 0);
}
void Monitor::wake() { WakeConditionVariable(reinterpret_cast<CONDITION_VARIABLE *>(&changed_)); }

}  // namespace atp
