// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/curve.hpp"

#include "theory/dotattn/two_tokens/baseline.hpp"
#include "theory/dotattn/two_tokens/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLeastWidth = 0.08, kMostWidth = 0.7;  // of a first guess, in the root of q: below, nothing is computed
// The first guess: where jumps are rare the inner width is this part of that at mu = 0, and mu (q1 - q0) / V is this number.
constexpr double kNarrowing = 0.57, kEntropy = 0.06;
constexpr double kFiner = 1.25;

BrokenProblem broken_problem(const Problem &problem, Kind kind, double alpha) {
  const Overlap overlap = kind == Kind::semantic ? Overlap::semantic : kind == Kind::positional ? Overlap::positional : Overlap::none;
  return {alpha, problem.rho(), problem.lambda, false, overlap};
}

// e_t with and without breaking on the nodes in use. The symmetric one at mu = 0, where the inner and the outer part of w add up again.
double shift_of(NestedFields &fields, const BrokenProblem &problem, const Order &rs, const BrokenSolution &broken) {
  const BrokenOrder flat{rs.q - broken.order.gap, broken.order.gap, rs.v, rs.m, rs.theta, 0};
  return broken.energy - broken_energy(problem, flat, fields.means(flat));
}

NestedGrid grid_of(double ratio, double fineness) { return nested_grid(std::max(kLeastRatio, ratio), fineness); }

// Two minima of cavity fields that differ by a normal vector differ by as much at this width (mu = 0).
double first_width(const Order &rs, const Spread &spread, double alpha) {
  const double replicon = 1 - alpha * spread.smooth, jumps = alpha * spread.jumps / std::sqrt(kPi * rs.q);
  return replicon > 0 ? std::min(kMostWidth, jumps / replicon) : kMostWidth;
}

}  // namespace

