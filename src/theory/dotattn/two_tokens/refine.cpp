// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/refine.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {

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
  *error = std::numeric_limits<double>::quiet_NaN();
  for (*level += 1; *level < kLevelCount; ++*level) {
    solver.integrator().use(kLevels[*level]);
    const Solution finer = solver.solve(kind, at.point, false);
    if (finer.ending == Ending::too_many) return Found::too_many;
    if (finer.ending != Ending::converged && !is_rough(finer)) continue;
    *error = std::max(change(solver.problem(), kind, at, finer), at.ending == Ending::converged ? 0 : at.residual);
    at = finer;
    if (finer.ending == Ending::converged && *error <= accuracy) return Found::yes;
  }
  *level = kLevelCount - 1;
  return Found::lost;
}

}  // namespace atp::dotattn
