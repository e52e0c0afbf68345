// SPDX-License-Identifier: MIT
// Derivatives of the objective of dense couplings by differences.
#pragma once

#include "dense_problem.hpp"

namespace atp {

// Fourth-order central difference of a function of a vector; the truncation error is of order step^4.
template <class Function>
double central_slope(Vector x, size_t k, Function &&function) {
  const double step = 2e-3, at = x[k], shift[4] = {-2, -1, 1, 2};
  double f[4];
  for (int m = 0; m < 4; ++m) {
    x[k] = at + shift[m] * step;
    f[m] = function(x);
  }
  return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step);
}

inline double slope(Trainer &t, const Vector &x, size_t k) {
  return central_slope(x, k, [&](const Vector &at) { return objective_at(t, at); });
}

// Largest difference of gradient and differences, over the larger of |gradient_k| and a hundredth of its largest element.
inline double worst_slope(const Vector &g, const Vector &slopes) {
  double largest = 0, worst = 0;
  for (double v : g) largest = fmax(largest, fabs(v));
  for (size_t k = 0; k < g.size(); ++k) worst = fmax(worst, fabs(g[k] - slopes[k]) / fmax(fabs(g[k]), 1e-2 * largest));
  return worst;
}

}  // namespace atp
