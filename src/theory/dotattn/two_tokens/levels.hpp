// SPDX-License-Identifier: MIT
// Levels of the quadrature of averages.hpp, coarse to fine, and the rules of one level.
#pragma once

#include "base/arena.hpp"

namespace atp::dotattn {

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

}  // namespace atp::dotattn
