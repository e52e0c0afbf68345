// SPDX-License-Identifier: MIT
// attopotts dotattn: the solvable dot-product attention, its branches and its transition.
#include "commands/commands.hpp"

#include "commands/dotattn_many_tokens.hpp"
#include "support/files.hpp"
#include "support/growing_table.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr const char *kTeacher = "0.6,0.4,0.4,0.6";

struct DotattnFlags {
  std::string omega = "0.3", alpha, sigma = "0.5", lambda = "0.01", branch = "both", teacher = kTeacher, accuracy = "1e-3", iterations;
  std::string csv = "-";
  std::string simulate, runs = "10", steps = "10000", rate, optimizer = "gd";
  TokenFlags tokens;
  bool transition = false, resume = false, restart = false, details = false;
  Earlier earlier() const { return resume ? Earlier::resume : restart ? Earlier::restart : Earlier::refuse; }
};

// What every row depends on.
struct DotattnTask {
  std::vector<double> teacher, omegas, alphas;
  double sigma = 0, lambda = 0, accuracy = 0;
  int64_t iterations = 0;
};

constexpr const char *kBranchNames[] = {"", "semantic", "positional", "uninformed"};

std::string list_text(const std::vector<double> &values) {
  std::string text;
  for (double v : values) text += (text.empty() ? "" : ",") + cell(v);
  return text;
}

std::string settings_text(const DotattnTask &task, const std::string &what) {
  return fmt::format("{}, teacher {}, sigma {}, lambda {}, accuracy {}", what, list_text(task.teacher), cell(task.sigma), cell(task.lambda),
                     cell(task.accuracy));
}

// The end of a run: notes, messages, exit status.
int finish(const Session &session, const GrowingTable &table, const std::string &trouble) {
  const bool stopped = interrupted();
  table.finish({"outcome: " + (stopped ? "interrupted" : trouble.empty() ? "converged" : trouble)});
  if (!trouble.empty()) session.say("not converged: {}", trouble);
  return stopped ? kInterrupted : trouble.empty() ? kDone : kNotConverged;
}

void add_trouble(std::string *trouble, const std::string &text) { *trouble += (trouble->empty() ? "" : ", ") + text; }

std::vector<std::string> row_cells(const double *row, int branch, bool details) {
  constexpr int kShown[] = {ATP_DOTATTN_Q,  ATP_DOTATTN_M,         ATP_DOTATTN_V,          ATP_DOTATTN_THETA,   ATP_DOTATTN_EG,
                            ATP_DOTATTN_ET, ATP_DOTATTN_EG_LINEAR, ATP_DOTATTN_ITERATIONS, ATP_DOTATTN_RESIDUAL};
  std::vector<std::string> cells = {kBranchNames[branch], cell(row[ATP_DOTATTN_OMEGA]), cell(row[ATP_DOTATTN_ALPHA])};
  for (int column : kShown) cells.push_back(cell(row[column]));
  cells.emplace_back(row[ATP_DOTATTN_OUTCOME] == ATP_OUTCOME_CONVERGED ? "1" : "0");
  cells.push_back(cell(row[ATP_DOTATTN_QUADRATURE]));
  cells.emplace_back(kBranchNames[static_cast<int>(row[ATP_DOTATTN_BRANCH])]);
  if (details) {
    for (int column : {ATP_DOTATTN_QHAT, ATP_DOTATTN_MHAT, ATP_DOTATTN_VHAT, ATP_DOTATTN_THETAHAT}) cells.push_back(cell(row[column]));
    cells.emplace_back(atp_outcome_name(static_cast<int>(row[ATP_DOTATTN_OUTCOME])));
  }
  return cells;
}

// What --simulate asks for; dimension 0: nothing.
AttentionSimulation simulation_of(const DotattnFlags &flags) {
  AttentionSimulation simulation;
  simulation.dimension = flags.simulate.empty() ? 0 : parse_count("--simulate", flags.simulate, 2, 1000000);
  simulation.runs = parse_count("--runs", flags.runs, 1, 1000000);
  simulation.steps = parse_count("--steps", flags.steps, 1, 1000000000);
  constexpr atp_optimizer kOptimizers[] = {ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_LBFGS};
  simulation.optimizer = kOptimizers[parse_word("--optimizer", flags.optimizer, {"gd", "adam", "lbfgs"})];
  if (!flags.rate.empty()) {
    if (simulation.dimension == 0) wrong_use("--rate is \"{}\" without --simulate, expected it", flags.rate);
    if (simulation.optimizer == ATP_OPTIMIZER_LBFGS) wrong_use("--rate is \"{}\" with --optimizer lbfgs, expected no rate", flags.rate);
    simulation.rate = parse_number("--rate", flags.rate, 1e-9, 1e6);
  }
  return simulation;
}

