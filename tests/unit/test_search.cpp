// SPDX-License-Identifier: MIT
// Roots, minima, means with errors: closed forms, and numbers computed by hand.
#include "support.h"

#include "math/mean_error.hpp"
#include "math/search.hpp"

#include <cmath>
#include <vector>

using namespace atp;

namespace {

const double kNaN = std::nan("");

// Each method finds log 3 as the root of exp(x) - 3.
double excess(double x) { return std::exp(x) - 3; }
const double kRoot = 1.0986122886681098;

void test_bisection(void **) {
  const auto is_low = [](double x) { return excess(x) < 0; };
  const Bracket<double> found = bisect_times(200, {0.0, 4.0}, is_low);
  assert_close(found.low, kRoot, 1e-15, 0);
  // Nothing is between the ends, and a bracket of three steps is an eighth of the first.
  assert_true(std::nextafter(found.low, found.high) == found.high);
  const Bracket<double> wide = bisect_times(3, {0.0, 4.0}, is_low);
  assert_true(wide.low == 1 && wide.high == 1.5);
  int64_t asked = 0;
  const Bracket<int64_t> whole = bisect(
      Bracket<int64_t>{0, 1000},
      [&](int64_t n) {
        ++asked;
        return n * n < 70;
      },
      [](Bracket<int64_t>) { return false; });
  assert_true(whole.low == 8 && whole.high == 9);
  assert_true(asked <= 10);
}

void test_newton(void **) {
  const auto enough = [](double, double step, double) { return std::fabs(step) < 1e-14; };
  const auto function = [](double x) { return ValueAndSlope{excess(x), std::exp(x)}; };
  const NewtonRoot found = newton_in({0, 4}, 2, 50, 1e-13, function, enough);
  assert_close(found.x, kRoot, 1e-14, 0);
  assert_true(found.evaluations < 10);
  // atan: Newton's method alone runs away from 3.
  const NewtonRoot guarded = newton_in(
      {-4, 5}, 3, 100, 1e-13,
      [](double x) {
        return ValueAndSlope{std::atan(x), 1 / (1 + x * x)};
      },
      enough);
  assert_close(guarded.x, 0, 0, 1e-14);
  assert_true(newton_in({0, 4}, 4, 2, 1e-13, function, enough).evaluations == 2);
}

void test_sign_change(void **) {
  int calls = 0;
  const auto counted = [&](double x) {
    ++calls;
    return excess(x);
  };
  assert_close(find_root({0, excess(0), 4, excess(4)}, 1e-10, 60, counted), kRoot, 0, 1e-10);
  assert_true(calls < 20);
  assert_close(find_root({4, excess(4), 0, excess(0)}, 1e-10, 60, counted), kRoot, 0, 1e-10);
  assert_true(find_root({0, -2, 2, 2}, 1e-10, 60, [](double x) { return x - 1; }) == 1);
  assert_true(std::isnan(find_root({0, -2, 4, 9}, 1e-10, 60, [](double) { return kNaN; })));
}

void test_secant(void **) {
  const SecantSteps steps{1e-3, 0.5, 1e-10, 50};
  assert_close(find_root_near(1, steps, excess), kRoot, 0, 1e-12);
  // No step is longer than 0.5: three of them lead from 0 no further than 1.5.
  assert_true(find_root_near(0, {1e-3, 0.5, 1e-10, 2}, excess) <= 1);
  assert_true(find_root_near(0, steps, [](double) { return kNaN; }) == 0);
  assert_close(find_root_near(1, steps, [](double x) { return x > 1 ? excess(x) : kNaN; }), 1, 0, 0);
}

void test_minimum(void **) {
  // cosh has the curvature 1: the comparison of values stops at about sqrt(eps).
  assert_close(find_minimum(-2, 3, 1e-7, [](double x) { return std::cosh(x - 0.3); }), 0.3, 0, 1e-7);
  assert_close(find_minimum(-2, 3, 1e-9, [](double x) { return std::fabs(x - 0.3); }), 0.3, 0, 1e-9);
  assert_close(find_minimum(1, 3, 1e-9, [](double x) { return x; }), 1, 0, 1e-9);
}

void test_mean_error(void **) {
  const std::vector<double> x = {1, 2, 4};
  const MeanError found = mean_error(Span<const double>(x.data(), 3));
  assert_close(found.mean, 7.0 / 3, 1e-15, 0);
  assert_close(found.error, std::sqrt(7.0) / 3, 1e-15, 0);  // (16 + 1 + 25) / 9 / (3 * 2) = 7 / 9
  assert_true(std::isnan(mean_error(Span<const double>(x.data(), 1)).error));
  assert_close(mean_error(Span<const double>(x.data(), 3), [](double y) { return -2 * y; }).error, 2 * std::sqrt(7.0) / 3, 1e-15, 0);
  const std::vector<double> y = {1, 3}, w = {1, 3};
  const MeanError weighted = weighted_mean_error(Span<const double>(y.data(), 2), Span<const double>(w.data(), 2));
  assert_close(weighted.mean, 2.5, 1e-15, 0);
  assert_close(weighted.error, 0.75, 1e-15, 0);  // sqrt(2 / 1 (1 * 2.25 + 9 * 0.25)) / 4
  const std::vector<double> equal = {2, 2, 2};
  const MeanError same = weighted_mean_error(Span<const double>(x.data(), 3), Span<const double>(equal.data(), 3));
  assert_close(same.mean, found.mean, 1e-15, 0);
  assert_close(same.error, found.error, 1e-15, 0);
}

const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bisection), cmocka_unit_test(test_newton),  cmocka_unit_test(test_sign_change),
    cmocka_unit_test(test_secant),    cmocka_unit_test(test_minimum), cmocka_unit_test(test_mean_error),
};

}  // namespace

ATP_TEST_MAIN(tests)
