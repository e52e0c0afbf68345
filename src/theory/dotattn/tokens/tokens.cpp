// SPDX-License-Identifier: MIT
// A task is one shift, with all alphas after each other; it writes to places of its own. The team works in slices of one alpha of one shift
// for each thread; in between the calling thread reports. Ranks share the shifts, and gather the solutions of all at the end.
#include "theory/dotattn/tokens/tokens.hpp"

#include "base/team.hpp"
#include "math/mean_error.hpp"
#include "theory/dotattn/repetitions.hpp"
#include "theory/dotattn/tokens/token_solver.hpp"
#include "math/lattice.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

namespace {

constexpr double kFirstX = 0.01;  // of each minimum, before there is one: not the saddle at the origin

// What one thread works in, and where its shift is.
struct ShiftWorkspace {
  Span<double> normals, x;        // as those of LatticePoints
  int64_t shift = -1, alpha = 0;  // shift -1: none
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

// The shifts of a call, dealt out to the ranks and their threads.
class Shifts {
 public:
  Shifts(const ShiftMemory &memory, const StopFlag &stop, Ranks &ranks)
      : memory_(memory),
        given_(memory.evolution),
        stop_(stop),
        ranks_(ranks),
        multiplier_(korobov_multiplier(given_.points, memory.dimensions(), memory.workspaces[0].normals)),
        end_(ranks.first(ranks.rank() + 1, given_.shifts)),
        next_(ranks.first(ranks.rank(), given_.shifts)) {
    for (TokenSolution &solution : memory.solutions) solution.outcome = ATP_OUTCOME_CANCELLED;
  }
  int64_t total() const { return product_of(given_.shifts, given_.n_alphas); }
  // Of all ranks, at the last meet().
  int64_t done() const { return all_done_; }
  void meet() {
    all_done_ = done_;
    ranks_.sum(&all_done_, 1);
  }
  void gather() {
    for (int64_t k = 0; k < given_.n_alphas; ++k)
      ranks_.gather(memory_.solutions.data() + k * given_.shifts, given_.shifts, sizeof(TokenSolution));
  }

  // One alpha of the shift of a workspace, or of the next shift; more of them until the round is over.
  void work(ShiftWorkspace &workspace, const Round &round) {
    do {
      if (workspace.shift < 0 && !begin(workspace)) return;
      const int64_t k = workspace.alpha;
      TokenSolution *mine = &memory_.solutions[k * given_.shifts + workspace.shift];
      const TokenSolution *last = k > 0 ? mine - given_.shifts : nullptr;
      *mine = TokenSolver(given_, {given_.points, workspace.normals, workspace.x}, stop_).follow(given_.alphas[k], last);
      done_.fetch_add(1, std::memory_order_relaxed);
      if (++workspace.alpha == given_.n_alphas) workspace.shift = -1;
    } while (!round.over());
  }

 private:
  bool begin(ShiftWorkspace &workspace) {
    const int64_t shift = next_.fetch_add(1, std::memory_order_relaxed);
    if (shift >= end_) return false;
    normal_points(given_.points, memory_.dimensions(), multiplier_, given_.seed, shift, workspace.normals);
    std::fill(workspace.x.begin(), workspace.x.end(), kFirstX);
    workspace.shift = shift;
    workspace.alpha = 0;
    return true;
  }

  const ShiftMemory &memory_;
  const Evolution &given_;
  const StopFlag &stop_;
  Ranks &ranks_;
  int64_t multiplier_, all_done_ = 0;
  int64_t end_;  // behind the last shift of this rank
  std::atomic<int64_t> next_, done_{0};
};

void set_means(const Task &task, Span<const TokenSolution> solutions, TokensRow &row) {
  const auto trace = [&](const double *numbers) { return task.rank == 1 ? numbers[0] : numbers[0] + numbers[1]; };
  const auto set = [&](auto &&number, double &mean, double &error) {
    const MeanError found = mean_error(solutions, number);
    mean = found.mean;
    error = found.error;
  };
  const auto size = [&](const TokenSolution &s) {
    double sum = 0;
    for (int64_t k = 0; k < task.code_columns; ++k) sum += s.overlaps.m[k] * s.overlaps.m[k];
    return std::sqrt(sum);
  };
  const auto least = [&](const Overlaps &o) { return task.rank == 1 ? o.q[0] : std::fmin(o.q[0], o.q[1]); };
  set([](const TokenSolution &s) { return s.eg; }, row.eg, row.eg_sem);
  set([](const TokenSolution &s) { return s.et; }, row.et, row.et_sem);
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

std::size_t evolution_bytes(const Context &context, const Evolution &evolution) {
  ShiftMemory memory(context, evolution);
  Arena measure;
  memory.lay_out(measure);
  return measure.bytes();
}

atp_outcome evolve(Context &context, const Evolution &evolution, Reporter &reporter, double *rows, int64_t columns) {
  const Scratch scratch(context.allocator, evolution_bytes(context, evolution));
  Arena arena = scratch.arena();
  ShiftMemory memory(context, evolution);
  memory.lay_out(arena);
  Shifts shifts(memory, reporter.flag(), context.ranks);
  while (shifts.done() < shifts.total() && !reporter.stopped()) {
    const Round round(reporter);
    parallel_for(context.threads, memory.threads, [&](int64_t thread, int) { shifts.work(memory.workspaces[thread], round); });
    shifts.meet();
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(shifts.done()));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(shifts.total()));
    reporter.report(progress);
  }
  shifts.gather();

  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < evolution.n_alphas; ++k) {
    const TokensRow row = row_of(evolution, memory.of_alpha(k), evolution.alphas[k]);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    join_outcome(outcome, row.outcome);
  }
  return outcome;
}

}  // namespace atp::dotattn
