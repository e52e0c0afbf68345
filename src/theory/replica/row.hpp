// SPDX-License-Identifier: MIT
// One point of a learning curve. Its members are the columns of atp_replica_column, in their order.
#pragma once

#include <attopotts/replica.h>

#include <cmath>
#include <limits>

namespace atp::replica {

struct Row {
  double alpha = 0, lambda = 0;
  double eg = 0, et = 0, rho = 0;
  double q = 0, m = 0, v = 0;
  double q_hat = 0, m_hat = 0, v_hat = 0;  // per parameter
  double kappa = 0, norm = 0, free_energy = 0;
  double iterations = 0, residual = 0, outcome = ATP_OUTCOME_CONVERGED, quadrature = 0;
};
static_assert(sizeof(Row) == ATP_REPLICA_COLUMNS * sizeof(double));

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x T; exactly 0 for T = 0, however large x is.
inline double times_temperature(double x, double temperature) { return temperature > 0 ? x * temperature : 0; }

// Sums over eigenvalues and projections that a solution of the square loss needs.
struct SquareSums {
  double df1 = 0, df2 = 0;  // (1/p) sum s / (s + kappa), (1/p) sum s^2 / (s + kappa)^2
  double e1 = 0;            // (1/p) sum s / (s + kappa)^2
  double teacher = 0;       // sum s t / (s + kappa)
  double bias = 0;          // kappa^2 sum s t / (s + kappa)^2
  double m = 0;             // sum s^2 t / (s + kappa)
  double q = 0;             // sum s^3 t / (s + kappa)^2
  double norm = 0;          // sum s^2 t / (s + kappa)^2
  double log_det = 0;       // only if T > 0
};

// The row of a solution with matching kappa and h = alpha - df1. docs/theory.md, section 8 has all losses and
// overlaps.
inline Row square_row(double alpha, double lambda, double temperature, double rho, double noise, double kappa, double gap,
                      const SquareSums &sums) {
  Row row;
  row.alpha = alpha;
  row.lambda = lambda;
  row.rho = rho;
  row.kappa = kappa;
  // alpha - df2, without cancellation.
  const double denominator = gap + kappa * sums.e1;
  const double loss = sums.bias + noise;
  double eg = denominator > 0 ? alpha * (loss / denominator) : loss > 0 ? kInfinity : 0;
  row.m = sums.m;
  row.q = sums.q + (sums.df2 > 0 ? eg / alpha * sums.df2 : 0);
  row.v = gap > 0 ? sums.df1 / gap : kInfinity;
  row.v_hat = row.m_hat = gap;
  row.q_hat = gap > 0 ? eg * (gap / alpha) * gap : 0;
  row.norm = sums.norm + eg / alpha * sums.e1;
  row.et = gap > 0 ? eg * (gap / alpha) * (gap / alpha) : 0;
  row.free_energy = 0.5 * (lambda * sums.teacher + gap * noise);
  if (temperature > 0) {
    // V / (1 + V) = df1 / alpha, 1 + V = alpha / h.
    eg += temperature * row.v;
    row.et += temperature * sums.df1 / alpha;
    row.free_energy += gap > 0 ? temperature / 2 * (sums.log_det + alpha * std::log(alpha / gap) - sums.df1) : -kInfinity;
  }
  row.eg = eg;
  if (!std::isfinite(eg)) row.outcome = ATP_OUTCOME_DIVERGED;
  return row;
}

}  // namespace atp::replica
