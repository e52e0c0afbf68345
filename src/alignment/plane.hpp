// SPDX-License-Identifier: MIT
// Two sets of weighted points in a plane: how far their distributions are apart.
#pragma once

#include "base/arena.hpp"

namespace atp {

struct PlanePoints {
  const double *coordinates;  // [n][2]
  Span<double> weights;       // [n]
};

// The variance along an axis, 0 or 1.
double variance_along(const PlanePoints &points, int axis);

// The energy coefficient of inhomogeneity,
//   (2 E|X - Y| - E|X - X'| - E|Y - Y'|) / (2 E|X - Y|),
// 0 for equal distributions, at most 1, of points rounded to the middles of a grid of cells. Source: M. L. Rizzo, G. J. Szekely, WIREs
// Comput. Stat. 8, 27 (2016).
class Plane {
 public:
  static constexpr int64_t kCells = 64;  // in each direction, over the range of all points

  explicit Plane(Arena &arena);
  double energy(const PlanePoints &x, const PlanePoints &y);

 private:
  struct Cell {
    double at[2], x, y;  // the middle, in coordinates of the points, and shares of both sets
  };
  int64_t fill(const PlanePoints &x, const PlanePoints &y);
  Span<Cell> cells_;        // those that have points come first
  Span<int32_t> occupied_;  // [kCells][kCells]: 1 + number of the cell; 0: empty
};

}  // namespace atp
