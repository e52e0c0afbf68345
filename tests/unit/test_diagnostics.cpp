// SPDX-License-Identifier: MIT
// Chain diagnostics against closed forms and brute force.
#include "support.h"

#include "base/error.hpp"
#include "base/philox.hpp"
#include "sample/diagnostics.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

using namespace atp;

namespace {

// Stationary AR(1) series x_{t+1} = phi x_t + sqrt(1 - phi^2) noise: rho(t) = phi^t,
// tau = 1/2 + phi / (1 - phi) = (1 + phi) / (2 (1 - phi)).
std::vector<double> ar1(double phi, int64_t chains, int64_t n, uint64_t seed) {
  std::vector<double> x(static_cast<std::size_t>(chains * n));
  for (int64_t c = 0; c < chains; ++c) {
    const RandomView random(seed, Stream::parameters, static_cast<uint64_t>(c), 0);
    double value = random.normal(0);
    for (int64_t k = 0; k < n; ++k) {
      x[static_cast<std::size_t>(c * n + k)] = value;
      value = phi * value + std::sqrt(1 - phi * phi) * random.normal(static_cast<uint64_t>(k + 1));
    }
  }
  return x;
}

double ar1_tau(double phi) { return (1 + phi) / (2 * (1 - phi)); }

// 4 seeds x 3 phi at 4 standard errors: false alarm in 12 * 6e-5 < 1e-3 of all choices of seeds; the seeds are fixed.
void autocorrelation_of_ar1(void **) {
  double squares = 0;
  int cases = 0;
  for (double phi : {0.0, 0.5, 0.9}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const std::vector<double> x = ar1(phi, 4, 20000, seed);
      const AutocorrelationTime got = autocorrelation_time(x.data(), 4, 20000);
      const double z = (got.tau - ar1_tau(phi)) / got.error;
      if (!(std::fabs(z) < 4))
        fail_msg("phi = %g, seed %d: tau = %g +- %g, exact %g", phi, static_cast<int>(seed), got.tau, got.error, ar1_tau(phi));
      assert_true(static_cast<double>(got.window) >= 6 * got.tau);
      squares += z * z;
      ++cases;
      // The same rule must see a series of another phi.
      if (phi == 0.9) assert_true(std::fabs(got.tau - ar1_tau(0.8)) > 4 * got.error);
    }
  }
  // The stated error is of the right size: the mean of z^2 is 1; outside 0.25..2.5 with 12 cases (chi-square) about once in 140.
  assert_true(squares / cases > 0.25 && squares / cases < 2.5);
}

void autocorrelation_ignores_units(void **) {
  std::vector<double> x = ar1(0.7, 2, 1000, 5);
  const AutocorrelationTime plain = autocorrelation_time(x.data(), 2, 1000);
  for (double factor : {1e-320, 1e-300, 1e300}) {
    std::vector<double> y = x;
    for (double &v : y) v *= factor;
    const AutocorrelationTime scaled = autocorrelation_time(y.data(), 2, 1000);
    assert_close(scaled.tau, plain.tau, factor == 1e-320 ? 1e-2 : 1e-10, 0);
  }
  for (double &v : x) v += 1e6;
  assert_close(autocorrelation_time(x.data(), 2, 1000).tau, plain.tau, 1e-6, 0);
}

// Chains that are stuck at different levels: no window is found, and the error says so.
void autocorrelation_of_stuck_chains(void **) {
  std::vector<double> x = ar1(0.0, 2, 400, 6);
  for (std::size_t k = 0; k < 400; ++k) x[k] += 100;
  const AutocorrelationTime got = autocorrelation_time(x.data(), 2, 400);
  assert_int_equal(got.window, 200);
  assert_close(got.tau, 200, 0.02, 0);
  assert_true(got.error > 0.9 * got.tau);
}

void autocorrelation_of_alternating_series(void **) {
  std::vector<double> x;
  for (int k = 0; k < 100; ++k) x.push_back(k % 2 == 0 ? 1.0 : -1.0);
  assert_true(autocorrelation_time(x.data(), 1, 100).tau > 0);
}

void autocorrelation_of_a_constant(void **) {
  const std::vector<double> x(32, 0.1);
  try {
    autocorrelation_time(x.data(), 2, 16);
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_VALUE);
    return;
  }
  fail_msg("a constant series was taken");
}

