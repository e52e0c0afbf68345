// SPDX-License-Identifier: MIT
#include "numerics/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kSweeps = 60;  // ten are usual

double dot(int64_t n, const double *x, const double *y) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// (x, y) -> (c x - s y, s x + c y)
void rotate(int64_t n, double c, double s, double *x, double *y) {
  for (int64_t k = 0; k < n; ++k) {
    const double old = x[k];
    x[k] = c * old - s * y[k];
    y[k] = s * old + c * y[k];
  }
}

}  // namespace

bool solve_small(int64_t n, double *a, double *b, double smallest) {
  for (int64_t c = 0; c < n; ++c) {
    int64_t pivot = c;
    for (int64_t r = c + 1; r < n; ++r)
      if (std::fabs(a[r * n + c]) > std::fabs(a[pivot * n + c])) pivot = r;
    if (!(std::fabs(a[pivot * n + c]) > smallest)) return false;
    std::swap_ranges(a + c * n, a + (c + 1) * n, a + pivot * n);
    std::swap(b[c], b[pivot]);
    for (int64_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = a[r * n + c] / a[c * n + c];
      for (int64_t k = c; k < n; ++k) a[r * n + k] -= factor * a[c * n + k];
      b[r] -= factor * b[c];
    }
  }
  for (int64_t c = 0; c < n; ++c) b[c] /= a[c * n + c];
  return true;
}

void jacobi_svd(int64_t rows, int64_t columns, double *a, double *values, double *q) {
  const double orthogonal = static_cast<double>(columns) * 0x1p-52;  // of |x . y| / (|x| |y|)
  for (int64_t k = 0; k < rows * rows; ++k) q[k] = k % (rows + 1) == 0 ? 1 : 0;
  bool rotated = true;
  for (int sweep = 0; sweep < kSweeps && rotated; ++sweep) {
    rotated = false;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = i + 1; j < rows; ++j) {
        double *x = a + i * columns, *y = a + j * columns;
        const double xx = dot(columns, x, x), yy = dot(columns, y, y), xy = dot(columns, x, y);
        if (!(std::fabs(xy) > orthogonal * std::sqrt(xx) * std::sqrt(yy))) continue;
        rotated = true;
        const double zeta = (yy - xx) / (2 * xy), t = std::copysign(1, zeta) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        rotate(columns, c, s, x, y);
        rotate(rows, c, s, q + i * rows, q + j * rows);
      }
  }
  for (int64_t k = 0; k < rows; ++k) values[k] = std::sqrt(dot(columns, a + k * columns, a + k * columns));
  for (int64_t k = 0; k < rows; ++k) {
    const int64_t largest = std::max_element(values + k, values + rows) - values;
    if (largest == k) continue;
    std::swap(values[k], values[largest]);
    std::swap_ranges(a + k * columns, a + (k + 1) * columns, a + largest * columns);
    std::swap_ranges(q + k * rows, q + (k + 1) * rows, q + largest * rows);
  }
}

}  // namespace atp
