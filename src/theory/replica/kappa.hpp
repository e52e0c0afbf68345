// SPDX-License-Identifier: MIT
// The scalar equation kappa (alpha - t(kappa)) = lambda, t = E[s / (s + kappa)] over any distribution of s > 0.
#pragma once

#include "math/search.hpp"

#include <cmath>
#include <cstdint>

namespace atp::replica {

// Means over the distribution at one kappa. Each is a mean of positive terms; none is a difference of the
// others.
struct Traces {
  double t;      // E[s / (s + kappa)]
  double rest;   // E[kappa / (s + kappa)] = 1 - t
  double slope;  // E[kappa s / (s + kappa)^2] = -dt / dlog kappa
};

struct Kappa {
  double kappa = 0;
  double gap = 0;  // h = alpha - t = lambda / kappa, without cancellation
  int64_t iterations = 0;
  double residual = 0;  // |alpha - t - lambda / kappa| / alpha
  bool converged = true;
};

// The positive root of a x^2 + b x = c, a > 0, c >= 0 (c > 0 or b < 0).
inline double positive_root(double a, double b, double c) {
  const double root = std::sqrt(b * b + 4 * a * c);
  return b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
}

// Newton's method in log kappa, with bisection if a step leaves the bracket. The bracket follows from Jensen's
// inequality: s / (s + kappa) is concave in s and convex in 1/s, so 1 / (1 + kappa E[1/s]) <= t <= E[s] / (E[s]
// + kappa). With equality, each side is a quadratic equation. F = alpha - t - lambda / kappa increases with
// kappa. Above alpha = 1/2 it is computed from 1 - t, because it would lose its digits near alpha = 1
// otherwise.
template <class Distribution>
Kappa solve_kappa(Distribution &&traces, double mean, double inverse_mean, double alpha, double lambda) {
  Kappa result;
  if (lambda == 0 && alpha >= 1) {
    result.gap = alpha - 1;
    return result;
  }
  // The bounds are exact for a distribution of one point; this leaves room for rounding.
  constexpr double kRoom = 1e-12;
  constexpr int64_t kMostIterations = 200;
  const double low = std::log(positive_root(alpha * inverse_mean, alpha - 1 - lambda * inverse_mean, lambda)) - kRoom;
  const double high = std::log(positive_root(alpha, (alpha - 1) * mean - lambda, lambda * mean)) + kRoom;
  const auto excess = [&](double log_kappa) {
    const double kappa = std::exp(log_kappa);
    const Traces at = traces(kappa);
    return ValueAndSlope{alpha > 0.5 ? (alpha - 1) + at.rest - lambda / kappa : alpha - at.t - lambda / kappa, at.slope + lambda / kappa};
  };
  // Near the solution the step is the error of log kappa, hence the relative error of kappa. |log kappa| eps of it is rounding.
  const auto enough = [](double log_kappa, double step, double) { return std::fabs(step) <= 4e-16 * std::fmax(1.0, std::fabs(log_kappa)); };
  const NewtonRoot root = newton_in({low, high}, (low + high) / 2, kMostIterations, 1e-13, excess, enough);
  result.iterations = root.evaluations;
  result.kappa = std::exp(root.x);
  result.residual = std::fabs(root.value) / alpha;
  result.converged = result.residual <= 1e-12 && std::fabs(root.step) <= 1e-10;
  result.gap = lambda > 0 ? lambda / result.kappa : 0;
  return result;
}

}  // namespace atp::replica
