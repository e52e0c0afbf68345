// SPDX-License-Identifier: MIT
#include "run/named_files.hpp"

#include "run/errors.hpp"
#include "run/ranks.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

namespace cli {

namespace {

// Of the command that runs: the flag that writes each file, and the arguments that read it. Standard input is the file "-".
std::map<std::string, std::string> outputs;
std::map<std::string, std::set<std::string>> inputs;

bool is_regular_file(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Fails if an argument reads the file that the flag writes.
void require_unread(const std::string &flag, const std::string &path, const std::set<std::string> &readers) {
  if (!readers.empty()) wrong_use("{} is \"{}\", which {} reads, expected another file", flag, path, *readers.begin());
}

}  // namespace

void check_writable(const std::string &flag, const std::string &path) {
  if (path.empty() || path == "-" || !is_first_rank()) return;
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    wrong_use("{} is \"{}\", a directory; expected the name of a file", flag, path);
  int replaced = 0;
  if (atp_file_writable(path.c_str(), &replaced) != ATP_OK) {
    char text[512];
    atp_last_error(text, sizeof text);
    wrong_use("{} is \"{}\", expected a file that can be written: {}", flag, path, text);
  }
  if (replaced != 0) claim_output(flag, path);
}

void claim_output(const std::string &flag, const std::string &path) {
  const std::string target = target_of(path);
  const auto [other, is_new] = outputs.emplace(target, flag);
  if (!is_new && other->second != flag) wrong_use("{} and {} are both \"{}\", expected two files", other->second, flag, path);
  if (const auto read = inputs.find(target); read != inputs.end()) require_unread(flag, path, read->second);
}

void claim_input(const std::string &label, const std::string &path) {
  if (path == "-") {
    for (const std::string &reader : inputs[path])
      if (reader != label) wrong_use("{} is -, standard input, which {} has read already; expected a file", label, reader);
  } else if (!is_regular_file(path)) {
    return;
  }
  const std::string target = path == "-" ? path : target_of(path);
  inputs[target].insert(label);
  if (const auto written = outputs.find(target); written != outputs.end()) require_unread(written->second, path, {label});
}

void require_not_read(const std::string &path) {
  if (path.empty() || path == "-" || !is_regular_file(path)) return;
  const std::string target = target_of(path);
  const auto read = inputs.find(target);
  if (outputs.count(target) == 0 && read != inputs.end()) require_unread("an output", path, read->second);
}

void forget_named_files() {
  outputs.clear();
  inputs.clear();
}

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

// The number of the process that wrote the lock file; 0 if there is none.
int64_t owner_of(int descriptor) {
  char text[24] = "";
  const ssize_t n = read_start(descriptor, text, sizeof text - 1);
  return n > 0 ? std::max<int64_t>(0, std::strtoll(text, nullptr, 10)) : 0;
}

// Takes the lock as lock() does. A process that was killed keeps it until the system has taken back its memory: the wait for that is short
// where the owner still seems to run, and longer where it has ended.
int lock_of_the_living(int descriptor) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kStep(10), kSeemsToRun(500), kHasEnded(30000);
  const Clock::time_point begin = Clock::now();
  for (;;) {
    const int result = lock(descriptor);
    const int reason = errno;
    if (result == 0 || reason != EWOULDBLOCK || interrupted()) return result;
    const int64_t owner = owner_of(descriptor);
    const bool ended = owner > 0 && (!is_process(owner) || process_start(owner) < 0);
    errno = reason;
    if (Clock::now() - begin > (ended ? kHasEnded : kSeemsToRun)) return result;
    std::this_thread::sleep_for(kStep);
  }
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
    if (lock_of_the_living(descriptor_) != 0) {
      const int reason = errno;
      const int64_t owner = reason == EWOULDBLOCK ? owner_of(descriptor_) : 0;
      if (reason == EINTR) {
        close(descriptor_);
        continue;
      }
      if (reason == EWOULDBLOCK) {
        close(descriptor_);
        wrong_use("{} is \"{}\", which another run{} is writing, expected a different file for each run", flag, path,
                  owner > 0 ? fmt::format(" (process {})", owner) : "");
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
