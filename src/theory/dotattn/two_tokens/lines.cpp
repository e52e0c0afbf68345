// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/lines.hpp"

#include "math/quadrature.hpp"
#include "math/search.hpp"

#include <algorithm>
#include <cmath>

namespace atp::dotattn {

namespace {
constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)
}

void Rules::lay_out(Arena &arena, const Level &most) {
  const auto lay = [&](Rule &rule, int64_t n) {
    rule.nodes = arena.take<double>(n);
    rule.weights = arena.take<double>(n);
  };
  lay(radial, most.radial);
  lay(lines, most.lines);
  lay(along, most.along);
}

void Rules::use(const Level &next) {
  if (next.angles == level.angles && next.radial == level.radial && next.lines == level.lines && next.along == level.along) return;
  level = next;
  gauss_legendre(radial.nodes.sub(0, level.radial), radial.weights.sub(0, level.radial));
  gauss_hermite(lines.nodes.sub(0, level.lines), lines.weights.sub(0, level.lines));
  gauss_legendre(along.nodes.sub(0, level.along), along.weights.sub(0, level.along));
}

void Rules::use_equal(const Level &next, int64_t order, double range) {
  level = next;
  gauss_legendre(radial.nodes.sub(0, level.radial), radial.weights.sub(0, level.radial));
  const double step = 2 * range / static_cast<double>(level.lines - 1);
  for (int64_t k = 0; k < level.lines; ++k) {
    const double z = -range + step * static_cast<double>(k);
    lines.nodes[k] = z;
    lines.weights[k] = step * kNormal * std::exp(-0.5 * z * z);
  }
  // The first panel's nodes, then copies of them from the last to the first.
  const int64_t panels = level.along / order;
  const double width = 2 / static_cast<double>(panels);
  gauss_legendre(along.nodes.sub(0, order), along.weights.sub(0, order));
  for (int64_t panel = panels - 1; panel >= 0; --panel)
    for (int64_t k = 0; k < order; ++k) {
      along.nodes[panel * order + k] = -1 + width * (static_cast<double>(panel) + 0.5 + 0.5 * along.nodes[k]);
      along.weights[panel * order + k] = 0.5 * width * along.weights[k];
    }
}

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kFieldRange = 6.5;  // of |z|: 7e-10 of the weight is beyond
constexpr double kMirror = 1e-14;    // rows of A that are mirror images up to rounding
constexpr int kBendSteps = 26;       // places of the radius, kFieldRange / 26 apart, between which the bend is looked for
constexpr int kBendBisections = 50;  // to the last bit of such a piece

Column target_column(const Problem &problem, Vector h) {
  const Column soft = softmax_column(h.first, h.second);
  const double keep = 1 - problem.omega;
  return {keep * soft.first + problem.omega * problem.first(), keep * soft.second + problem.omega * problem.second()};
}

// Where along h = radius * along the origin stops being a minimum of F at w = 0: its Hessian is 2 / V + rho [[2 a, b - a], [b - a, -2 b]],
// a = 1/2 - t1, b = 1/2 - t2. 0..kFieldRange.
double bend_radius(const Problem &problem, double inverse_v, Vector along) {
  const double level = 2 * inverse_v / problem.rho();
  const auto stable = [&](double radius) {
    const Column t = target_column(problem, {radius * along.first, radius * along.second});
    const double a = 0.5 - t.first, b = 0.5 - t.second;
    return level + a - b - std::sqrt(2 * (a * a + b * b)) > 0;
  };
  double low = 0;
  if (!stable(low)) return 0;
  for (int step = 1; step <= kBendSteps; ++step) {
    const double high = kFieldRange * step / kBendSteps;
    if (stable(high)) {
      low = high;
      continue;
    }
    return bisect_times(kBendBisections, {low, high}, stable).low;
  }
  return kFieldRange;
}

// Where rows of A are the same up to the order of the tokens, exchanging the tokens of h, w and x with x, w -> -x, -w leaves all averages
// as they are: angles come in pairs.
bool mirrored(const Problem &problem, const Level &level) {
  return std::fabs(problem.first() + problem.second() - 1) < kMirror && level.angles % 4 == 0;
}

// The Hessian of |softmax(x x^T) - T|^2 at the origin is [[2 a, b - a], [b - a, -2 b]]: e belongs to its lower eigenvalue.
Axes soft_axes(Column target) {
  const double a = 0.5 - target.first, b = 0.5 - target.second;
  const double angle = 0.5 * std::atan2(-2 * (b - a), -2 * (a + b));
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

Setting setting_of(const Problem &problem, const Order &order, const Level &level) {
  Setting setting{};
  setting.problem = &problem;
  setting.rho = problem.rho();
  setting.inverse_v = 1 / order.v;
  setting.s = std::sqrt(order.q - order.theta * order.theta / setting.rho);
  setting.m = order.m;
  setting.slope = order.theta / setting.rho;
  setting.mirrored = mirrored(problem, level);
  return setting;
}

Field field_at(const Setting &setting, const Rules &rules, int64_t node) {
  const Level &level = rules.level;
  // Angles between 0 and pi; the other half has the same averages. Of mirror images the first and third quarters are there.
  const int64_t pieces = 2 * level.radial, quarter = level.angles / 4, turn = node / pieces;
  const int64_t place_of_turn = setting.mirrored && turn >= quarter ? turn + quarter : turn;
  const double angle = kPi * (static_cast<double>(place_of_turn) + 0.5) / static_cast<double>(level.angles);
  const Vector along{std::sqrt(setting.rho) * std::cos(angle), std::sqrt(setting.rho) * std::sin(angle)};
  const double bend = bend_radius(*setting.problem, setting.inverse_v, along);
  const bool outer = node % pieces >= level.radial;
  const double from = outer ? bend : 0, to = outer ? kFieldRange : bend;
  const int64_t place = node % level.radial;
  const double radius = 0.5 * (from + to) + 0.5 * (to - from) * rules.radial.nodes[place];

  Field field{};
  field.rho = setting.rho;
  field.inverse_v = setting.inverse_v;
  field.s = setting.s;
  field.weight = rules.radial.weights[place] * 0.5 * (to - from) * radius * std::exp(-0.5 * radius * radius) * (setting.mirrored ? 2 : 1) /
                 static_cast<double>(level.angles);
  field.h = {radius * along.first, radius * along.second};
  field.target = target_column(*setting.problem, field.h);
  field.mean = {setting.slope * field.h.first + setting.m, setting.slope * field.h.second - setting.m};
  field.axes = soft_axes(field.target);
  return field;
}

// --- lines and points ---

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

constexpr double kSameValue = 1e-6;  // values of F that differ by less, relatively, are one minimum
constexpr double kFar = 1;           // a component of w beyond it saturates
constexpr double kBetween = 0.4;     // of w: a start between the origin and w

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
