// SPDX-License-Identifier: MIT
// A task is one shift, with all times after each other; it writes to places of its own. The team works in slices of one time of one shift
// for each thread; in between the calling thread reports. Ranks share the shifts, and gather the results of all at the end.
#include "theory/dotattn/dynamics/dynamics.hpp"

#include "base/progress.hpp"
#include "base/team.hpp"
#include "math/lattice.hpp"
#include "math/mean_error.hpp"
#include "math/runge_kutta.hpp"
#include "theory/dotattn/dynamics/dynamics_equations.hpp"
#include "theory/dotattn/repetitions.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

// One solution of the equations of online descent, from its start to one time after the other.
// What is known at a time.
struct PathPlace {
  double q = 0, m = 0, theta = 0, eg = 0, growth_m = 0, growth_theta = 0, spread_m = 0, spread_theta = 0;
  int64_t steps = 0;
  atp_outcome outcome = ATP_OUTCOME_CANCELLED;
};

class DynamicsPath {
 public:
  DynamicsPath() = default;
  explicit DynamicsPath(const Dynamics &dynamics);
  // Goes on to `time`, which is not before the last one. What failed stays so.
  void advance(const DynamicsEquations &equations, double time, const StopFlag &stop, PathPlace &place);

 private:
  static constexpr int64_t kOverlaps = 1 + kMostCode, kMostUnknowns = 1 + kOverlaps + kOverlaps * kOverlaps;
  static_assert(kMostUnknowns <= RungeKutta::kMost);

  Statistics statistics(const double *x) const;
  void slope(const DynamicsEquations &equations, const double *x, double *change) const;
  void describe(const DynamicsEquations &equations, PathPlace &place) const;

  int64_t overlaps_ = 0;   // theta, m_0, ...
  bool searches_ = false;  // from overlaps of 0: then their covariance, times d, follows the other unknowns
  double now_ = 0, x_[kMostUnknowns] = {};
  int64_t most_steps_ = 0;
  RungeKutta solver_{0, 0, 0};
  atp_outcome outcome_ = ATP_OUTCOME_CONVERGED;
};

namespace {
constexpr double kSmallest = 1e-6;  // unknowns below it may have a larger relative error; roundings of sums that cancel are far below
}

DynamicsPath::DynamicsPath(const Dynamics &dynamics)
    : overlaps_(1 + dynamics.task.code_columns),
      searches_(dynamics.start_theta == 0 && dynamics.start_m == 0),
      most_steps_(dynamics.max_iter),
      solver_(1 + overlaps_ + (searches_ ? overlaps_ * overlaps_ : 0), dynamics.tolerance, kSmallest) {
  const double rho = dynamics.task.sigma * dynamics.task.sigma, scale = dynamics.start_scale;
  x_[0] = rho * scale * scale;
  x_[1] = rho * scale * dynamics.start_theta;
  x_[2] = scale * dynamics.start_m;
  if (!searches_) return;
  // Q ~ scale N(0, 1): variances of theta and m are scale^2 times rho^2 / d and 1 / d.
  for (int64_t i = 0; i < overlaps_; ++i) x_[1 + overlaps_ + i * (overlaps_ + 1)] = scale * scale * (i == 0 ? rho * rho : 1);
}

Statistics DynamicsPath::statistics(const double *x) const {
  Statistics at;
  at.q = std::fmax(x[0], 0);
  for (int64_t i = 0; i < overlaps_; ++i) at.overlap(i) = x[1 + i];
  return at;
}

void DynamicsPath::slope(const DynamicsEquations &equations, const double *x, double *change) const {
  Statistics by = equations.change(statistics(x));
  change[0] = by.q;
  for (int64_t i = 0; i < overlaps_; ++i) change[1 + i] = by.overlap(i);
  if (!searches_) return;
  // dC/dt = J C + C J^T + D.
  const Linear linear = equations.linear(std::fmax(x[0], 0));
  const double *c = x + 1 + overlaps_;
  for (int64_t i = 0; i < overlaps_; ++i)
    for (int64_t j = 0; j < overlaps_; ++j) {
      double sum = linear.kicks[i][j];
      for (int64_t k = 0; k < overlaps_; ++k)
        sum += linear.growth[i][k] * c[k * overlaps_ + j] + linear.growth[j][k] * c[i * overlaps_ + k];
      change[1 + overlaps_ + i * overlaps_ + j] = sum;
    }
}

