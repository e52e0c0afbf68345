// SPDX-License-Identifier: MIT
#include "commands/batch_run.hpp"

#include "support/job_files.hpp"
#include "support/launcher.hpp"
#include "support/system.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <numeric>

namespace cli {

namespace {

constexpr double kLookSeconds = 0.5;   // between two looks at the jobs of others
constexpr double kTablePatience = 10;  // the table may take one part in ten of the time

bool is_failure(JobOutcome outcome) { return outcome == JobOutcome::failed || outcome == JobOutcome::killed; }

}  // namespace

BatchRun::BatchRun(const Session &session, const BatchPlan &plan)
    : session_(session),
      plan_(plan),
      book_(session, plan.jobs, plan.logs, plan.retry),
      claims_(plan.logs, plan.stale_seconds),
      environment_(environment_without_launcher()),
      order_(plan.jobs.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return plan.jobs[a].cost > plan.jobs[b].cost; });
}

bool BatchRun::stopping() const { return interrupted() || (plan_.stop_at_failure && failure_seen_); }

// Whether this process has the job now, as the attempt `attempt`.
bool BatchRun::claim_job(std::size_t job, int64_t &attempt) {
  const std::string &name = plan_.jobs[job].name;
  const Claims::Found found = claims_.take(name, book_.record(job).attempt, attempt);
  elsewhere_ += found != Claims::Found::taken;
  unsure_ += found == Claims::Found::unsure;
  if (found != Claims::Found::taken) return false;
  // The owner of an earlier claim may have ended the job since its record was read.
  if (!book_.is_settled(job)) return true;
  claims_.release(name, attempt, true);
  return false;
}

bool BatchRun::start_next() {
  elsewhere_ = unsure_ = 0;
  std::vector<std::size_t> left;
  int64_t attempt = 0;
  std::size_t next = plan_.jobs.size(), at = 0;
  for (; at < order_.size() && next == plan_.jobs.size() && !stopping(); ++at) {
    const std::size_t job = order_[at];
    const bool settled = book_.is_settled(job);
    failure_seen_ = failure_seen_ || (settled && book_.is_new(job) && is_failure(book_.record(job).outcome));
    if (settled || stopping()) {
      if (!settled) left.push_back(job);
      continue;
    }
    if (claim_job(job, attempt))
      next = job;
    else if (!book_.is_settled(job))
      left.push_back(job);
  }
  left.insert(left.end(), order_.begin() + static_cast<std::ptrdiff_t>(at), order_.end());
  order_ = std::move(left);  // without `next`: this process runs no job twice
  if (next == plan_.jobs.size()) return false;
  start(next, attempt);
  return true;
}

void BatchRun::start(std::size_t job, int64_t attempt) {
  const Job &what = plan_.jobs[job];
  ChildCommand command;
  const JobRecord &before = book_.record(job);
  const bool changed = before.attempt > 0 && before.outcome == JobOutcome::not_run;
  // What another command left is not continued without being asked, and wrong flags left nothing.
  const bool again = attempt > 1 && !changed && before.status != fmt::format("{}", kWrongUse);
  command.words = again ? resumed_words(*plan_.program, what) : what.words;
  if (!has_flag(command.words, "--threads")) add_flag(command.words, {"--threads", fmt::format("{}", plan_.threads)});
  command.environment = environment_;
  command.folder = what.folder;
  command.out = book_.file(job, "out");
  command.err = book_.file(job, "err");
  const auto begin = Clock::now();
  try {
    const pid_t child = children_.start(command);
    running_[child] = {job, attempt, begin};
    ran_.insert(job);
    claims_.add_process(what.name, attempt, child);
  } catch (const Failure &) {
    claims_.release(what.name, attempt, true);
    throw;
  }
}

void BatchRun::show(const Job &job, const JobRecord &record) const {
  if (session_.quiet || session_.progress == ProgressMode::none) return;
  if (session_.progress == ProgressMode::json)
    to_stderr(fmt::format("{{\"job\":{},\"outcome\":{},\"status\":{},\"seconds\":{:.3f},\"why\":{}}}\n", json_string(job.name),
                          json_string(outcome_text(record.outcome)), json_string(record.status), record.seconds, json_string(record.why)));
  else
    session_.message(fmt::format("{}: {}, {:.1f} s{}{}", job.name, outcome_text(record.outcome), record.seconds,
                                 record.why.empty() ? "" : ": ", record.why));
}

void BatchRun::finish(pid_t child, const ChildEnd &end) {
  const Running run = running_.at(child);
  running_.erase(child);
  const Job &job = plan_.jobs[run.job];
  JobRecord record;
  record.attempt = run.attempt;
  record.seconds = std::chrono::duration<double>(Clock::now() - run.begin).count();
  record.host = host_name();
  record.line = job.line();
  set_end(record, end, interrupted(), book_.file(run.job, "err"));
  if (claims_.is_lost(job.name, run.attempt)) {
    session_.say("warning: job {}: another process took it over, because this one had not shown that it was alive for {:g} s", job.name,
                 plan_.stale_seconds);
  } else {
    book_.set(run.job, record);
    failure_seen_ = failure_seen_ || is_failure(record.outcome);
  }
  claims_.release(job.name, run.attempt, false);
  show(job, record);
  table_is_old_ = true;
}

// Writes the table if jobs have ended since, but not all the time. The last time in any case.
void BatchRun::save_table(bool last) {
  if (!last && !table_is_old_) return;
  if (!last && std::chrono::duration<double>(Clock::now() - table_written_).count() < kTablePatience * table_seconds_) return;
  const auto begin = Clock::now();
  table_is_old_ = false;
  try {
    if (last || plan_.results != "-") book_.write_table(plan_.results);
  } catch (const Failure &failure) {
    if (last) throw;
    session_.say("warning: table not written: {}; the run continues", failure.what());
  }
  table_written_ = Clock::now();
  table_seconds_ = std::chrono::duration<double>(table_written_ - begin).count();
}

void BatchRun::run() {
  for (;;) {
    if (children_.count() < static_cast<std::size_t>(plan_.at_a_time) && !stopping() && start_next()) continue;
    const bool others = !stopping() && (plan_.wait_for_others ? elsewhere_ : unsure_) > 0;
    if (children_.count() == 0 && !others) break;
    ChildEnd end;
    if (const pid_t child = children_.wait(kLookSeconds, end); child != 0) finish(child, end);
    save_table(false);
    claims_.beat();
  }
  book_.write_missing();
  save_table(true);
}

}  // namespace cli
