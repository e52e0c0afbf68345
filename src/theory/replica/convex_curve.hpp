// SPDX-License-Identifier: MIT
// Learning curves of linear students under a convex loss, by proximal operators and quadratures. docs/theory.md derives them.
//
// Inputs x in R^p of the given spectrum, teacher field nu = w* . x, alpha p samples (x, y):
//     square, Huber:  y = nu + noise                                logistic:  y = +-1, P(y | nu) = 1 / (1 + exp(-y nu)); no noise
// Logistic with `cavity`: y = +-1 with a probability of a half each, and given y inputs are N(y S w* / 2, S), with the same P(y | nu).
// Student: argmin_w sum_mu loss(y_mu, w . x_mu) + (lambda p / 2) |w|^2. Source: B. Loureiro et al., NeurIPS 2021, arXiv:2102.08127.
#pragma once

#include "base/span.hpp"
#include "theory/replica/saddle_solver.hpp"

namespace atp::replica {

enum class LossKind : int32_t { square = 0, huber = 1, logistic = 2 };

// The effect of the proximal operator on one sample: the loss after it, f = (proximal - omega) / v, and
// -df/domega (0 beyond Huber's kinks).
struct ConvexResponse {
  double loss, f, stiffness;
};

// With r = y - z:  square r^2 / 2;  Huber r^2 / 2 where |r| <= delta, else delta |r| - delta^2 / 2;  logistic log(1 + exp(-y z)), y = +-1.
struct ConvexLoss {
  LossKind kind = LossKind::square;
  double delta = 1;     // only for Huber
  bool cavity = false;  // only for logistic: inputs are normal given the label, around y S w* / 2

  bool classifies() const { return kind == LossKind::logistic; }
  double value(double y, double z) const;
  // argmin_z loss(y, z) + (z - omega)^2 / (2 v), v >= 0.
  double proximal(double y, double omega, double v) const;
  ConvexResponse response(double y, double omega, double v) const;
};

// 1 / (1 + exp(-x)) and log(1 + exp(x)), for any x.
double sigmoid(double x);
double softplus(double x);

inline constexpr double kConvexTolerance = 1e-12;      // of the residual: largest change of log V^, q^, m^ in one more iteration
inline constexpr double kQuadratureTolerance = 1e-10;  // of the test loss, relative

// Doubles of work space for the two functions below.
int64_t convex_workspace();

// One row in units that can be compared: twice the loss for square (the mean squared error) and Huber, -log p
// in nats for logistic, where rho is w* . S w*.
Row solve_convex(const Spectrum &spectrum, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter, Span<double> workspace);

// The same loss of the teacher, w = w*.
double optimal_convex(const Spectrum &spectrum, const ConvexLoss &loss, Span<double> workspace);

class ConvexCurve final : public LearningCurve {
 public:
  // `workspace` has convex_workspace() doubles.
  ConvexCurve(Context &context, const Spectrum &spectrum, const ConvexLoss &loss, double lambda, int64_t max_iter, Span<double> workspace);
  atp_outcome fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) override;
  double loss_without_samples(double rho) const override;

 private:
  Spectrum spectrum_;
  ConvexLoss loss_;
  int64_t max_iter_;
  Span<double> workspace_;
};

}  // namespace atp::replica
