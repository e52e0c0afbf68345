// SPDX-License-Identifier: MIT
#include "support/file_lock.hpp"

#include "support/errors.hpp"
#include "support/signals.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace cli {

namespace {

// Two names of the same file have the same lock.
std::string real_name(const std::string &path) {
  char name[PATH_MAX];
  return realpath(path.c_str(), name) == nullptr ? path : name;
}

bool same_file(int descriptor, const std::string &name) {
  struct stat opened, named;
  return fstat(descriptor, &opened) == 0 && stat(name.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

// Returns the number of the process that wrote the lock file, or "".
std::string owner_of(int descriptor) {
  char text[24] = "";
  const ssize_t n = pread(descriptor, text, sizeof text - 1, 0);
  const int64_t number = n > 0 ? std::strtoll(text, nullptr, 10) : 0;
  return number > 0 ? fmt::format(" (process {})", number) : "";
}

}  // namespace

FileLock::FileLock(const std::string &flag, const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return;
  name_ = real_name(path) + ".lock";
  for (;;) {
    descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) wrong_use("{} is \"{}\", expected a file that can be locked by {}: {}", flag, path, name_, std::strerror(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
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
    if (same_file(descriptor_, name_)) break;
    close(descriptor_);
  }
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(descriptor_, 0) == 0) (void)!pwrite(descriptor_, text.data(), text.size(), 0);
  remove_when_ended(name_);
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  remove_when_ended("");
  unlink(name_.c_str());
  close(descriptor_);
}

}  // namespace cli
