// SPDX-License-Identifier: MIT
// attopotts dotattn: the solvable dot-product attention, its branches and its transition.
#include "commands/commands.hpp"

#include "commands/dotattn_runs.hpp"
#include "report/pages.hpp"
#include "run/files.hpp"
#include "run/signals.hpp"

namespace cli {

namespace {

std::string list_text(const std::vector<double> &values) {
  std::string text;
  for (double v : values) text += (text.empty() ? "" : ",") + cell(v);
  return text;
}

int run_dotattn(const Session &session, const DotattnFlags &flags) {
  check_report(flags.report);
  check_dotattn_flags(session.settings, flags);
  check_picture(flags.picture);
  if (flags.wants_dynamics()) return run_dynamics(session, flags);
  if (flags.tokens.wanted()) return run_tokens(session, flags);
  return flags.transition ? run_transition(session, flags) : run_branches(session, flags);
}

}  // namespace

AttentionTask two_tokens(const Session &session, const DotattnFlags &flags) {
  AttentionTask task;
  if (!flags.teacher.empty()) task.teacher = flags.teacher;
  task.omega = flags.omegas.front();
  task.sigma = session.settings.value_in(ATP_TASK_DOTATTN_CURVE, ATP_OPT_SIGMA);
  task.lambda = flags.lambda;
  return task;
}

std::string settings_text(const Session &session, const DotattnFlags &flags, const std::string &what) {
  const AttentionTask task = two_tokens(session, flags);
  return fmt::format("{}, teacher {}, sigma {}, lambda {}{}", what, list_text(task.teacher), cell(task.sigma), cell(flags.lambda),
                     session.settings.text({ATP_OPT_SIGMA}));
}

namespace {

DotattnReport report_of(const DotattnFlags &flags, const Table &table) {
  DotattnReport report;
  if (!flags.transition && !flags.wants_dynamics()) {
    if (flags.branch != BranchChoice::both)
      report.branches = {branch_word(flags.branch)};
    else
      report.branches = {"semantic", "positional"};
  }
  report.omegas = flags.omegas;
  report.table = parse_table(table.text());
  return report;
}

}  // namespace

void draw_table(const Session &session, const DotattnFlags &flags, const Table &table) {
  if (!flags.picture.empty()) write_picture(session, flags.picture, {"Dot-product attention"}, dotattn_charts(report_of(flags, table)));
}

void report_table(const Session &session, const DotattnFlags &flags, const Table &table, const std::string &outcome) {
  if (flags.report.empty()) return;
  const AttentionTask task = flags.tokens.wanted() ? many_tokens(session, flags) : two_tokens(session, flags);
  DotattnReport report = report_of(flags, table);
  report.facts = {{"Tokens", fmt::format("{}, teacher {}", task.tokens, list_text(task.teacher))},
                  {"Width and penalty", fmt::format("sigma {}, lambda {}", cell(task.sigma), cell(flags.lambda))},
                  {"Outcome", outcome}};
  if (flags.simulate)
    report.facts.push_back({"Simulation", fmt::format("{} dimensions, {} runs, bars: standard errors", *flags.simulate, flags.runs)});
  write_dotattn_page(session, flags.report, report);
}

int finish_dotattn(const Session &session, const DotattnFlags &flags, const GrowingTable &table, const std::string &trouble) {
  const bool stopped = interrupted_anywhere();
  const std::string outcome = stopped ? "interrupted" : trouble.empty() ? "converged" : trouble;
  const std::vector<std::string> notes = {"outcome: " + outcome};
  table.finish(notes);
  if (!stopped) draw_table(session, flags, table.table(notes));
  say_trouble(session, flags, trouble);
  if (!stopped) report_table(session, flags, table.table(notes), outcome);
  return stopped ? kInterrupted : trouble.empty() ? kDone : kNotConverged;
}

void say_trouble(const Session &session, const DotattnFlags &flags, const std::string &trouble) {
  if (trouble.empty()) return;
  const std::string limit =
      flags.simulate ? "raise --set max-iter of the equations or --set steps of a simulation" : "raise --set max-iter";
  const WaysOut ways = {{ATP_OUTCOME_MAX_ITER, flags.wants_dynamics() ? "shorten --time" : limit},
                        {ATP_OUTCOME_STALLED, "give a smaller --set accuracy, or more --set points"},
                        {ATP_OUTCOME_DIVERGED, flags.simulate || flags.wants_dynamics() ? "lower --rate" : "raise --lambda"}};
  session.say("not converged: {}{}", trouble, ways_out(trouble, ways));
}

void add_trouble(std::string &trouble, const std::string &text) { trouble += (trouble.empty() ? "" : ", ") + text; }

namespace {

void add_dotattn(CLI::App *app, DotattnFlags *flags) { add_dotattn_flags(app, *flags); }

}  // namespace

const Command kDotattnCommand = {
    "dotattn",
    "compute the positional and the semantic solution of dot-product attention, and the transition between them",
    kOfTheory,
    "attopotts dotattn --omega 0.3 --alpha 0.5:2:7 --lambda 0.01",
    "--omega --alpha --lambda --branch --transition --simulate --runs --tokens --rank --time --details "
    "--csv --picture --report --resume",
    with_flags<DotattnFlags, add_dotattn, run_dotattn>,
    {{ATP_TASK_DOTATTN_CURVE, ATP_TASK_DOTATTN_TRANSITION, ATP_TASK_DOTATTN_TOKENS, ATP_TASK_DOTATTN_SIMULATION, ATP_TASK_DOTATTN_DYNAMICS,
      ATP_TASK_DOTATTN_TRAJECTORY},
     "start student-rank dimension"},
    Keeps::state};

}  // namespace cli
