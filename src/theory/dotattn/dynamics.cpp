// SPDX-License-Identifier: MIT
// A repetition is one shift, with all times after each other; a slice is one time. It writes to places of its own.

#include "theory/dotattn/dynamics.hpp"

#include "math/lattice.hpp"
#include "math/runge_kutta.hpp"
#include "theory/dotattn/repetitions.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {
constexpr int kSigns = 8;        // of three groups of numbers
constexpr double kSmall = 1e-3;  // an overlap for the growth near 0, over the largest that q allows
}  // namespace

// Over all points; g is the derivative of |softmax(chi chi^T) - T|^2 rho / 2 by chi, p_0 = sum_l g_l h_l and p_{1+k} = sum_l g_l (code_lk +
// sigma z_lk) are what an overlap gets from a sample.
struct DynamicsEquations::Sums {
  double along = 0, square = 0, loss = 0;  // g . chi, g . g, the loss
  double pushes[1 + kMostCode] = {}, kicks[1 + kMostCode][1 + kMostCode] = {};
  double on_h, on_code[kMostCode], rest;  // chi = on_h y + on_code z + rest zeta + code m
  bool wants_kicks;
};

DynamicsEquations::DynamicsEquations(const Task &task, double rate, bool noise, Span<const double> normals, Span<double> numbers)
    : task_(task), rate_(rate), noise_(noise), points_(normals.size() / dimensions(task)), normals_(normals), numbers_(numbers) {
  const int64_t L = task.tokens, each = dimensions(task) / L;
  for (int64_t point = 0; point < points_; ++point) {
    double h[kMostTokens];
    for (int64_t l = 0; l < L; ++l) h[l] = task.sigma * normals[(point * L + l) * each];
    limit_numbers(task, h, numbers.data() + point * sample_numbers(L));
  }
}

void DynamicsEquations::add(int64_t point, int signs, const Statistics &at, Sums &sums) const {
  const int64_t L = task_.tokens, K = task_.code_columns;
  const double sign_h = (signs & 1) != 0 ? -1 : 1, sign_code = (signs & 2) != 0 ? -1 : 1, sign_rest = (signs & 4) != 0 ? -1 : 1;
  double chi[kMostTokens] = {}, g[kMostTokens] = {}, p[1 + kMostCode] = {};
  for (int64_t l = 0; l < L; ++l) {
    const double *z = normals_.data() + (point * L + l) * (2 + K);
    chi[l] = sign_h * sums.on_h * z[0] + sign_rest * sums.rest * z[1 + K];
    for (int64_t k = 0; k < K; ++k) chi[l] += sign_code * sums.on_code[k] * z[1 + k] + task_.code[l * K + k] * at.m[k];
  }
  sums.loss += 0.5 * sample_loss(L, 1, numbers_.data() + point * sample_numbers(L), chi, g);
  for (int64_t l = 0; l < L; ++l) {
    const double *z = normals_.data() + (point * L + l) * (2 + K), half = 0.5 * g[l];
    sums.along += half * chi[l];
    sums.square += half * half;
    p[0] += half * sign_h * task_.sigma * z[0];
    for (int64_t k = 0; k < K; ++k) p[1 + k] += half * (task_.code[l * K + k] + sign_code * task_.sigma * z[1 + k]);
  }
  for (int64_t i = 0; i <= K; ++i) sums.pushes[i] += p[i];
  if (!sums.wants_kicks) return;
  for (int64_t i = 0; i <= K; ++i)
    for (int64_t j = 0; j <= K; ++j) sums.kicks[i][j] += p[i] * p[j];
}

