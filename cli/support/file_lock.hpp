// SPDX-License-Identifier: MIT
// A lock on a file that is written again and again: of the kernel, on an empty file beside it, so that it outlives every rename and ends
// with its process, however that ends.
#pragma once

#include <string>

namespace cli {

class FileLock {
 public:
  FileLock() = default;
  // Lock `path`, a regular file or one to be; fails where another process has it. Pipes and devices are not locked. File systems without
  // locks are warned of in warning().
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
