// SPDX-License-Identifier: MIT
// Runs the jobs of `batch`, some at a time, beside other processes that run the same batch.
#pragma once

#include "support/claims.hpp"
#include "support/job_book.hpp"
#include "support/processes.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cli {

struct BatchPlan {
  const CLI::App *program = nullptr;
  std::vector<Job> jobs;
  std::string logs, results;
  int64_t at_a_time = 1, threads = 1;  // threads of each job
  double stale_seconds = 60;
  bool retry = false, stop_at_failure = false;
  bool wait_for_others = false;  // until the jobs of other processes have ended, too
};

class BatchRun {
 public:
  BatchRun(const Session &session, const BatchPlan &plan);
  // Runs what is to be run, and writes the table.
  void run();
  const JobBook &book() const { return book_; }
  // Jobs that this process ran; how many other processes run; the seconds of run().
  std::size_t ran() const { return ran_.size(); }
  std::size_t elsewhere() const { return elsewhere_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::size_t job = 0;
    int64_t attempt = 0;
    Clock::time_point begin;
  };
  bool start_next();
  bool claim_job(std::size_t job, int64_t &attempt);
  void start(std::size_t job, int64_t attempt);
  void finish(pid_t child, const ChildEnd &end);
  void save_table(bool last);
  void show(const Job &job, const JobRecord &record) const;
  bool stopping() const;

  const Session &session_;
  const BatchPlan &plan_;
  JobBook book_;
  Claims claims_;
  Children children_;
  std::vector<std::string> environment_;
  std::vector<std::size_t> order_;  // jobs that may be left to do, the longest first
  std::map<pid_t, Running> running_;
  std::set<std::size_t> ran_;
  std::size_t elsewhere_ = 0, unsure_ = 0;  // jobs of other processes, and those of them that may have stopped
  bool failure_seen_ = false, table_is_old_ = false;
  Clock::time_point begin_ = Clock::now(), table_written_{};
  double table_seconds_ = 0;  // that the last writing took
};

}  // namespace cli
