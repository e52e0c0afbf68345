// SPDX-License-Identifier: MIT
// All formulas are in d = 1 + kappa z + r, r = sqrt((1 + kappa (z - 2)) (1 + kappa (z + 2))), and add only
// positive terms. Direct formulas with 1 - t, g(z) - kappa t or t + kappa t' lose all digits for very small or
// very large kappa.
#include "theory/replica/limit.hpp"

namespace atp::replica {

// Moments E_jk = E[s^j / (s + kappa)^k] of s = 1 / (z - mu), mu on the semicircle.
struct Limit::Parts {
  double r, d;
  double t;   // E_11 = g(z + 1/kappa) / kappa = 2 / d
  double a;   // E_01 = (1 - t) / kappa
  double c;   // E_21 = g(z) - kappa t
  double e1;  // E_12 = -t'
  double e2;  // E_22 = (kappa t)' = t + kappa t'
  double e3;  // E_32
};

Limit::Limit(double shift) : z_(shift), root_(std::sqrt((shift - 2) * (shift + 2))), g_(2 / (shift + root_)) {}

Limit::Parts Limit::parts(double kappa) const {
  Parts x;
  const double z = z_, square = (z - 2) * (z + 2);
  x.r = std::sqrt((1 + kappa * (z - 2)) * (1 + kappa * (z + 2)));
  x.d = 1 + kappa * z + x.r;
  x.t = 2 / x.d;
  // d - 2 = kappa z + (r^2 - 1) / (r + 1), r^2 - 1 = kappa (2 z + kappa (z^2 - 4)).
  x.a = (z + (2 * z + kappa * square) / (x.r + 1)) / x.d;
  // g(z) - kappa t = 2 (1 + r - kappa sqrt(z^2 - 4)) / ((z + sqrt(z^2 - 4)) d), and r^2 - kappa^2 (z^2 - 4) = 1 + 2 kappa z.
  x.c = g_ * (1 + (1 + 2 * kappa * z) / (x.r + kappa * root_)) / x.d;
  // t' = -t^2 d' / 2, d' = z + (z + kappa (z^2 - 4)) / r.
  x.e1 = x.t * x.t / 2 * (z + (z + kappa * square) / x.r);
  // (kappa t)' = t^2 / (1 - kappa^2 t^2), and 1 / (1 - kappa^2 t^2) = (1 + (1 + kappa z) / r) / 2.
  const double inverse = 0.5 * (1 + (1 + kappa * z) / x.r);
  x.e2 = x.t * x.t * inverse;
  // c - kappa e2 = t c / ((1 - g kappa t) (1 - kappa^2 t^2)), and c = g t / (1 - g kappa t).
  x.e3 = x.c * x.c / g_ * inverse;
  return x;
}

Traces Limit::traces(double kappa) const {
  const Parts x = parts(kappa);
  return {x.t, kappa * x.a, kappa * x.e1};
}

SquareSums Limit::sums(double kappa, double gap) const {
  const Parts x = parts(kappa);
  const double z2 = z_ * z_, screening = 1 + g_ * x.c;  // 1 + g v^T (S0 + kappa)^-1 v of the Sherman-Morrison formula
  const double y = g_ * x.t / screening, through = x.t / screening;
  SquareSums sums;
  sums.df1 = x.t;
  sums.df2 = x.e2;
  sums.e1 = x.e1;
  // w* = J_i / z and S w* = g v, so m and the sums after it are quadratic forms of v.
  sums.teacher = (x.t + kappa * y * x.t) / z2;
  sums.bias = kappa * (kappa * (x.e1 - 2 * y * x.e2 + y * y * x.e3 + g_ * through * through)) / z2;
  sums.m = g_ * g_ * x.c / screening;
  sums.q = g_ * g_ * (x.e3 + g_ * x.c * x.c) / (screening * screening);
  sums.norm = g_ * g_ * x.e2 / (screening * screening);
  // E log(lambda + h s) = log(h g / t) + (kappa^2 t^2 - g^2) / 2 with lambda = h kappa, and g^2 - kappa^2 t^2 = c (g + kappa t).
  if (gap > 0) sums.log_det = std::log(gap * g_ / x.t) - x.c * (g_ + kappa * x.t) / 2;
  return sums;
}

Row Limit::solve(double alpha, double lambda, double temperature) const {
  const Kappa solution = solve_kappa([this](double kappa) { return traces(kappa); }, mean(), inverse_mean(), alpha, lambda);
  Row row = square_row(alpha, lambda, temperature, g_, 1 / z_, solution.kappa, solution.gap, sums(solution.kappa, solution.gap));
  row.iterations = static_cast<double>(solution.iterations);
  row.residual = solution.residual;
  if (!solution.converged) row.outcome = ATP_OUTCOME_MAX_ITER;
  return row;
}

}  // namespace atp::replica
