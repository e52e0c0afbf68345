// SPDX-License-Identifier: MIT
// Newton's method for a minimum in a few unknowns.
#pragma once

#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace atp {

// From x to a local minimum in x: Newton's method with a diagonal that grows where the Hessian is not positive, and halved steps. Returns
// the value there. A Problem has unknowns() <= Most, value(x), and derivatives(x, gradient [n], hessian [n][n]), which returns the value.
// The method ends with a step of less than 1e-11 of `scale`, the size of x.
template <std::size_t Most, class Problem>
double descend_newton(const Problem &problem, double scale, double *x) {
  constexpr int kMostSteps = 60;
  constexpr double kSmall = 1e-11;
  const int64_t n = problem.unknowns();
  double gradient[Most], hessian[Most * Most], factors[Most * Most], step[Most], trial[Most];
  const double small = kSmall * scale + 1e-300;
  double now = problem.derivatives(x, gradient, hessian);
  for (int count = 0; count < kMostSteps && std::isfinite(now); ++count) {
    double stiff = 0;
    for (int64_t e = 0; e < n; ++e) stiff = std::fmax(stiff, std::fabs(hessian[e * n + e]));
    for (double shift = 0; !solve_positive(n, hessian, shift, gradient, factors, step); shift = shift > 0 ? 4 * shift : 1e-3 * stiff) {
    }
    double slope = 0, size = 0;
    for (int64_t e = 0; e < n; ++e) {
      step[e] = -step[e];
      slope += gradient[e] * step[e];
      size += step[e] * step[e];
    }
    if (!(size > small * small)) break;
    double factor = 1;
    for (int half = 0; half < 40; ++half, factor /= 2) {
      for (int64_t e = 0; e < n; ++e) trial[e] = x[e] + factor * step[e];
      if (problem.value(trial) <= now + 1e-4 * factor * slope) break;
      if (-factor * slope <= 1e-15 * std::fabs(now)) return now;  // rounding
    }
    std::copy(trial, trial + n, x);
    now = problem.derivatives(x, gradient, hessian);
  }
  return now;
}

}  // namespace atp
