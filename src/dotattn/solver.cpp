// SPDX-License-Identifier: MIT
#include "dotattn/solver.hpp"

#include "dotattn/equations.hpp"

#include <algorithm>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kDifference = 1e-5;  // of finite differences
constexpr int kHalvings = 8;
constexpr int64_t kMostAverages = 150;  // of one solve: ten are usual
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x = A^-1 b by elimination with pivots; false where A is singular.
bool solve_linear(int n, const double (&matrix)[3][3], const double *b, double *x) {
  double a[3][4];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i][j] = matrix[i][j];
    a[i][n] = b[i];
  }
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i)
      if (std::fabs(a[i][c]) > std::fabs(a[pivot][c])) pivot = i;
    if (!(std::fabs(a[pivot][c]) > 1e-300)) return false;
    for (int j = 0; j <= n; ++j) std::swap(a[c][j], a[pivot][j]);
    for (int i = 0; i < n; ++i) {
      if (i == c) continue;
      const double factor = a[i][c] / a[c][c];
      for (int j = c; j <= n; ++j) a[i][j] -= factor * a[c][j];
    }
  }
  for (int i = 0; i < n; ++i) x[i] = a[i][n] / a[i][i];
  return true;
}

// The unknowns that are free: log q, log V, and share or log alpha.
double &unknown(Point &p, int k, bool hold_share) { return k == 0 ? p.log_q : k == 1 ? p.log_v : hold_share ? p.log_alpha : p.share; }

}  // namespace

Order order_at(const Problem &problem, Kind kind, const Point &point) {
  Order order{std::exp(point.log_q), 0, 0, std::exp(point.log_v)};
  if (kind == Kind::semantic) order.theta = std::sqrt(point.share * problem.rho() * order.q);
  if (kind == Kind::positional) order.m = std::sqrt(point.share * order.q / problem.rho());
  return order;
}

double Solver::Residual::largest() const {
  double most = 0;
  for (double v : value) {
    if (!std::isfinite(v)) return kInfinity;
    most = std::max(most, std::fabs(v));
  }
  return most;
}

Averages Solver::average(Kind kind, const Point &point) {
  ++applications;
  return integrator_.average(problem_, order_at(problem_, kind, point));
}

Solver::Residual Solver::residual(Kind kind, const Point &point, const Averages &mean, Order *order, Hats *hats_out) const {
  const Order at = order_at(problem_, kind, point);
  Hats hats = hats_of(problem_, std::exp(point.log_alpha), at, mean);
  if (kind != Kind::positional) hats.m = 0;
  if (kind != Kind::semantic) hats.theta = 0;
  const Order next = order_of(problem_, hats);
  if (order != nullptr) *order = at;
  if (hats_out != nullptr) *hats_out = hats;
  Residual r{{kInfinity, kInfinity, 0}};
  if (!(next.v > 0) || !(next.q > 0)) return r;
  r.value[0] = std::log(next.q / at.q);
  r.value[1] = std::log(next.v / at.v);
  // Divided by the order parameter: the uninformed solution is none of these equations.
  if (kind == Kind::semantic) r.value[2] = next.theta / at.theta - 1;
  if (kind == Kind::positional) r.value[2] = next.m / at.m - 1;
  return r;
}

Point Solver::iterate(Kind kind, Point point, int steps, double step, bool *unbounded) {
  for (int k = 0; k < steps && applications < most; ++k) {
    const Residual r = residual(kind, point, average(kind, point), nullptr, nullptr);
    const bool infinite = !(r.largest() < kInfinity);
    if (unbounded != nullptr) *unbounded = infinite;
    if (infinite) {
      point.log_v -= 0.5;
      continue;
    }
    const auto limited = [&](double x) { return std::max(-1.0, std::min(1.0, step * x)); };
    const double dq = limited(r.value[0]);
    point.log_q += dq;
    point.log_v += limited(r.value[1]);
    if (kind != Kind::uninformed)
      point.share = std::max(1e-9, std::min(1 - 1e-6, point.share * std::exp(2 * std::log1p(std::max(-0.5, limited(r.value[2]))) - dq)));
    if (r.largest() < 1e-3) break;
  }
  return point;
}

