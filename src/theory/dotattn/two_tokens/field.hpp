// SPDX-License-Identifier: MIT
// One node of the integral over h, and what the problems in w have in common there.
#pragma once

#include "base/arena.hpp"
#include "theory/dotattn/two_tokens/problem.hpp"

namespace atp::dotattn {

// Levels of the quadrature of averages.hpp, coarse to fine, and the rules of one level.

// Numbers of nodes: angles of h and places on each piece of its radius, lines, places on each piece of a line.
struct Level {
  int64_t angles, radial, lines, along;
  int64_t fields() const { return 2 * angles * radial; }
  int64_t points() const { return 2 * along * lines; }  // of all lines, both pieces
};

inline constexpr Level kLevels[] = {{12, 8, 6, 12},   {16, 12, 8, 16},  {24, 16, 10, 24},
                                    {32, 24, 12, 32}, {48, 32, 16, 44}, {72, 48, 20, 60}};
inline constexpr int kLevelCount = sizeof kLevels / sizeof kLevels[0];
inline constexpr Level kLargestLevel = kLevels[kLevelCount - 1];

struct Rule {
  Span<double> nodes, weights;
};

// Rules of the level in use: Gauss-Legendre on -1..1 for pieces of a radius and of a line, Gauss-Hermite over the lines.
struct Rules {
  Level level{};
  Rule radial, lines, along;

  void lay_out(Arena &arena, const Level &most);
  void use(const Level &next);
  // Lines at equal distances up to `range`, and panels of `order` places each along them.
  void use_equal(const Level &next, int64_t order, double range);
};

// Numbers of the two tokens.
struct Vector {
  double first, second;
};

// Coordinates along a unit vector e and across it.
struct Axes {
  double e1, e2;
  Vector at(double along, double across) const { return {along * e1 - across * e2, along * e2 + across * e1}; }
  double along(Vector v) const { return v.first * e1 + v.second * e2; }
  double across(Vector v) const { return v.second * e1 - v.first * e2; }
};

// What all nodes of an average share: w = slope h + m (1, -1) + s zeta.
struct Setting {
  const Problem *problem;
  double rho, inverse_v, s, m, slope;
  bool mirrored;  // the other half of the angles follows by symmetry

  int64_t nodes(const Level &level) const { return level.fields() / (mirrored ? 2 : 1); }
};

Setting setting_of(const Problem &problem, const Order &order, const Level &level);

struct Field {
  double rho, inverse_v, s;
  double weight;  // of the node
  Vector h;
  Column target;  // first column of T
  Vector mean;    // of w
  Axes axes;      // e: the soft direction of F at the origin
};

Field field_at(const Setting &setting, const Rules &rules, int64_t node);

}  // namespace atp::dotattn
