// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/problem.hpp"

#include <algorithm>

namespace atp::dotattn {

namespace {

constexpr double kPi = 3.14159265358979323846, kRange = 9;
constexpr int64_t kFirst = 32, kLast = 2048;

struct Moments {
  double first, second, square;  // E S_11, E S_21, E (S_11^2 + S_21^2)
};

// Midpoints in the angle, which is periodic, and in u of |z|^2 = kRange^2 u^3 / (...): the radius is mapped so that the ends are flat.
Moments moments(double sigma, int64_t n) {
  Moments sum{};
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    // r = kRange (x - sin(2 pi x) / (2 pi)): the integrand and its derivatives vanish at both ends.
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double radius = kRange * (x - std::sin(2 * kPi * x) / (2 * kPi));
    const double weight = (1 - std::cos(2 * kPi * x)) * radius * std::exp(-0.5 * radius * radius);
    for (int64_t j = 0; j < n; ++j) {
      const double angle = kPi * (static_cast<double>(j) + 0.5) / static_cast<double>(n);
      const Column s = softmax_column(sigma * radius * std::cos(angle), sigma * radius * std::sin(angle));
      sum.first += weight * s.first;
      sum.second += weight * s.second;
      sum.square += weight * (s.first * s.first + s.second * s.second);
      total += weight;
    }
  }
  return {sum.first / total, sum.second / total, sum.square / total};
}

}  // namespace

double linear_baseline(const Problem &problem, double *map) {
  Moments now = moments(problem.sigma, kFirst);
  for (int64_t n = 2 * kFirst; n <= kLast; n *= 2) {
    const Moments next = moments(problem.sigma, n);
    const double change =
        std::max({std::fabs(next.first - now.first), std::fabs(next.second - now.second), std::fabs(next.square - now.square)});
    now = next;
    if (change < 1e-12) break;
  }
  const double keep = 1 - problem.omega;
  if (map != nullptr) {
    map[0] = keep * now.first + problem.omega * problem.map[0];
    map[1] = keep * (1 - now.first) + problem.omega * problem.map[1];
    map[2] = keep * now.second + problem.omega * problem.map[2];
    map[3] = keep * (1 - now.second) + problem.omega * problem.map[3];
  }
  // |T - W|_F^2 is twice its first column: rows of T - W sum to zero.
  const double variance = now.square - now.first * now.first - now.second * now.second;
  return problem.rho() * keep * keep * variance;
}

}  // namespace atp::dotattn
