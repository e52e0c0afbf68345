// SPDX-License-Identifier: MIT
// attopotts batch: many commands from a table, some at a time.
#include "commands/batch_run.hpp"
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/job_files.hpp"
#include "support/launcher.hpp"
#include "support/named_files.hpp"
#include "support/signals.hpp"
#include "support/system.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cli {

namespace {

struct BatchFlags {
  std::string jobs, command, results, logs;
  int64_t at_a_time = 0;
  double stale_seconds = 60;
  bool retry = false, stop_at_failure = false, keep_going = false;
  const CLI::App *app = nullptr;
};

// Jobs at a time and threads of each, from the flags and the cores that this process has.
void share_cores(const Session &session, const BatchFlags &flags, BatchPlan &plan) {
  const Launched place = launched();
  Context context;
  check(atp_context_create(nullptr, nullptr, nullptr, out(context)));
  const int64_t own = atp_context_threads(context.get()), given_threads = atp_context_threads(session.context.get());
  const int64_t cores = cores_of_rank(own, place.local_size);
  const bool has_threads = !given(flags.app, "--threads").empty() && given(flags.app, "--threads") != "0";
  const int64_t jobs = static_cast<int64_t>(plan.jobs.size());
  plan.at_a_time = flags.at_a_time;
  if (plan.at_a_time == 0)
    plan.at_a_time = std::min(jobs, place.size > 1 ? 1 : std::max<int64_t>(1, cores / (has_threads ? given_threads : 1)));
  plan.threads = has_threads ? given_threads : std::max<int64_t>(1, cores / plan.at_a_time);
  plan.wait_for_others = place.size > 1 && place.rank == 0;
}

void need_folder(const std::string &path) {
  struct stat status;
  if (make_folder(path) != 0 && (errno != EEXIST || stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
    wrong_use("--logs is \"{}\", expected a folder that exists or can be made: {}", path, std::strerror(errno));
  if (check_folder_writable(path) != 0)
    wrong_use("--logs is \"{}\", expected a folder that can be written: {}", path, std::strerror(errno));
}

BatchPlan make_plan(const Session &session, const BatchFlags &flags) {
  if (flags.jobs == "-") wrong_use("JOBS is -, standard input, expected a file: the same command continues it");
  if (flags.keep_going && flags.stop_at_failure) wrong_use("--stop-at-failure is given with --keep-going, expected only one of them");
  BatchPlan plan;
  plan.program = flags.app->get_parent();
  plan.results = flags.results.empty() ? flags.jobs + ".results.csv" : flags.results;
  plan.logs = flags.logs.empty() ? flags.jobs + ".logs" : flags.logs;
  plan.retry = flags.retry;
  plan.stop_at_failure = flags.stop_at_failure;
  plan.stale_seconds = flags.stale_seconds;
  std::vector<std::pair<std::string, std::string>> common;
  for (const char *flag : {"--seed", "--memory"})
    if (const std::string value = given(flags.app, flag); !value.empty()) common.emplace_back(flag, value);
  check_writable("--output", plan.results);
  plan.jobs = read_jobs(session, flags.jobs, flags.command, common);
  check_jobs(*plan.program, flags.jobs, plan.jobs, {flags.jobs, plan.results});
  need_folder(plan.logs);
  share_cores(session, flags, plan);
  return plan;
}

// "; longest: NAME, 12.3 s"
std::string longest_text(const BatchPlan &plan, const JobBook &book) {
  std::size_t longest = 0;
  for (std::size_t k = 0; k < plan.jobs.size(); ++k)
    if (book.record(k).seconds > book.record(longest).seconds) longest = k;
  const double seconds = book.record(longest).seconds;
  return seconds > 0 ? fmt::format("; longest: {}, {:.1f} s", plan.jobs[longest].name, seconds) : "";
}

// The first job that failed, and why.
std::string first_failure(const BatchPlan &plan, const JobBook &book) {
  for (std::size_t k = 0; k < plan.jobs.size(); ++k) {
    const JobRecord &record = book.record(k);
    if (record.outcome == JobOutcome::failed || record.outcome == JobOutcome::killed)
      return fmt::format("{} ({} {}): {}", plan.jobs[k].name, record.outcome == JobOutcome::failed ? "status" : "by", record.status,
                         record.why);
  }
  return "";
}

int end_of(const Session &session, const BatchPlan &plan, const BatchRun &run) {
  const JobBook &book = run.book();
  if (interrupted()) throw Failure(kInterrupted, fmt::format("interrupted; {}; the same command continues", book.counts_text()));
  // Other ranks have another share: one tells of all, and mpirun ends all if one fails.
  const Launched place = launched();
  if (place.rank != 0) return kDone;
  const int64_t bad = book.count(JobOutcome::failed) + book.count(JobOutcome::killed);
  const int64_t elsewhere = std::min(static_cast<int64_t>(run.elsewhere()), book.count(JobOutcome::not_run));
  const std::string others = elsewhere == 0 ? "" : fmt::format("; {} run in other processes", elsewhere);
  session.say("{}{}; {} ran here in {:.1f} s{}; table: {}", book.counts_text(), others, run.ran(), run.seconds(), longest_text(plan, book),
              plan.results);
  if (bad > 0) failed("{} of {} jobs failed, the first is {}", bad, plan.jobs.size(), first_failure(plan, book));
  if (book.count(JobOutcome::interrupted) > 0)
    throw Failure(kInterrupted, fmt::format("{} jobs were interrupted; the same command continues", book.count(JobOutcome::interrupted)));
  return book.count(JobOutcome::not_converged) > 0 ? kNotConverged : kDone;
}

int run_batch(Session &session, const BatchFlags &flags) {
  const BatchPlan plan = make_plan(session, flags);
  stop_if_interrupted();
  BatchRun run(session, plan);
  run.run();
  return end_of(session, plan, run);
}

}  // namespace

void add_batch(Program &program) {
  auto flags = std::make_shared<BatchFlags>();
  CLI::App *app = program.add(
      "batch",
      "run many commands from a table, several at a time, also from several processes and nodes; the same command "
      "continues after an interruption. --threads, --memory and --seed hold for each job that does not give them",
      "attopotts batch families.csv --command \"contacts {file} --alphabet protein --csv {name}.csv\"",
      [flags](Session &session) { return run_batch(session, *flags); }, Keeps::state);
  flags->app = app;
  app->add_option(
         "JOBS", flags->jobs,
         "CSV table, one job a row. Columns: command (the words after attopotts, with quotes as in a shell), and if you like name, "
         "folder (where the job runs) and cost (jobs of high cost start first; default: size of the input files). Values of all "
         "columns may stand in a command, as {column}")
      ->check(input_file())
      ->required();
  app->add_option("--command", flags->command, "the command of all rows, with {column} for the values of a row")->type_name("TEXT");
  app->add_option("-o,--output", flags->results, "table of how the jobs ended; default: JOBS.results.csv")
      ->check(output_file())
      ->type_name("FILE");
  app->add_option("--logs", flags->logs,
                  "folder of NAME.out and NAME.err, what jobs print, and of the files by which processes share jobs and a later run "
                  "continues; default: JOBS.logs")
      ->check(output_folder())
      ->type_name("DIR");
  app->add_option("--jobs", flags->at_a_time,
                  "number of jobs at a time; 0: as many as there are cores for their --threads; with mpirun or srun one per process")
      ->transform(count(0, kMostChildren))
      ->type_name("J")
      ->capture_default_str();
  app->add_flag("--retry", flags->retry, "run jobs again that failed or did not converge before");
  app->add_flag("--keep-going", flags->keep_going, "run all jobs, also if some fail; this is the default");
  app->add_flag("--stop-at-failure", flags->stop_at_failure, "start no more jobs once one fails");
  app->add_option("--stale", flags->stale_seconds,
                  "take over jobs of other machines whose process has not shown for this time that it is alive; the same in all processes")
      ->transform(duration(1, 1e9))
      ->type_name("TIME")
      ->capture_default_str();
}

}  // namespace cli