DynamicsEquations::Average DynamicsEquations::average(const Statistics &at, Linear *linear) const {
  const int64_t K = task_.code_columns;
  const double sigma = task_.sigma, rho = sigma * sigma;
  Sums sums;
  sums.wants_kicks = linear != nullptr;
  sums.on_h = at.theta / sigma;
  double rest = at.q - at.theta * at.theta / rho;
  for (int64_t k = 0; k < K; ++k) {
    sums.on_code[k] = sigma * at.m[k];
    rest -= rho * at.m[k] * at.m[k];
  }
  sums.rest = std::sqrt(std::fmax(rest, 0));
  for (int64_t point = 0; point < points_; ++point)
    for (int signs = 0; signs < kSigns; ++signs) add(point, signs, at, sums);

  const double share = 1 / static_cast<double>(kSigns * points_), decay = rate_ * task_.lambda;
  Average out{{}, sums.loss * share};
  out.change.q = -2 * rate_ * rho * share * sums.along - 2 * decay * at.q;
  if (noise_) out.change.q += rate_ * rate_ * rho * rho * share * sums.square;
  // Without its roundings, an overlap of 0 stays 0.
  const bool positional = std::any_of(at.m, at.m + K, [](double m) { return m != 0; });
  if (at.theta != 0) out.change.theta = -rate_ * rho * share * sums.pushes[0] - decay * at.theta;
  for (int64_t k = 0; positional && k < K; ++k) out.change.m[k] = -rate_ * share * sums.pushes[1 + k] - decay * at.m[k];
  if (linear == nullptr) return out;
  for (int64_t i = 0; i <= K; ++i)
    for (int64_t j = 0; j <= K; ++j)
      linear->kicks[i][j] = noise_ ? rate_ * rate_ * (i == 0 ? rho : 1) * (j == 0 ? rho : 1) * share * sums.kicks[i][j] : 0;
  return out;
}

Linear DynamicsEquations::linear(double q) const {
  Linear out;
  Statistics at;
  at.q = q;
  average(at, &out);
  // The change is odd in the overlaps.
  for (int64_t j = 0; j <= task_.code_columns; ++j) {
    const double small = kSmall * std::sqrt(q) * (j == 0 ? task_.sigma : 1 / task_.sigma);
    at.overlap(j) = small;
    Statistics change = average(at, nullptr).change;
    at.overlap(j) = 0;
    for (int64_t i = 0; i <= task_.code_columns; ++i) out.growth[i][j] = small > 0 ? change.overlap(i) / small : 0;
  }
  return out;
}

// --- paths ---

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
  int64_t number = -1, time = 0;  // of the shift, -1: none; of the next time
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
  const auto set = [&](double PathPlace::*number, double &mean, double &sem) { set_mean(places, number, mean, sem); };
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

std::size_t dynamics_bytes(const Context &context, const Dynamics &dynamics) { return bytes_laid_out(PathMemory(context, dynamics)); }

atp_outcome solve_dynamics(Context &context, const Dynamics &dynamics, Reporter &reporter, double *rows) {
  const Scratch scratch(context.allocator, dynamics_bytes(context, dynamics));
  Arena arena = scratch.arena();
  PathMemory memory(context, dynamics);
  memory.lay_out(arena);
  for (PathPlace &place : memory.places) place = PathPlace{};
  const int64_t dimensions = DynamicsEquations::dimensions(dynamics.task);
  const int64_t multiplier = korobov_multiplier(dynamics.points, dimensions, memory.workspaces[0].normals);
  const auto begin = [&](PathWorkspace &workspace) {
    normal_points(dynamics.points, dimensions, multiplier, dynamics.seed, workspace.number, workspace.normals);
    workspace.path = DynamicsPath(dynamics);
    workspace.time = 0;
  };
  const auto next_time = [&](PathWorkspace &workspace) {
    const int64_t k = workspace.time++;
    const DynamicsEquations equations(dynamics.task, dynamics.rate, !dynamics.flow, workspace.normals, workspace.numbers);
    workspace.path.advance(equations, dynamics.times[k], reporter.flag(), memory.places[k * dynamics.shifts + workspace.number]);
    return Slice{1, workspace.time == dynamics.n_times};
  };
  repeat(context, {dynamics.shifts, dynamics.n_times}, memory.workspaces, reporter, begin, next_time);
  gather_parts(context.ranks, memory.places, dynamics.shifts);
  return write_rows(dynamics.n_times, rows, [&](int64_t k) { return row_of(dynamics, memory.of_time(k), dynamics.times[k]); });
}

}  // namespace atp::dotattn
