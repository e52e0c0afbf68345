// SPDX-License-Identifier: MIT
// The files that the flags of one command name: no file is written twice, and none that is read is written over. A file that is rewritten
// repeatedly is locked.
#pragma once

#include <string>

namespace cli {

// The file that a path names or would create: absolute, links followed, also dangling ones.
std::string target_of(std::string path);

// Fails if `path` cannot be written, by creating and removing a file next to it, and if it is another flag's file. "-" is always writable.
void check_writable(const std::string &flag, const std::string &path);
// Fails if another flag writes this file, or another argument reads it. A flag may claim its file again.
void claim_output(const std::string &flag, const std::string &path);
// Fails if a flag writes this file. Fails if it is standard input, which another argument has read.
void claim_input(const std::string &label, const std::string &path);
// Fails if an argument reads this file and no flag has claimed it as an output: the last check before a file is written.
void require_not_read(const std::string &path);
// Begins a new command, of which no flag names a file so far.
void forget_named_files();

// Locks a file that is rewritten repeatedly. The kernel's lock is on an empty file next to it: it survives renames and ends with the
// process.

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
