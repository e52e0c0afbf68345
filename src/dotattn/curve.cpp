// SPDX-License-Identifier: MIT
#include "dotattn/curve.hpp"

#include "dotattn/baseline.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double relative(double a, double b) { return std::fabs(a - b) / std::max(std::fabs(b), 1e-300); }

double change(const Problem &problem, Kind kind, const Solution &a, const Solution &b) {
  double most =
      std::max({relative(a.order.q, b.order.q), relative(a.order.v, b.order.v),
                relative(training_loss(problem, a), training_loss(problem, b)), relative(test_loss(problem, a), test_loss(problem, b))});
  if (kind == Kind::semantic) most = std::max(most, relative(a.order.theta, b.order.theta));
  if (kind == Kind::positional) most = std::max(most, relative(a.order.m, b.order.m));
  return most;
}

}  // namespace

double training_loss(const Problem &problem, const Solution &s) {
  const double rho = problem.rho();
  return 0.5 * std::exp(s.point.log_alpha) * rho * s.mean.train + 0.5 * problem.lambda * s.order.q / rho;
}

double test_loss(const Problem &problem, const Solution &s) { return 0.5 * problem.rho() * s.mean.test; }

Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error) {
  *error = kNaN;
  for (*level += 1; *level < kLevelCount; ++*level) {
    solver.integrator().use(kLevels[*level]);
    const Solution finer = solver.solve(kind, at.point, false);
    if (finer.ending == Ending::too_many) return Found::too_many;
    if (finer.ending != Ending::converged) return Found::lost;
    *error = change(solver.problem(), kind, at, finer);
    at = finer;
    if (*error <= accuracy) return Found::yes;
  }
  *level = kLevelCount - 1;
  return Found::lost;
}

std::size_t scratch_bytes(const Context &context, int64_t n) {
  Integrator integrator(context);
  Arena measure;
  integrator.lay_out(measure);
  measure.take<int64_t>(n);
  return measure.bytes();
}

atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows, int64_t columns) {
  Scratch scratch(context.allocator, scratch_bytes(context, request.n));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);
  const Span<int64_t> order = arena.take<int64_t>(request.n);
  const Problem &problem = request.problem;
  const double eg_linear = linear_baseline(problem, nullptr);

  const auto write = [&](int64_t k, const Row &row) {
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
  };
  const auto blank = [&](int64_t k, atp_outcome outcome) {
    Row row;
    row.branch = static_cast<double>(request.kind);
    row.omega = problem.omega;
    row.alpha = request.alphas[k];
    row.q = row.m = row.v = row.theta = row.eg = row.et = row.residual = row.quadrature = kNaN;
    row.q_hat = row.m_hat = row.v_hat = row.theta_hat = kNaN;
    row.eg_linear = eg_linear;
    row.outcome = outcome;
    return row;
  };
  for (int64_t k = 0; k < request.n; ++k) write(k, blank(k, ATP_OUTCOME_CANCELLED));

  // A semantic branch is followed down from many samples, a positional one up from few.
  Solver solver(integrator, problem);
  Branch branch(solver, request.kind);
  Solution flat;  // the last uninformed one
  bool worst_known = false, flat_known = false;
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  int64_t made = 0;
  bool cancelled = false;
  const auto row_of = [&](int64_t k) {
    Row row = blank(k, ATP_OUTCOME_STALLED);
    solver.applications = 0;
    solver.most = request.max_iter;
    integrator.use(kLevels[0]);
    Solution solution;
    Kind kind = request.kind;
    Found found = kind == Kind::uninformed ? Found::ended : branch.go(row.alpha, solution);
    if (found == Found::ended) {
      kind = Kind::uninformed;
      found = uninformed(solver, row.alpha, solution, flat_known ? &flat : nullptr);
      flat_known = found == Found::yes;
      flat = solution;
    }
    int level = 0;
    double error = kNaN;
    if (found == Found::yes) {
      found = refine(solver, kind, request.accuracy, solution, &level, &error);
      row.q = solution.order.q;
      row.m = solution.order.m;
      row.v = solution.order.v;
      row.theta = solution.order.theta;
      row.eg = test_loss(problem, solution);
      row.et = training_loss(problem, solution);
      row.residual = solution.residual;
      row.quadrature = error;
      row.q_hat = solution.hats.q;
      row.m_hat = solution.hats.m;
      row.v_hat = solution.hats.v;
      row.theta_hat = solution.hats.theta;
    }
    row.branch = static_cast<double>(kind);
    row.iterations = static_cast<double>(solver.applications);
    row.outcome = found == Found::yes        ? ATP_OUTCOME_CONVERGED
                  : found == Found::too_many ? ATP_OUTCOME_MAX_ITER
                  : found == Found::diverged ? ATP_OUTCOME_DIVERGED
                                             : ATP_OUTCOME_STALLED;
    write(k, row);
    if (row.outcome != ATP_OUTCOME_CONVERGED && !worst_known) {
      worst = static_cast<atp_outcome>(row.outcome);
      worst_known = true;
    }
    ++made;
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(made));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(request.n));
    cancelled = reporter.report(progress);
  };

  for (int64_t k = 0; k < request.n; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double x = request.alphas[a], y = request.alphas[b];
    return x != y ? (x < y) != (request.kind == Kind::semantic) : a < b;
  });
  for (int64_t k = 0; k < request.n && !cancelled; ++k) row_of(order[k]);
  return cancelled ? ATP_OUTCOME_CANCELLED : worst;
}

}  // namespace atp::dotattn
