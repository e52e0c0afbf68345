// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/stability.hpp"

#include <cmath>

namespace atp::dotattn {

namespace {

constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)

// First and second derivative of 2 (sigmoid(a) - t)^2.
struct Bend {
  double slope, curvature;
};

Bend bend_of(double a, double t) {
  const double s = sigmoid(a), first = s * (1 - s), second = first * (1 - 2 * s);
  return {4 * (s - t) * first, 4 * (first * first + (s - t) * second)};
}

}  // namespace

// With a = x1 D, b = x2 D, D = x1 - x2: grad a = (2 x1 - x2, -x1), grad b = (x2, x1 - 2 x2), and their Hessians are constants.
double squared_response(const Field &field, Vector x) {
  const double d = x.first - x.second;
  const Bend a = bend_of(x.first * d, field.target.first), b = bend_of(x.second * d, field.target.second);
  const double a1 = 2 * x.first - x.second, a2 = -x.first, b1 = x.second, b2 = x.first - 2 * x.second;
  const double scale = 0.5 * field.rho / field.inverse_v;
  const double h11 = scale * (a.curvature * a1 * a1 + 2 * a.slope + b.curvature * b1 * b1);
  const double h12 = scale * (a.curvature * a1 * a2 - a.slope + b.curvature * b1 * b2 + b.slope);
  const double h22 = scale * (a.curvature * a2 * a2 + b.curvature * b2 * b2 - 2 * b.slope);
  // (1 + H)^-1 - 1 = -H (1 + H)^-1; in two dimensions H (1 + H)^-1 = (H + det H) / det(1 + H).
  const double det = h11 * h22 - h12 * h12, all = 1 + h11 + h22 + det;
  return ((h11 + det) * (h11 + det) + 2 * h12 * h12 + (h22 + det) * (h22 + det)) / (all * all);
}

// At a jump both minima have the same F, whose derivative by w is 2 (w - x) / V: the surface is at right angles to the jump. A line along e
// that crosses it there has |jump| / |jump . e| of the surface for each unit across.
Spread spread_of(const Node &node) {
  const Field &field = node.field;
  const Points &points = node.points;
  const Lines &l = node.lines;
  Spread sum;
  for (int64_t p = 0; p < node.n_points(); ++p) sum.smooth += points.weight[p] * squared_response(field, points.best[p]);
  for (int64_t k = 0; k < node.n_lines(); ++k) {
    if (l.jumps[k] == 0) continue;
    const double z = (l.low[k] - l.center[k]) / field.s;
    const Vector jump{l.above.first[k] - l.below.first[k], l.above.second[k] - l.below.second[k]};
    const double length = std::sqrt(jump.first * jump.first + jump.second * jump.second), along = std::fabs(field.axes.along(jump));
    if (!(along > 0)) continue;
    sum.jumps += node.rules->lines.weights[k] * kNormal / field.s * std::exp(-0.5 * z * z) * length * length * length / along;
  }
  return sum;
}

}  // namespace atp::dotattn
