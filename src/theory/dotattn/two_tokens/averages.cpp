// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/averages.hpp"

#include "base/team.hpp"
#include "theory/dotattn/two_tokens/lines.hpp"

#include <algorithm>
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

// --- averages ---

namespace {

constexpr int64_t kSlice = 1 << 13;  // points of a thread between reports: some hundredths of a second

// Over the points of a node, with their weights.
Averages sum_over_w(const Node &node) {
  const Field &field = node.field;
  const Points &points = node.points;
  const Batch &batch = points.batch;
  Averages sum;
  for (int64_t p = 0; p < node.n_points(); ++p) {
    const Vector w = batch.w[p], best = points.best[p];
    const double d1 = best.first - w.first, d2 = best.second - w.second, weight = points.weight[p];
    const double square = d1 * d1 + d2 * d2;
    sum.square += weight * square;
    sum.difference += weight * (d1 - d2);
    sum.field += weight * (d1 * field.h.first + d2 * field.h.second);
    sum.noise += weight * (d1 * (w.first - field.mean.first) + d2 * (w.second - field.mean.second)) / field.s;
    sum.train += weight * (points.lowest[p] - square * field.inverse_v) / field.rho;
  }
  node.kernels->mismatch({field.inverse_v, field.rho, node.n_points(), batch.w.first.data(), batch.w.second.data(), batch.t.first.data(),
                          batch.t.second.data(), batch.w.first.data(), batch.w.second.data(), batch.value.data()});
  for (int64_t p = 0; p < node.n_points(); ++p) sum.test += points.weight[p] * batch.value[p];
  return sum;
}

}  // namespace

void Integrator::lay_out(Arena &arena) {
  rules_.lay_out(arena, kLargestLevel);
  work_ = arena.take<Workspace>(threads_);
  for (int64_t k = 0; k < threads_; ++k) {
    Workspace work;
    work.lay_out(arena, kLargestLevel);
    if (!arena.measuring()) work_[k] = work;
  }
  parts_ = arena.take<NodeSums>(kLargestLevel.fields());
}

void Integrator::watch(Heartbeat &heartbeat, Ranks &ranks) {
  heartbeat_ = &heartbeat;
  ranks_ = &ranks;
  ranks.sum(&workers_, 1);
}

NodeSums Integrator::sums_at(const Field &field, const Workspace &work, bool with_spread) const {
  if (!(field.weight > 0)) return {};
  Node node{kernels_, &rules_, field, {}, work.lines, work.points};
  find_well(node);
  cut_by_sign(node);
  find_minima(node);
  if (cut_elsewhere(node)) find_minima(node);
  const Averages sum = sum_over_w(node);
  const Spread spread = with_spread ? spread_of(node) : Spread{};
  return {{field.weight * sum.square, field.weight * sum.difference, field.weight * sum.field, field.weight * sum.noise,
           field.weight * sum.train, field.weight * sum.test},
          {field.weight * spread.smooth, field.weight * spread.jumps}};
}

NodeSums Integrator::pass(const Problem &problem, const Order &order, bool with_spread) {
  const Setting setting = setting_of(problem, order, rules_.level);
  const int64_t n = setting.nodes(rules_.level);
  const int64_t slice = workers_ * std::max<int64_t>(1, kSlice / rules_.level.points());
  for (int64_t first = 0; first < n; first += slice) {
    const int64_t count = std::min(slice, n - first);
    const auto node = [&](int64_t k, int thread) {
      parts_[first + k] = sums_at(field_at(setting, rules_, first + k), work_[thread], with_spread);
    };
    if (ranks_ == nullptr) {
      parallel_for(threads_, count, node);
      continue;
    }
    shared_for(*ranks_, threads_, count, node);
    ranks_->gather(parts_.data() + first, count, sizeof(NodeSums));
    if (heartbeat_->beat()) return {};
  }
  NodeSums sums;
  Averages &sum = sums.averages;
  for (int64_t k = 0; k < n; ++k) {
    const Averages &part = parts_[k].averages;
    sum.square += part.square;
    sum.difference += part.difference;
    sum.field += part.field;
    sum.noise += part.noise;
    sum.train += part.train;
    sum.test += part.test;
    sums.spread.smooth += parts_[k].spread.smooth;
    sums.spread.jumps += parts_[k].spread.jumps;
  }
  // Odd under (h, w) -> -(h, w): half a circle of h does not see that they vanish.
  if (order.m == 0) sum.difference = 0;
  if (order.theta == 0) sum.field = 0;
  sum.train += problem.excess();
  sum.test += problem.excess();
  return sums;
}

}  // namespace atp::dotattn
