// SPDX-License-Identifier: MIT
#include "learn/dense/site_fields.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kMostColors = 255;

// log p(a) of fields h; the objective.
double objective(const double *counts, int64_t q, double penalty, const double *h, double *log_p) {
  const double top = *std::max_element(h, h + q);
  double sum = 0, value = 0;
  for (int64_t a = 0; a < q; ++a) sum += std::exp(h[a] - top);
  const double log_sum = top + std::log(sum);
  for (int64_t a = 0; a < q; ++a) {
    log_p[a] = h[a] - log_sum;
    value += std::fma(-counts[a], log_p[a], penalty * h[a] * h[a]);
  }
  return value;
}

}  // namespace

// The Hessian is D - n p p^T with D = n diag(p) + 2 penalty; its inverse follows from that of D (Sherman and Morrison).
void fit_site(const double *counts, int64_t q, double penalty, double *log_p) {
  double h[kMostColors] = {}, next[kMostColors], step[kMostColors], side[kMostColors], n = 0;
  for (int64_t a = 0; a < q; ++a) n += counts[a];
  double value = objective(counts, q, penalty, h, log_p);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double with_gradient = 0, with_p = 0, slope = 0;
    for (int64_t a = 0; a < q; ++a) {
      const double p = std::exp(log_p[a]), d = n * p + 2 * penalty;
      const double gradient = n * p - counts[a] + 2 * penalty * h[a];
      step[a] = gradient / d;
      side[a] = p / d;
      with_gradient += p * step[a];
      with_p += p * side[a];
    }
    const double factor = n * with_gradient / (1 - n * with_p);
    for (int64_t a = 0; a < q; ++a) {
      step[a] += factor * side[a];
      slope += step[a] * (n * std::exp(log_p[a]) - counts[a] + 2 * penalty * h[a]);
    }
    if (!(slope > 1e-14 * std::fabs(value))) return;
    double length = 1, now = 0;
    do {
      for (int64_t a = 0; a < q; ++a) next[a] = h[a] - length * step[a];
      now = objective(counts, q, penalty, next, log_p);
      length /= 2;
    } while (now > value - 1e-4 * 2 * length * slope && length > 1e-10);
    std::copy_n(next, q, h);
    value = now;
  }
}

}  // namespace atp
