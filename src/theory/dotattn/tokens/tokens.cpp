// SPDX-License-Identifier: MIT
// A repetition is one shift, with all alphas after each other; a slice is one alpha. It writes to places of its own.
#include "theory/dotattn/tokens/tokens.hpp"

#include "theory/dotattn/repetitions.hpp"
#include "theory/dotattn/tokens/token_solver.hpp"
#include "math/lattice.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {

constexpr double kFirstX = 0.01;  // of each minimum, before there is one: not the saddle at the origin

// What one thread works in, and where its shift is.
struct ShiftWorkspace {
  Span<double> normals, x;         // as those of LatticePoints
  int64_t number = -1, alpha = 0;  // of the shift, -1: none; of the next alpha
};

struct ShiftMemory {
  ShiftMemory(const Context &context, const Evolution &given) : evolution(given), threads(context.threads) {}
  void lay_out(Arena &arena) {
    const int64_t unknowns = evolution.task.tokens * evolution.task.rank;
    workspaces = arena.take<ShiftWorkspace>(threads);
    solutions = arena.take<TokenSolution>(product_of(evolution.n_alphas, evolution.shifts));
    for (int64_t k = 0; k < threads; ++k) {
      ShiftWorkspace workspace;
      workspace.normals = arena.take<double>(product_of(evolution.points, dimensions()));
      workspace.x = arena.take<double>(product_of(evolution.points, unknowns));
      if (!arena.measuring()) workspaces[k] = workspace;
    }
  }
  int64_t dimensions() const { return evolution.task.tokens * (evolution.task.rank + 1); }
  Span<const TokenSolution> of_alpha(int64_t k) const { return solutions.sub(k * evolution.shifts, evolution.shifts); }

  const Evolution &evolution;
  int64_t threads;
  Span<ShiftWorkspace> workspaces;
  Span<TokenSolution> solutions;  // [n_alphas][shifts]
};

void set_means(const Task &task, Span<const TokenSolution> solutions, TokensRow &row) {
  const auto trace = [&](const double *numbers) { return task.rank == 1 ? numbers[0] : numbers[0] + numbers[1]; };
  const auto set = [&](auto &&number, double &mean, double &error) { set_mean(solutions, number, mean, error); };
  const auto size = [&](const TokenSolution &s) {
    double sum = 0;
    for (int64_t k = 0; k < task.code_columns; ++k) sum += s.overlaps.m[k] * s.overlaps.m[k];
    return std::sqrt(sum);
  };
  const auto least = [&](const Overlaps &o) { return task.rank == 1 ? o.q[0] : std::fmin(o.q[0], o.q[1]); };
  set(&TokenSolution::eg, row.eg, row.eg_sem);
  set(&TokenSolution::et, row.et, row.et_sem);
  set([&](const TokenSolution &s) { return trace(s.overlaps.q); }, row.q, row.q_sem);
  set([&](const TokenSolution &s) { return trace(s.overlaps.v); }, row.v, row.v_sem);
  set([](const TokenSolution &s) { return std::fabs(s.overlaps.theta); }, row.theta, row.theta_sem);
  set(size, row.m, row.m_sem);
  set([&](const TokenSolution &s) { return least(s.overlaps); }, row.q_least, row.q_least_sem);
}

TokensRow row_of(const Evolution &evolution, Span<const TokenSolution> solutions, double alpha) {
  TokensRow row;
  row.alpha = alpha;
  row.points = static_cast<double>(evolution.points);
  row.shifts = static_cast<double>(evolution.shifts);
  for (const TokenSolution &solution : solutions) {
    row.iterations = std::fmax(row.iterations, static_cast<double>(solution.iterations));
    row.residual = std::fmax(row.residual, solution.residual);
  }
  const atp_outcome worst = worst_of(solutions);
  row.outcome = worst;
  if (worst == ATP_OUTCOME_CANCELLED) row.shifts = 0;
  if (worst == ATP_OUTCOME_CANCELLED || worst == ATP_OUTCOME_DIVERGED)
    blank(row, ATP_DOTATTN_TOKENS_EG, ATP_DOTATTN_TOKENS_RESIDUAL);
  else
    set_means(evolution.task, solutions, row);
  return row;
}

}  // namespace

std::size_t evolution_bytes(const Context &context, const Evolution &evolution) { return bytes_laid_out(ShiftMemory(context, evolution)); }

atp_outcome evolve(Context &context, const Evolution &evolution, Reporter &reporter, double *rows) {
  const Scratch scratch(context.allocator, evolution_bytes(context, evolution));
  Arena arena = scratch.arena();
  ShiftMemory memory(context, evolution);
  memory.lay_out(arena);
  for (TokenSolution &solution : memory.solutions) solution.outcome = ATP_OUTCOME_CANCELLED;
  const int64_t shifts = evolution.shifts;
  const int64_t multiplier = korobov_multiplier(evolution.points, memory.dimensions(), memory.workspaces[0].normals);
  const auto begin = [&](ShiftWorkspace &workspace) {
    normal_points(evolution.points, memory.dimensions(), multiplier, evolution.seed, workspace.number, workspace.normals);
    std::fill(workspace.x.begin(), workspace.x.end(), kFirstX);
    workspace.alpha = 0;
  };
  const auto next_alpha = [&](ShiftWorkspace &workspace) {
    const int64_t k = workspace.alpha++;
    TokenSolution *mine = &memory.solutions[k * shifts + workspace.number];
    const TokenSolution *last = k > 0 ? mine - shifts : nullptr;
    *mine = TokenSolver(evolution, {evolution.points, workspace.normals, workspace.x}, reporter.flag()).follow(evolution.alphas[k], last);
    return Slice{1, workspace.alpha == evolution.n_alphas};
  };
  repeat(context, {shifts, evolution.n_alphas}, memory.workspaces, reporter, begin, next_alpha);
  gather_parts(context.ranks, memory.solutions, shifts);
  return write_rows(evolution.n_alphas, rows, [&](int64_t k) { return row_of(evolution, memory.of_alpha(k), evolution.alphas[k]); });
}

}  // namespace atp::dotattn
