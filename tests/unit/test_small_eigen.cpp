// SPDX-License-Identifier: MIT
// Eigenvalues of small symmetric matrices against matrices made of known eigenvalues, and those that have closed forms.
#include "math/small_linear.hpp"

#include "small_matrix.hpp"
#include "support.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;
using small::Matrix;

namespace {

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

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(known_eigenvalues),
      cmocka_unit_test(second_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
