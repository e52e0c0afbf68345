// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/lines.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

void Vectors::lay_out(Arena &arena, int64_t n) {
  first = arena.take<double>(n);
  second = arena.take<double>(n);
}

void Batch::lay_out(Arena &arena, int64_t n) {
  w.lay_out(arena, n);
  t.lay_out(arena, n);
  x.lay_out(arena, n);
  value = arena.take<double>(n);
}

void Lines::lay_out(Arena &arena, int64_t n) {
  low = arena.take<double>(n);
  high = arena.take<double>(n);
  center = arena.take<double>(n);
  across = arena.take<double>(n);
  trial = arena.take<double>(n);
  jumps = arena.take<double>(n);
  zero = arena.take<double>(n);
  largest = arena.take<double>(n);
  below.lay_out(arena, n);
  above.lay_out(arena, n);
  at_low.lay_out(arena, n);
  at_high.lay_out(arena, n);
  batch.lay_out(arena, kLineStarts * n);
}

void Points::lay_out(Arena &arena, int64_t n) {
  batch.lay_out(arena, n);
  weight = arena.take<double>(n);
  best.lay_out(arena, n);
  lowest = arena.take<double>(n);
  chosen_w.lay_out(arena, n);
  chosen = arena.take<int64_t>(n);
}

void Workspace::lay_out(Arena &arena, const Level &most) {
  lines.lay_out(arena, most.lines);
  points.lay_out(arena, most.points());
}

namespace {

constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)
constexpr double kSameValue = 1e-6;                 // values of F that differ by less, relatively, are one minimum
constexpr double kFar = 1;                          // a component of w beyond it saturates
constexpr double kBetween = 0.4;                    // of w: a start between the origin and w

enum Start { from_w, from_cut, from_well, from_other_well, from_between, kStarts };

// Both pieces of each line within its range.
void lay_points(const Node &node) {
  const Lines &l = node.lines;
  const Points &points = node.points;
  const Rules &rules = *node.rules;
  const double s = node.field.s;
  for (int64_t k = 0, p = 0; k < node.n_lines(); ++k) {
    for (int side = 0; side < 2; ++side) {
      const double from = side == 0 ? l.center[k] - kRange * s : l.low[k], to = side == 0 ? l.low[k] : l.center[k] + kRange * s;
      const double length = 0.5 * (to - from), middle = 0.5 * (to + from);
      for (int64_t r = 0; r < rules.level.along; ++r, ++p) {
        const double along = middle + length * rules.along.nodes[r], z = (along - l.center[k]) / s;
        points.batch.w.set(p, node.field.axes.at(along, l.across[k]));
        points.batch.t.set(p, {node.field.target.first, node.field.target.second});
        points.weight[p] = rules.lines.weights[k] * rules.along.weights[r] * (length / s) * kNormal * std::exp(-0.5 * z * z);
      }
    }
  }
}

void set_starts(const Node &node, int start) {
  const Lines &l = node.lines;
  const Batch &batch = node.points.batch;
  const int64_t half = node.rules->level.along;
  for (int64_t p = 0; p < node.n_points(); ++p) {
    const Vector w = batch.w[p];
    const int64_t k = p / (2 * half);
    const bool above = (p / half) % 2 == 1;
    switch (start) {
      case from_w: batch.x.set(p, w); break;
      case from_cut: batch.x.set(p, above ? l.above[k] : l.below[k]); break;
      case from_well: batch.x.set(p, node.well); break;
      case from_other_well: batch.x.set(p, {-node.well.first, -node.well.second}); break;
      default: batch.x.set(p, {kBetween * w.first, kBetween * w.second}); break;
    }
  }
}

void keep_lowest(const Points &points, int64_t c, int64_t p) {
  if (!(points.batch.value[c] < points.lowest[p])) return;
  points.lowest[p] = points.batch.value[c];
  points.best.set(p, points.batch.x[c]);
}

// Where w is far from the origin, two more starts with one of its components shortened.
void look_from_far(const Node &node) {
  const Points &points = node.points;
  const Batch &batch = points.batch;
  int64_t n = 0;
  for (int64_t p = 0; p < node.n_points(); ++p) {
    const Vector w = batch.w[p];
    if (!(points.weight[p] > kSeen && std::max(std::fabs(w.first), std::fabs(w.second)) > kFar)) continue;
    points.chosen_w.set(n, w);
    points.chosen[n++] = p;
  }
  if (n == 0) return;
  for (int start = 0; start < 2; ++start) {
    for (int64_t c = 0; c < n; ++c) {
      const Vector w = points.chosen_w[c];
      batch.x.set(c, {(start == 0 ? kShrink : 1) * w.first, (start == 1 ? kShrink : 1) * w.second});
    }
    node.descend(n, points.chosen_w, batch);
    for (int64_t c = 0; c < n; ++c) keep_lowest(points, c, points.chosen[c]);
  }
}

}  // namespace

// Each from w and from the minimum at the cut; where they differ anywhere also from the wells at w = 0 and from a place between the origin
// and w.
void find_minima(const Node &node) {
  lay_points(node);
  const Points &points = node.points;
  const Batch &batch = points.batch;
  bool several = false;
  for (int start = from_w; start < (several ? kStarts : from_well); ++start) {
    set_starts(node, start);
    node.descend(node.n_points(), batch.w, batch);
    for (int64_t p = 0; p < node.n_points(); ++p) {
      if (start == from_w) {
        points.lowest[p] = batch.value[p];
        points.best.set(p, batch.x[p]);
        continue;
      }
      if (start == from_cut && std::fabs(batch.value[p] - points.lowest[p]) > kSameValue * points.lowest[p]) several = true;
      keep_lowest(points, p, p);
    }
  }
  look_from_far(node);
}

}  // namespace atp::dotattn
