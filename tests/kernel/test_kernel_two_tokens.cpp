// SPDX-License-Identifier: MIT
// The proximal operator of two tokens: every target against the scalar reference, and the reference against the C library and a grid
// search.
#include "support.h"
#include "kernel_main.hpp"

#include "simd/exp64.hpp"
#include "simd/two_tokens.hpp"

#include <cmath>
#include <random>
#include <vector>

using namespace atp;

namespace {

struct Problems {
  std::vector<double> w1, w2, t1, t2, x1, x2, value;
  explicit Problems(int64_t n, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (std::vector<double> *v : {&w1, &w2, &t1, &t2, &x1, &x2, &value}) v->resize(static_cast<std::size_t>(n) + 1);
    for (int64_t k = 0; k < n; ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      const double width = k % 3 == 0 ? 3 : 0.3;
      w1[i] = width * normal(generator);
      w2[i] = width * normal(generator);
      t1[i] = uniform(generator);
      t2[i] = uniform(generator);
      x1[i] = k % 2 == 0 ? w1[i] : normal(generator);
      x2[i] = k % 2 == 0 ? w2[i] : normal(generator);
    }
  }
  // n problems from `from` on.
  TwoTokenBatch batch(double v, double rho, std::size_t from, int64_t n) {
    return {1 / v, rho, n, &w1[from], &w2[from], &t1[from], &t2[from], &x1[from], &x2[from], &value[from]};
  }
};

double objective(double x1, double x2, double w1, double w2, double t1, double t2, double v, double rho) {
  const double d = x1 - x2, s = 1 / (1 + std::exp(-x1 * d)) - t1, u = 1 / (1 + std::exp(-x2 * d)) - t2;
  return ((x1 - w1) * (x1 - w1) + (x2 - w2) * (x2 - w2)) / v + 2 * rho * (s * s + u * u);
}

void exponential(void **) {
  double worst = 0;
  for (int k = 0; k <= 1000000; ++k) {
    const double x = -700.0 * k / 1000000, exact = std::exp(x);
    worst = std::max(worst, std::fabs(exp_f64(x) - exact) / exact);
  }
  assert_true(worst < 5e-16);
  assert_true(exp_f64(0) == 1 && exp_f64(-0.0) == 1 && exp_f64(-1e300) == exp_f64(-700));
}

// Every length up to three vectors and one, from two starts of the arrays.
void same_as_scalar(void **) {
  const Target target = tested_target();
  const TwoTokenKernels &kernels = two_token_kernels(target);
  for (int64_t n = 0; n <= 3 * 8 * 2 + 1; ++n) {
    for (std::size_t from : {std::size_t{0}, std::size_t{1}}) {
      for (double v : {0.05, 1.0, 30.0, 1e6}) {
        Problems a(n + 1, 7), b(n + 1, 7);
        const TwoTokenBatch x = a.batch(v, 0.25, from, n), y = b.batch(v, 0.25, from, n);
        kernels.descend(x);
        two_token_scalar_kernels.descend(y);
        for (std::size_t k = 0; k < a.x1.size(); ++k) {
          if (has_fma(target)) {
            assert_true(a.x1[k] == b.x1[k] && a.x2[k] == b.x2[k] && a.value[k] == b.value[k]);
          } else if (k >= from && k < from + static_cast<std::size_t>(n) && v < 1e5) {
            // Rounding may lead to another of several minima: both must be minima.
            const double here = objective(a.x1[k], a.x2[k], a.w1[k], a.w2[k], a.t1[k], a.t2[k], v, 0.25);
            for (double dx : {-1e-3, 1e-3}) {
              assert_true(objective(a.x1[k] + dx, a.x2[k], a.w1[k], a.w2[k], a.t1[k], a.t2[k], v, 0.25) > here);
              assert_true(objective(a.x1[k], a.x2[k] + dx, a.w1[k], a.w2[k], a.t1[k], a.t2[k], v, 0.25) > here);
            }
          }
        }
        kernels.mismatch(x);
        two_token_scalar_kernels.mismatch(y);
        for (int64_t k = 0; k < n && has_fma(target); ++k) assert_true(x.value[k] == y.value[k]);
      }
    }
  }
}

// |S - T|^2 against the C library, for every length up to three vectors and one.
void mismatches(void **) {
  const TwoTokenKernels &kernels = two_token_kernels(tested_target());
  for (int64_t n = 0; n <= 3 * 8 * 2 + 1; ++n)
    for (std::size_t from : {std::size_t{0}, std::size_t{1}}) {
      Problems p(n + 1, 7);
      const TwoTokenBatch x = p.batch(1, 0.25, from, n);
      kernels.mismatch(x);
      for (int64_t k = 0; k < n; ++k) {
        const double d = x.x1[k] - x.x2[k], e = 1 / (1 + std::exp(-x.x1[k] * d)) - x.t1[k], g = 1 / (1 + std::exp(-x.x2[k] * d)) - x.t2[k];
        assert_close(x.value[k], 2 * (e * e + g * g), 1e-12, 1e-15);
      }
    }
}

// The value that is told is that of the point, the slope vanishes there, and the best of many starts is what a fine grid finds.
void minima(void **) {
  const TwoTokenKernels &kernels = two_token_kernels(tested_target());
  constexpr int kProblems = 60, kGrid = 400;
  Problems p(kProblems, 3);
  const double v = 20, rho = 0.25;
  std::vector<double> best(kProblems, 1e300);
  for (int start = 0; start < 16; ++start) {
    for (std::size_t k = 0; k < kProblems; ++k) {
      p.x1[k] = start == 0 ? p.w1[k] : 1.2 * std::cos(0.4 * start);
      p.x2[k] = start == 0 ? p.w2[k] : 1.2 * std::sin(0.4 * start);
    }
    kernels.descend(p.batch(v, rho, 0, kProblems));
    for (std::size_t k = 0; k < kProblems; ++k) {
      const double f = objective(p.x1[k], p.x2[k], p.w1[k], p.w2[k], p.t1[k], p.t2[k], v, rho), h = 1e-5;
      assert_close(p.value[k], f, 1e-12, 1e-15);
      best[k] = std::min(best[k], f);
      const double g1 = objective(p.x1[k] + h, p.x2[k], p.w1[k], p.w2[k], p.t1[k], p.t2[k], v, rho) -
                        objective(p.x1[k] - h, p.x2[k], p.w1[k], p.w2[k], p.t1[k], p.t2[k], v, rho);
      const double g2 = objective(p.x1[k], p.x2[k] + h, p.w1[k], p.w2[k], p.t1[k], p.t2[k], v, rho) -
                        objective(p.x1[k], p.x2[k] - h, p.w1[k], p.w2[k], p.t1[k], p.t2[k], v, rho);
      assert_true(std::fabs(g1) < 2 * h * 1e-7 && std::fabs(g2) < 2 * h * 1e-7);
    }
  }
  for (std::size_t k = 0; k < kProblems; ++k) {
    double lowest = 1e300;
    const double reach = 2 * std::sqrt(rho * v) + 0.1;
    for (int i = 0; i <= kGrid; ++i)
      for (int j = 0; j <= kGrid; ++j)
        lowest = std::min(lowest, objective(p.w1[k] + reach * (2.0 * i / kGrid - 1), p.w2[k] + reach * (2.0 * j / kGrid - 1), p.w1[k],
                                            p.w2[k], p.t1[k], p.t2[k], v, rho));
    assert_true(best[k] <= lowest && best[k] > lowest - 0.01);
  }
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {cmocka_unit_test(exponential), cmocka_unit_test(mismatches), cmocka_unit_test(minima)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(same_as_scalar)};
  return run_kernel_tests(definition, against_scalar);
}
