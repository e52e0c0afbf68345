// SPDX-License-Identifier: MIT
// attopotts dotattn --time: overlaps against time, in the limit of many dimensions or, with --simulate, of runs.
#include "commands/dotattn_runs.hpp"
#include "run/memory.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"
#include "flags/validators.hpp"

#include <algorithm>

namespace cli {

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

  std::vector<std::string> names;
  for (int column = 0; column < atp_column_count(kind); ++column) names.emplace_back(atp_column_name(kind, column));
  Table table(session, names);
  const int last = static_cast<int>(found.columns) - 1;  // the outcome
  for (std::size_t row = 0; row < found.numbers.size() / static_cast<std::size_t>(found.columns); ++row) {
    std::vector<std::string> cells;
    for (int column = 0; column < last; ++column) cells.push_back(cell(found.at(row, column)));
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
  needs(flags.app, "--runs", flags.simulate.has_value(), "with --simulate");
  settings.require_owners({flags.simulate ? ATP_TASK_DOTATTN_TRAJECTORY : ATP_TASK_DOTATTN_DYNAMICS});
}

}  // namespace cli
