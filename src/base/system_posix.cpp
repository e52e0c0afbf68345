// SPDX-License-Identifier: MIT
// Linux and macOS.
#include "base/system.hpp"

#include <fcntl.h>
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
#include <cstdio>
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

namespace {

constexpr int kMaxPath = 4096;
constexpr int kMaxLine = 4096;

// The lines of a small file, one after the other: host threads may have stacks of 128 KiB, so that no file is held as a whole. Longer
// lines are cut.
class SmallFile {
 public:
  SmallFile(const char *root, const char *path) {
    char name[kMaxPath + 256];
    const int length = std::snprintf(name, sizeof name, "%s%s", root, path);
    if (length >= 0 && length < static_cast<int>(sizeof name)) file_ = open(name, O_RDONLY | O_CLOEXEC);
  }
  ~SmallFile() {
    if (file_ >= 0) close(file_);
  }
  SmallFile(const SmallFile &) = delete;
  SmallFile &operator=(const SmallFile &) = delete;

  // The next line, without its end; nullptr behind the last one.
  const char *next_line() {
    int size = 0;
    bool any = false;
    for (char c; next(c) && (any = true) && c != '\n';)
      if (size < kMaxLine) line_[size++] = c;
    line_[size] = '\0';
    return any ? line_ : nullptr;
  }

  // The number after a name at the start of a line; kUnlimited if there is none. Goes on behind the last line that was read.
  int64_t number(const char *name) {
    const std::size_t length = std::strlen(name);
    while (const char *line = next_line())
      if (std::strncmp(line, name, length) == 0) return to_number(line + length);
    return kUnlimited;
  }
  // The number in a file that has nothing else; "max" is kUnlimited.
  int64_t number() { return number(""); }

 private:
  bool next(char &c) {
    if (at_ == end_) {
      const ssize_t got = file_ < 0 ? 0 : read(file_, buffer_, sizeof buffer_);
      at_ = 0;
      end_ = got > 0 ? static_cast<int>(got) : 0;
      if (end_ == 0) return false;
    }
    c = buffer_[at_++];
    return true;
  }
  static int64_t to_number(const char *text) {
    while (*text == ' ' || *text == '\t') ++text;
    if (*text < '0' || *text > '9') return kUnlimited;
    const unsigned long long value = std::strtoull(text, nullptr, 10);
    return value >= static_cast<unsigned long long>(kUnlimited) ? kUnlimited : static_cast<int64_t>(value);
  }