void rhat_by_hand(void **) {
  // Halves {1, 2}, {3, 4}, {5, 6}, {7, 8} around the middle elements 50 and 60, which must not count: s^2 = 1/2 each, B / h = variance of
  // the means {1.5, 3.5, 5.5, 7.5} = 20 / 3, so that R-hat = sqrt((1/2 * 1/2 + 20/3) / (1/2)).
  const double x[] = {1, 2, 50, 3, 4, 5, 6, 60, 7, 8};
  assert_close(split_rhat(x, 2, 5), std::sqrt((0.25 + 20.0 / 3) / 0.5), 1e-14, 0);
  const double constant[8] = {3, 3, 3, 3, 3, 3, 3, 3};
  assert_true(split_rhat(constant, 2, 4) == 1);
  const double steps[8] = {0.1, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3};
  assert_true(std::isinf(split_rhat(steps, 2, 4)));
}

void rhat_of_mixed_and_shifted_chains(void **) {
  constexpr std::size_t n = 2000;
  std::vector<double> x = ar1(0.5, 4, n, 7);
  assert_true(split_rhat(x.data(), 4, n) < 1.01);
  std::vector<double> shifted = x;  // one of four chains off by one standard deviation: var+ = W (1 + 2 / 7 * ...) > 1.05^2 W
  for (std::size_t k = 0; k < n; ++k) shifted[k] += 1;
  assert_true(split_rhat(shifted.data(), 4, n) > 1.05);
  std::vector<double> drift = x;  // every chain drifts in the same way: halves differ, whole chains do not
  for (std::size_t k = 0; k < 4 * n; ++k) drift[k] += 2 * static_cast<double>(k % n) / n;
  assert_true(split_rhat(drift.data(), 4, n) > 1.05);
  // Units do not matter, at any size.
  for (double factor : {1e-300, 1e300}) {
    std::vector<double> y = shifted;
    for (double &v : y) v *= factor;
    assert_close(split_rhat(y.data(), 4, n), split_rhat(shifted.data(), 4, n), 1e-10, 0);
  }
}

void histogram_against_double_loop(void **) {
  const int64_t shapes[][2] = {{2, 1}, {3, 5}, {63, 20}, {64, 64}, {65, 63}, {130, 65}, {200, 300}, {129, 520}};
  for (const auto &shape : shapes) {
    const int64_t n = shape[0], sites = shape[1];
    const RandomView random(8, Stream::start, static_cast<uint64_t>(n), 0);
    std::vector<uint8_t> s(static_cast<std::size_t>(n * sites));
    for (std::size_t k = 0; k < s.size(); ++k) s[k] = random.word(k) % 4 == 0 ? static_cast<uint8_t>(random.below(k, 255)) : 254;
    for (int64_t i = 0; i < sites; ++i) s[static_cast<std::size_t>(i)] = 255;  // one sequence differs everywhere: distance `sites` occurs
    std::vector<int64_t> counts(static_cast<std::size_t>(sites + 1), -7), expected(counts.size(), 0);
    const double mean = hamming_histogram(s.data(), n, sites, counts.data());
    double sum = 0;
    for (int64_t a = 0; a < n; ++a)
      for (int64_t b = a + 1; b < n; ++b) {
        int64_t d = 0;
        for (int64_t i = 0; i < sites; ++i) d += s[static_cast<std::size_t>(a * sites + i)] != s[static_cast<std::size_t>(b * sites + i)];
        ++expected[static_cast<std::size_t>(d)];
        sum += static_cast<double>(d);
      }
    assert_true(expected[static_cast<std::size_t>(sites)] >= n - 1);
    for (std::size_t d = 0; d < counts.size(); ++d) assert_int_equal(counts[d], expected[d]);
    assert_close(mean, sum / (static_cast<double>(n * (n - 1)) / 2 * static_cast<double>(sites)), 1e-14, 0);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(autocorrelation_of_ar1),           cmocka_unit_test(autocorrelation_ignores_units),
      cmocka_unit_test(autocorrelation_of_stuck_chains),  cmocka_unit_test(autocorrelation_of_alternating_series),
      cmocka_unit_test(autocorrelation_of_a_constant),    cmocka_unit_test(rhat_by_hand),
      cmocka_unit_test(rhat_of_mixed_and_shifted_chains), cmocka_unit_test(histogram_against_double_loop),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
