// SPDX-License-Identifier: MIT
#include "sample/distance_curve.hpp"
#include "math/search.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

double DistanceCurve::slope(int64_t k) const {
  const int64_t last = x.size() - 1;
  const auto secant = [&](int64_t j) { return (y[j + 1] - y[j]) / (x[j + 1] - x[j]); };
  if (k == 0) return secant(0);
  if (k == last) return secant(last - 1);
  const double left = secant(k - 1), right = secant(k);
  if (left * right <= 0) return 0;
  const double h_left = x[k] - x[k - 1], h_right = x[k + 1] - x[k];
  const double w_left = 2 * h_right + h_left, w_right = h_right + 2 * h_left;
  return (w_left + w_right) / (w_left / left + w_right / right);
}

double DistanceCurve::within(int64_t k, double at) const {
  const double h = x[k + 1] - x[k], t = (at - x[k]) / h;
  const double s0 = h * slope(k), s1 = h * slope(k + 1), rise = y[k + 1] - y[k];
  return y[k] + t * (s0 + t * (3 * rise - 2 * s0 - s1 + t * (s0 + s1 - 2 * rise)));
}

double DistanceCurve::value(double at) const {
  const int64_t last = x.size() - 1;
  if (at <= x[0]) return y[0] + slope(0) * (at - x[0]);
  if (at >= x[last]) return y[last] + slope(last) * (at - x[last]);
  const int64_t k = std::upper_bound(x.begin(), x.end(), at) - x.begin() - 1;
  return within(std::min(k, last - 1), at);
}

double DistanceCurve::crossing(double level) const {
  const int64_t last = x.size() - 1;
  int64_t k = 1;
  while (k <= last && y[k] > level) ++k;
  if (k > last) return slope(last) < 0 ? x[last] + (level - y[last]) / slope(last) : HUGE_VAL;
  return bisect_times(200, {x[k - 1], x[k]}, [&](double at) { return within(k - 1, at) > level; }).high;
}

}  // namespace atp