  int file_ = -1, at_ = 0, end_ = 0;
  char buffer_[1024], line_[kMaxLine + 1] = "";
};

// limit - used, but at least 0.
int64_t left(int64_t limit, int64_t used) {
  if (limit == kUnlimited) return kUnlimited;
  return std::max<int64_t>(0, limit - std::min(used == kUnlimited ? 0 : used, limit));
}

int64_t kilobytes(int64_t number) { return number > kUnlimited / 1024 ? kUnlimited : number * 1024; }

int64_t left_by_machine(const char *root) {
#ifdef __APPLE__
  vm_statistics64_data_t pages = {};
  mach_msg_type_number_t size = HOST_VM_INFO64_COUNT;
  if (*root == '\0' && host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &size) == KERN_SUCCESS)
    return (int64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * getpagesize();
#endif
  return kilobytes(SmallFile(root, "/proc/meminfo").number("MemAvailable:"));
}

int64_t left_by_resources(const char *root) {
  const auto limit = [root](const char *name) { return SmallFile(root, "/proc/self/limits").number(name); };
  const auto used = [root](const char *name) { return kilobytes(SmallFile(root, "/proc/self/status").number(name)); };
  return std::min(left(limit("Max address space"), used("VmSize:")), left(limit("Max data size"), used("VmData:")));
}

// File names in the two versions of control groups.
struct Version {
  const char *type;  // of the mounted file system
  const char *limits[2];
  const char *usage, *inactive;
};
constexpr Version kVersion1 = {"cgroup", {"memory.limit_in_bytes", nullptr}, "memory.usage_in_bytes", "total_inactive_file "};
constexpr Version kVersion2 = {"cgroup2", {"memory.max", "memory.high"}, "memory.current", "inactive_file "};

// The memory that one group can still get.
int64_t left_by_group(const char *root, const char *folder, const Version &version) {
  const auto numbers = [&](const char *name) {
    char path[kMaxPath];
    const int length = std::snprintf(path, sizeof path, "%s/%s", folder, name);
    return SmallFile(root, length < static_cast<int>(sizeof path) ? path : "");
  };
  int64_t limit = kUnlimited;
  for (const char *name : version.limits)
    if (name != nullptr) limit = std::min(limit, numbers(name).number());
  if (limit == kUnlimited) return kUnlimited;
  // Inactive file pages do not count as used: the kernel reclaims them before it refuses memory.
  return left(limit, left(numbers(version.usage).number(), numbers("memory.stat").number(version.inactive)));
}

// Whether a comma-separated list contains `word`.
bool lists(const char *list, const char *word) {
  const std::size_t length = std::strlen(word);
  for (const char *at = list; at != nullptr; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    if (std::strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0' || at[length] == '\n')) return true;
  }
  return false;
}

// The group of this process below its mount point, from "0::/a/b" (version 2) or "4:memory:/a/b" (version 1).
bool own_group(SmallFile &file, const Version &version, char (&path)[kMaxPath]) {
  while (const char *line = file.next_line()) {
    const char *controllers = std::strchr(line, ':'), *group = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
    if (group == nullptr || group - controllers >= kMaxPath) continue;
    char list[256];
    std::snprintf(list, sizeof list, "%.*s", static_cast<int>(group - controllers - 1), controllers + 1);
    if (&version == &kVersion2 ? list[0] != '\0' : !lists(list, "memory")) continue;
    return std::snprintf(path, sizeof path, "%s", group + 1) < kMaxPath;
  }
  return false;
}

// Where the groups are mounted, and which group is mounted there: fields 5 and 4 of a line of /proc/self/mountinfo.
bool mount_point(SmallFile &file, const Version &version, char (&point)[kMaxPath], char (&top)[kMaxPath]) {
  while (const char *line = file.next_line()) {
    char type[64], options[1024];
    const char *behind = std::strstr(line, " - ");
    if (behind == nullptr || std::sscanf(behind, " - %63s %*s %1023s", type, options) != 2 || std::strcmp(type, version.type) != 0)
      continue;
    if (&version == &kVersion1 && !lists(options, "memory")) continue;
    if (std::sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) == 2) return true;
  }
  return false;
}

// The memory left by the process's group and all groups above it: the smallest value.
int64_t left_by_groups(const char *root, const Version &version) {
  char group[kMaxPath], point[kMaxPath], top[kMaxPath], folder[kMaxPath];
  if (SmallFile groups(root, "/proc/self/cgroup"); !own_group(groups, version, group)) return kUnlimited;
  if (SmallFile mounts(root, "/proc/self/mountinfo"); !mount_point(mounts, version, point, top)) return kUnlimited;
  // In a container the path may start at the machine's root, although only the part below `top` is mounted.
  const std::size_t cut = std::strcmp(top, "/") == 0 ? 0 : std::strlen(top);
  const char *below = cut > 0 && std::strncmp(group, top, cut) == 0 ? group + cut : group;
  const int length = std::snprintf(folder, sizeof folder, "%s%s", point, below);
  if (length < 0 || length >= kMaxPath) return kUnlimited;
  const std::size_t shortest = std::strlen(point);
  int64_t least = kUnlimited;
  for (;;) {
    least = std::min(least, left_by_group(root, folder, version));
    char *slash = std::strrchr(folder, '/');
    if (slash == nullptr || static_cast<std::size_t>(slash - folder) < shortest) return least;
    *slash = '\0';
  }
}

}  // namespace

int64_t available_memory(const char *root) {
  return std::min({left_by_machine(root), left_by_resources(root), left_by_groups(root, kVersion1), left_by_groups(root, kVersion2)});
}

}  // namespace atp