void DynamicsPath::describe(const DynamicsEquations &equations, PathPlace &place) const {
  const Statistics at = statistics(x_);
  const Linear linear = equations.linear(at.q);
  double m = 0, spread = 0;
  for (int64_t k = 1; k < overlaps_; ++k) {
    m += x_[1 + k] * x_[1 + k];
    spread += x_[1 + overlaps_ + k * (overlaps_ + 1)];
  }
  place.q = at.q;
  place.m = overlaps_ == 2 ? x_[2] : std::sqrt(m);
  place.theta = at.theta;
  place.eg = equations.loss(at);
  place.growth_m = linear.growth[1][1];
  place.growth_theta = linear.growth[0][0];
  place.spread_m = searches_ ? std::sqrt(spread) : std::nan("");
  place.spread_theta = searches_ ? std::sqrt(x_[1 + overlaps_]) : std::nan("");
}

void DynamicsPath::advance(const DynamicsEquations &equations, double time, const StopFlag &stop, PathPlace &place) {
  if (outcome_ == ATP_OUTCOME_CONVERGED) {
    const auto by = [&](const double *x, double *change) { slope(equations, x, change); };
    const auto ends = [&] { return stop.requested() || solver_.steps() >= most_steps_; };
    if (!solver_.advance(time - now_, x_, by, ends))
      outcome_ = stop.requested() ? ATP_OUTCOME_CANCELLED : solver_.steps() >= most_steps_ ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_DIVERGED;
    now_ = time;
  }
  place.steps = solver_.steps();
  place.outcome = outcome_;
  if (outcome_ == ATP_OUTCOME_CONVERGED) describe(equations, place);
}

namespace {

// What one thread works in, and where its shift is.
struct PathWorkspace {
  Span<double> normals, numbers;
  DynamicsPath path;
  int64_t shift = -1, time = 0;  // shift -1: none
};

struct PathMemory {
  PathMemory(const Context &context, const Dynamics &given) : dynamics(given), threads(context.threads) {}
  void lay_out(Arena &arena) {
    workspaces = arena.take<PathWorkspace>(threads);
    places = arena.take<PathPlace>(product_of(dynamics.n_times, dynamics.shifts));
    for (int64_t k = 0; k < threads; ++k) {
      PathWorkspace workspace;
      workspace.normals = arena.take<double>(product_of(dynamics.points, DynamicsEquations::dimensions(dynamics.task)));
      workspace.numbers = arena.take<double>(product_of(dynamics.points, sample_numbers(dynamics.task.tokens)));
      if (!arena.measuring()) workspaces[k] = workspace;
    }
  }
  Span<const PathPlace> of_time(int64_t k) const { return places.sub(k * dynamics.shifts, dynamics.shifts); }

  const Dynamics &dynamics;
  int64_t threads;
  Span<PathWorkspace> workspaces;
  Span<PathPlace> places;  // [n_times][shifts]
};

// The shifts of a call, dealt out to the ranks and their threads.
class Paths {
 public:
  Paths(const PathMemory &memory, const StopFlag &stop, Ranks &ranks)
      : memory_(memory),
        given_(memory.dynamics),
        stop_(stop),
        ranks_(ranks),
        multiplier_(korobov_multiplier(given_.points, DynamicsEquations::dimensions(given_.task), memory.workspaces[0].normals)),
        end_(ranks.first(ranks.rank() + 1, given_.shifts)),
        next_(ranks.first(ranks.rank(), given_.shifts)) {
    for (PathPlace &place : memory.places) place = PathPlace{};
  }
  int64_t total() const { return product_of(given_.shifts, given_.n_times); }
  int64_t done() const { return all_done_; }  // of all ranks, at the last meet()
  void meet() {
    all_done_ = done_;
    ranks_.sum(&all_done_, 1);
  }
  void gather() {
    for (int64_t k = 0; k < given_.n_times; ++k) ranks_.gather(memory_.places.data() + k * given_.shifts, given_.shifts, sizeof(PathPlace));
  }

