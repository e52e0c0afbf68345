// SPDX-License-Identifier: MIT
// The limit L -> infinity against a table of many digits (make_limit_table.py: integrals over the semicircle), closed forms and derivatives
// of the free energy.
#include "theory/replica/square.hpp"

#include "limit_table.hpp"
#include "support.h"

#include <cmath>
#include <initializer_list>

using namespace atp::replica;

namespace {

void sums_against_table(void **) {
  for (const SumsRow &row : kSumsTable) {
    const Limit limit(row.z);
    const Traces traces = limit.traces(row.kappa);
    const SquareSums sums = limit.sums(row.kappa, 1);
    print_message("z %g kappa %g\n", row.z, row.kappa);
    assert_close(traces.t, row.t, 1e-13, 0);
    assert_close(traces.rest, row.rest, 1e-13, 0);
    assert_close(traces.slope, row.kappa * row.e1, 1e-13, 0);
    assert_close(sums.df1, row.t, 1e-13, 0);
    assert_close(sums.df2, row.df2, 1e-13, 0);
    assert_close(sums.e1, row.e1, 1e-13, 0);
    assert_close(sums.teacher, row.teacher, 1e-12, 0);
    assert_close(sums.bias, row.bias, 1e-12, 0);
    assert_close(sums.m, row.m, 1e-12, 0);
    assert_close(sums.q, row.q, 1e-12, 0);
    assert_close(sums.norm, row.norm, 1e-12, 0);
  }
}

void curves_against_table(void **) {
  for (const CurveRow &row : kCurveTable) {
    print_message("z %g alpha %.17g lambda %g\n", row.z, row.alpha, row.lambda);
    const Limit limit(row.z);
    const Row at = limit.solve(row.alpha, row.lambda, 0), warm = limit.solve(row.alpha, row.lambda, kTemperature);
    assert_true(at.outcome == ATP_OUTCOME_CONVERGED);
    assert_true(at.residual <= 1e-12);
    assert_close(at.kappa, row.kappa, 1e-11, 0);
    assert_close(at.eg, row.eg, 1e-11, 0);
    assert_close(at.et, row.et, 1e-11, 0);
    assert_close(at.q, row.q, 1e-11, 0);
    assert_close(at.m, row.m, 1e-11, 0);
    assert_close(at.norm, row.norm, 1e-11, 0);
    assert_close(at.free_energy, row.energy, 1e-11, 0);
    assert_close(at.rho + at.q - 2 * at.m, row.eg, 1e-9, 0);
    if (row.v < 0) {
      assert_true(std::isinf(at.v) && std::isinf(warm.eg) && warm.free_energy == -kInfinity);
      assert_true(warm.outcome == ATP_OUTCOME_DIVERGED);
      continue;
    }
    assert_close(at.v, row.v, 1e-11, 0);
    assert_close(warm.eg, row.eg + kTemperature * row.v, 1e-11, 0);
    assert_close(warm.et, row.et + kTemperature * row.v / (1 + row.v), 1e-11, 0);
    assert_close(warm.free_energy, row.free_energy, 1e-11, 1e-13);
    assert_close(warm.q, row.q, 1e-11, 0);
  }
}

// lambda = 0, alpha > 1: e_g = alpha / (z (alpha - 1)), e_t = (alpha - 1) / (z alpha), V = 1 / (alpha - 1).
void without_penalty(void **) {
  for (double z : {2.0009765625, 2.5, 7.0, 1e6})
    for (double alpha : {1.0000152587890625, 1.125, 1.5, 3.0, 1e3, 1e12}) {
      const Row row = Limit(z).solve(alpha, 0, 0);
      assert_close(row.eg, alpha / (z * (alpha - 1)), 1e-12, 0);
      assert_close(row.et, (alpha - 1) / (z * alpha), 1e-12, 0);
      assert_close(row.v, 1 / (alpha - 1), 1e-12, 0);
      assert_true(row.kappa == 0 && row.residual == 0 && row.outcome == ATP_OUTCOME_CONVERGED);
      // A tiny penalty comes as close.
      assert_close(Limit(z).solve(alpha, 1e-290, 0).eg, row.eg, 1e-12, 0);
    }
  // lambda = 0, alpha < 1: alpha kappa = y, y^2 - z y + 1 - alpha = 0 (from g + 1/g = z + 1/kappa with g = alpha kappa).
  for (double alpha : {1e-6, 0.25, 0.75, 0.99993896484375}) {
    const double z = 2.5, y = 2 * (1 - alpha) / (z + std::sqrt(z * z - 4 * (1 - alpha)));
    const Row row = Limit(z).solve(alpha, 0, 0);
    assert_close(row.kappa, y / alpha, 1e-13, 0);
    assert_true(row.et == 0 && std::isinf(row.v));
  }
  const Row peak = Limit(2.5).solve(1, 0, 0);
  assert_true(std::isinf(peak.eg) && peak.outcome == ATP_OUTCOME_DIVERGED);
}

// The ends of the curve: rho without data, the excess over 1/z falls like 1/alpha, and the peak sits at alpha = 1.
void ends_and_peak(void **) {
  const double z = 2.5;
  const Limit limit(z);
  const double rho = 2 / (z + std::sqrt(z * z - 4));
  assert_close(limit.solve(1e-12, 1e-8, 0).eg, rho, 1e-11, 0);
  assert_close(limit.solve(1e-12, 0, 0).eg, rho, 1e-11, 0);
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const int n = 20;
  for (int k = 0; k < n; ++k) {
    const double alpha = std::pow(10.0, 2 + 2.0 * k / (n - 1)), x = std::log(alpha), y = std::log(limit.solve(alpha, 1e-8, 0).eg - 1 / z);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  assert_close((n * sxy - sx * sy) / (n * sxx - sx * sx), -1, 0, 3e-3);
  double highest = 0, place = 0;
  for (int k = 1; k <= 4000; ++k) {
    const double alpha = k / 1000.0, eg = limit.solve(alpha, 1e-8, 0).eg;
    if (eg > highest) {
      highest = eg;
      place = alpha;
    }
  }
  assert_true(place == 1);
}

// Four-point derivative of the free energy.
template <class Function>
double derivative(Function &&f, double x, double h) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

// df/dlambda = <|w|^2> / 2, df/dalpha = e_g / (2 (1 + V)) at T = 0, plus T/2 log(1 + V); and f = (alpha e_t + lambda |w|^2) / 2 at T = 0.
// With x = 1 - df1, <|w|^2> = |w|^2 + T x / lambda, and df1 = V V^.
void free_energy_derivatives(void **) {
  for (double z : {2.0625, 2.5, 6.0})
    for (double alpha : {0.3, 1.0, 2.7})
      for (double lambda : {1e-3, 0.3, 5.0})
        for (double temperature : {0.0, 0.5, 3.0}) {
          const Limit limit(z);
          const auto f = [&](double a, double l, double t) { return limit.solve(a, l, t).free_energy; };
          const Row row = limit.solve(alpha, lambda, temperature), cold = limit.solve(alpha, lambda, 0);
          assert_close(derivative([&](double l) { return f(alpha, l, temperature); }, lambda, 1e-3 * lambda),
                       0.5 * (row.norm + temperature * (1 - row.v * row.v_hat) / lambda), 1e-9, 1e-11);
          assert_close(
              derivative([&](double a) { return f(a, lambda, temperature); }, alpha, 1e-3 * alpha * std::fmin(1, std::sqrt(lambda))),
              0.5 * cold.eg / (1 + row.v) + temperature / 2 * std::log1p(row.v), 1e-8, 1e-10);
          assert_close(cold.free_energy, 0.5 * (alpha * cold.et + lambda * cold.norm), 1e-12, 0);
          // Equipartition: energy f - T df/dT = f(0), with the momentum-like T/2 per parameter in the measure.
          const double energy = 0.5 * (alpha * row.et + lambda * (row.norm + temperature * (1 - row.v * row.v_hat) / lambda));
          assert_close(energy, cold.free_energy + temperature / 2, 1e-12, 0);
        }
}

}  // namespace

const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums_against_table), cmocka_unit_test(curves_against_table),    cmocka_unit_test(without_penalty),
    cmocka_unit_test(ends_and_peak),      cmocka_unit_test(free_energy_derivatives),
};

ATP_TEST_MAIN(tests)
