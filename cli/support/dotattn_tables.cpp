// SPDX-License-Identifier: MIT
#include "support/dotattn_tables.hpp"

#include "support/memory.hpp"
#include "support/progress_display.hpp"
#include "support/table.hpp"
#include "support/training.hpp"

namespace cli {

namespace {

constexpr int kShown[] = {ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_ET, ATP_DOTATTN_SIM_Q, ATP_DOTATTN_SIM_M, ATP_DOTATTN_SIM_THETA};

}  // namespace

std::vector<std::string> simulation_names() {
  std::vector<std::string> names;
  for (int column : kShown) {
    const std::string name = std::string(atp_dotattn_sim_column_name(column)) + "_sim";
    names.insert(names.end(), {name, name + "_sem"});
  }
  names.insert(names.end(), {"q_least_sim", "semantic_sim", "gradient_sim", "steps_sim", "converged_sim"});
  return names;
}

std::vector<std::string> simulation_cells(const CurveTable &simulated, std::size_t row) {
  std::vector<std::string> cells;
  for (int column : kShown) cells.insert(cells.end(), {cell(simulated.at(row, column)), cell(simulated.at(row, column + 1))});
  for (int column : {ATP_DOTATTN_SIM_Q_LEAST, ATP_DOTATTN_SIM_SEMANTIC, ATP_DOTATTN_SIM_GRADIENT, ATP_DOTATTN_SIM_STEPS})
    cells.push_back(cell(simulated.at(row, column)));
  cells.push_back(cell(static_cast<int64_t>(simulated.at(row, ATP_DOTATTN_SIM_OUTCOME) == ATP_OUTCOME_CONVERGED)));
  return cells;
}

CurveTable simulated_attention(const Session &session, const AttentionTask &task, const AttentionSimulation &simulation,
                               atp_dotattn_start start, const std::vector<double> &alphas) {
  const int64_t n = static_cast<int64_t>(alphas.size());
  int64_t bytes = 0;
  check(atp_dotattn_simulate_bytes(session.context.get(), simulation.dimension, task.tokens, task.code_columns, task.rank, alphas.data(), n,
                                   simulation.optimizer, simulation.runs, &bytes));
  require_memory(session, static_cast<double>(bytes), "the runs of --simulate (fewer with --threads 1)");
  CurveTable curve(alphas.size(), ATP_DOTATTN_SIM_COLUMNS);
  Progress progress(session, "simulate", "steps");
  check(atp_dotattn_simulate(
      session.context.get(), simulation.dimension, task.tokens, task.code.data(), task.code_columns, static_cast<int64_t>(task.code.size()),
      task.rank, task.teacher.data(), static_cast<int64_t>(task.teacher.size()), task.omega, task.sigma, task.lambda, alphas.data(), n,
      start, simulation.optimizer, simulation.steps, simulation.rate, simulation.tolerance, simulation.fresh, simulation.runs,
      static_cast<uint64_t>(session.seed), Progress::callback, &progress, curve.numbers.data(), curve.size(), &curve.outcome));
  return curve;
}

CurveTable evolved_attention(const Session &session, const AttentionTask &task, const AttentionLattice &lattice, atp_dotattn_start solution,
                             const std::vector<double> &alphas) {
  CurveTable curve(alphas.size(), ATP_DOTATTN_TOKENS_COLUMNS);
  Progress progress(session, "solve", "fixed points");
  check(atp_dotattn_tokens(session.context.get(), task.tokens, task.code.data(), task.code_columns, static_cast<int64_t>(task.code.size()),
                           task.rank, task.teacher.data(), static_cast<int64_t>(task.teacher.size()), task.omega, task.sigma, task.lambda,
                           alphas.data(), static_cast<int64_t>(alphas.size()), solution, lattice.points, lattice.shifts,
                           static_cast<uint64_t>(session.seed), lattice.tolerance, lattice.iterations, Progress::callback, &progress,
                           curve.numbers.data(), curve.size(), &curve.outcome));
  return curve;
}

const char *solution_name(atp_dotattn_start solution) {
  switch (solution) {
    case ATP_DOTATTN_START_SEMANTIC: return "semantic";
    case ATP_DOTATTN_START_POSITIONAL: return "positional";
    case ATP_DOTATTN_START_RANDOM: return "random";
    default: return "mixed";
  }
}

}  // namespace cli
