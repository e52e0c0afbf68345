// SPDX-License-Identifier: MIT
#include "support/job_book.hpp"

#include "support/claims.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace cli {

namespace {

constexpr std::size_t kReadOfErrors = 1 << 16, kLongestReason = 400;  // bytes
constexpr const char *kOutcomeTexts[kJobOutcomes] = {"not run", "done", "not converged", "failed", "killed", "interrupted"};

const std::vector<std::string> kRecordColumns = {"attempt", "status", "outcome", "seconds", "host", "why", "command"};

// The error in what a job printed on standard error: its last line that begins like one, else its last line.
std::string error_in(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  std::string text(std::min(size, kReadOfErrors), '\0');
  file.seekg(static_cast<std::streamoff>(size - text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  std::istringstream lines(text);
  const std::string mark = "attopotts: ";
  std::string last, error;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
    if (line.compare(0, mark.size(), mark) == 0) error = line.substr(mark.size());
  }
  return printable(error.empty() ? last : error).substr(0, kLongestReason);
}

bool same(const JobRecord &one, const JobRecord &other) { return one.attempt == other.attempt && one.line == other.line; }

}  // namespace

const char *outcome_text(JobOutcome outcome) { return kOutcomeTexts[static_cast<int>(outcome)]; }

void set_end(JobRecord &record, const ChildEnd &end, bool stopped_by_us, const std::string &err) {
  record.status = end.signal.empty() ? fmt::format("{}", end.code) : end.signal;
  record.outcome = end.code == kDone                                          ? JobOutcome::done
                   : end.code == kNotConverged                                ? JobOutcome::not_converged
                   : end.code == kInterrupted || (stopped_by_us && end.asked) ? JobOutcome::interrupted
                   : !end.signal.empty()                                      ? JobOutcome::killed
                                                                              : JobOutcome::failed;
  record.why = record.outcome == JobOutcome::done ? "" : error_in(err);
  if (end.killed && record.why.empty()) record.why = "killed from outside, as the system does when memory is short";
}

JobBook::JobBook(const Session &session, const std::vector<Job> &jobs, std::string folder, bool retry)
    : session_(session), jobs_(jobs), folder_(std::move(folder)), retry_(retry), records_(jobs.size()), first_(jobs.size(), -1) {
  for (std::size_t k = 0; k < jobs_.size(); ++k) {
    read(k);
    first_[k] = records_[k].attempt;
  }
}

std::string JobBook::file(std::size_t job, const std::string &suffix) const { return folder_ + "/" + jobs_[job].name + "." + suffix; }

bool JobBook::read(std::size_t job) {
  if (std::find(missing_.begin(), missing_.end(), job) != missing_.end()) return false;
  std::ifstream stream(file(job, "done"), std::ios::binary);
  if (!stream) return false;
  const StoredTable table = parse_table({std::istreambuf_iterator<char>(stream), {}});
  if (table.columns != kRecordColumns || table.rows.size() != 1 || table.rows[0].size() != kRecordColumns.size()) return false;
  const std::vector<std::string> &cells = table.rows[0];
  JobRecord record;
  record.attempt = std::max<int64_t>(0, std::atoll(cells[0].c_str()));
  record.status = cells[1];
  for (int k = 0; k < kJobOutcomes; ++k)
    if (cells[2] == kOutcomeTexts[k]) record.outcome = static_cast<JobOutcome>(k);
  record.seconds = number_in(cells[3]);
  record.host = cells[4];
  record.why = cells[5];
  record.line = cells[6];
  if (record.line != jobs_[job].line()) {
    // Of a command that has changed: only the attempts count on.
    record = {};
    record.attempt = std::max<int64_t>(0, std::atoll(cells[0].c_str()));
  }
  const bool changed = !same(record, records_[job]);
  records_[job] = std::move(record);
  return changed;
}

bool JobBook::is_settled(std::size_t job) {
  read(job);
  const JobRecord &record = records_[job];
  switch (record.outcome) {
    case JobOutcome::not_run: return false;
    case JobOutcome::done: return true;
    case JobOutcome::interrupted: return is_new(job);
    default: return is_new(job) || !retry_;
  }
}

void JobBook::set(std::size_t job, JobRecord record) {
  records_[job] = std::move(record);
  if (!write(job)) missing_.push_back(job);
}

bool JobBook::write(std::size_t job) {
  const JobRecord &record = records_[job];
  const std::string text = csv_line(kRecordColumns) + csv_line({cell(record.attempt), record.status, outcome_text(record.outcome),
                                                                cell(record.seconds), record.host, record.why, record.line});
  try {
    write_text(session_, file(job, "done"), text);
    return true;
  } catch (const Failure &failure) {
    session_.say("warning: the end of job {} is not recorded: {}", jobs_[job].name, failure.what());
    return false;
  }
}

void JobBook::write_missing() {
  std::vector<std::size_t> left;
  for (const std::size_t job : missing_)
    if (!write(job)) left.push_back(job);
  missing_ = left;
  if (!missing_.empty())
    failed("{}: cannot be written; {} jobs have ended, but will be run again", file(missing_.front(), "done"), missing_.size());
}

bool JobBook::read_all() {
  bool changed = false;
  for (std::size_t k = 0; k < jobs_.size(); ++k)
    if (records_[k].outcome != JobOutcome::done) changed = read(k) || changed;
  return changed;
}

void JobBook::write_table(const std::string &path) {
  read_all();
  do {
    Table table(session_, {"name", "status", "outcome", "seconds", "host", "attempts", "why", "command"});
    table.note("outcome: " + counts_text());
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      const JobRecord &record = records_[k];
      const bool ran = record.outcome != JobOutcome::not_run;
      table.row({jobs_[k].name, record.status, outcome_text(record.outcome), ran ? cell(record.seconds) : "", record.host,
                 cell(record.attempt), record.why, jobs_[k].line()});
    }
    table.write(session_, path);
  } while (is_replaced(path) && read_all());
}

int64_t JobBook::count(JobOutcome outcome) const {
  return std::count_if(records_.begin(), records_.end(), [&](const JobRecord &record) { return record.outcome == outcome; });
}

std::string JobBook::counts_text() const {
  std::string text;
  for (const JobOutcome outcome :
       {JobOutcome::done, JobOutcome::not_converged, JobOutcome::failed, JobOutcome::killed, JobOutcome::interrupted, JobOutcome::not_run})
    if (const int64_t n = count(outcome); n > 0 || outcome == JobOutcome::done)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, outcome_text(outcome));
  return fmt::format("{} {}: {}", jobs_.size(), jobs_.size() == 1 ? "job" : "jobs", text);
}

}  // namespace cli