  // One time of the shift of a workspace, or of the next shift; more of them until the round is over.
  void work(PathWorkspace &workspace, const Round &round) {
    do {
      if (workspace.shift < 0 && !begin(workspace)) return;
      const int64_t k = workspace.time;
      const DynamicsEquations equations(given_.task, given_.rate, !given_.flow, workspace.normals, workspace.numbers);
      workspace.path.advance(equations, given_.times[k], stop_, memory_.places[k * given_.shifts + workspace.shift]);
      done_.fetch_add(1, std::memory_order_relaxed);
      if (++workspace.time == given_.n_times) workspace.shift = -1;
    } while (!round.over());
  }

 private:
  bool begin(PathWorkspace &workspace) {
    const int64_t shift = next_.fetch_add(1, std::memory_order_relaxed);
    if (shift >= end_) return false;
    normal_points(given_.points, DynamicsEquations::dimensions(given_.task), multiplier_, given_.seed, shift, workspace.normals);
    workspace.path = DynamicsPath(given_);
    workspace.shift = shift;
    workspace.time = 0;
    return true;
  }

  const PathMemory &memory_;
  const Dynamics &given_;
  const StopFlag &stop_;
  Ranks &ranks_;
  int64_t multiplier_, all_done_ = 0;
  int64_t end_;  // behind the last shift of this rank
  std::atomic<int64_t> next_, done_{0};
};

DynamicsRow row_of(const Dynamics &dynamics, Span<const PathPlace> places, double time) {
  DynamicsRow row;
  row.time = time;
  row.shifts = static_cast<double>(dynamics.shifts);
  const atp_outcome worst = worst_of(places);
  row.outcome = worst;
  for (const PathPlace &place : places) row.iterations = std::fmax(row.iterations, static_cast<double>(place.steps));
  if (worst != ATP_OUTCOME_CONVERGED) {
    if (worst == ATP_OUTCOME_CANCELLED) row.shifts = 0;
    blank(row, ATP_DOTATTN_DYNAMICS_Q, ATP_DOTATTN_DYNAMICS_SPREAD_THETA);
    return row;
  }
  double error = 0;
  const auto set = [&](double PathPlace::*number, double &mean, double &sem) {
    const MeanError found = mean_error(places, [&](const PathPlace &place) { return place.*number; });
    mean = found.mean;
    sem = found.error;
  };
  set(&PathPlace::q, row.q, row.q_sem);
  set(&PathPlace::m, row.m, row.m_sem);
  set(&PathPlace::theta, row.theta, row.theta_sem);
  set(&PathPlace::eg, row.eg, row.eg_sem);
  set(&PathPlace::growth_m, row.growth_m, error);
  set(&PathPlace::growth_theta, row.growth_theta, error);
  set(&PathPlace::spread_m, row.spread_m, error);
  set(&PathPlace::spread_theta, row.spread_theta, error);
  return row;
}

}  // namespace

std::size_t dynamics_bytes(const Context &context, const Dynamics &dynamics) {
  PathMemory memory(context, dynamics);
  Arena measure;
  memory.lay_out(measure);
  return measure.bytes();
}

atp_outcome solve_dynamics(Context &context, const Dynamics &dynamics, Reporter &reporter, double *rows, int64_t columns) {
  const Scratch scratch(context.allocator, dynamics_bytes(context, dynamics));
  Arena arena = scratch.arena();
  PathMemory memory(context, dynamics);
  memory.lay_out(arena);
  Paths paths(memory, reporter.flag(), context.ranks);
  while (paths.done() < paths.total() && !reporter.stopped()) {
    const Round round(reporter);
    parallel_for(context.threads, memory.threads, [&](int64_t thread, int) { paths.work(memory.workspaces[thread], round); });
    paths.meet();
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(paths.done()));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(paths.total()));
    reporter.report(progress);
  }
  paths.gather();

  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < dynamics.n_times; ++k) {
    const DynamicsRow row = row_of(dynamics, memory.of_time(k), dynamics.times[k]);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    join_outcome(outcome, row.outcome);
  }
  return outcome;
}

}  // namespace atp::dotattn
