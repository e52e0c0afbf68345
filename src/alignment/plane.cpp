// SPDX-License-Identifier: MIT
#include "alignment/plane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

double variance_along(const PlanePoints &points, int axis) {
  double total = 0, mean = 0, squares = 0;
  for (int64_t n = 0; n < points.weights.size(); ++n) {
    total += points.weights[n];
    mean += points.weights[n] * points.coordinates[2 * n + axis];
  }
  mean /= total;
  for (int64_t n = 0; n < points.weights.size(); ++n) {
    const double d = points.coordinates[2 * n + axis] - mean;
    squares += points.weights[n] * d * d;
  }
  return squares / total;
}

Plane::Plane(Arena &arena) : cells_(arena.take<Cell>(kCells * kCells)), occupied_(arena.take<int32_t>(kCells * kCells)) {}

// Returns the number of cells with points.
int64_t Plane::fill(const PlanePoints &x, const PlanePoints &y) {
  double low[2], width[2];
  for (int axis = 0; axis < 2; ++axis) {
    low[axis] = std::numeric_limits<double>::infinity();
    double high = -low[axis];
    for (const PlanePoints *of : {&x, &y})
      for (int64_t n = 0; n < of->weights.size(); ++n) {
        low[axis] = std::fmin(low[axis], of->coordinates[2 * n + axis]);
        high = std::fmax(high, of->coordinates[2 * n + axis]);
      }
    width[axis] = (high - low[axis]) / static_cast<double>(kCells);
  }
  std::fill(occupied_.begin(), occupied_.end(), 0);
  int32_t count = 0;
  for (const PlanePoints *of : {&x, &y}) {
    double total = 0;
    for (double w : of->weights) total += w;
    for (int64_t n = 0; n < of->weights.size(); ++n) {
      int64_t at[2] = {};
      for (int axis = 0; axis < 2; ++axis) {
        const double place = (of->coordinates[2 * n + axis] - low[axis]) / width[axis];
        at[axis] = place > 0 ? static_cast<int64_t>(std::fmin(place, static_cast<double>(kCells - 1))) : 0;  // NaN, too
      }
      int32_t &number = occupied_[at[0] * kCells + at[1]];
      if (number == 0) {
        number = ++count;
        cells_[number - 1] = {};
        for (int axis = 0; axis < 2; ++axis) cells_[number - 1].at[axis] = low[axis] + (static_cast<double>(at[axis]) + 0.5) * width[axis];
      }
      (of == &x ? cells_[number - 1].x : cells_[number - 1].y) += of->weights[n] / total;
    }
  }
  return count;
}

double Plane::energy(const PlanePoints &x, const PlanePoints &y) {
  const int64_t count = fill(x, y);
  double between = 0, apart = 0;  // 2 E|X - Y|, and the numerator
  for (int64_t k = 0; k < count; ++k)
    for (int64_t l = 0; l < k; ++l) {
      const Cell &u = cells_[k], &v = cells_[l];
      const double dx = u.at[0] - v.at[0], dy = u.at[1] - v.at[1], distance = std::sqrt(dx * dx + dy * dy);
      between += 2 * distance * (u.x * v.y + u.y * v.x);
      apart -= 2 * distance * (u.x - u.y) * (v.x - v.y);
    }
  return between > 0 ? std::fmax(apart, 0) / between : between;  // NaN without weights
}

}  // namespace atp