int run_branches(Session &session, const DotattnFlags &flags, const DotattnTask &task) {
  const AttentionSimulation simulation = simulation_of(flags);
  AttentionTask attention;
  attention.teacher = task.teacher;
  attention.sigma = task.sigma;
  attention.lambda = task.lambda;
  std::string settings = settings_text(task, "branches");
  if (simulation.dimension > 0)
    settings += fmt::format(", simulation of {} dimensions, {} runs, {} steps, rate {}, {}", simulation.dimension, simulation.runs,
                            simulation.steps, cell(simulation.rate), flags.optimizer);

  const std::size_t which = parse_word("--branch", flags.branch, {"semantic", "positional", "both"});
  std::vector<int> branches;
  if (which != 1) branches.push_back(ATP_DOTATTN_SEMANTIC);
  if (which != 0) branches.push_back(ATP_DOTATTN_POSITIONAL);
  std::vector<std::string> columns = {"branch", "omega",     "alpha",      "q",        "m",         "v",          "theta",   "eg",
                                      "et",     "eg_linear", "iterations", "residual", "converged", "quadrature", "solution"};
  if (flags.details) columns.insert(columns.end(), {"qhat", "mhat", "vhat", "thetahat", "outcome"});
  if (simulation.dimension > 0)
    for (const std::string &name : simulation_names()) columns.push_back(name);
  GrowingTable table(session, flags.csv, columns, 3, settings, flags.earlier());
  constexpr std::size_t kConverged = 12;

  std::vector<std::vector<std::string>> keys;
  for (double omega : task.omegas)
    for (int branch : branches)
      for (double alpha : task.alphas) keys.push_back({kBranchNames[branch], cell(omega), cell(alpha)});
  table.order(keys);
  const double total = static_cast<double>(keys.size());
  double done = 0;
  std::string trouble;
  Progress progress(session, "dotattn", "rows");
  for (std::size_t w = 0; w < task.omegas.size() && !interrupted(); ++w) {
    for (int branch : branches) {
      std::vector<double> wanted;
      for (double alpha : task.alphas) {
        const std::vector<std::string> *row = table.stored({kBranchNames[branch], cell(task.omegas[w]), cell(alpha)});
        if (row != nullptr && (*row)[kConverged] == "1")
          table.row(*row);
        else
          wanted.push_back(alpha);
      }
      done += static_cast<double>(task.alphas.size() - wanted.size());
      if (wanted.empty() || interrupted()) continue;
      progress.set_frame(done, total);
      attention.omega = task.omegas[w];
      const CurveTable rows =
          attention_branch(session, attention, static_cast<atp_dotattn_branch>(branch), wanted, {task.accuracy, task.iterations}, progress);
      const atp_outcome outcome = rows.outcome;
      done += static_cast<double>(wanted.size());
      CurveTable simulated(wanted.size(), ATP_DOTATTN_SIM_COLUMNS);
      if (simulation.dimension > 0 && outcome != ATP_OUTCOME_CANCELLED) {
        simulated = simulated_attention(session, attention, simulation,
                                        branch == ATP_DOTATTN_SEMANTIC ? ATP_DOTATTN_START_SEMANTIC : ATP_DOTATTN_START_POSITIONAL, wanted);
      }
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double *row = rows.numbers.data() + k * ATP_DOTATTN_COLUMNS;
        const int ended = static_cast<int>(row[ATP_DOTATTN_OUTCOME]);
        if (ended == ATP_OUTCOME_CANCELLED || simulated.outcome == ATP_OUTCOME_CANCELLED) continue;
        std::vector<std::string> cells = row_cells(row, branch, flags.details);
        if (simulation.dimension > 0) {
          if (outcome == ATP_OUTCOME_CANCELLED) continue;
          for (const std::string &text : simulation_cells(simulated, k)) cells.push_back(text);
          const int found = static_cast<int>(simulated.at(k, ATP_DOTATTN_SIM_OUTCOME));
          if (found != ATP_OUTCOME_CONVERGED)
            add_trouble(&trouble, fmt::format("simulation {} at omega {:g}, alpha {:g}, {}", atp_outcome_name(found), task.omegas[w],
                                              wanted[k], kBranchNames[branch]));
        }
        table.row(cells);
        if (ended != ATP_OUTCOME_CONVERGED)
          add_trouble(&trouble, fmt::format("{} at omega {:g}, alpha {:g}, {}", atp_outcome_name(ended), task.omegas[w], wanted[k],
                                            kBranchNames[branch]));
      }
      table.save();
    }
  }
  return finish(session, table, trouble);
}