BrokenRow break_symmetry(NestedFields &fields, const Problem &problem, Kind kind, const Solution &symmetric, const Spread &spread) {
  const double alpha = std::exp(symmetric.point.log_alpha);
  const Order &rs = symmetric.order;
  BrokenRow row;
  const double width = first_width(rs, spread, alpha);
  if (width < kLeastWidth) return row;
  const BrokenProblem broken = broken_problem(problem, kind, alpha);
  const double inner = kNarrowing * width, gap = inner * inner * rs.q, v = rs.v / (1 + kEntropy);
  const BrokenOrder guess{rs.q - gap, gap, v, rs.m, rs.theta, kEntropy * v / gap};
  row.outcome = ATP_OUTCOME_STALLED;
  fields.use(grid_of(inner, 1));
  BrokenSolution solution = solve_broken(fields, broken, guess, false);
  if (!solution.converged) solution = solve_broken(fields, broken, solve_broken(fields, broken, guess, true).order, false);
  if (!solution.converged) return row;
  const double coarse = shift_of(fields, broken, rs, solution);
  // The energy is stationary: on finer nodes it is known to the second order in what the order parameters change.
  fields.use(grid_of(std::sqrt(solution.order.gap / solution.order.q1()), kFiner));
  solution.energy = broken_energy(broken, solution.order, fields.means(solution.order));
  row.order = solution.order;
  row.shift = shift_of(fields, broken, rs, solution);
  row.error = std::fabs(row.shift - coarse);
  if (std::isfinite(row.shift)) row.outcome = ATP_OUTCOME_CONVERGED;
  return row;
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kStepOfJump = 0.79788456080286535588;  // sqrt(2 / pi): mean distance of a normal number from zero

// The rows of a call. None depends on the others.
class Curve {
 public:
  Curve(Integrator &integrator, NestedFields *nested, const CurveRequest &request, Arena &arena, double *rows, int64_t columns)
      : integrator_(integrator),
        nested_(nested),
        given_(request),
        rows_(rows),
        columns_(columns),
        eg_linear_(linear_baseline(request.problem, nullptr)),
        solver_(integrator, request.problem),
        flat_(solver_, Kind::uninformed, arena, nullptr),
        branch_(solver_, request.kind, arena, &flat_) {
    for (int64_t k = 0; k < request.n; ++k) write(k, unsolved(k, ATP_OUTCOME_CANCELLED));
  }
  // Row k; gives its outcome. Rows that are not made are CANCELLED.
  atp_outcome solve(int64_t k);

 private:
  Row unsolved(int64_t k, atp_outcome outcome) const;
  void set_solution(const Solution &solution, Row &row) const;
  void set_stability(Kind kind, const Solution &solution, Row &row);
  void set_breaking(const BrokenRow &broken, Row &row);
  void write(int64_t k, const Row &row) { std::memcpy(rows_ + k * columns_, &row, static_cast<std::size_t>(columns_) * sizeof(double)); }

  Integrator &integrator_;
  NestedFields *nested_;  // where breaking is asked for
  const CurveRequest &given_;
  double *rows_;
  int64_t columns_;
  double eg_linear_;
  Solver solver_;
  Path flat_, branch_;
};

Row Curve::unsolved(int64_t k, atp_outcome outcome) const {
  Row row;
  row.branch = static_cast<double>(given_.kind);
  row.omega = given_.problem.omega;
  row.alpha = given_.alphas[k];
  row.q = row.m = row.v = row.theta = row.eg = row.et = row.residual = row.quadrature = kNaN;
  row.q_hat = row.m_hat = row.v_hat = row.theta_hat = row.replicon = row.jumps = kNaN;
  row.et_broken = row.eg_broken = row.q1 = row.q0 = row.v_broken = row.m_broken = row.theta_broken = row.mu = row.error_broken = kNaN;
  row.eg_linear = eg_linear_;
  row.outcome = outcome;
  return row;
}

void Curve::set_solution(const Solution &solution, Row &row) const {
  row.q = solution.order.q;
  row.m = solution.order.m;
  row.v = solution.order.v;
  row.theta = solution.order.theta;
  row.eg = test_loss(given_.problem, solution);
  row.et = training_loss(given_.problem, solution);
  row.residual = solution.residual;
  row.q_hat = solution.hats.q;
  row.m_hat = solution.hats.m;
  row.v_hat = solution.hats.v;
  row.theta_hat = solution.hats.theta;
}

void Curve::set_breaking(const BrokenRow &broken, Row &row) {
  row.outcome_broken = broken.outcome;
  if (broken.outcome != ATP_OUTCOME_CONVERGED) return;
  const BrokenOrder &order = broken.order;
  row.et_broken = row.et + broken.shift;
  row.q1 = order.q1();
  row.q0 = order.q0;
  row.v_broken = order.v;
  row.m_broken = order.m;
  row.theta_broken = order.theta;
  row.mu = order.mu;
  row.error_broken = broken.error / row.et_broken;
  const Averages mean = integrator_.average(given_.problem, {order.q1(), order.m, order.theta, order.v});
  row.eg_broken = 0.5 * given_.problem.rho() * mean.test;
}

void Curve::set_stability(Kind kind, const Solution &solution, Row &row) {
  const Spread spread = integrator_.spread(given_.problem, solution.order);
  row.replicon = 1 - row.alpha * spread.smooth;
  row.jumps = row.alpha * kStepOfJump * spread.jumps / std::sqrt(solution.order.q);
  if (nested_ != nullptr && !integrator_.stopped()) set_breaking(break_symmetry(*nested_, given_.problem, kind, solution, spread), row);
}

atp_outcome Curve::solve(int64_t k) {
  Row row = unsolved(k, ATP_OUTCOME_STALLED);
  solver_.applications = 0;
  solver_.most = given_.max_iter;
  integrator_.use(kLevels[0]);
  Solution solution;
  Kind kind = given_.kind;
  flat_.begin_row();
  branch_.begin_row();
  Found found = kind == Kind::uninformed ? Found::ended : branch_.at(row.alpha, solution);
  if (found == Found::ended) {
    kind = Kind::uninformed;
    found = flat_.at(row.alpha, solution);
  }
  if (found == Found::yes) {
    int level = 0;
    found = refine(solver_, kind, given_.accuracy, solution, &level, &row.quadrature);
    set_solution(solution, row);
    if (!integrator_.stopped()) set_stability(kind, solution, row);
  }
  if (integrator_.stopped()) return ATP_OUTCOME_CANCELLED;
  row.branch = static_cast<double>(kind);
  row.iterations = static_cast<double>(solver_.applications);
  const atp_outcome outcome = outcome_of(found);
  row.outcome = outcome;
  write(k, row);
  return outcome;
}

}  // namespace

std::size_t scratch_bytes(const Context &context, int64_t n, bool breaking) {
  Arena measure;
  Integrator(context).lay_out(measure);
  if (breaking) NestedFields(context, Problem{}).lay_out(measure);
  if (n > 0) Path::take(measure);
  if (n > 0) Path::take(measure);
  return measure.bytes();
}

atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows, int64_t columns) {
  Scratch scratch(context.allocator, scratch_bytes(context, request.n, request.breaking));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);
  NestedFields nested(context, request.problem);
  if (request.breaking) nested.lay_out(arena);
  Heartbeat heartbeat(reporter, static_cast<double>(request.n));
  integrator.watch(heartbeat, context.ranks);
  if (request.breaking) nested.watch(heartbeat, context.ranks);
  Curve rows_of(integrator, request.breaking ? &nested : nullptr, request, arena, rows, columns);
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  for (int64_t made = 0; made < request.n; ++made) {
    const atp_outcome outcome = rows_of.solve(made);
    if (outcome == ATP_OUTCOME_CANCELLED) return outcome;
    if (worst == ATP_OUTCOME_CONVERGED) worst = outcome;
    if (heartbeat.step()) return ATP_OUTCOME_CANCELLED;
  }
  return worst;
}

}  // namespace atp::dotattn
