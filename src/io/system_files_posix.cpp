// SPDX-License-Identifier: MIT
// Linux and macOS.
#include "io/system_files.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

// Replaces a path by the target of the link that it is. Returns 1 for a link, 0 for any other file, or minus the error number.
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

namespace {

int connect_to(const char *path, int &reason) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return -1;
  std::strcpy(address.sun_path, path);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  if (descriptor < 0) return -1;
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
      connect(descriptor, reinterpret_cast<struct sockaddr *>(&address), sizeof address) == 0)
    return descriptor;
  reason = errno;
  close(descriptor);
  return -1;
}

// Pipes, and folders of some file systems, cannot be flushed.
int flushed_or_not(int status) { return status != 0 && (errno == EINVAL || errno == ENOTSUP || errno == EROFS) ? 0 : status; }

}  // namespace

const int kStale = ESTALE;

int open_to_read(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  int reason = errno;
  struct stat info;
  if (const int named = named_descriptor(path); named >= 0)
    descriptor = fcntl(named, F_DUPFD_CLOEXEC, 0);
  else if (stat(path, &info) == 0 && S_ISSOCK(info.st_mode))
    descriptor = connect_to(path, reason);
  errno = reason;
  return descriptor;
}

int open_to_write(const char *path) { return open(path, O_WRONLY | O_CLOEXEC); }

int open_new(const char *path) { return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }

void use_bytes(int) {}

int check_writes(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? errno : (flags & O_ACCMODE) == O_RDONLY ? EACCES : 0;
}

bool wait_until_ready(int descriptor, bool to_write) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  struct pollfd ready = {descriptor, static_cast<short>(to_write ? POLLOUT : POLLIN), 0};
  return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

int64_t read_at_place(int descriptor, void *out, std::size_t n, int64_t place) {
  return pread(descriptor, out, n, static_cast<off_t>(place));
}

// Only root can change the owner of a file; others can at most keep its group. The mode is set last, because changing the owner clears
// bits of it.
void keep_owner_and_mode(int descriptor, unsigned owner, unsigned group, unsigned mode) {
  struct stat made;
  if (fstat(descriptor, &made) == 0 && (made.st_uid != owner || made.st_gid != group) && fchown(descriptor, owner, group) != 0)
    (void)!fchown(descriptor, static_cast<uid_t>(-1), group);
  (void)!fchmod(descriptor, static_cast<mode_t>(mode));
}

int flush_to_disk(int descriptor) {
  int status;
#ifdef F_FULLFSYNC
  // macOS: fsync leaves the bytes in the drive's memory. Some file systems have no more than fsync.
  do status = fcntl(descriptor, F_FULLFSYNC);
  while (status == -1 && errno == EINTR);
  if (status != -1) return 0;
#endif
  do status = fsync(descriptor);
  while (status != 0 && errno == EINTR);
  return flushed_or_not(status);
}

int replace_file(const char *from, const char *to) { return rename(from, to); }

int flush_folder_of(const char *path) {
  char folder[kPathSize] = ".";
  if (const char *slash = std::strrchr(path, '/'); slash != nullptr) {
    const std::size_t size = slash == path ? 1 : static_cast<std::size_t>(slash - path);
    std::memcpy(folder, path, size);
    folder[size] = '\0';
  }
  int descriptor;
  do descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return errno == EACCES || errno == EPERM ? 0 : -1;  // a folder can be written but not read
  const int flushed = flush_to_disk(descriptor), reason = errno;
  close(descriptor);
  errno = reason;
  return flushed;
}

const char *last_separator(const char *path) { return std::strrchr(path, '/'); }

}  // namespace atp
