// SPDX-License-Identifier: MIT
// attopotts dotattn with more than two tokens, a positional code of its own, or a student of rank two: another solver, and a table that is
// written at the end. And --time: overlaps against time, in the limit of many dimensions or, with --simulate, of runs.
#include "commands/dotattn_runs.hpp"
#include "run/signals.hpp"
#include "flags/validators.hpp"
#include "run/memory.hpp"
#include "run/progress_display.hpp"

#include <algorithm>

namespace cli {

namespace {

constexpr int kTokenColumns[] = {ATP_DOTATTN_TOKENS_Q,      ATP_DOTATTN_TOKENS_Q_SEM,      ATP_DOTATTN_TOKENS_M,
                                 ATP_DOTATTN_TOKENS_M_SEM,  ATP_DOTATTN_TOKENS_V,          ATP_DOTATTN_TOKENS_V_SEM,
                                 ATP_DOTATTN_TOKENS_THETA,  ATP_DOTATTN_TOKENS_THETA_SEM,  ATP_DOTATTN_TOKENS_Q_LEAST,
                                 ATP_DOTATTN_TOKENS_EG,     ATP_DOTATTN_TOKENS_EG_SEM,     ATP_DOTATTN_TOKENS_ET,
                                 ATP_DOTATTN_TOKENS_ET_SEM, ATP_DOTATTN_TOKENS_ITERATIONS, ATP_DOTATTN_TOKENS_RESIDUAL};

void set_code(AttentionTask &task, const DotattnFlags &flags) {
  const auto L = static_cast<std::size_t>(task.tokens);
  const std::vector<std::vector<double>> &code = flags.tokens.code;
  if (code.empty()) {
    if (L != 2) wrong_use("--code is missing, expected {} numbers with --tokens {}", L, L);
    return;
  }
  const std::size_t columns = code.size(), most = task.rank == 1 ? 4 : 1;
  if (columns > most) wrong_use("--code is given {} times, expected at most {} with --rank {}", columns, most, task.rank);
  task.code_columns = static_cast<int64_t>(columns);
  task.code.assign(L * columns, 0);
  const std::vector<std::string> texts = flags.app->get_option("--code")->results();
  for (std::size_t k = 0; k < columns; ++k) {
    if (code[k].size() != L) wrong_use("--code is \"{}\", expected {} numbers as there are tokens", texts[k], L);
    for (std::size_t l = 0; l < L; ++l) task.code[l * columns + k] = code[k][l];
  }
}

std::vector<atp_dotattn_start> solutions_of(BranchChoice branch) {
  switch (branch) {
    case BranchChoice::semantic: return {ATP_DOTATTN_START_SEMANTIC};
    case BranchChoice::positional: return {ATP_DOTATTN_START_POSITIONAL};
    case BranchChoice::mixed: return {ATP_DOTATTN_START_MIXED};
    default: return {ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_POSITIONAL};
  }
}

std::vector<std::string> token_names(const Session &session, bool simulate) {
  std::vector<std::string> names = {"branch", "omega", "alpha"};
  for (int column : kTokenColumns) names.emplace_back(atp_column_name(ATP_TABLE_DOTATTN_TOKENS, column));
  names.emplace_back("outcome");
  if (simulate)
    for (const std::string &name : simulation_names(session)) names.push_back(name);
  return names;
}

// The row of an alpha. `simulated` may be null.
std::vector<std::string> token_row(const Session &session, const CurveTable &theory, const CurveTable *simulated, std::size_t k,
                                   const std::string &branch, double omega, double alpha, std::string &trouble) {
  const int outcome = static_cast<int>(theory.at(k, ATP_DOTATTN_TOKENS_OUTCOME));
  std::vector<std::string> cells = {branch, cell(omega), cell(alpha)};
  for (int column : kTokenColumns) cells.push_back(cell(theory.at(k, column)));
  cells.emplace_back(atp_outcome_name(outcome));
  if (outcome != ATP_OUTCOME_CONVERGED)
    add_trouble(trouble, fmt::format("{} {} at alpha {:g}, omega {:g}", branch, atp_outcome_name(outcome), alpha, omega));
  if (simulated == nullptr) return cells;
  for (const std::string &text : simulation_cells(session, *simulated, k)) cells.push_back(text);
  const int ended = static_cast<int>(simulated->at(k, ATP_DOTATTN_SIM_OUTCOME));
  if (ended != ATP_OUTCOME_CONVERGED && ended != ATP_OUTCOME_NONE)
    add_trouble(trouble, fmt::format("simulation {} at alpha {:g}, omega {:g}", atp_outcome_name(ended), alpha, omega));
  return cells;
}

}  // namespace

AttentionTask many_tokens(const Session &session, const DotattnFlags &flags) {
  AttentionTask task;
  task.sigma = session.settings.value_in(ATP_TASK_DOTATTN_TOKENS, ATP_OPT_SIGMA);
  task.lambda = flags.lambda;
  task.tokens = flags.tokens.tokens.value_or(task.tokens);
  task.rank = flags.tokens.rank.value_or(task.rank);
  const auto L = static_cast<std::size_t>(task.tokens);
  set_code(task, flags);
  if (flags.teacher.empty()) {
    if (L != 2) wrong_use("--teacher is missing, expected {} numbers with --tokens {}", L * L, L);
    return task;
  }
  if (flags.teacher.size() != L * L)
    wrong_use("--teacher is \"{}\", expected {} numbers, row by row", given(flags.app, "--teacher"), L * L);
  task.teacher = flags.teacher;
  return task;
}

int run_tokens(const Session &session, const DotattnFlags &flags) {
  AttentionTask task = many_tokens(session, flags);
  const AttentionSimulation simulation = simulation_of(flags);
  Table table(session, token_names(session, flags.simulate.has_value()));
  table.note(fmt::format("{} tokens, student of rank {}; lattice of {:g} points, {:g} shifts", task.tokens, task.rank,
                         session.settings.value_in(ATP_TASK_DOTATTN_TOKENS, ATP_OPT_POINTS),
                         session.settings.value_in(ATP_TASK_DOTATTN_TOKENS, ATP_OPT_SHIFTS)));
  std::string trouble;
  bool cancelled = false;
  for (atp_dotattn_start solution : solutions_of(flags.branch))
    for (double omega : flags.omegas) {
      if (cancelled) break;
      task.omega = omega;
      const CurveTable theory = evolved_attention(session, task, solution, flags.alphas);
      CurveTable found(flags.alphas.size(), ATP_DOTATTN_SIM_COLUMNS);
      if (flags.simulate && theory.outcome != ATP_OUTCOME_CANCELLED)
        found = simulated_attention(session, task, simulation, solution, flags.alphas);
      for (std::size_t k = 0; k < flags.alphas.size(); ++k)
        table.row(
            token_row(session, theory, flags.simulate ? &found : nullptr, k, solution_name(solution), omega, flags.alphas[k], trouble));
      cancelled = theory.outcome == ATP_OUTCOME_CANCELLED || found.outcome == ATP_OUTCOME_CANCELLED;
    }
  table.note("outcome: " + (trouble.empty() ? "converged" : trouble));
  table.write(session, flags.csv);
  if (!cancelled) draw_table(session, flags, table);
  say_trouble(session, flags, trouble);
  if (cancelled) return interrupted_anywhere() ? kInterrupted : kNotConverged;
  report_table(session, flags, table, trouble.empty() ? "converged" : trouble);
  return trouble.empty() ? kDone : kNotConverged;
}

namespace {

AttentionDynamics dynamics_of(const DotattnFlags &flags) {
  AttentionDynamics dynamics;
  dynamics.times = flags.times;
  dynamics.rate = flags.rate;
  dynamics.alpha = flags.alphas.empty() ? 0 : flags.alphas.front();
  dynamics.dimension = flags.simulate.value_or(0);
  dynamics.runs = flags.runs;
  return dynamics;
}

}  // namespace

int run_dynamics(const Session &session, const DotattnFlags &flags) {
  AttentionTask task = many_tokens(session, flags);
  task.omega = flags.omegas.front();
  const AttentionDynamics dynamics = dynamics_of(flags);
  const bool simulated = flags.simulate.has_value();
  const int kind = simulated ? ATP_TABLE_DOTATTN_TRAJECTORY : ATP_TABLE_DOTATTN_DYNAMICS;
  const CurveTable found = simulated ? attention_trajectories(session, task, dynamics) : attention_dynamics(session, task, dynamics);

  const int last = simulated ? int{ATP_DOTATTN_TRAJECTORY_OUTCOME} : int{ATP_DOTATTN_DYNAMICS_OUTCOME};
  std::vector<int> columns;
  for (int column = 0; column < atp_column_count(kind); ++column)
    if (column != last) columns.push_back(column);
  std::vector<std::string> names;
  for (int column : columns) names.emplace_back(atp_column_name(kind, column));
  names.emplace_back(atp_column_name(kind, last));
  Table table(session, names);
  for (std::size_t row = 0; row < found.numbers.size() / static_cast<std::size_t>(found.columns); ++row) {
    std::vector<std::string> cells;
    for (int column : columns) cells.push_back(cell(found.at(row, column)));
    cells.emplace_back(atp_outcome_name(static_cast<int>(found.at(row, last))));
    table.row(cells);
  }
  const bool good = found.outcome == ATP_OUTCOME_CONVERGED;
  table.note(std::string("outcome: ") + atp_outcome_name(found.outcome));
  table.write(session, flags.csv);
  if (!good) say_trouble(session, flags, atp_outcome_name(found.outcome));
  if (found.outcome == ATP_OUTCOME_CANCELLED) return interrupted_anywhere() ? kInterrupted : kNotConverged;
  report_table(session, flags, table, atp_outcome_name(found.outcome));
  return good ? kDone : kNotConverged;
}

void check_dynamics_flags(const Settings &settings, const DotattnFlags &flags) {
  for (const char *flag : {"--transition", "--resume", "--restart", "--details", "--picture", "--branch", "--optimizer", "--rank"})
    if (flags.app->count(flag) > 0) wrong_use("{} is given with --time, expected none of it", flag);
  if (!std::is_sorted(flags.times.begin(), flags.times.end()))
    wrong_use("--time is \"{}\", expected numbers that rise", given(flags.app, "--time"));
  if (flags.omegas.size() > 1) wrong_use("--omega is \"{}\" with --time, expected one number", given(flags.app, "--omega"));
  if (flags.alphas.size() > 1) wrong_use("--alpha is \"{}\" with --time, expected one number", given(flags.app, "--alpha"));
  const double theta = settings.value(ATP_OPT_START_THETA).value_or(0), m = settings.value(ATP_OPT_START_M).value_or(0);
  if (theta * theta + m * m > 1)
    wrong_use("--set start-theta is {:g} with start-m {:g}, expected cosines whose squares sum to at most 1", theta, m);
  needs(flags.app, "--alpha", flags.simulate.has_value(), "with --simulate");
  settings.require_owners({flags.simulate ? ATP_TASK_DOTATTN_TRAJECTORY : ATP_TASK_DOTATTN_DYNAMICS},
                          flags.simulate ? "dotattn --time --simulate" : "dotattn --time without --simulate");
}

}  // namespace cli
