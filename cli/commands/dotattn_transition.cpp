// SPDX-License-Identifier: MIT
// attopotts dotattn --transition: where the branches of two tokens cross, begin and end.
#include "commands/dotattn_runs.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"

namespace cli {

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