int run_transition(Session &session, const DotattnFlags &flags, const DotattnTask &task) {
  if (!flags.alpha.empty()) wrong_use("--alpha is \"{}\" with --transition, expected no list: the alphas are looked for", flags.alpha);
  if (flags.branch != "both") wrong_use("--branch is \"{}\" with --transition, expected both", flags.branch);
  constexpr int kShown[] = {ATP_DOTATTN_TRANSITION_OMEGA,    ATP_DOTATTN_TRANSITION_ALPHA_C,      ATP_DOTATTN_TRANSITION_ALPHA_LINEAR,
                            ATP_DOTATTN_TRANSITION_SEMANTIC, ATP_DOTATTN_TRANSITION_POSITIONAL,   ATP_DOTATTN_TRANSITION_POSITIONAL_END,
                            ATP_DOTATTN_TRANSITION_ERROR_C,  ATP_DOTATTN_TRANSITION_ERROR_LINEAR, ATP_DOTATTN_TRANSITION_EG_LINEAR,
                            ATP_DOTATTN_TRANSITION_ET,       ATP_DOTATTN_TRANSITION_ITERATIONS};
  std::vector<std::string> columns;
  for (int column : kShown) columns.emplace_back(atp_column_name(ATP_TABLE_DOTATTN_TRANSITION, column));
  columns.emplace_back("converged");
  GrowingTable table(session, flags.csv, columns, 1, settings_text(task, "transition"), flags.earlier());

  std::vector<std::vector<std::string>> keys;
  for (double omega : task.omegas) keys.push_back({cell(omega)});
  table.order(keys);
  std::string trouble;
  Progress progress(session, "dotattn", "omegas");
  double done = 0;
  for (std::size_t k = 0; k < task.omegas.size() && !interrupted(); ++k, ++done) {
    const std::vector<std::string> *stored = table.stored(keys[k]);
    if (stored != nullptr && stored->back() == "1") {
      table.row(*stored);
      continue;
    }
    progress.set_frame(done, static_cast<double>(keys.size()));
    AttentionTask attention;
    attention.teacher = task.teacher;
    attention.omega = task.omegas[k];
    attention.sigma = task.sigma;
    attention.lambda = task.lambda;
    const CurveTable found = attention_transition(session, attention, {task.accuracy, task.iterations}, &progress);
    const int ended = static_cast<int>(found.at(0, ATP_DOTATTN_TRANSITION_OUTCOME));
    std::vector<std::string> cells;
    for (int column : kShown) cells.push_back(cell(found.at(0, column)));
    cells.emplace_back(ended == ATP_OUTCOME_CONVERGED ? "1" : "0");
    table.row(cells);
    if (ended != ATP_OUTCOME_CONVERGED) add_trouble(&trouble, fmt::format("{} at omega {:g}", atp_outcome_name(ended), task.omegas[k]));
    table.save();
  }
  return finish(session, table, trouble);
}

// More tokens, a code of one's own, rank two: another solver, and a table that is written at the end.
int run_many_tokens(const Session &session, const DotattnFlags &flags, const DotattnTask &task) {
  if (flags.transition) wrong_use("--transition is given with --tokens, --code or --rank, expected none of them");
  if (flags.resume || flags.restart)
    wrong_use("{} is given with --tokens, --code or --rank, expected none of them", flags.resume ? "--resume" : "--restart");
  if (flags.details) wrong_use("--details is given with --tokens, --code or --rank, expected none of them");
  if (flags.alpha.empty()) wrong_use("--alpha is missing, expected a LIST");
  TokenRequest request;
  request.omegas = task.omegas;
  request.alphas = parse_list("--alpha", flags.alpha, 1e-6, 1e6);
  request.sigma = task.sigma;
  request.lambda = task.lambda;
  request.teacher = flags.teacher == kTeacher ? "" : flags.teacher;
  request.branch = flags.branch;
  request.csv = flags.csv;
  request.simulation = simulation_of(flags);
  request.simulate = request.simulation.dimension > 0;
  return run_tokens(session, flags.tokens, request);
}

