// SPDX-License-Identifier: MIT
#include "support/claims.hpp"

#include "support/csv.hpp"
#include "support/errors.hpp"
#include "support/system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace cli {

namespace {

constexpr double kBeatSeconds = 10, kBeatsUntilStale = 5;
constexpr std::size_t kLargestClaim = 1 << 16;

std::string first_line(const char *path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Where numbers of processes mean the same: the name of the machine, its boot, and the namespace of its processes.
const std::string &this_machine() {
  static const std::string machine = [] {
    struct stat status;
    const int64_t space = stat("/proc/self/ns/pid", &status) == 0 ? static_cast<int64_t>(status.st_ino) : 0;
    return fmt::format("{} {} {}", host_name(), first_line("/proc/sys/kernel/random/boot_id"), space);
  }();
  return machine;
}

bool is_alive(int64_t process, int64_t started) {
  if (!is_process(process)) return false;
  const int64_t start = process_start(process);
  return start >= 0 && (start == 0 || started == 0 || start == started);  // another one may have the number by now
}

std::string row_of(pid_t process) {
  return csv_line({this_machine(), cell(static_cast<int64_t>(process)), cell(std::max<int64_t>(0, process_start(process)))});
}

std::string claim_text() { return csv_line({"machine", "process", "started"}) + row_of(getpid()); }

bool write_all(int descriptor, const std::string &text) {
  return write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The same on file systems without links: a reader may find the claim empty, and then waits as for one of another machine.
bool make_empty(const std::string &claim, int &reason) {
  const int descriptor = open_file(claim, O_WRONLY | O_CREAT | O_EXCL, 0644);
  reason = errno;
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, claim_text());
  reason = errno;
  close(descriptor);
  if (!written) unlink(claim.c_str());
  return written;
}

// Makes the claim, with its content from the first moment: a file of another name gets this name, too. False if the name is taken.
bool make_claim(const std::string &folder, const std::string &claim) {
  std::string whole = folder + "/.claim-XXXXXX";
  const int descriptor = mkstemp(whole.data());
  if (descriptor < 0) failed("{}: cannot be made: {}", claim, std::strerror(errno));
  let_all_read(descriptor);
  bool good = write_all(descriptor, claim_text());
  int reason = errno;
  bool made = good && link_file(whole, claim) == 0;
  if (good && !made) {
    reason = errno;
    struct stat status;  // the answer of a server that made the link may have been lost
    made = fstat(descriptor, &status) == 0 && status.st_nlink == 2;
    if (!made && (reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS || reason == EMLINK)) made = make_empty(claim, reason);
    good = made || reason == EEXIST;
  }
  close(descriptor);
  unlink(whole.c_str());
  if (!good) failed("{}: cannot be made: {}", claim, std::strerror(reason));
  return made;
}

}  // namespace

std::string Claims::file(const std::string &name, int64_t attempt) const { return fmt::format("{}/{}.{}.claim", folder_, name, attempt); }

Claims::Found Claims::look(const std::string &claim, bool &stale) {
  // Opening fetches content and times from the server of a network file system.
  const int descriptor = open_file(claim, O_RDONLY);
  int64_t changed = 0;
  std::string text(kLargestClaim, '\0');
  const ssize_t size = descriptor < 0 ? -1 : read(descriptor, text.data(), text.size());
  if (descriptor >= 0) {
    changed = changed_at(descriptor);
    close(descriptor);
  }
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const StoredTable table = parse_table(text);
  stale = false;
  if (!table.rows.empty() && table.rows[0].size() == 3 && table.rows[0][0] == this_machine()) {
    for (const auto &row : table.rows)
      if (row.size() == 3 && is_alive(std::atoll(row[1].c_str()), std::atoll(row[2].c_str())))
        return &row == &table.rows[0] ? Found::running : Found::unsure;
    stale = true;
    return Found::running;
  }
  const auto now = Clock::now();
  const auto [entry, is_new] = watched_.emplace(claim, Watched{changed, now, false});
  Watched &watched = entry->second;
  if (!is_new && watched.changed != changed) watched = {changed, now, true};
  stale = std::chrono::duration<double>(now - watched.since).count() >= stale_seconds_;
  return watched.moved ? Found::running : Found::unsure;
}

Claims::Found Claims::take(const std::string &name, int64_t last, int64_t &attempt) {
  for (attempt = last + 1;; ++attempt) {
    const std::string claim = file(name, attempt);
    if (access(claim.c_str(), F_OK) != 0 && make_claim(folder_, claim)) {
      own_[name] = claim;
      return Found::taken;
    }
    bool stale = false;
    const Found found = look(claim, stale);
    if (!stale) return found;
  }
}

void Claims::add_process(const std::string &name, int64_t attempt, pid_t process) {
  const int descriptor = open_file(file(name, attempt), O_WRONLY | O_APPEND);
  if (descriptor < 0) return;
  (void)!write_all(descriptor, row_of(process));  // without it the claim ends with its owner
  close(descriptor);
}

bool Claims::is_lost(const std::string &name, int64_t attempt) const { return access(file(name, attempt + 1).c_str(), F_OK) == 0; }

void Claims::release(const std::string &name, int64_t attempt, bool remove) {
  own_.erase(name);
  if (remove) unlink(file(name, attempt).c_str());
}

void Claims::beat() {
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_beat_).count() < std::min(kBeatSeconds, stale_seconds_ / kBeatsUntilStale)) return;
  last_beat_ = now;
  for (const auto &[name, claim] : own_) touch(claim);
}

}  // namespace cli
