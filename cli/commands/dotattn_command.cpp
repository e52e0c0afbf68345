// SPDX-License-Identifier: MIT
// attopotts dotattn: the solvable dot-product attention, its branches and its transition.
#include "commands/commands.hpp"
#include "commands/dotattn_runs.hpp"
#include "report/pages.hpp"
#include "run/files.hpp"
#include "run/signals.hpp"
#include "report/page.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

namespace cli {

namespace {

const Words<BranchChoice> kChoices = {{"semantic", BranchChoice::semantic},
                                      {"positional", BranchChoice::positional},
                                      {"both", BranchChoice::both},
                                      {"mixed", BranchChoice::mixed}};

void add_theory_flags(CLI::App *app, DotattnFlags &flags) {
  add_list(app, "--omega", flags.omegas, 0, 1, "weight of the positional part in the teacher, 0..1")->default_str("0.3");
  add_list(app, "--alpha", flags.alphas, 1e-6, 1e6, "number of samples per dimension");
  app->add_option("--lambda", flags.lambda, "strength of the L2 penalty")
      ->transform(number(0, 1e12))
      ->type_name("X")
      ->capture_default_str();
  add_choice(
      app, "--branch", flags.branch, kChoices,
      "branch of the solution: semantic, positional or both; with --tokens, --code or --rank also mixed, where both overlaps are free")
      ->type_name("BRANCH");
  add_list(app, "--teacher", flags.teacher, -1e6, 1e6, "the teacher's map between positions, row by row")
      ->type_name("A11,A12,A21,A22")
      ->default_str("0.6,0.4,0.4,0.6");
  app->add_flag(
      "--transition", flags.transition,
      "compute the alphas at which the semantic branch gets the smaller training loss, the better branch beats the linear map, and "
      "branches begin and end");
}

void add_simulation_flags(CLI::App *app, DotattnFlags &flags) {
  app->add_option("--simulate", flags.simulate,
                  "also simulate: draw data in D dimensions and train from the semantic or positional solution")
      ->transform(count(2, 1000000))
      ->type_name("D");
  app->add_option("--runs", flags.runs, "number of teachers and data sets with --simulate")
      ->transform(count(1, 1000000))
      ->type_name("R")
      ->capture_default_str();
  static const std::vector<atp_optimizer> optimizers = {ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_LBFGS};
  add_choice(app, "--optimizer", flags.optimizer, words_of_option(ATP_TASK_DOTATTN_SIMULATION, ATP_OPT_OPTIMIZER, optimizers),
             "optimizer with --simulate: sgd (gradient descent with all samples), adam or lbfgs")
      ->type_name("NAME");
  app->add_option("--rate", flags.rate,
                  "learning rate with --simulate or --time; default: 0.15 with sgd, 0.02 with adam, 1 with a fresh sample in each step")
      ->transform(number(1e-9, 1e6))
      ->type_name("X");
}

void add_token_flags(CLI::App *app, TokenFlags &flags) {
  app->add_option("--tokens", flags.tokens, "number of tokens, 2 to 8; more than 2 need --code and --teacher")
      ->transform(count(2, 8))
      ->type_name("L");
  add_lists(app, "--code", flags.code, -1e6, 1e6, "positional code, one number per token; repeat the flag for further columns");
  app->add_option("--rank", flags.rank, "rank of the student, 1 or 2")->transform(count(1, 2))->type_name("R");
}

// Refuses flags that belong to two tokens alone.
void check_token_flags(const DotattnFlags &flags) {
  for (const auto &[flag, is_given] : {std::pair{"--transition", flags.transition},
                                       {"--resume", flags.resume},
                                       {"--restart", flags.restart},
                                       {"--details", flags.details}})
    if (is_given) wrong_use("{} is given with --tokens, --code or --rank, expected none of them", flag);
  if (flags.alphas.empty()) wrong_use("--alpha is missing, expected a LIST");
}

}  // namespace

void add_dotattn_flags(CLI::App *app, DotattnFlags &flags) {
  flags.app = app;
  add_theory_flags(app, flags);
  add_simulation_flags(app, flags);
  add_token_flags(app, flags.tokens);
  add_list(
      app, "--time", flags.times, 0, 1e9,
      "times, in samples per dimension: compute overlaps of online descent in the limit of many dimensions; with --simulate D those of "
      "runs, which see a fresh sample in each step or, with --alpha A, the same A D samples in all");
  app->add_flag("--details", flags.details, "more columns: conjugates of the order parameters");
  add_csv(app, flags.csv, ". A file is rewritten after each branch of an omega");
  add_picture(app, flags.picture, "the curves");
  add_report(app, flags.report);
  app->add_flag("--resume", flags.resume, "keep the rows of an interrupted run of the same command in --csv FILE, and compute the rest");
  app->add_flag("--restart", flags.restart, "start again and overwrite the unfinished run in --csv FILE");
}

std::string branch_word(BranchChoice branch) { return word_of(kChoices, branch); }

AttentionSimulation simulation_of(const DotattnFlags &flags) {
  AttentionSimulation simulation;
  simulation.dimension = flags.simulate.value_or(0);
  simulation.runs = flags.runs;
  simulation.optimizer = flags.optimizer;
  simulation.rate = flags.rate.value_or(simulation.rate);
  return simulation;
}

void check_dotattn_flags(const Settings &settings, const DotattnFlags &flags) {
  if (flags.resume && flags.restart) wrong_use("--resume and --restart are given, expected only one of them");
  needs(flags.app, "--rate", flags.simulate.has_value() || flags.wants_dynamics(), "with --simulate or --time");
  needs(flags.app, "--runs", flags.simulate.has_value(), "with --simulate");
  needs(flags.app, "--rate", flags.optimizer != ATP_OPTIMIZER_LBFGS, "with --optimizer sgd or adam");
  if (flags.wants_dynamics()) return check_dynamics_flags(settings, flags);
  needs(flags.app, "--optimizer", flags.simulate.has_value(), "with --simulate");
  const int theory = flags.tokens.wanted() ? ATP_TASK_DOTATTN_TOKENS
                     : flags.transition    ? ATP_TASK_DOTATTN_TRANSITION
                                           : ATP_TASK_DOTATTN_CURVE;
  const bool simulates = flags.simulate.has_value();
  const std::string decides = flags.tokens.wanted()
                                  ? std::string("with --tokens, --code or --rank") + (simulates ? "" : " without --simulate")
                              : flags.transition ? "--transition"
                              : simulates        ? "without --tokens, --code, --rank and --time"
                                                 : "without --tokens, --code, --rank, --time and --simulate";
  settings.require_owners({theory, simulates ? ATP_TASK_DOTATTN_SIMULATION : theory}, "dotattn " + decides);
  if (settings.value(ATP_OPT_FLIPS).value_or(0) > 0 && flags.optimizer != ATP_OPTIMIZER_LBFGS)
    wrong_use("--set flips is {:g} without --optimizer lbfgs, expected 0", *settings.value(ATP_OPT_FLIPS));
  if (flags.tokens.wanted()) return check_token_flags(flags);
  if (!flags.teacher.empty() && flags.teacher.size() != 4)
    wrong_use("--teacher is \"{}\", expected the four numbers A11,A12,A21,A22", given(flags.app, "--teacher"));
  if (flags.branch == BranchChoice::mixed)
    wrong_use("--branch is \"mixed\" without --tokens, --code or --rank, expected semantic, positional or both");
  if (flags.transition) {
    if (flags.simulate) wrong_use("--simulate is \"{}\" with --transition, expected one of them", *flags.simulate);
    if (!flags.alphas.empty())
      wrong_use("--alpha is \"{}\" with --transition, expected no list: the alphas are looked for", given(flags.app, "--alpha"));
    if (flags.branch != BranchChoice::both)
      wrong_use("--branch is \"{}\" with --transition, expected both", word_of(kChoices, flags.branch));
  } else if (flags.alphas.empty()) {
    wrong_use("--alpha is missing, expected a LIST, or --transition");
  }
}

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
