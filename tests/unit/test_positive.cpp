// SPDX-License-Identifier: MIT
// Inverses by halves: a matrix times its inverse, and minors that are not positive, at orders around the base of LAPACK.
#include "math/linalg/lapack.hpp"

#include "support.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;

namespace {

using Reals = std::vector<double>;

const Team team;  // one thread

// A random symmetric matrix with a diagonal of `diagonal`, positive definite where that is above n.
Reals numbers(int64_t n, double diagonal) {
  Reals a(static_cast<std::size_t>(n * n));
  unsigned x = 7;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j) {
      x = x * 1664525u + 1013904223u;
      const double y = static_cast<double>(x >> 8) / (1 << 23) - 1;
      a[static_cast<std::size_t>(i * n + j)] = a[static_cast<std::size_t>(j * n + i)] = i == j ? diagonal + y : y;
    }
  return a;
}

// The upper triangle in this precision; the rest is not read.
template <class Real>
std::vector<Real> upper(const Reals &a, int64_t n) {
  std::vector<Real> b(a.size(), Real{-77});
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j) b[static_cast<std::size_t>(i * n + j)] = static_cast<Real>(a[static_cast<std::size_t>(i * n + j)]);
  return b;
}

template <class Real>
void inverses(int64_t n, double tolerance) {
  const Reals a = numbers(n, static_cast<double>(n) + 1);
  std::vector<Real> b = upper<Real>(a, n);
  assert_int_equal(invert_positive(team, n, b.data()), 0);
  for (int64_t i = 0; i < n; i += 1 + n / 40)
    for (int64_t k = 0; k < n; k += 1 + n / 40) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum +=
            a[static_cast<std::size_t>(i * n + j)] * static_cast<double>(b[static_cast<std::size_t>(std::min(j, k) * n + std::max(j, k))]);
      assert_close(sum, i == k ? 1 : 0, tolerance, tolerance);
    }
  for (int64_t i = 1; i < n; ++i) assert_true(b[static_cast<std::size_t>(i * n)] == Real{-77});
}

void a_matrix_times_its_inverse(void **) {
  for (int64_t n : {1, 2, 3, 50, 256, 257, 700}) {
    inverses<double>(n, 1e-12);
    inverses<float>(n, 1e-4);
  }
}

// The factor, put back: A = C C^T with the columns of C in the rows.
void factors(void **) {
  for (int64_t n : {3, 300, 520}) {
    const Reals a = numbers(n, static_cast<double>(n) + 1);
    Reals c = upper<double>(a, n);
    assert_int_equal(factor_positive(team, n, c.data()), 0);
    for (int64_t i = 0; i < n; i += 1 + n / 20)
      for (int64_t k = i; k < n; k += 1 + n / 20) {
        double sum = 0;
        for (int64_t j = 0; j <= i; ++j) sum += c[static_cast<std::size_t>(j * n + i)] * c[static_cast<std::size_t>(j * n + k)];
        assert_close(sum, a[static_cast<std::size_t>(i * n + k)], 1e-11, 1e-11);
      }
  }
}

// Each place of the first minor that is not positive is told, in all parts of the halves.
void minors_that_are_not_positive(void **) {
  const int64_t n = 600;
  for (int64_t bad : {1, 2, 150, 300, 301, 599, 600}) {
    Reals a = numbers(n, static_cast<double>(n) + 1);
    a[static_cast<std::size_t>((bad - 1) * (n + 1))] = -1;
    std::vector<double> b = upper<double>(a, n);
    std::vector<float> c = upper<float>(a, n);
    assert_int_equal(factor_positive(team, n, b.data()), bad);
    assert_int_equal(invert_positive(team, n, c.data()), bad);
  }
}

// A A^T and A^T A, and C^-1 B, in both precisions.
template <class Real>
void products(double tolerance) {
  const int64_t n = 5, k = 3;
  std::vector<Real> a(n * k), c(n * n), d(k * k), b;
  for (std::size_t m = 0; m < a.size(); ++m) a[m] = static_cast<Real>(std::sin(static_cast<double>(m) + 1));
  symmetric_product(team, false, n, k, Real{2}, a.data(), c.data());
  symmetric_product(team, true, k, n, Real{-1}, a.data(), d.data());
  const auto at = [&](int64_t r, int64_t s) { return static_cast<double>(a[static_cast<std::size_t>(r * k + s)]); };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j) {
      double sum = 0;
      for (int64_t m = 0; m < k; ++m) sum += 2 * at(i, m) * at(j, m);
      assert_close(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]), sum, tolerance, tolerance);
    }
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = i; j < k; ++j) {
      double sum = 0;
      for (int64_t m = 0; m < n; ++m) sum -= at(m, i) * at(m, j);
      assert_close(static_cast<double>(d[static_cast<std::size_t>(i * k + j)]), sum, tolerance, tolerance);
    }
  // Column-major lower triangle [[2, 0], [3, 4]] and a row-major B [2][3].
  const Real triangle[4] = {2, 3, 99, 4};
  Real rows[6] = {2, 4, 6, 7, 10, 13};
  solve_lower_left(team, 2, 3, triangle, rows);
  const double expected[6] = {1, 2, 3, 1, 1, 1};
  for (int m = 0; m < 6; ++m) assert_close(static_cast<double>(rows[m]), expected[m], tolerance, tolerance);
}

void products_of_both_precisions(void **) {
  products<double>(1e-14);
  products<float>(1e-6);
}

// Blocks depend on the order alone: more threads give the same bits. At this order every product has several blocks.
template <class Real>
void threads_agree(const Team &more) {
  const int64_t n = 1500;
  const Reals a = numbers(n, static_cast<double>(n) + 1);
  std::vector<Real> b = upper<Real>(a, n), c = b;
  assert_int_equal(invert_positive(team, n, b.data()), 0);
  assert_int_equal(invert_positive(more, n, c.data()), 0);
  assert_true(b == c);
  std::vector<Real> s(b.size(), 0), t(b.size(), 0);
  symmetric_product(team, true, n, n, Real{1}, b.data(), s.data());
  symmetric_product(more, true, n, n, Real{1}, b.data(), t.data());
  assert_true(s == t);
  solve_lower_left(team, n, n, b.data(), s.data());
  solve_lower_left(more, n, n, b.data(), t.data());
  assert_true(s == t);
}

void three_threads_give_the_bits_of_one(void **) {
  const Team three(3);
  three.start();
  threads_agree<double>(three);
  threads_agree<float>(three);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_matrix_times_its_inverse),         cmocka_unit_test(factors),
      cmocka_unit_test(minors_that_are_not_positive),       cmocka_unit_test(products_of_both_precisions),
      cmocka_unit_test(three_threads_give_the_bits_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
