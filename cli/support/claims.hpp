// SPDX-License-Identifier: MIT
// Who runs which job, among processes that share a folder, also on several nodes.
//
// Attempt K of a job is the file NAME.K.claim. Only one process can create it (link), and it stays: so no attempt is made twice.
// The file lists the processes of the attempt; its owner touches it every few seconds. A claim is stale once its processes are gone, or, if
// they belong to another machine, once the file has not changed for a time. Then another process may create the claim of attempt K + 1.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace cli {

class Claims {
 public:
  Claims(std::string folder, double stale_seconds) : folder_(std::move(folder)), stale_seconds_(stale_seconds) {}

  enum class Found {
    taken,    // by this process
    running,  // by another one
    unsure,   // by a process of another machine that has not shown yet that it is alive, or by a job that its batch has left alone
  };
  // Claims the next attempt after `last`. Sets `attempt` to it, or to the one that runs. Throws Failure if files cannot be made.
  Found take(const std::string &name, int64_t last, int64_t &attempt);
  // Adds a process to an own claim.
  void add_process(const std::string &name, int64_t attempt, pid_t process);
  // Whether another process has taken over an own claim.
  bool is_lost(const std::string &name, int64_t attempt) const;
  // The attempt has ended, or was not needed (`remove`: nothing was started).
  void release(const std::string &name, int64_t attempt, bool remove);
  // Touches the own claims, if it is time.
  void beat();

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    int64_t changed = 0;  // time of the file's last change, by the clock of its file system
    Clock::time_point since;
    bool moved = false;
  };
  std::string file(const std::string &name, int64_t attempt) const;
  Found look(const std::string &claim, bool &stale);

  std::string folder_;
  double stale_seconds_;
  std::map<std::string, Watched> watched_;
  std::map<std::string, std::string> own_;  // job -> file
  Clock::time_point last_beat_ = Clock::now();
};

}  // namespace cli
