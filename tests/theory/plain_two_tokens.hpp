// SPDX-License-Identifier: MIT
// Two tokens by plain loops that share nothing with src/theory/dotattn: the mismatch of two attention maps, the proximal operator by brute
// force.
#pragma once

#include <cmath>

namespace plain {

// |softmax(x x^T) - T|^2, row by row.
inline double distance(double x1, double x2, const double (&t)[2][2]) {
  const double x[2] = {x1, x2};
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    const double other = 1 / (1 + std::exp(x[i] * (x[0] - x[1])));
    sum += (1 - other - t[i][0]) * (1 - other - t[i][0]) + (other - t[i][1]) * (other - t[i][1]);
  }
  return sum;
}

// The minimum by a grid that is refined around its best places.
inline void grid_search(double w1, double w2, const double (&t)[2][2], double v, double rho, double *x1, double *x2) {
  const auto f = [&](double a, double b) { return ((a - w1) * (a - w1) + (b - w2) * (b - w2)) / v + rho * distance(a, b, t); };
  constexpr int kGrid = 24, kKept = 4;
  const double reach = std::sqrt(4 * rho * v);
  double kept[kKept][3];
  for (auto &k : kept) k[2] = 1e300;
  for (int i = -kGrid; i <= kGrid; ++i) {
    for (int j = -kGrid; j <= kGrid; ++j) {
      const double a = w1 + reach * i / kGrid, b = w2 + reach * j / kGrid, value = f(a, b);
      int worst = 0;
      for (int k = 1; k < kKept; ++k)
        if (kept[k][2] > kept[worst][2]) worst = k;
      bool near = false;
      for (auto &k : kept) {
        if (k[2] < 1e300 && std::hypot(k[0] - a, k[1] - b) < 3 * reach / kGrid) {
          near = true;
          if (value < k[2]) k[0] = a, k[1] = b, k[2] = value;
        }
      }
      if (!near && value < kept[worst][2]) kept[worst][0] = a, kept[worst][1] = b, kept[worst][2] = value;
    }
  }
  double lowest = 1e300;
  for (auto &k : kept) {
    if (!(k[2] < 1e300)) continue;
    double a = k[0], b = k[1], value = k[2];
    for (double step = reach / kGrid; step > 1e-6; step *= 0.5) {
      for (bool moved = true; moved;) {
        moved = false;
        for (int d = 0; d < 8; ++d) {
          static const int dx[8] = {1, -1, 0, 0, 1, 1, -1, -1}, dy[8] = {0, 0, 1, -1, 1, -1, 1, -1};
          const double y = f(a + step * dx[d], b + step * dy[d]);
          if (y < value) {
            value = y;
            a += step * dx[d];
            b += step * dy[d];
            moved = true;
          }
        }
      }
    }
    if (value < lowest) lowest = value, *x1 = a, *x2 = b;
  }
}

}  // namespace plain
