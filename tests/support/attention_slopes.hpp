// SPDX-License-Identifier: MIT
// Gradients of a learning problem against differences of its objective.
#pragma once

#include "attention_problem.hpp"

#include <cmath>

namespace atp {

// Fourth-order central difference; the truncation error is of order step^4.
template <class Function>
double difference(Function &&f, std::vector<double> at, size_t k) {
  const double step = 2e-3, x = at[k], shift[4] = {-2, -1, 1, 2};
  double y[4];
  for (int m = 0; m < 4; ++m) {
    at[k] = x + shift[m] * step;
    y[m] = f(at);
  }
  return (y[0] - 8 * y[1] + 8 * y[2] - y[3]) / (12 * step);
}

// Largest difference of gradient g and differences of f, over the larger of |g_k| and 1e-3 of its largest element.
template <class Function>
double worst_slope(Function &&f, const std::vector<double> &at, const std::vector<double> &g) {
  double largest = 0, worst = 0;
  for (double x : g) largest = std::fmax(largest, std::fabs(x));
  for (size_t k = 0; k < g.size(); ++k)
    worst = std::fmax(worst, std::fabs(g[k] - difference(f, at, k)) / std::fmax(std::fabs(g[k]), 1e-3 * largest));
  return worst;
}

inline double worst_slope(AttentionProblem &p, const MaskedData &d, const std::vector<double> &g) {
  return worst_slope([&](const std::vector<double> &at) { return p.objective_value(at, d); }, p.parameters, g);
}

}  // namespace atp
