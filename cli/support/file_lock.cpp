// SPDX-License-Identifier: MIT
#include "support/file_lock.hpp"

#include "support/errors.hpp"
#include "support/named_files.hpp"
#include "support/ranks.hpp"
#include "support/signals.hpp"
#include "support/system.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace cli {

namespace {

ssize_t read_start(int descriptor, char *out, std::size_t n) { return lseek(descriptor, 0, SEEK_SET) != 0 ? -1 : read(descriptor, out, n); }

// Whether a file is a lock: empty, or the number of a process. Others that have its name are not ours to empty and remove. One that
// cannot be read may be one: the reason is in errno then, otherwise 0.
bool is_lock(int descriptor) {
  struct stat status;
  char text[24] = "";
  if (fstat(descriptor, &status) != 0) return false;
  errno = 0;
  if (!S_ISREG(status.st_mode) || status.st_size >= static_cast<off_t>(sizeof text)) return false;
  if (status.st_size == 0) return true;
  ssize_t n;
  do n = read_start(descriptor, text, sizeof text - 1);
  while (n < 0 && errno == EINTR);
  if (n < 0) return false;
  errno = 0;
  const std::size_t digits = std::strspn(text, "0123456789");
  return n == 0 || (n == static_cast<ssize_t>(digits) + 1 && digits > 0 && text[digits] == '\n');
}

// Returns the number of the process that wrote the lock file, or "".
std::string owner_of(int descriptor) {
  char text[24] = "";
  const ssize_t n = read_start(descriptor, text, sizeof text - 1);
  const int64_t number = n > 0 ? std::strtoll(text, nullptr, 10) : 0;
  return number > 0 ? fmt::format(" (process {})", number) : "";
}

}  // namespace

FileLock::FileLock(const std::string &flag, const std::string &path) {
  if (!is_first_rank()) return;
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return;
  name_ = target_of(path) + ".lock";  // two names of a file have one lock
  for (;;) {
    descriptor_ = open_lock(name_);
    if (descriptor_ >= 0 && !is_lock(descriptor_)) {
      const int reason = errno;
      close(descriptor_);
      if (reason != 0) wrong_use("{} is \"{}\", whose lock {} cannot be read: {}", flag, path, name_, std::strerror(reason));
      wrong_use("{} is \"{}\", whose lock would be {}; that is another file, expected another name", flag, path, name_);
    }
    if (descriptor_ < 0) wrong_use("{} is \"{}\", expected a file that can be locked by {}: {}", flag, path, name_, std::strerror(errno));
    if (lock(descriptor_) != 0) {
      const int reason = errno;
      const std::string owner = reason == EWOULDBLOCK ? owner_of(descriptor_) : "";
      if (reason == EINTR) {
        close(descriptor_);
        continue;
      }
      if (reason == EWOULDBLOCK) {
        close(descriptor_);
        wrong_use("{} is \"{}\", which another run{} is writing, expected a different file for each run", flag, path, owner);
      }
      warning_ = fmt::format("{} {} is not locked ({}): see to it that no other run writes it", flag, path, std::strerror(reason));
    }
    // The previous owner may have removed the file in the meantime.
    if (is_same_file(descriptor_, name_.c_str())) break;
    close(descriptor_);
  }
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(descriptor_, 0) == 0 && lseek(descriptor_, 0, SEEK_SET) == 0) (void)!write(descriptor_, text.data(), text.size());
  remove_when_ended(name_, descriptor_);
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  remove_when_ended("", -1);
  remove_lock(name_.c_str(), descriptor_);
}

}  // namespace cli
