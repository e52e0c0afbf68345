// SPDX-License-Identifier: MIT
// Ordinary differential equations against solutions in closed form.
#include "math/runge_kutta.hpp"

#include "support.h"

#include <cmath>

using namespace atp;

namespace {

const auto kGoesOn = [] { return false; };

// An oscillator, and a logistic curve that leaves 0 and comes to rest: errors follow the tolerance, over any division of the time.
void closed_forms(void **) {
  for (double tolerance : {1e-5, 1e-8, 1e-11}) {
    const auto slope = [](const double *x, double *by) {
      by[0] = x[1];
      by[1] = -x[0];
      by[2] = x[2] * (1 - x[2]);
    };
    RungeKutta solver(3, tolerance, 1e-12);
    double x[3] = {0, 1, 1e-3}, time = 0;
    for (double step : {0.0, 1e-3, 0.7, 5.0, 0.2, 14.0}) {
      assert_true(solver.advance(step, x, slope, kGoesOn));
      time += step;
      assert_close(x[0], std::sin(time), 0, 100 * tolerance);
      assert_close(x[1], std::cos(time), 0, 100 * tolerance);
      assert_close(x[2], 1 / (1 + 999 * std::exp(-time)), 100 * tolerance, 0);
    }
  }
}

// Order five: with a hundred thousandth of the error about ten times as many steps.
void order(void **) {
  int64_t steps[2];
  for (int k = 0; k < 2; ++k) {
    RungeKutta solver(1, k == 0 ? 1e-5 : 1e-10, 1e-12);
    double x[1] = {1};
    assert_true(solver.advance(
        50, x, [](const double *y, double *by) { by[0] = -y[0] * y[0]; }, kGoesOn));
    assert_close(x[0], 1.0 / 51, k == 0 ? 1e-3 : 1e-8, 0);
    steps[k] = solver.steps();
  }
  assert_true(steps[1] > 5 * steps[0] && steps[1] < 20 * steps[0]);
}

void endings(void **) {
  // x = 1 / (1 - t) has no value beyond 1.
  RungeKutta bursts(1, 1e-6, 1e-12);
  double x[1] = {1};
  assert_false(bursts.advance(
      2, x, [](const double *y, double *by) { by[0] = y[0] * y[0]; }, kGoesOn));
  // What is not a number ends, too.
  RungeKutta undefined(2, 1e-6, 1e-12);
  double y[2] = {1, 1};
  const auto slope = [](const double *z, double *by) {
    by[0] = z[1] < 0.5 ? NAN : 1;
    by[1] = -1;
  };
  assert_false(undefined.advance(1, y, slope, kGoesOn));
  assert_true(std::isfinite(y[0]) && y[1] >= 0.5);
  // A stop leaves the last place.
  RungeKutta stopped(1, 1e-6, 1e-12);
  double z[1] = {1};
  const auto decay = [](const double *at, double *by) { by[0] = -at[0]; };
  assert_false(stopped.advance(10, z, decay, [&] { return stopped.steps() == 3; }));
  assert_true(z[0] < 1 && z[0] > std::exp(-10.0) && stopped.steps() == 3);
  assert_true(stopped.advance(0, z, decay, [] { return true; }));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(order), cmocka_unit_test(endings)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
