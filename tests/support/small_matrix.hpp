// SPDX-License-Identifier: MIT
// Small dense matrices the plain way, for tests of what goes through LAPACK.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace small {

struct Matrix {
  int rows = 0, columns = 0;
  std::vector<double> x;
  Matrix() = default;
  Matrix(int r, int c) : rows(r), columns(c), x(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  double &operator()(int i, int j) { return x[static_cast<std::size_t>(i * columns + j)]; }
  double operator()(int i, int j) const { return x[static_cast<std::size_t>(i * columns + j)]; }
};

// Entries from a fixed sequence in (-1, 1).
inline Matrix numbers(int rows, int columns, unsigned seed) {
  Matrix a(rows, columns);
  unsigned x = seed;
  for (double &y : a.x) {
    x = x * 1664525u + 1013904223u;
    y = static_cast<double>(x >> 8) / (1 << 23) - 1;
  }
  return a;
}

inline Matrix operator*(const Matrix &a, const Matrix &b) {
  Matrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      for (int j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

inline Matrix transposed(const Matrix &a) {
  Matrix t(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  return t;
}

// Gauss-Jordan elimination with row exchange.
inline Matrix inverse(Matrix a) {
  const int n = a.rows;
  Matrix b(n, n);
  for (int i = 0; i < n; ++i) b(i, i) = 1;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(a(i, k)) > std::fabs(a(best, k))) best = i;
    for (int j = 0; j < n; ++j) {
      std::swap(a(k, j), a(best, j));
      std::swap(b(k, j), b(best, j));
    }
    const double pivot = 1 / a(k, k);
    for (int j = 0; j < n; ++j) {
      a(k, j) *= pivot;
      b(k, j) *= pivot;
    }
    for (int i = 0; i < n; ++i) {
      const double factor = a(i, k);
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; ++j) {
        a(i, j) -= factor * a(k, j);
        b(i, j) -= factor * b(k, j);
      }
    }
  }
  return b;
}

inline double trace(const Matrix &a) {
  double sum = 0;
  for (int i = 0; i < a.rows; ++i) sum += a(i, i);
  return sum;
}

// a + x I.
inline Matrix shifted(Matrix a, double x) {
  for (int i = 0; i < a.rows; ++i) a(i, i) += x;
  return a;
}

inline Matrix scaled(Matrix a, double x) {
  for (double &y : a.x) y *= x;
  return a;
}

}  // namespace small
