// SPDX-License-Identifier: MIT
#include "commands/dotattn_many_tokens.hpp"

#include "support/parse.hpp"
#include "support/signals.hpp"
#include "support/csv_table.hpp"

namespace cli {

namespace {

AttentionTask make_task(const TokenFlags &flags, const TokenRequest &request) {
  AttentionTask task;
  task.sigma = request.sigma;
  task.lambda = request.lambda;
  if (!flags.tokens.empty()) task.tokens = parse_count("--tokens", flags.tokens, 2, 8);
  if (!flags.rank.empty()) task.rank = parse_count("--rank", flags.rank, 1, 2);
  const auto L = static_cast<std::size_t>(task.tokens);
  if (!flags.code.empty()) {
    const std::size_t columns = flags.code.size(), most = task.rank == 1 ? 4 : 1;
    if (columns > most) wrong_use("--code is given {} times, expected at most {} with --rank {}", columns, most, task.rank);
    task.code_columns = static_cast<int64_t>(columns);
    task.code.assign(L * columns, 0);
    for (std::size_t k = 0; k < columns; ++k) {
      const std::vector<double> column = parse_list("--code", flags.code[k], -1e6, 1e6);
      if (column.size() != L) wrong_use("--code is \"{}\", expected {} numbers as there are tokens", flags.code[k], L);
      for (std::size_t l = 0; l < L; ++l) task.code[l * columns + k] = column[l];
    }
  } else if (L != 2) {
    wrong_use("--code is missing, expected {} numbers with --tokens {}", L, L);
  }
  if (!request.teacher.empty())
    task.teacher = parse_list("--teacher", request.teacher, -1e6, 1e6);
  else if (L != 2)
    wrong_use("--teacher is missing, expected {} numbers with --tokens {}", L * L, L);
  if (task.teacher.size() != L * L) wrong_use("--teacher is \"{}\", expected {} numbers, row by row", request.teacher, L * L);
  return task;
}

std::vector<atp_dotattn_start> solutions_of(const std::string &branch, int64_t rank) {
  switch (parse_word("--branch", branch, {"semantic", "positional", "both", "mixed"})) {
    case 0: return {ATP_DOTATTN_START_SEMANTIC};
    case 1: return {ATP_DOTATTN_START_POSITIONAL};
    case 3:
      if (rank == 1) wrong_use("--branch is \"mixed\" with --rank 1, expected semantic, positional or both");
      return {ATP_DOTATTN_START_MIXED};
    default: break;
  }
  return {ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_POSITIONAL};
}

}  // namespace

void add_token_flags(CLI::App *app, TokenFlags &flags) {
  app->add_option("--tokens", flags.tokens, "number of tokens, 2 to 8; more than 2 need --code and --teacher")->type_name("L");
  app->add_option("--code", flags.code, "positional code, one number per token; repeat the flag for further columns")
      ->type_name("LIST")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--rank", flags.rank, "rank of the student, 1 or 2")->type_name("R");
  app->add_option("--points", flags.points, "lattice points for --tokens, --code and --rank, a power of two; default: 4096")
      ->type_name("N");
  app->add_option("--shifts", flags.shifts, "number of random shifts of the lattice; default: 8")->type_name("R");
}

int run_tokens(const Session &session, const TokenFlags &flags, const TokenRequest &request) {
  AttentionTask task = make_task(flags, request);
  AttentionLattice lattice;
  if (!flags.points.empty()) lattice.points = parse_count("--points", flags.points, 16, 1 << 24);
  if ((lattice.points & (lattice.points - 1)) != 0) wrong_use("--points is \"{}\", expected a power of two", flags.points);
  if (!flags.shifts.empty()) lattice.shifts = parse_count("--shifts", flags.shifts, 2, 1024);
  const std::vector<atp_dotattn_start> solutions = solutions_of(request.branch, task.rank);

  const int shown[] = {ATP_DOTATTN_TOKENS_Q,       ATP_DOTATTN_TOKENS_Q_SEM,      ATP_DOTATTN_TOKENS_M,       ATP_DOTATTN_TOKENS_M_SEM,
                       ATP_DOTATTN_TOKENS_V,       ATP_DOTATTN_TOKENS_V_SEM,      ATP_DOTATTN_TOKENS_THETA,   ATP_DOTATTN_TOKENS_THETA_SEM,
                       ATP_DOTATTN_TOKENS_Q_LEAST, ATP_DOTATTN_TOKENS_EG,         ATP_DOTATTN_TOKENS_EG_SEM,  ATP_DOTATTN_TOKENS_ET,
                       ATP_DOTATTN_TOKENS_ET_SEM,  ATP_DOTATTN_TOKENS_ITERATIONS, ATP_DOTATTN_TOKENS_RESIDUAL};
  std::vector<std::string> names = {"branch", "omega", "alpha"};
  for (int column : shown) names.emplace_back(atp_column_name(ATP_TABLE_DOTATTN_TOKENS, column));
  names.emplace_back("converged");
  if (request.simulate)
    for (const std::string &name : simulation_names()) names.push_back(name);
  Table table(session, names);
  table.note(fmt::format("{} tokens, student of rank {}; lattice of {} points, {} shifts", task.tokens, task.rank, lattice.points,
                         lattice.shifts));
  std::string trouble;
  bool cancelled = false;
  for (atp_dotattn_start solution : solutions)
    for (double omega : request.omegas) {
      task.omega = omega;
      const CurveTable theory = evolved_attention(session, task, lattice, solution, request.alphas);
      CurveTable found(request.alphas.size(), ATP_DOTATTN_SIM_COLUMNS);
      if (request.simulate && theory.outcome != ATP_OUTCOME_CANCELLED)
        found = simulated_attention(session, task, request.simulation, solution, request.alphas);
      for (std::size_t k = 0; k < request.alphas.size(); ++k) {
        const int outcome = static_cast<int>(theory.at(k, ATP_DOTATTN_TOKENS_OUTCOME));
        std::vector<std::string> cells = {solution_name(solution), cell(omega), cell(request.alphas[k])};
        for (int column : shown) cells.push_back(cell(theory.at(k, column)));
        cells.push_back(cell(static_cast<int64_t>(outcome == ATP_OUTCOME_CONVERGED)));
        if (outcome != ATP_OUTCOME_CONVERGED)
          trouble += fmt::format("{}{} {} at alpha {:g}, omega {:g}", trouble.empty() ? "" : ", ", solution_name(solution),
                                 atp_outcome_name(outcome), request.alphas[k], omega);
        if (request.simulate) {
          for (const std::string &text : simulation_cells(found, k)) cells.push_back(text);
          const int ended = static_cast<int>(found.at(k, ATP_DOTATTN_SIM_OUTCOME));
          if (ended != ATP_OUTCOME_CONVERGED && ended != ATP_OUTCOME_NONE)
            trouble += fmt::format("{}simulation {} at alpha {:g}, omega {:g}", trouble.empty() ? "" : ", ", atp_outcome_name(ended),
                                   request.alphas[k], omega);
        }
        table.row(cells);
      }
      cancelled = cancelled || theory.outcome == ATP_OUTCOME_CANCELLED || found.outcome == ATP_OUTCOME_CANCELLED;
      if (cancelled) break;
    }
  table.note("outcome: " + (trouble.empty() ? "converged" : trouble));
  table.write(session, request.csv);
  if (!trouble.empty()) session.say("not converged: {}", trouble);
  if (cancelled) return interrupted() ? kInterrupted : kNotConverged;
  return trouble.empty() ? kDone : kNotConverged;
}

}  // namespace cli
