// SPDX-License-Identifier: MIT
// Learning curves of the square loss: for a given spectrum, from the scalar equation for kappa and from the saddle-point equations, and
// for P = z I - J, J from the Gaussian orthogonal ensemble, in the limit L -> infinity, where sums over the spectrum are in closed form.
#pragma once

#include "theory/replica/curve.hpp"

#include <cstdint>

namespace atp::replica {

// Moments that do not depend on alpha.
struct SpectrumMoments {
  double mean = 0;          // (1/p) sum s
  double inverse_mean = 0;  // (1/p) sum 1/s
  double rho = 0;           // sum s t + noise
};
SpectrumMoments moments(const Spectrum &spectrum);

Row solve_square(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature);

Row solve_square_saddle(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature,
                        int64_t max_iter);

// Means over the distribution at one kappa. Each is a mean of positive terms; none is a difference of the
// others.
struct Traces {
  double t;      // E[s / (s + kappa)]
  double rest;   // E[kappa / (s + kappa)] = 1 - t
  double slope;  // E[kappa s / (s + kappa)^2] = -dt / dlog kappa
};

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

class Limit {
 public:
  // shift = z > 2.
  explicit Limit(double shift);
  // For kappa >= 0; accurate to working precision from 0 to beyond 1e12.
  Traces traces(double kappa) const;
  SquareSums sums(double kappa, double gap) const;
  double mean() const { return g_; }          // E s = g(z)
  double inverse_mean() const { return z_; }  // E 1/s
  Row solve(double alpha, double lambda, double temperature) const;

 private:
  struct Parts;
  Parts parts(double kappa) const;
  double z_, root_, g_;  // z, sqrt(z^2 - 4), g(z)
};

// Parameters of the curves of the square loss beside the inputs.
struct SquareSettings {
  double lambda;
  bool best_lambda;  // the penalty of smallest e_g instead, for each alpha
  double temperature;
};

class SquareCurve : public LearningCurve {
 public:
  SquareCurve(Context &context, const SquareSettings &settings, double scale, double optimum);
  atp_outcome fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) final;

 protected:
  virtual Row solve(double alpha, double lambda) const = 0;
  const SquareSettings settings_;

 private:
  double scale_;  // around which the best penalty is searched for
};

// The curve of a spectrum. The saddle-point equations give it if iterations are allowed, else the equation for kappa.
class SpectrumCurve final : public SquareCurve {
 public:
  SpectrumCurve(Context &context, const Spectrum &spectrum, const SquareSettings &settings, int64_t max_iter = 0);

 private:
  Row solve(double alpha, double lambda) const override;
  Spectrum spectrum_;
  SpectrumMoments moments_;
  int64_t max_iter_;
};

class LimitCurve final : public SquareCurve {
 public:
  LimitCurve(Context &context, double shift, const SquareSettings &settings);

 private:
  Row solve(double alpha, double lambda) const override { return limit_.solve(alpha, lambda, settings_.temperature); }
  Limit limit_;
};

}  // namespace atp::replica
