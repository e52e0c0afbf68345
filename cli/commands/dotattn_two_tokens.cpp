// SPDX-License-Identifier: MIT
// attopotts dotattn of two tokens: the branches, in theory and in simulation, and with --transition where they cross, begin and end.
#include "commands/dotattn_runs.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"

namespace cli {

namespace {

constexpr const char *kBranchNames[] = {"", "semantic", "positional", "uninformed"};
// The column "outcome".
constexpr std::size_t kOutcomeColumn = 12;

std::vector<std::string> row_cells(const double *row, int branch, const DotattnFlags &flags, bool breaking) {
  constexpr int kShown[] = {ATP_DOTATTN_Q,  ATP_DOTATTN_M,         ATP_DOTATTN_V,          ATP_DOTATTN_THETA,   ATP_DOTATTN_EG,
                            ATP_DOTATTN_ET, ATP_DOTATTN_EG_LINEAR, ATP_DOTATTN_ITERATIONS, ATP_DOTATTN_RESIDUAL};
  std::vector<std::string> cells = {kBranchNames[branch], cell(row[ATP_DOTATTN_OMEGA]), cell(row[ATP_DOTATTN_ALPHA])};
  for (int column : kShown) cells.push_back(cell(row[column]));
  cells.emplace_back(atp_outcome_name(static_cast<int>(row[ATP_DOTATTN_OUTCOME])));
  cells.push_back(cell(row[ATP_DOTATTN_QUADRATURE]));
  cells.emplace_back(kBranchNames[static_cast<int>(row[ATP_DOTATTN_BRANCH])]);
  for (int column : {ATP_DOTATTN_REPLICON, ATP_DOTATTN_JUMPS}) cells.push_back(cell(row[column]));
  if (breaking) {
    for (int column = ATP_DOTATTN_ET_BROKEN; column < ATP_DOTATTN_OUTCOME_BROKEN; ++column) cells.push_back(cell(row[column]));
    cells.emplace_back(atp_outcome_name(static_cast<int>(row[ATP_DOTATTN_OUTCOME_BROKEN])));
  }
  if (flags.details) {
    for (int column : {ATP_DOTATTN_QHAT, ATP_DOTATTN_MHAT, ATP_DOTATTN_VHAT, ATP_DOTATTN_THETAHAT}) cells.push_back(cell(row[column]));
  }
  return cells;
}

std::vector<std::string> column_names(const Session &session, const DotattnFlags &flags, bool breaking) {
  std::vector<std::string> columns = {"branch",    "omega",      "alpha",    "q",       "m",          "v",        "theta",    "eg",   "et",
                                      "eg_linear", "iterations", "residual", "outcome", "quadrature", "solution", "replicon", "jumps"};
  if (breaking)
    for (int column = ATP_DOTATTN_ET_BROKEN; column <= ATP_DOTATTN_OUTCOME_BROKEN; ++column)
      columns.emplace_back(atp_column_name(ATP_TABLE_DOTATTN_CURVE, column));
  if (flags.details) columns.insert(columns.end(), {"qhat", "mhat", "vhat", "thetahat"});
  if (flags.simulate)
    for (const std::string &name : simulation_names(session)) columns.push_back(name);
  return columns;
}

std::string branch_settings(const Session &session, const DotattnFlags &flags, const AttentionSimulation &simulation) {
  const std::string settings = settings_text(session, flags, "branches");
  if (!flags.simulate) return settings;
  return settings + fmt::format(", simulation of {} dimensions, {} runs, rate {}, {}", simulation.dimension, simulation.runs,
                                cell(simulation.rate), atp_option_word(ATP_TASK_DOTATTN_SIMULATION, ATP_OPT_OPTIMIZER, flags.optimizer));
}

class BranchRun {
 public:
  BranchRun(const Session &session, const DotattnFlags &flags)
      : session_(session),
        flags_(flags),
        breaking_(session.settings.value(ATP_OPT_BREAKING).value_or(0) != 0),
        simulation_(simulation_of(flags)),
        task_(two_tokens(session, flags)),
        table_(session, flags.csv, column_names(session, flags, breaking_), 3, branch_settings(session, flags, simulation_),
               flags.earlier()),
        progress_(session, "dotattn", "rows") {
    if (flags.branch != BranchChoice::positional) branches_.push_back(ATP_DOTATTN_SEMANTIC);
    if (flags.branch != BranchChoice::semantic) branches_.push_back(ATP_DOTATTN_POSITIONAL);
  }

  int run() {
    std::vector<std::vector<std::string>> keys;
    for (double omega : flags_.omegas)
      for (int branch : branches_)
        for (double alpha : flags_.alphas) keys.push_back(key_of(omega, branch, alpha));
    table_.order(keys);
    total_ = static_cast<double>(keys.size());
    for (std::size_t w = 0; w < flags_.omegas.size() && !interrupted_anywhere(); ++w) {
      task_.omega = flags_.omegas[w];
      for (int branch : branches_) follow(branch);
    }
    return finish_dotattn(session_, flags_, table_, trouble_);
  }

 private:
  static std::vector<std::string> key_of(double omega, int branch, double alpha) {
    return {kBranchNames[branch], cell(omega), cell(alpha)};
  }

  // Keeps the rows of an earlier run that converged; returns the alphas that are left.
  std::vector<double> missing(int branch) {
    std::vector<double> wanted;
    for (double alpha : flags_.alphas) {
      const std::vector<std::string> *row = table_.stored(key_of(task_.omega, branch, alpha));
      if (row != nullptr && (*row)[kOutcomeColumn] == atp_outcome_name(ATP_OUTCOME_CONVERGED))
        table_.row(*row);
      else
        wanted.push_back(alpha);
    }
    return wanted;
  }

