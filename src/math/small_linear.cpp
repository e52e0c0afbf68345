// SPDX-License-Identifier: MIT
#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr int kSweeps = 60;          // ten are usual
constexpr double kPositive = 1e-14;  // of a diagonal, what must be left of it

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

bool factor_small(int64_t n, const double *a, double shift, double *factor) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const double own = a[i * n + j];
      double sum = own + (i == j ? shift : 0);
      for (int64_t k = 0; k < j; ++k) sum -= factor[i * n + k] * factor[j * n + k];
      if (i == j) {
        if (!(sum > kPositive * std::fabs(own) && sum > 0)) return false;
        factor[i * n + i] = std::sqrt(sum);
      } else {
        factor[i * n + j] = sum / factor[j * n + j];
      }
    }
  return true;
}

void solve_factor(int64_t n, const double *factor, int64_t columns, int64_t stride, double *x) {
  const auto subtract = [=](int64_t to, double c, int64_t from) {
    for (int64_t m = 0; m < columns; ++m) x[to * stride + m] -= c * x[from * stride + m];
  };
  const auto divide = [=](int64_t row) {
    for (int64_t m = 0; m < columns; ++m) x[row * stride + m] /= factor[row * n + row];
  };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k) subtract(i, factor[i * n + k], k);
    divide(i);
  }
  for (int64_t i = n - 1; i >= 0; --i) {
    for (int64_t k = i + 1; k < n; ++k) subtract(i, factor[k * n + i], k);
    divide(i);
  }
}

bool solve_positive(int64_t n, const double *a, double shift, const double *b, double *factor, double *x) {
  if (!factor_small(n, a, shift, factor)) return false;
  std::copy_n(b, n, x);
  solve_factor(n, factor, 1, 1, x);
  return true;
}

void fit_small(int64_t columns, int64_t rows, double *a, const double *b, double dependent, double *x) {
  double upper[kMostColumns][kMostColumns] = {}, right[kMostColumns] = {};
  bool used[kMostColumns] = {};
  for (int64_t c = 0; c < columns; ++c) {
    double *column = a + c * rows;
    const double size = dot(rows, column, column);
    for (int64_t d = 0; d < c; ++d) {
      if (!used[d]) continue;
      upper[d][c] = dot(rows, a + d * rows, column);
      for (int64_t e = 0; e < rows; ++e) column[e] -= upper[d][c] * a[d * rows + e];
    }
    const double left = dot(rows, column, column);
    used[c] = left > dependent * size && left > 0;
    if (!used[c]) continue;
    upper[c][c] = std::sqrt(left);
    for (int64_t e = 0; e < rows; ++e) column[e] /= upper[c][c];
    right[c] = dot(rows, column, b);
  }
  for (int64_t c = columns - 1; c >= 0; --c) {
    x[c] = 0;
    if (!used[c]) continue;
    double sum = right[c];
    for (int64_t d = c + 1; d < columns; ++d)
      if (used[d]) sum -= upper[c][d] * x[d];
    x[c] = sum / upper[c][c];
  }
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
