// SPDX-License-Identifier: MIT
// Linear equations, singular values and eigenvalues of small matrices, put back into their definitions and against closed forms.
#include "math/small_linear.hpp"

#include "small_matrix.hpp"
#include "support.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;
using small::Matrix;
using small::numbers;

namespace {

void equations(void **) {
  for (int n : {1, 2, 3, 12}) {
    Matrix a = numbers(n, n, 5);
    a(0, 0) = 0;  // the first pivot comes from another row
    if (n == 1) a(0, 0) = 3;
    Matrix work = a, x = numbers(n, 1, 9);
    const Matrix b = x;
    assert_true(solve_small(n, work.x.data(), x.x.data(), 1e-14));
    const Matrix back = a * x;
    for (int k = 0; k < n; ++k) assert_close(back(k, 0), b(k, 0), 1e-12, 1e-12);
  }
}

void singular_equations(void **) {
  double zero[1] = {0}, b[3] = {1, 1, 1};
  assert_false(solve_small(1, zero, b, 1e-300));
  double dependent[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1};
  assert_false(solve_small(3, dependent, b, 1e-14));
  double small_pivot[1] = {1e-13};
  b[0] = 1;
  assert_false(solve_small(1, small_pivot, b, 1e-12));
  assert_true(solve_small(1, small_pivot, b, 1e-14));
  double not_a_number[4] = {NAN, 1, 1, 1};
  assert_false(solve_small(2, not_a_number, b, 1e-14));
}

// q a has orthogonal rows of these lengths, q is orthogonal, and q^T (q a) = a.
void check_svd(const Matrix &a, std::vector<double> *values) {
  const int m = a.rows;
  Matrix rotated = a, q(m, m);
  values->assign(static_cast<std::size_t>(m), -1);
  jacobi_svd(m, a.columns, rotated.x.data(), values->data(), q.x.data());
  const Matrix back = small::transposed(q) * rotated, one = q * small::transposed(q), gram = rotated * small::transposed(rotated);
  const double largest = (*values)[0];
  for (std::size_t k = 0; k < a.x.size(); ++k) assert_close(back.x[k], a.x[k], 0, 1e-14 * (1 + largest));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const double u = (*values)[static_cast<std::size_t>(i)], v = (*values)[static_cast<std::size_t>(j)];
      assert_close(one(i, j), i == j ? 1 : 0, 0, 1e-14);
      assert_close(gram(i, j), i == j ? u * u : 0, 0, 1e-14 * (u * v + 1e-300));
      if (i < j) assert_true(u >= v);
    }
}

void singular_values(void **) {
  std::vector<double> values;
  for (int rows : {1, 2, 5, 16})
    for (int columns : {1, 4, 16, 30})
      if (rows <= columns) check_svd(numbers(rows, columns, 3), &values);
  // A known one: rows (3, 0), (4, 5) have the singular values sqrt(45), sqrt(5).
  Matrix a(2, 2);
  a.x = {3, 0, 4, 5};
  check_svd(a, &values);
  assert_close(values[0], std::sqrt(45), 1e-15, 0);
  assert_close(values[1], std::sqrt(5), 1e-15, 0);
}

void small_singular_values_are_accurate(void **) {
  // Rows scaled over 100 decades: each singular value keeps its relative accuracy. The exact ones are those of orthogonal rows.
  Matrix a(3, 3);
  a.x = {1, 1, 1, 1e-50, -1e-50, 0, 1e-100, 1e-100, -2e-100};
  std::vector<double> values;
  check_svd(a, &values);
  assert_close(values[0], std::sqrt(3), 1e-15, 0);
  assert_close(values[1], std::sqrt(2) * 1e-50, 1e-15, 0);
  assert_close(values[2], std::sqrt(6) * 1e-100, 1e-15, 0);
}

void eigenvalues_of_a_symmetric_matrix(void **) {
  // b b^T of rank 3 in 6 dimensions: q diagonalises it, and what lies beyond the rank is rounding.
  const Matrix b = numbers(6, 3, 7), a = b * small::transposed(b);
  Matrix rotated = a, q(6, 6);
  std::vector<double> values(6);
  jacobi_svd(6, 6, rotated.x.data(), values.data(), q.x.data());
  const Matrix diagonal = q * a * small::transposed(q);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) assert_close(diagonal(i, j), i == j ? values[static_cast<std::size_t>(i)] : 0, 0, 1e-14 * values[0]);
  assert_true(values[2] > 1e-3 * values[0] && values[3] < 1e-14 * values[0]);
  // Nothing at all.
  Matrix zero(4, 4);
  check_svd(zero, &values);
  for (double v : values) assert_true(v == 0);
}

std::vector<double> eigenvalues(Matrix a) {
  std::vector<double> values(static_cast<std::size_t>(a.rows)), work(2 * values.size());
  symmetric_eigenvalues(a.rows, a.x.data(), values.data(), work.data());
  std::sort(values.begin(), values.end());
  return values;
}

// Q D Q^T, Q a product of reflections.
Matrix with_eigenvalues(const std::vector<double> &values) {
  const int n = static_cast<int>(values.size());
  Matrix a(n, n);
  for (int k = 0; k < n; ++k) a(k, k) = values[static_cast<std::size_t>(k)];
  for (int times = 0; times < 3; ++times) {
    std::vector<double> v(values.size());
    double norm = 0;
    for (int k = 0; k < n; ++k) {
      double &x = v[static_cast<std::size_t>(k)];
      x = std::sin(5 * times + 3 * k + 1.0);
      norm += x * x;
    }
    Matrix reflection(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        reflection(i, j) = (i == j ? 1 : 0) - 2 * v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)] / norm;
    a = reflection * a * reflection;
  }
  return a;
}

void known_eigenvalues(void **) {
  const std::vector<std::vector<double>> cases = {
      {3}, {1, 2}, {-1, 5, 5}, {0, 0, 0, 0}, {1, 1, 1, 1, 1}, {-1e6, 1e-3, 0, 7, 1e6}, {1e-9, 2e-9, 3e-9}};
  for (std::vector<double> values : cases) {
    const std::vector<double> found = eigenvalues(with_eigenvalues(values));
    std::sort(values.begin(), values.end());
    const double largest = std::max(std::fabs(values.front()), std::fabs(values.back()));
    for (std::size_t k = 0; k < values.size(); ++k) assert_close(found[k], values[k], 0, 1e-14 * largest);
  }
  std::vector<double> many(40);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = std::sqrt(static_cast<double>(k)) - 2;
  const std::vector<double> found = eigenvalues(with_eigenvalues(many));
  for (std::size_t k = 0; k < many.size(); ++k) assert_close(found[k], many[k], 0, 1e-13);
}

// The second difference has eigenvalues 2 - 2 cos(pi k / (n + 1)); it is tridiagonal already.
void second_difference(void **) {
  const int n = 25;
  Matrix a(n, n);
  for (int k = 0; k < n; ++k) {
    a(k, k) = 2;
    if (k > 0) a(k, k - 1) = a(k - 1, k) = -1;
  }
  const std::vector<double> found = eigenvalues(a);
  for (int k = 0; k < n; ++k)
    assert_close(found[static_cast<std::size_t>(k)], 2 - 2 * std::cos(std::acos(-1.0) * (k + 1) / (n + 1)), 0, 1e-14);
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations),
      cmocka_unit_test(singular_equations),
      cmocka_unit_test(singular_values),
      cmocka_unit_test(small_singular_values_are_accurate),
      cmocka_unit_test(eigenvalues_of_a_symmetric_matrix),
      cmocka_unit_test(known_eigenvalues),
      cmocka_unit_test(second_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
