// SPDX-License-Identifier: MIT
// The wrappers around LAPACK against small matrices handled the plain way.
#include "math/linalg/lapack.hpp"

#include "small_matrix.hpp"
#include "support.h"

#include <cstring>

using namespace atp;
using small::Matrix;
using small::numbers;

namespace {

Matrix positive(int n, unsigned seed) {
  const Matrix a = numbers(n, n, seed);
  return small::shifted(a * small::transposed(a), 0.5);
}

void assert_matrix(const Matrix &a, const Matrix &b, double tolerance) {
  for (std::size_t k = 0; k < a.x.size(); ++k) assert_close(a.x[k], b.x[k], tolerance, tolerance);
}

// C C^T = A from the lower triangle of a column-major matrix, which is the upper one as seen here.
void cholesky_and_triangles(void **) {
  for (int n : {1, 2, 7, 40}) {
    const Matrix a = positive(n, 3);
    Matrix factor = a;
    assert_int_equal(cholesky(n, factor.x.data()), 0);
    Matrix lower(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) lower(i, j) = factor.x[static_cast<std::size_t>(i + j * n)];
    assert_matrix(lower * small::transposed(lower), a, 1e-13);
    const Matrix x = numbers(n, 1, 9);
    Matrix y = x;
    multiply_lower(false, n, factor.x.data(), y.x.data());
    assert_matrix(y, lower * x, 1e-13);
    solve_lower(false, n, factor.x.data(), y.x.data());
    assert_matrix(y, x, 1e-12);
    multiply_lower(true, n, factor.x.data(), y.x.data());
    assert_matrix(y, small::transposed(lower) * x, 1e-12);
    solve_lower(true, n, factor.x.data(), y.x.data());
    assert_matrix(y, x, 1e-12);
    // B C^T, B column-major with room below its columns: rows of `b` are columns of B.
    const int m = 5, room = 8;
    Matrix b = numbers(n, room, 4), before = b;
    multiply_right_lower_transposed(m, n, factor.x.data(), b.x.data(), room);
    for (int i = 0; i < room; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += before(k, i) * lower(j, k);
        assert_close(b(j, i), i < m ? sum : before(j, i), 1e-13, 1e-14);
      }
    Matrix product(m, 1);
    multiply(m, n, before.x.data(), room, x.x.data(), product.x.data());
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += before(k, i) * x(k, 0);
      assert_close(product(i, 0), sum, 1e-13, 1e-14);
    }
    cholesky_inverse(n, factor.x.data());
    assert_matrix(factor, small::inverse(a), 1e-11);
  }
  Matrix a = small::shifted(Matrix(4, 4), 1);
  a(2, 2) = -1;
  assert_int_equal(cholesky(4, a.x.data()), 3);
}

void eigenvalues(void **) {
  for (int n : {1, 2, 30, 120}) {
    const Matrix half = numbers(n, n, 21);
    Matrix a(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = half(i, j) + half(j, i);
    Matrix vectors = a;
    std::vector<double> values(static_cast<std::size_t>(n)), work(static_cast<std::size_t>(symmetric_eigen_workspace(n)));
    assert_true(symmetric_eigen(n, vectors.x.data(), values.data(), work.data()));
    // Rows of `vectors` are eigenvectors: V A = diag(values) V, V V^T = 1.
    Matrix right = vectors;
    for (int i = 0; i < n; ++i) {
      if (i > 0) assert_true(values[static_cast<std::size_t>(i)] >= values[static_cast<std::size_t>(i - 1)]);
      for (int j = 0; j < n; ++j) right(i, j) *= values[static_cast<std::size_t>(i)];
    }
    assert_matrix(vectors * a, right, 1e-11);
    assert_matrix(vectors * small::transposed(vectors), small::shifted(Matrix(n, n), 1), 1e-12);
  }
}

// Against the normal equations, which are good enough for small, well-conditioned matrices.
void least_squares_tall_and_wide(void **) {
  for (int m : {1, 3, 20, 90})
    for (int n : {1, 3, 20, 70}) {
      const Matrix a = numbers(m, n, 5), b = numbers(m, 1, 6), t = small::transposed(a);
      const int length = m > n ? m : n;
      if (m == n && m > 3) continue;  // badly conditioned
      std::vector<double> x(static_cast<std::size_t>(length)), work(static_cast<std::size_t>(least_squares_workspace(m, n)));
      Matrix columns = t;  // column-major
      for (int i = 0; i < m; ++i) x[static_cast<std::size_t>(i)] = b(i, 0);
      assert_true(least_squares(m, n, columns.x.data(), x.data(), work.data()));
      const Matrix expected = m >= n ? small::inverse(t * a) * (t * b) : t * (small::inverse(a * t) * b);
      for (int j = 0; j < n; ++j) assert_close(x[static_cast<std::size_t>(j)], expected(j, 0), 1e-9, 1e-11);
      if (m > n) {
        double residual = 0, rest = 0;
        const Matrix fit = a * expected;
        for (int i = 0; i < m; ++i) residual += (b(i, 0) - fit(i, 0)) * (b(i, 0) - fit(i, 0));
        for (int i = n; i < m; ++i) rest += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
        assert_close(rest, residual, 1e-10, 1e-12);
      }
    }
  // A column of zeros.
  double a[6] = {1, 2, 3, 0, 0, 0}, b[3] = {1, 1, 1};
  std::vector<double> work(static_cast<std::size_t>(least_squares_workspace(3, 2)));
  assert_false(least_squares(3, 2, a, b, work.data()));
}

void version(void **) {
  assert_true(lapack_version()[0] >= '3');
  assert_non_null(std::strchr(lapack_version(), '.'));
}

}  // namespace

const struct CMUnitTest tests[] = {
    cmocka_unit_test(cholesky_and_triangles),
    cmocka_unit_test(eigenvalues),
    cmocka_unit_test(least_squares_tall_and_wide),
    cmocka_unit_test(version),
};

ATP_TEST_MAIN(tests)
