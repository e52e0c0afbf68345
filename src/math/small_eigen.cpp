// SPDX-License-Identifier: MIT
#include "math/small_eigen.hpp"

#include <cmath>
#include <limits>

namespace atp {

namespace {

// Reflects the part of column k below the diagonal to its first element; the rest of the matrix follows from both sides.
void reflect(int64_t n, int64_t k, double *a, double *v, double *beside) {
  double norm = 0;
  for (int64_t r = k + 1; r < n; ++r) {
    v[r] = a[r * n + k];
    norm += v[r] * v[r];
  }
  norm = std::sqrt(norm);
  *beside = v[k + 1] > 0 ? -norm : norm;
  if (norm == 0) return;
  v[k + 1] -= *beside;
  const double beta = 1 / (norm * std::fabs(v[k + 1]));  // 2 / v.v
  double *p = a + k;                                     // column k is done with: its place holds the product
  double inner = 0;
  for (int64_t r = k + 1; r < n; ++r) {
    double sum = 0;
    for (int64_t c = k + 1; c < n; ++c) sum += a[r * n + c] * v[c];
    p[r * n] = beta * sum;
    inner += p[r * n] * v[r];
  }
  for (int64_t r = k + 1; r < n; ++r) p[r * n] -= 0.5 * beta * inner * v[r];
  for (int64_t r = k + 1; r < n; ++r)
    for (int64_t c = k + 1; c < n; ++c) a[r * n + c] -= v[r] * p[c * n] + p[r * n] * v[c];
}

// One QR step on the rows first..last of the tridiagonal matrix with diagonal d and e beside it.
void step(int64_t first, int64_t last, double *d, double *e) {
  const double half = (d[last - 1] - d[last]) / 2, side = e[last - 1];
  const double shift = d[last] - side * side / (half + std::copysign(std::hypot(half, side), half));
  double x = d[first] - shift, z = e[first];
  for (int64_t k = first; k < last; ++k) {
    const double r = std::hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    if (k > first) e[k - 1] = r;
    const double upper = d[k], lower = d[k + 1], beside = e[k];
    d[k] = c * c * upper + 2 * c * s * beside + s * s * lower;
    d[k + 1] = s * s * upper - 2 * c * s * beside + c * c * lower;
    e[k] = c * s * (lower - upper) + (c * c - s * s) * beside;
    if (k + 1 < last) {
      x = e[k];
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
  }
}

}  // namespace

void symmetric_eigenvalues(int64_t n, double *a, double *values, double *work) {
  double *v = work, *e = work + n;
  for (int64_t k = 0; k + 1 < n; ++k) reflect(n, k, a, v, e + k);
  for (int64_t k = 0; k < n; ++k) values[k] = a[k * n + k];
  constexpr double kSmall = std::numeric_limits<double>::epsilon();
  constexpr int kSteps = 40;  // for each eigenvalue; two are usual
  int64_t last = n - 1;
  for (int64_t steps = kSteps * n; last > 0 && steps > 0; --steps) {
    for (int64_t k = 0; k < last; ++k)
      if (std::fabs(e[k]) <= kSmall * (std::fabs(values[k]) + std::fabs(values[k + 1]))) e[k] = 0;
    while (last > 0 && e[last - 1] == 0) --last;
    int64_t first = last;
    while (first > 0 && e[first - 1] != 0) --first;
    if (last > 0) step(first, last, values, e);
  }
}

}  // namespace atp