Solution Solver::solve(Kind kind, const Point &start, bool hold_share) {
  const int n = kind == Kind::uninformed ? 2 : 3;
  Solution s;
  s.point = start;
  if (kind == Kind::uninformed) s.point.share = 0;
  s.mean = average(kind, s.point);
  Residual now = residual(kind, s.point, s.mean, &s.order, &s.hats);
  double jacobian[3][3];
  bool fresh = false, known = false;
  const auto finish = [&](Ending ending) {
    s.residual = now.largest();
    s.ending = ending == Ending::stalled && s.residual <= kGoodResidual ? Ending::converged : ending;
    return s;
  };
  const int64_t begin = applications;
  while (now.largest() > kResidual) {
    if (applications >= most) return finish(Ending::too_many);
    if (applications - begin > kMostAverages) return finish(Ending::stalled);
    if (!(now.largest() < kInfinity)) return finish(Ending::stalled);
    if (!known) {
      for (int c = 0; c < n; ++c) {
        Point moved = s.point;
        double &x = unknown(moved, c, hold_share);
        const bool share = c == 2 && !hold_share;
        const double h = share ? std::min(kDifference, 1e-2 * std::min(x, 1 - x)) : kDifference;
        x += h;
        // alpha is a factor of the hats: no new averages.
        const bool alpha = c == 2 && hold_share;
        const Residual r = residual(kind, moved, alpha ? s.mean : average(kind, moved), nullptr, nullptr);
        for (int k = 0; k < n; ++k) jacobian[k][c] = (r.value[k] - now.value[k]) / h;
      }
      known = fresh = true;
    }
    double step[3];
    if (!solve_linear(n, jacobian, now.value, step)) return finish(Ending::stalled);
    double factor = 1;
    bool vanishing = false;
    for (int c = 0; c < n; ++c) {
      const bool share = c == 2 && !hold_share;
      const double x = s.point.share;
      if (!std::isfinite(step[c])) return finish(Ending::stalled);
      if (!share && std::fabs(step[c]) > 0.7) factor = std::min(factor, 0.7 / std::fabs(step[c]));
      if (share && x - step[c] > 1 - 0.2 * (1 - x)) factor = std::min(factor, 0.8 * (1 - x) / -step[c]);
      if (share && x - step[c] < 0.1 * x) {
        factor = std::min(factor, 0.9 * x / step[c]);
        vanishing = true;
      }
    }
    bool taken = false;
    for (int halving = 0; halving < kHalvings && !taken; ++halving, factor *= 0.5) {
      Point moved = s.point;
      for (int c = 0; c < n; ++c) unknown(moved, c, hold_share) -= factor * step[c];
      const Averages mean = average(kind, moved);
      Order order;
      Hats hats;
      const Residual r = residual(kind, moved, mean, &order, &hats);
      if (!(r.largest() < now.largest() * (1 - 0.1 * factor)) && !(vanishing && r.largest() < 2 * now.largest())) {
        if (!fresh) break;
        continue;
      }
      taken = true;
      // Broyden's update of the Jacobian.
      double change[3] = {}, norm = 0;
      for (int c = 0; c < n; ++c) {
        change[c] = -factor * step[c];
        norm += change[c] * change[c];
      }
      for (int k = 0; k < n; ++k) {
        double predicted = 0;
        for (int c = 0; c < n; ++c) predicted += jacobian[k][c] * change[c];
        for (int c = 0; c < n && norm > 0; ++c) jacobian[k][c] += (r.value[k] - now.value[k] - predicted) * change[c] / norm;
      }
      known = factor >= 0.5 && r.largest() < 0.3 * now.largest();
      s.point = moved;
      s.mean = mean;
      s.order = order;
      s.hats = hats;
      now = r;
    }
    if (!taken && fresh) return finish(Ending::stalled);
    if (!taken) known = false;
    fresh = false;
    if (kind != Kind::uninformed && !hold_share && s.point.share < kLeastShare) return finish(Ending::vanished);
  }
  return finish(Ending::converged);
}

}  // namespace atp::dotattn
