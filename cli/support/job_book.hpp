// SPDX-License-Identifier: MIT
// How jobs ended: a file NAME.done each, and the table that is made from them.
//
// Several processes may write at the same time. A file is replaced as a whole. The table is written from the files that its writer saw;
// then it looks again, and writes again if there are more. So the last one to write has seen all.
#pragma once

#include "support/csv_table.hpp"
#include "support/jobs.hpp"
#include "support/processes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class JobOutcome { not_run, done, not_converged, failed, killed, interrupted };
inline constexpr int kJobOutcomes = 6;
const char *outcome_text(JobOutcome outcome);

struct JobRecord {
  JobOutcome outcome = JobOutcome::not_run;
  int64_t attempt = 0;  // 0: no record
  std::string status;   // exit status, or the name of a signal
  double seconds = 0;
  std::string host, why, line;  // line: Job::line()
};

// How a child ended, and why: the text of its error in the file `err`. After a signal to this program a child
// that stopped because of it counts as interrupted.
void set_end(JobRecord &record, const ChildEnd &end, bool stopped_by_us, const std::string &err);

class JobBook {
 public:
  // `retry`: jobs that failed before now are to be run again. Reads the records.
  JobBook(const Session &session, const std::vector<Job> &jobs, std::string folder, bool retry);
  // The file NAME.SUFFIX of a job.
  std::string file(std::size_t job, const std::string &suffix) const;
  // Reads the record of a job again. Returns whether nothing is left to do for it.
  bool is_settled(std::size_t job);
  const JobRecord &record(std::size_t job) const { return records_[job]; }
  // Whether the job ended since this object was made.
  bool is_new(std::size_t job) const { return records_[job].attempt != first_[job]; }
  // Keeps a record and writes its file. A failure is a warning, and write_missing() tries again; it fails if it cannot.
  void set(std::size_t job, JobRecord record);
  void write_missing();
  // Writes the table. `notes` go above the header.
  void write_table(const std::string &path);
  // The number of jobs with this outcome, and the text "12 jobs: 10 done, 2 failed".
  int64_t count(JobOutcome outcome) const;
  std::string counts_text() const;

 private:
  bool read(std::size_t job);
  bool read_all();
  bool write(std::size_t job);

  const Session &session_;
  const std::vector<Job> &jobs_;
  std::string folder_;
  bool retry_;
  std::vector<JobRecord> records_;
  std::vector<int64_t> first_;        // attempts of the records at the start
  std::vector<std::size_t> missing_;  // jobs whose record could not be written
};

}  // namespace cli
