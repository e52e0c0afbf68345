// SPDX-License-Identifier: MIT
// A learning curve: a row for each alpha, or for each target of the test loss. square.hpp, convex_curve.hpp and potts_curve.hpp have the
// curves.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "math/optim/vector.hpp"

#include <attopotts/replica.h>

#include <limits>

namespace atp::replica {

// One point of a learning curve. Its members are the columns of atp_replica_column, in their order.
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

// Eigenvalues s_k > 0 of the inputs' covariance, projections t_k of the teacher on its eigenvectors, variance of the masked value given the
// inputs.
struct Spectrum {
  const double *s;
  const double *t;
  int64_t p;
  double noise;
};

// The row of an alpha that was not reached: NaN, with the outcome CANCELLED.
Row cancelled_row(double alpha, double lambda);

// Throws ATP_E_VALUE where an eigenvalue of the inputs' covariance is 0.
void require_definite(const double *eigenvalues, int64_t n);

// Throws ATP_E_VALUE where lambda = 0 makes V infinite.
void require_finite_response(const double *alphas, int64_t n, double lambda);

class LearningCurve {
 public:
  // lambda: NaN where each row finds its own.
  LearningCurve(Context &context, double lambda) : context_(context), lambda_(lambda) {}
  virtual ~LearningCurve() = default;
  LearningCurve(const LearningCurve &) = delete;
  LearningCurve &operator=(const LearningCurve &) = delete;

  // Writes rows [n][ATP_REPLICA_COLUMNS] for alphas [n], with a report after each. Returns CANCELLED, or the first outcome that is not
  // CONVERGED, or CONVERGED.
  virtual atp_outcome fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) = 0;

  // The smallest possible test loss; of q-colour pseudo-likelihood after the first call of fill().
  double optimum() const { return optimum_; }
  // The test loss of w = 0, where the variance of y is rho; infinity where it is not known.
  virtual double loss_without_samples(double rho) const { return rho; }
  double lambda() const { return lambda_; }
  Context &context() const { return context_; }

 protected:
  // Rows of the quadratic loss take microseconds, less than a message: every rank makes all of them. Convex losses take up to
  // milliseconds; there the ranks make a row each and gather them.
  enum class Rows { of_every_rank, shared };
  atp_outcome fill_one_by_one(const double *alphas, int64_t n, Rows how, FunctionRef<Row(double alpha)> solve, Reporter &reporter,
                              double *rows) const;

  double optimum_ = 0;

 private:
  Context &context_;
  double lambda_;
};

// The targets that fill_targets() searches for.
struct Targets {
  const double *losses;  // [n], in units of the optimum
  int64_t n;
  int64_t parameters;  // alpha = M / parameters for a whole number of samples M; 0: any alpha
  bool falls;          // e_g only falls with alpha, as with the best penalty
};

// How many alphas a search fills at a time, and the bytes that it takes from the context beside those of the curve.
inline constexpr int64_t kAlphasAtOnce = 64;
std::size_t target_bytes();

// For each target the row of the smallest alpha with a test loss of at most the target times the optimum. `quiet` goes to the curve's own
// calls. Returns as fill(). Throws ATP_E_VALUE where a target has no such alpha, or needs no samples.
atp_outcome fill_targets(LearningCurve &curve, const Targets &targets, Reporter &quiet, Reporter &reporter, double *rows);

}  // namespace atp::replica
