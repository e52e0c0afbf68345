// SPDX-License-Identifier: MIT
#include "base/available_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace atp {

namespace {

constexpr int kMaxPath = 4096;
constexpr int kMaxText = 32768;

// A small file as text; text beyond kMaxText is not read.
class SmallFile {
 public:
  SmallFile(const char *root, const char *path) {
    char name[2 * kMaxPath];
    const int length = std::snprintf(name, sizeof name, "%s%s", root, path);
    if (length < 0 || length >= static_cast<int>(sizeof name)) return;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t got = 0;
    while (size_ < kMaxText && (got = read(file, text_ + size_, static_cast<std::size_t>(kMaxText - size_))) > 0) size_ += got;
    close(file);
    text_[size_] = '\0';
    found_ = size_ > 0;
  }
  bool found() const { return found_; }
  char *text() { return text_; }

  // The number after a name at the start of a line; kUnlimited if there is none.
  int64_t number(const char *name) const {
    const std::size_t length = std::strlen(name);
    for (const char *line = text_; line != nullptr && *line != '\0'; line = next_line(line))
      if (std::strncmp(line, name, length) == 0) return to_number(line + length);
    return kUnlimited;
  }
  // The number in a file that has nothing else; "max" is kUnlimited.
  int64_t number() const { return to_number(text_); }

  static const char *next_line(const char *line) {
    const char *end = std::strchr(line, '\n');
    return end == nullptr ? nullptr : end + 1;
  }

 private:
  static int64_t to_number(const char *text) {
    while (*text == ' ' || *text == '\t') ++text;
    if (*text < '0' || *text > '9') return kUnlimited;
    const unsigned long long value = std::strtoull(text, nullptr, 10);
    return value >= static_cast<unsigned long long>(kUnlimited) ? kUnlimited : static_cast<int64_t>(value);
  }

  int64_t size_ = 0;
  bool found_ = false;
  char text_[kMaxText + 1] = "";
};

// limit - used, but at least 0.
int64_t left(int64_t limit, int64_t used) {
  if (limit == kUnlimited) return kUnlimited;
  return std::max<int64_t>(0, limit - std::min(used == kUnlimited ? 0 : used, limit));
}

int64_t kilobytes(int64_t number) { return number > kUnlimited / 1024 ? kUnlimited : number * 1024; }

int64_t left_by_machine(const char *root) { return kilobytes(SmallFile(root, "/proc/meminfo").number("MemAvailable:")); }

int64_t left_by_resources(const char *root) {
  const SmallFile limits(root, "/proc/self/limits"), status(root, "/proc/self/status");
  return std::min(left(limits.number("Max address space"), kilobytes(status.number("VmSize:"))),
                  left(limits.number("Max data size"), kilobytes(status.number("VmData:"))));
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
  for (const char *line = file.text(); line != nullptr && *line != '\0'; line = SmallFile::next_line(line)) {
    const char *controllers = std::strchr(line, ':'), *group = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
    if (group == nullptr || group - controllers >= kMaxPath) continue;
    char list[kMaxPath];
    std::snprintf(list, sizeof list, "%.*s", static_cast<int>(group - controllers - 1), controllers + 1);
    if (&version == &kVersion2 ? list[0] != '\0' : !lists(list, "memory")) continue;
    const int length = static_cast<int>(std::strcspn(group + 1, "\n"));
    std::snprintf(path, sizeof path, "%.*s", length, group + 1);
    return true;
  }
  return false;
}

// Where the groups are mounted, and which group is mounted there: fields 5 and 4 of a line of
// /proc/self/mountinfo.
bool mount_point(SmallFile &file, const Version &version, char (&point)[kMaxPath], char (&top)[kMaxPath]) {
  for (const char *line = file.text(); line != nullptr && *line != '\0'; line = SmallFile::next_line(line)) {
    char text[kMaxPath], type[64], options[1024];
    std::snprintf(text, sizeof text, "%.*s", static_cast<int>(std::strcspn(line, "\n")), line);
    const char *behind = std::strstr(text, " - ");
    if (behind == nullptr || std::sscanf(behind, " - %63s %*s %1023s", type, options) != 2 || std::strcmp(type, version.type) != 0)
      continue;
    if (&version == &kVersion1 && !lists(options, "memory")) continue;
    if (std::sscanf(text, "%*s %*s %*s %4095s %4095s", top, point) == 2) return true;
  }
  return false;
}

// The memory left by the process's group and all groups above it: the smallest value.
int64_t left_by_groups(const char *root, SmallFile &groups, SmallFile &mounts, const Version &version) {
  char group[kMaxPath], point[kMaxPath], top[kMaxPath], folder[kMaxPath];
  if (!own_group(groups, version, group) || !mount_point(mounts, version, point, top)) return kUnlimited;
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
  const int64_t alone = std::min(left_by_machine(root), left_by_resources(root));
  SmallFile groups(root, "/proc/self/cgroup"), mounts(root, "/proc/self/mountinfo");
  if (!groups.found() || !mounts.found()) return alone;
  return std::min({alone, left_by_groups(root, groups, mounts, kVersion1), left_by_groups(root, groups, mounts, kVersion2)});
}

}  // namespace atp
