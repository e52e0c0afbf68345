// SPDX-License-Identifier: MIT
#include "theory/replica/convex_loss.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

namespace {

constexpr int kProximalSteps = 200;

// Solves z - v sigmoid(-z) = omega, the case y = 1. The left side increases; it is convex below 0 and concave
// above. Newton steps therefore converge monotonically from the right of a negative root and from the left of a
// positive one.
double logistic_proximal(double omega, double v) {
  double z = omega + v / 2 > 0 ? std::max(omega, 0.0) : std::min(omega + v, 0.0);
  for (int step = 0; step < kProximalSteps; ++step) {
    const double s = sigmoid(-z), next = z - (z - omega - v * s) / (1 + v * s * (1 - s));
    const double change = std::fabs(next - z);
    z = next;
    if (change <= 1e-9 * std::max(1.0, std::fabs(z))) {  // the last step squares the error
      const double last = sigmoid(-z);
      return z - (z - omega - v * last) / (1 + v * last * (1 - last));
    }
  }
  return z;
}

}  // namespace

double ConvexLoss::value(double y, double z) const {
  if (classifies()) return softplus(-y * z);
  const double r = std::fabs(y - z);
  return kind == LossKind::square || r <= delta ? r * r / 2 : delta * (r - delta / 2);
}

double ConvexLoss::proximal(double y, double omega, double v) const {
  if (classifies()) return y * logistic_proximal(y * omega, v);
  return omega + v * response(y, omega, v).f;
}

// For large v the proximal point is close to y, so f and the loss are computed from y - omega and not from
// their difference.
ConvexResponse ConvexLoss::response(double y, double omega, double v) const {
  if (classifies()) {
    const double z = logistic_proximal(y * omega, v), s = sigmoid(-z), c = s * sigmoid(z);
    return {softplus(-z), y * s, c / (1 + v * c)};
  }
  const double r = y - omega, after = r / (1 + v);
  if (kind == LossKind::square || std::fabs(after) <= delta) return {after * after / 2, after, 1 / (1 + v)};
  return {delta * (std::fabs(r) - delta * v - delta / 2), std::copysign(delta, r), 0};
}

}  // namespace atp::replica
