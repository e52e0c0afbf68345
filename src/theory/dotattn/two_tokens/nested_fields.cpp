// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/nested_fields.hpp"

#include "base/team.hpp"
#include "theory/dotattn/two_tokens/cuts.hpp"
#include "theory/dotattn/two_tokens/minima.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kLineSpacing = 1.2, kPanel = 2, kOuterSpacing = 0.8;  // in inner widths, at fineness 1
constexpr double kLongSide = 8;                                        // of a line, in widths of w: a cut further out has little weight
constexpr int64_t kSlice = 2;                                          // nodes of h of a thread between two reports

// The minimum and its slope at each point of a node, line by line in the order along it.
void take_points(const Node &node, double spacing, NestedPoints &out) {
  const Field &field = node.field;
  const Lines &l = node.lines;
  const Points &points = node.points;
  const int64_t along = node.rules->level.along;
  out.lines = node.n_lines();
  out.points = 2 * along;
  out.spacing = spacing;
  for (int64_t p = 0; p < node.n_points(); ++p) {
    const int64_t k = p / (2 * along), r = p % along;
    const bool below = p % (2 * along) < along;
    const double half = 0.5 * (below ? l.low[k] - l.center[k] + kRange * field.s : l.center[k] + kRange * field.s - l.low[k]);
    const Vector w = points.batch.w[p], x = points.best[p];
    const Vector g{(x.first - w.first) * field.inverse_v, (x.second - w.second) * field.inverse_v};
    out.along[p] = field.axes.along(w) - l.center[k];
    out.length[p] = half * node.rules->along.weights[r];
    out.energy[p] = 0.5 * points.lowest[p];
    out.g_along[p] = field.axes.along(g);
    out.g_across[p] = field.axes.across(g);
  }
}

// Lines without a jump are cut in the middle: both pieces then have the same length.
void cut_in_the_middle(const Node &node) {
  const Lines &l = node.lines;
  for (int64_t k = 0; k < node.n_lines(); ++k)
    if (l.jumps[k] == 0) l.low[k] = l.high[k] = l.center[k];
}

void add(const BrokenMeans &part, BrokenMeans &sum) {
  sum.free += part.free;
  sum.energy += part.energy;
  sum.square += part.square;
  sum.mean_square += part.mean_square;
  sum.difference += part.difference;
  sum.field += part.field;
  sum.noise += part.noise;
}

int64_t count(double number) { return static_cast<int64_t>(std::ceil(number)); }

}  // namespace

NestedGrid nested_grid(double ratio, double fineness) {
  const double inner = ratio / fineness;
  NestedGrid grid{};
  grid.angles = 4 * count(3 * fineness);
  grid.radial = count(8 * fineness);
  grid.lines = count(2 * kRange / (kLineSpacing * inner)) + 1;
  grid.panels = count(kLongSide / (kPanel * inner));
  grid.outer = count(2 * kOuterRange * std::sqrt(1 - ratio * ratio) / (kOuterSpacing * inner)) + 1;
  return grid;
}

void NestedFields::lay_out(Arena &arena) {
  const Level level = most_.level();
  rules_.lay_out(arena, level);
  threads_of_ = arena.take<Thread>(threads_);
  for (int64_t k = 0; k < threads_; ++k) {
    Thread thread{};
    thread.work.lay_out(arena, level);
    thread.points.lay_out(arena, level.lines, 2 * level.along);
    thread.scratch.lay_out(arena, level.lines, most_.outer);
    if (!arena.measuring()) threads_of_[k] = thread;
  }
  parts_ = arena.take<BrokenMeans>(level.fields());
}

void NestedFields::use(const NestedGrid &grid) {
  grid_ = grid;
  rules_.use_equal(grid.level(), NestedGrid::kPanelOrder, kRange);
  for (Thread &thread : threads_of_) thread.scratch.outer = grid.outer;
}

void NestedFields::watch(Heartbeat &heartbeat, Ranks &ranks) {
  heartbeat_ = &heartbeat;
  ranks_ = &ranks;
  ranks.sum(&workers_, 1);
}

BrokenMeans NestedFields::means_at(const Field &field, const NestedWidths &widths, Thread &thread) const {
  if (!(field.weight > 0)) return {};
  Node node{kernels_, &rules_, field, {}, thread.work.lines, thread.work.points};
  find_well(node);
  cut_by_sign(node);
  cut_in_the_middle(node);
  find_minima(node);
  if (cut_elsewhere(node)) find_minima(node);
  take_points(node, 2 * kRange * field.s / static_cast<double>(grid_.lines - 1), thread.points);
  const NestedSums sums = nested_sums(thread.points, widths, thread.scratch);
  const Vector force = field.axes.at(sums.along, sums.across);
  return {field.weight * sums.free,
          field.weight * sums.energy,
          field.weight * sums.square,
          field.weight * sums.mean_square,
          field.weight * (force.first - force.second),
          field.weight * (force.first * field.h.first + force.second * field.h.second),
          field.weight * sums.noise};
}

BrokenMeans NestedFields::means(const BrokenOrder &order) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Setting setting = setting_of(problem_, {order.q1(), order.m, order.theta, order.v}, rules_.level);
  const NestedWidths widths{std::sqrt(order.q0 - order.theta * order.theta / problem_.rho()), std::sqrt(order.gap), order.mu};
  const int64_t n = setting.nodes(rules_.level), slice = workers_ * kSlice;
  for (int64_t first = 0; first < n; first += slice) {
    const int64_t now = std::min(slice, n - first);
    const auto node = [&](int64_t k, int thread) {
      parts_[first + k] = means_at(field_at(setting, rules_, first + k), widths, threads_of_[thread]);
    };
    if (ranks_ == nullptr) {
      parallel_for(threads_, now, node);
      continue;
    }
    shared_for(*ranks_, threads_, now, node);
    ranks_->gather(parts_.data() + first, now, sizeof(BrokenMeans));
    if (heartbeat_->beat()) return {nan, nan, nan, nan, nan, nan, nan};
  }
  BrokenMeans sum;
  for (int64_t k = 0; k < n; ++k) add(parts_[k], sum);
  // As in Integrator::pass().
  if (order.m == 0) sum.difference = 0;
  if (order.theta == 0) sum.field = 0;
  sum.free += 0.5 * problem_.rho() * problem_.excess();
  sum.energy += 0.5 * problem_.rho() * problem_.excess();
  return sum;
}

}  // namespace atp::dotattn
