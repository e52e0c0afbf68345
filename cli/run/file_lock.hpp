// SPDX-License-Identifier: MIT
// Locks a file that is rewritten repeatedly. The kernel's lock is on an empty file next to it: it survives renames and ends with the
// process.
#pragma once

#include <string>

namespace cli {

class FileLock {
 public:
  FileLock() = default;
  // Locks `path`, a regular or new file; fails if another process has the lock. Pipes and devices are not locked. If the file system has no
  // locks, warning() says so.
  FileLock(const std::string &flag, const std::string &path);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  const std::string &warning() const { return warning_; }

 private:
  int descriptor_ = -1;
  std::string name_, warning_;
};

}  // namespace cli