  // All rows of a branch at the present omega.
  void follow(int branch) {
    const std::vector<double> wanted = missing(branch);
    done_ += static_cast<double>(flags_.alphas.size() - wanted.size());
    if (wanted.empty() || interrupted_anywhere()) return;
    progress_.set_frame(done_, total_);
    const CurveTable rows = attention_branch(session_, task_, static_cast<atp_dotattn_branch>(branch), wanted, progress_);
    done_ += static_cast<double>(wanted.size());
    CurveTable simulated(wanted.size(), ATP_DOTATTN_SIM_COLUMNS);
    if (flags_.simulate && rows.outcome != ATP_OUTCOME_CANCELLED)
      simulated = simulated_attention(session_, task_, simulation_,
                                      branch == ATP_DOTATTN_SEMANTIC ? ATP_DOTATTN_START_SEMANTIC : ATP_DOTATTN_START_POSITIONAL, wanted);
    for (std::size_t k = 0; k < wanted.size(); ++k) add_row(rows, simulated, k, branch);
    table_.save();
  }

  void add_row(const CurveTable &rows, const CurveTable &simulated, std::size_t k, int branch) {
    const double *row = rows.numbers.data() + k * ATP_DOTATTN_COLUMNS;
    const int ended = static_cast<int>(row[ATP_DOTATTN_OUTCOME]);
    if (ended == ATP_OUTCOME_CANCELLED || simulated.outcome == ATP_OUTCOME_CANCELLED) return;
    if (flags_.simulate && rows.outcome == ATP_OUTCOME_CANCELLED) return;
    const std::string place = fmt::format("omega {:g}, alpha {:g}, {}", task_.omega, row[ATP_DOTATTN_ALPHA], kBranchNames[branch]);
    std::vector<std::string> cells = row_cells(row, branch, flags_, breaking_);
    if (flags_.simulate) {
      for (const std::string &text : simulation_cells(session_, simulated, k)) cells.push_back(text);
      const int found = static_cast<int>(simulated.at(k, ATP_DOTATTN_SIM_OUTCOME));
      if (found != ATP_OUTCOME_CONVERGED) add_trouble(trouble_, fmt::format("simulation {} at {}", atp_outcome_name(found), place));
    }
    table_.row(cells);
    if (ended != ATP_OUTCOME_CONVERGED) add_trouble(trouble_, fmt::format("{} at {}", atp_outcome_name(ended), place));
  }

  const Session &session_;
  const DotattnFlags &flags_;
  const bool breaking_;  // more columns
  const AttentionSimulation simulation_;
  AttentionTask task_;
  GrowingTable table_;
  Progress progress_;
  std::vector<int> branches_;
  double done_ = 0, total_ = 0;
  std::string trouble_;
};

}  // namespace

int run_branches(const Session &session, const DotattnFlags &flags) { return BranchRun(session, flags).run(); }

namespace {

constexpr int kTransitionShown[] = {
    ATP_DOTATTN_TRANSITION_OMEGA,    ATP_DOTATTN_TRANSITION_ALPHA_C,      ATP_DOTATTN_TRANSITION_ALPHA_LINEAR,
    ATP_DOTATTN_TRANSITION_SEMANTIC, ATP_DOTATTN_TRANSITION_POSITIONAL,   ATP_DOTATTN_TRANSITION_POSITIONAL_END,
    ATP_DOTATTN_TRANSITION_ERROR_C,  ATP_DOTATTN_TRANSITION_ERROR_LINEAR, ATP_DOTATTN_TRANSITION_EG_LINEAR,
    ATP_DOTATTN_TRANSITION_ET,       ATP_DOTATTN_TRANSITION_ITERATIONS};

}  // namespace

int run_transition(const Session &session, const DotattnFlags &flags) {
  std::vector<std::string> columns;
  for (int column : kTransitionShown) columns.emplace_back(atp_column_name(ATP_TABLE_DOTATTN_TRANSITION, column));
  columns.emplace_back("outcome");
  GrowingTable table(session, flags.csv, columns, 1, settings_text(session, flags, "transition"), flags.earlier());
  std::vector<std::vector<std::string>> keys;
  for (double omega : flags.omegas) keys.push_back({cell(omega)});
  table.order(keys);
  AttentionTask task = two_tokens(session, flags);
  std::string trouble;
  Progress progress(session, "dotattn", "omegas");
  double done = 0;
  for (std::size_t k = 0; k < keys.size() && !interrupted_anywhere(); ++k, ++done) {
    const std::vector<std::string> *stored = table.stored(keys[k]);
    if (stored != nullptr && stored->back() == atp_outcome_name(ATP_OUTCOME_CONVERGED)) {
      table.row(*stored);
      continue;
    }
    progress.set_frame(done, static_cast<double>(keys.size()));
    task.omega = flags.omegas[k];
    const CurveTable found = attention_transition(session, task, &progress);
    const int ended = static_cast<int>(found.at(0, ATP_DOTATTN_TRANSITION_OUTCOME));
    std::vector<std::string> cells;
    for (int column : kTransitionShown) cells.push_back(cell(found.at(0, column)));
    cells.emplace_back(atp_outcome_name(ended));
    table.row(cells);
    if (ended != ATP_OUTCOME_CONVERGED) add_trouble(trouble, fmt::format("{} at omega {:g}", atp_outcome_name(ended), task.omega));
    table.save();
  }
  return finish_dotattn(session, flags, table, trouble);
}

}  // namespace cli
