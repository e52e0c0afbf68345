// SPDX-License-Identifier: MIT
// The largest eigenvalues of matrices whose spectrum is set: A = sum_k value_k v_k v_k^T with orthonormal v_k, those of a discrete cosine
// transform.
#include "support.h"

#include "math/leading.hpp"

#include <cmath>
#include <vector>

using namespace atp;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Known {
  int64_t n;
  std::vector<double> values;  // of the first eigenvectors; the others are 0
  int64_t products = 0;

  double vector(int64_t k, int64_t e) const {
    const double x = std::cos(kPi * (static_cast<double>(e) + 0.5) * static_cast<double>(k) / static_cast<double>(n));
    return x * std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(n));
  }
  static void apply(void *user, const double *x, int64_t count, double *y) {
    auto &known = *static_cast<Known *>(user);
    known.products += count;
    for (int64_t c = 0; c < count; ++c) {
      for (int64_t e = 0; e < known.n; ++e) y[c * known.n + e] = 0;
      for (size_t k = 0; k < known.values.size(); ++k) {
        double sum = 0;
        for (int64_t e = 0; e < known.n; ++e) sum += known.vector(static_cast<int64_t>(k), e) * x[c * known.n + e];
        for (int64_t e = 0; e < known.n; ++e) y[c * known.n + e] += known.values[k] * sum * known.vector(static_cast<int64_t>(k), e);
      }
    }
  }
};

class Search {
 public:
  explicit Search(int64_t n)
      : memory_(bytes_taken([n](Arena &arena) { LeadingEigen(arena, n); })), arena_(memory_.data(), memory_.size()), eigen(arena_, n) {
    eigen.randomise();
  }

 private:
  std::vector<char> memory_;
  Arena arena_;

 public:
  LeadingEigen eigen;
};

// `v` is the eigenvector `k` up to its sign, which has a rule.
void is_vector(const Known &known, int64_t k, const double *v) {
  double overlap = 0, largest = 0;
  for (int64_t e = 0; e < known.n; ++e) {
    overlap += v[e] * known.vector(k, e);
    if (std::fabs(v[e]) > std::fabs(largest) + 1e-9) largest = v[e];
  }
  assert_close(std::fabs(overlap), 1, 1e-9, 0);
  assert_true(largest > 0);
}

void a_known_spectrum(void **) {
  Known known{150, {}};
  for (int k = 0; k < 150; ++k) known.values.push_back(std::pow(0.97, k));  // close together: many products
  known.values[3] = 2;
  Search search(known.n);
  assert_true(search.eigen.find({Known::apply, &known}, 3, 1e-9));
  assert_close(search.eigen.value(0), 2, 1e-12, 0);
  assert_close(search.eigen.value(1), 1, 1e-12, 0);
  assert_close(search.eigen.value(2), 0.97, 1e-12, 0);
  is_vector(known, 3, search.eigen.vector(0));
  is_vector(known, 0, search.eigen.vector(1));
  is_vector(known, 1, search.eigen.vector(2));
  // The next search begins where this one ended.
  const int64_t before = known.products;
  assert_true(search.eigen.find({Known::apply, &known}, 3, 1e-9));
  assert_true(known.products - before <= before / 2);
}

void small_and_degenerate(void **) {
  Known low{30, {1, 0.5}};  // of rank 2
  Search search(low.n);
  assert_true(search.eigen.find({Known::apply, &low}, 4, 1e-9));
  assert_close(search.eigen.value(1), 0.5, 1e-12, 0);
  assert_close(search.eigen.value(2), 0, 0, 1e-12);
  is_vector(low, 1, search.eigen.vector(1));

  Known twice{40, {1, 1, 0.2}};  // an eigenvalue that is there twice
  Search other(twice.n);
  assert_true(other.eigen.find({Known::apply, &twice}, 2, 1e-9));
  assert_close(other.eigen.value(1), 1, 1e-12, 0);

  Known tiny{3, {3, 2, 1}};  // fewer dimensions than a block has
  Search few(tiny.n);
  assert_true(few.eigen.find({Known::apply, &tiny}, 4, 1e-9));
  assert_close(few.eigen.value(2), 1, 1e-12, 0);
  assert_true(few.eigen.value(3) == 0);

  Known none{10, {}};
  Search nothing(none.n);
  assert_true(nothing.eigen.find({Known::apply, &none}, 2, 1e-9));
  assert_true(nothing.eigen.value(0) == 0);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(a_known_spectrum),
    cmocka_unit_test(small_and_degenerate),
};

}  // namespace

ATP_TEST_MAIN(tests)