int run_dotattn(Session &session, const DotattnFlags &flags) {
  check_writable("--csv", flags.csv);
  if (flags.resume && flags.restart) wrong_use("--resume and --restart are given, expected only one of them");
  DotattnTask task;
  task.omegas = parse_list("--omega", flags.omega, 0, 1);
  task.sigma = parse_number("--sigma", flags.sigma, 1e-3, 1e3);
  task.lambda = parse_number("--lambda", flags.lambda, 0, 1e12);
  if (flags.tokens.wanted()) return run_many_tokens(session, flags, task);
  task.teacher = parse_list("--teacher", flags.teacher, -1e3, 1e3);
  if (task.teacher.size() != 4) wrong_use("--teacher is \"{}\", expected the four numbers A11,A12,A21,A22", flags.teacher);
  task.accuracy = parse_number("--accuracy", flags.accuracy, 1e-7, 1);
  task.iterations = !flags.iterations.empty() ? parse_count("--iterations", flags.iterations, 1, 1000000000)
                    : flags.transition        ? 100000
                                              : 10000;
  if (flags.transition && !flags.simulate.empty())
    wrong_use("--simulate is \"{}\" with --transition, expected one of them", flags.simulate);
  if (flags.transition) return run_transition(session, flags, task);
  if (flags.alpha.empty()) wrong_use("--alpha is missing, expected a LIST, or --transition");
  task.alphas = parse_list("--alpha", flags.alpha, 1e-6, 1e6);
  return run_branches(session, flags, task);
}

}  // namespace

void add_dotattn(Program &program) {
  auto flags = std::make_shared<DotattnFlags>();
  CLI::App *app =
      program.add("dotattn", "compute the positional and the semantic solution of dot-product attention, and the transition between them",
                  "attopotts dotattn --omega 0.3 --alpha 0.5:2:7 --sigma 0.5 --lambda 0.01",
                  [flags](Session &session) { return run_dotattn(session, *flags); });
  app->add_option("--omega", flags->omega, "weight of the positional part in the teacher, 0..1")->type_name("LIST")->capture_default_str();
  app->add_option("--alpha", flags->alpha, "number of samples per dimension")->type_name("LIST");
  app->add_option("--sigma", flags->sigma, "standard deviation of the tokens")->type_name("S")->capture_default_str();
  app->add_option("--lambda", flags->lambda, "strength of the L2 penalty")->type_name("X")->capture_default_str();
  app->add_option("--branch", flags->branch, "branch of the solution: semantic, positional or both; with --rank 2 also mixed")
      ->type_name("BRANCH")
      ->capture_default_str();
  app->add_option("--teacher", flags->teacher, "the teacher's map between positions, row by row")
      ->type_name("A11,A12,A21,A22")
      ->capture_default_str();
  app->add_flag(
      "--transition", flags->transition,
      "compute the alphas at which the semantic branch gets the smaller training loss, the better branch beats the linear map, and "
      "branches begin and end");
  app->add_option("--accuracy", flags->accuracy, "relative accuracy of the quadratures")->type_name("X")->capture_default_str();
  app->add_option("--iterations", flags->iterations, "largest number of iterations for each row; default: 10000, with --transition 100000")
      ->type_name("N");
  app->add_option("--simulate", flags->simulate,
                  "also simulate: draw data in D dimensions and train from the semantic or positional solution")
      ->type_name("D");
  app->add_option("--runs", flags->runs, "number of teachers and data sets with --simulate")->type_name("R")->capture_default_str();
  app->add_option("--steps", flags->steps, "largest number of steps of a run with --simulate")->type_name("N")->capture_default_str();
  app->add_option("--optimizer", flags->optimizer, "optimizer with --simulate: gd (gradient descent), adam or lbfgs")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--rate", flags->rate, "learning rate with --simulate; default: 0.15 with gd, 0.02 with adam")->type_name("X");
  add_token_flags(app, flags->tokens);
  app->add_flag("--details", flags->details, "more columns: conjugates of the order parameters, and the outcome of each row");
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output. A file is rewritten after each branch of an omega")
      ->type_name("FILE")
      ->capture_default_str();
  app->add_flag("--resume", flags->resume, "keep the rows of an interrupted run of the same command in --csv FILE, and compute the rest");
  app->add_flag("--restart", flags->restart, "start again and overwrite the unfinished run in --csv FILE");
}

}  // namespace cli
