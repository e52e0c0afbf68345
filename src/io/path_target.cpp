// SPDX-License-Identifier: MIT
#include "io/path_target.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace atp {

namespace {

constexpr int kMostLinks = 40;
static_assert(kPathSize >= PATH_MAX, "realpath() writes up to PATH_MAX bytes");

// The descriptor number in a text; -1 if it is not one.
int descriptor_number(const char *text) {
  int value = 0;
  if (text[0] == 0 || (text[0] == '0' && text[1] != 0)) return -1;
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9' || value > 1000000) return -1;
    value = 10 * value + (*text - '0');
  }
  return value;
}

// The folder of a path with all links resolved; "" if there is none.
void real_folder(const char *path, char (&out)[kPathSize]) {
  char folder[kPathSize] = ".";
  const char *slash = std::strrchr(path, '/');
  const std::size_t size = slash == nullptr ? 1 : static_cast<std::size_t>(slash - path) + 1;
  out[0] = 0;
  if (size >= sizeof folder) return;
  if (slash != nullptr) std::memcpy(folder, path, size);
  folder[size] = 0;
  if (realpath(folder, out) == nullptr) out[0] = 0;
}

// Whether a folder lists the descriptors of this process.
bool lists_descriptors(const char *folder) {
  char own[64];
  std::snprintf(own, sizeof own, "/proc/%ld/", static_cast<long>(getpid()));
  const std::size_t size = std::strlen(own), length = std::strlen(folder);
  if (std::strcmp(folder, "/dev/fd") == 0) return true;
  return length >= size + 2 && std::memcmp(folder, own, size) == 0 && std::strcmp(folder + length - 2, "fd") == 0 &&
         folder[length - 3] == '/';
}

// The descriptor that a path names without further links.
int direct_descriptor(const char *path) {
  static constexpr const char *names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  struct stat info;
  for (int k = 0; k < 3; ++k)
    if (std::strcmp(path, names[k]) == 0 && lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) return k;
  const char *slash = std::strrchr(path, '/');
  const int number = descriptor_number(slash == nullptr ? path : slash + 1);
  if (number < 0) return -1;
  char folder[kPathSize];
  real_folder(path, folder);
  return lists_descriptors(folder) ? number : -1;
}

// Replaces a path by the target of the link that it is. Returns 1 for a link, 0 for any other file, or minus
// the error number.
int follow_one(char (&path)[kPathSize]) {
  char link[kPathSize];
  const ssize_t n = readlink(path, link, sizeof link);
  if (n < 0) return 0;
  const char *slash = link[0] == '/' ? nullptr : std::strrchr(path, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - path) + 1, size = static_cast<std::size_t>(n);
  if (folder + size >= sizeof path) return -ENAMETOOLONG;
  std::memcpy(path + folder, link, size);
  path[folder + size] = 0;
  return 1;
}

}  // namespace

int named_descriptor(const char *path) {
  char here[kPathSize];
  if (std::strlen(path) >= sizeof here) return -1;
  std::strcpy(here, path);
  for (int k = 0; k < kMostLinks; ++k) {
    const int found = direct_descriptor(here);
    if (found >= 0) return found;
    if (follow_one(here) <= 0) return -1;
  }
  return -1;
}

int follow_links(const char *path, char (&out)[kPathSize]) {
  if (std::strlen(path) >= sizeof out) return ENAMETOOLONG;
  std::strcpy(out, path);
  for (int k = 0; k < kMostLinks; ++k) {
    const int followed = follow_one(out);
    if (followed <= 0) return -followed;
  }
  return ELOOP;
}

}  // namespace atp
