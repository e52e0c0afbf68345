// SPDX-License-Identifier: MIT
// The square loss on a given spectrum: both solvers against each other, put back into the equations with matrices instead of eigenvalues,
// against the closed form for one eigenvalue, and against the limit; and what makes the spectrum.
#include "theory/replica/inputs.hpp"
#include "theory/replica/square.hpp"

#include "base/error.hpp"
#include "small_matrix.hpp"
#include "support.h"

#include <cmath>

using namespace atp;
using namespace atp::replica;
using small::Matrix;

namespace {

struct Masked {
  Masked(int64_t sites, double shift, uint64_t seed, int64_t site = 0)
      : p(sites - 1), precision(sites, sites), covariance(p, p), teacher(p, 1), s(p), t(p) {
    std::vector<double> work(static_cast<std::size_t>(std::max(mask_workspace(sites), spectrum_workspace(p))));
    fill_goe(sites, shift, seed, precision.x.data());
    noise = mask_precision(precision.x.data(), sites, site, covariance.x.data(), teacher.x.data(), work.data());
    replica::spectrum(covariance.x.data(), teacher.x.data(), p, s.data(), t.data(), work.data());
  }
  Spectrum spectrum() const { return {s.data(), t.data(), p, noise}; }

  int p;
  Matrix precision, covariance, teacher;
  double noise = 0;
  std::vector<double> s, t;
};

// J: symmetric, no diagonal, variance 1/L; another seed, another J.
void goe_matrix(void **) {
  const int n = 300;
  Matrix a(n, n), b(n, n);
  fill_goe(n, 2.5, 7, a.x.data());
  fill_goe(n, 2.5, 8, b.x.data());
  double sum = 0, squares = 0, mixed = 0;
  for (int i = 0; i < n; ++i) {
    assert_true(a(i, i) == 2.5);
    for (int j = 0; j < i; ++j) {
      assert_true(a(i, j) == a(j, i));
      sum += a(i, j);
      squares += a(i, j) * a(i, j);
      mixed += a(i, j) * b(i, j);
    }
  }
  const double pairs = n * (n - 1) / 2.0;
  // Three times five standard errors: a false alarm for one choice of seeds in 600 000.
  assert_close(sum / pairs, 0, 0, 5 / std::sqrt(n * pairs));
  assert_close(n * squares / pairs, 1, 0, 5 * std::sqrt(2 / pairs));
  assert_close(n * mixed / pairs, 0, 0, 5 / std::sqrt(pairs));
}

// S, w* and noise by definition from the inverse of P; the same from the covariance.
void masking(void **) {
  const int sites = 14;
  for (int site : {0, 5, 13}) {
    const Masked masked(sites, 3, 11, site);
    const Matrix full = small::inverse(masked.precision);
    Matrix column(sites - 1, 1);
    for (int i = 0; i < sites - 1; ++i) {
      column(i, 0) = full(i < site ? i : i + 1, site);
      for (int j = 0; j < sites - 1; ++j)
        assert_close(masked.covariance(i, j), full(i < site ? i : i + 1, j < site ? j : j + 1), 1e-12, 1e-14);
    }
    const Matrix teacher = small::inverse(masked.covariance) * column;
    for (int i = 0; i < sites - 1; ++i) assert_close(masked.teacher(i, 0), teacher(i, 0), 1e-12, 1e-14);
    const double noise = full(site, site) - (small::transposed(column) * teacher)(0, 0);
    assert_close(masked.noise, noise, 1e-12, 0);
    assert_close(moments(masked.spectrum()).rho, full(site, site), 1e-12, 0);
    Matrix covariance(sites - 1, sites - 1), other(sites - 1, 1);
    std::vector<double> work(static_cast<std::size_t>(mask_workspace(sites)));
    assert_close(mask_covariance(full.x.data(), sites, site, covariance.x.data(), other.x.data(), work.data()), noise, 1e-12, 0);
    for (int i = 0; i < sites - 1; ++i) {
      assert_close(other(i, 0), teacher(i, 0), 1e-12, 1e-14);
      for (int j = 0; j < sites - 1; ++j) assert_close(covariance(i, j), masked.covariance(i, j), 1e-12, 1e-14);
    }
  }
}

// Powers of S without eigenvalues: tr S^k = sum s^k, w* . S^k w* = sum s^k t.
void spectrum_moments(void **) {
  const Masked masked(40, 2.25, 3);
  Matrix power = small::shifted(Matrix(39, 39), 1);
  for (int k = 0; k <= 4; ++k) {
    double trace = 0, form = 0;
    for (int i = 0; i < 39; ++i) {
      trace += std::pow(masked.s[i], k);
      form += std::pow(masked.s[i], k) * masked.t[i];
      if (i > 0) assert_true(masked.s[i] >= masked.s[i - 1]);
    }
    assert_close(small::trace(power), trace, 1e-12, 0);
    assert_close((small::transposed(masked.teacher) * (power * masked.teacher))(0, 0), form, 1e-12, 0);
    power = power * masked.covariance;
  }
}

template <class Function>
atp_status status_of(Function &&function) {
  try {
    function();
  } catch (const Error &e) {
    return e.status();
  }
  return ATP_OK;
}

void not_positive_definite(void **) {
  const int n = 6;
  std::vector<double> work(500), s(6, -7), t(6, -7), covariance(25, -7), teacher(5, -7);
  Matrix a = small::shifted(Matrix(n, n), 1);
  a(2, 3) = a(3, 2) = 1.5;
  assert_int_equal(status_of([&] { mask_precision(a.x.data(), n, 0, covariance.data(), teacher.data(), work.data()); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { mask_covariance(a.x.data(), n, 0, covariance.data(), teacher.data(), work.data()); }), ATP_E_VALUE);
  // The fault is in the masked site itself.
  assert_int_equal(status_of([&] { mask_precision(a.x.data(), n, 2, covariance.data(), teacher.data(), work.data()); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { mask_covariance(a.x.data(), n, 2, covariance.data(), teacher.data(), work.data()); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { replica::spectrum(a.x.data(), a.x.data(), n, s.data(), t.data(), work.data()); }), ATP_E_VALUE);
  a(2, 3) = a(3, 2) = 1;  // singular
  assert_int_equal(status_of([&] { replica::spectrum(a.x.data(), a.x.data(), n, s.data(), t.data(), work.data()); }), ATP_E_VALUE);
  a(0, 0) = 0;
  a(2, 3) = a(3, 2) = 0;
  assert_int_equal(status_of([&] { mask_precision(a.x.data(), n, 0, covariance.data(), teacher.data(), work.data()); }), ATP_E_VALUE);
  for (double x : s) assert_true(x == -7);
  for (double x : t) assert_true(x == -7);
  for (double x : covariance) assert_true(x == -7);
  for (double x : teacher) assert_true(x == -7);
}

void kappa_form_is_saddle_form(void **) {
  for (int sites : {2, 60, 300}) {
    const Masked masked(sites, 2.5, 5);
    const Spectrum spectrum = masked.spectrum();
    const SpectrumMoments known = moments(spectrum);
    for (double lambda : {1e-10, 1e-8, 1e-3, 1.0, 1e4})
      for (double alpha : {1e-3, 0.25, 0.99, 1.0, 1.01, 3.0, 500.0})
        for (double temperature : {0.0, 0.5}) {
          const Row a = solve_square(spectrum, known, alpha, lambda, temperature);
          const Row b = solve_square_saddle(spectrum, known, alpha, lambda, temperature, 1000);
          assert_true(a.outcome == ATP_OUTCOME_CONVERGED && b.outcome == ATP_OUTCOME_CONVERGED);
          assert_true(a.residual <= 1e-12 && b.residual <= 1e-12);
          assert_true(a.iterations >= 1 && b.iterations >= 1 && b.iterations <= 100);
          assert_close(a.eg, b.eg, 1e-9, 0);
          assert_close(a.et, b.et, 1e-9, 0);
          assert_close(a.q, b.q, 1e-9, 0);
          assert_close(a.m, b.m, 1e-9, 0);
          assert_close(a.v, b.v, 1e-9, 0);
          assert_close(a.q_hat, b.q_hat, 1e-9, 0);
          assert_close(a.m_hat, b.m_hat, 1e-9, 0);
          assert_close(a.v_hat, b.v_hat, 1e-9, 0);
          assert_close(a.kappa, b.kappa, 1e-9, 0);
          assert_close(a.norm, b.norm, 1e-9, 0);
          assert_close(a.free_energy, b.free_energy, 1e-9, 1e-12);
        }
    // Without a penalty above alpha = 1.
    assert_close(solve_square(spectrum, known, 1.5, 0, 0).eg, solve_square_saddle(spectrum, known, 1.5, 0, 0, 1000).eg, 1e-12, 0);
  }
  // Too few steps is an outcome.
  const Masked masked(60, 2.5, 5);
  const Row row = solve_square_saddle(masked.spectrum(), moments(masked.spectrum()), 1, 1e-10, 0, 5);
  assert_true(row.outcome == ATP_OUTCOME_MAX_ITER && row.iterations == 5 && row.residual > 1e-12);
}

// Eigenvalues over eight decades and little noise: a loss much smaller than rho keeps its digits in both forms.
void small_losses(void **) {
  std::vector<double> s, t;
  for (int k = 0; k < 34; ++k) {
    s.push_back(std::pow(10.0, -4 + 8.0 * k / 33));
    t.push_back(1.0 / (1 + k % 5));
  }
  const Spectrum spectrum{s.data(), t.data(), 34, 5e-6};
  const SpectrumMoments known = moments(spectrum);
  for (double lambda : {1e-9, 1e-6, 1e-3})
    for (double alpha : {1e-3, 0.5, 0.99999997, 1.0, 1.0001, 40.0}) {
      const Row a = solve_square(spectrum, known, alpha, lambda, 0), b = solve_square_saddle(spectrum, known, alpha, lambda, 0, 1000);
      assert_true(a.outcome == ATP_OUTCOME_CONVERGED && b.outcome == ATP_OUTCOME_CONVERGED);
      assert_close(a.eg, b.eg, 1e-9, 0);
      assert_close(a.q, b.q, 1e-9, 0);
      assert_close(a.v, b.v, 1e-9, 0);
    }
  assert_true(solve_square(spectrum, known, 1.0001, 1e-9, 0).eg < 1e-4 * known.rho);
}

// V, q, m put back into the equations of [R24 eq. 36-41], with matrices: V = tr S R, R = (Lambda + V^ S)^-1; m = m^ w* . S R S w*;
// q = m^^2 w* . S R S R S w* + q^ tr S R S R.
void substituted_back(void **) {
  const Masked masked(31, 2.5, 9);
  const double p = masked.p;
  const Matrix &s = masked.covariance, &w = masked.teacher;
  for (double lambda : {1e-6, 0.1})
    for (double alpha : {0.4, 1.0, 2.5}) {
      const Row row = solve_square(masked.spectrum(), moments(masked.spectrum()), alpha, lambda, 0);
      const double v_hat = p * row.v_hat, m_hat = p * row.m_hat, q_hat = p * row.q_hat;
      assert_close(v_hat, alpha * p / (1 + row.v), 1e-11, 0);
      assert_close(m_hat, v_hat, 1e-15, 0);
      assert_close(q_hat, alpha * p * (row.rho + row.q - 2 * row.m) / ((1 + row.v) * (1 + row.v)), 1e-11, 0);
      const Matrix r = small::inverse(small::shifted(small::scaled(s, v_hat), lambda * p)), srs = s * (r * s), srsrs = srs * (r * s);
      assert_close(row.v, small::trace(s * r), 1e-10, 0);
      assert_close(row.m, m_hat * (small::transposed(w) * (srs * w))(0, 0), 1e-10, 0);
      assert_close(row.q, m_hat * m_hat * (small::transposed(w) * (srsrs * w))(0, 0) + q_hat * small::trace(srs * r), 1e-10, 0);
      assert_close(row.eg, row.rho + row.q - 2 * row.m, 1e-11, 0);
    }
}

// One eigenvalue s, |w*|^2 = t, lambda = 0: e_g = s t (1 - alpha) + noise / (1 - alpha) below alpha = 1, noise alpha / (alpha - 1) above;
// with a penalty kappa solves alpha kappa^2 + (alpha s - s - lambda) kappa = lambda s.
void one_eigenvalue(void **) {
  const double s = 1.75, noise = 0.3, t[4] = {0.5, 0, 1.25, 0.25}, total = 2, values[4] = {s, s, s, s};
  const Spectrum spectrum{values, t, 4, noise};
  const SpectrumMoments known = moments(spectrum);
  for (double alpha : {0.125, 0.5, 0.9375})
    assert_close(solve_square(spectrum, known, alpha, 0, 0).eg, s * total * (1 - alpha) + noise / (1 - alpha), 1e-13, 0);
  for (double alpha : {1.0625, 2.0, 100.0})
    assert_close(solve_square(spectrum, known, alpha, 0, 0).eg, noise * alpha / (alpha - 1), 1e-13, 0);
  for (double lambda : {1e-12, 0.1, 10.0})
    for (double alpha : {0.5, 1.0, 2.0}) {
      const double b = alpha * s - s - lambda, kappa = (std::sqrt(b * b + 4 * alpha * lambda * s) - b) / (2 * alpha);
      const double x = s / (s + kappa), eg = (kappa * kappa * s * total / ((s + kappa) * (s + kappa)) + noise) / (1 - x * x / alpha);
      const Row row = solve_square(spectrum, known, alpha, lambda, 0);
      assert_close(row.kappa, kappa, b > 0 && lambda < 1e-6 ? 1e-3 : 1e-9, 0);  // the textbook root cancels
      if (lambda >= 0.1) assert_close(row.eg, eg, 1e-10, 0);
    }
  // Nothing to learn but noise, and no noise at all.
  const double nothing[4] = {0, 0, 0, 0};
  const Spectrum noisy{values, nothing, 4, noise}, silent{values, t, 4, 0};
  assert_close(solve_square(noisy, moments(noisy), 1e-9, 1, 0).eg, noise, 1e-8, 0);
  assert_true(solve_square(silent, moments(silent), 2, 0, 0).eg == 0);
  const Row peak = solve_square(silent, moments(silent), 1, 0, 0);
  assert_true(peak.eg == 0 && peak.outcome == ATP_OUTCOME_CONVERGED);
  assert_true(std::isinf(solve_square(spectrum, known, 1, 0, 0).eg));
}

// As lambda -> 0 the loss goes to that of lambda = 0 on both sides of alpha = 1.
void penalty_goes_to_zero(void **) {
  const Masked masked(100, 2.5, 4);
  const SpectrumMoments known = moments(masked.spectrum());
  for (double alpha : {0.5, 0.96875, 1.03125, 2.0}) {
    const double at_zero = solve_square(masked.spectrum(), known, alpha, 0, 0).eg;
    assert_close(solve_square(masked.spectrum(), known, alpha, 1e-14, 0).eg, at_zero, 1e-9, 0);
    assert_close(solve_square(masked.spectrum(), known, alpha, 1e-250, 0).eg, at_zero, 1e-12, 0);
  }
}

// df/dlambda, df/dalpha and the energy, as in the limit.
void free_energy_derivatives(void **) {
  const Masked masked(50, 2.5, 6);
  const SpectrumMoments known = moments(masked.spectrum());
  const auto derivative = [](auto &&f, double x, double h) {
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
  };
  for (double alpha : {0.4, 1.0, 2.0})
    for (double lambda : {0.01, 1.0})
      for (double temperature : {0.0, 2.0}) {
        const auto solve = [&](double a, double l, double t) { return solve_square(masked.spectrum(), known, a, l, t); };
        const Row row = solve(alpha, lambda, temperature), cold = solve(alpha, lambda, 0);
        const double square = row.norm + temperature * (1 - row.v * row.v_hat) / lambda;
        assert_close(derivative([&](double l) { return solve(alpha, l, temperature).free_energy; }, lambda, 1e-3 * lambda), 0.5 * square,
                     1e-9, 0);
        assert_close(derivative([&](double a) { return solve(a, lambda, temperature).free_energy; }, alpha, 1e-4 * alpha),
                     0.5 * cold.eg / (1 + row.v) + temperature / 2 * std::log1p(row.v), 1e-9, 0);
        assert_close(0.5 * (alpha * row.et + lambda * square), cold.free_energy + temperature / 2, 1e-12, 0);
      }
}

// Finite L goes to the limit like 1/L: at lambda = 1e-4 and alpha >= 1 the loss hangs on traces, which fluctuate by 1/L only.
void goes_to_the_limit(void **) {
  const double lambda = 1e-4;
  for (double alpha : {1.0, 1.25, 2.0}) {
    double scaled[2];
    const double limit = Limit(2.5).solve(alpha, lambda, 0).eg;
    int k = 0;
    for (int sites : {100, 400}) {
      double mean = 0;
      const int seeds = 1600 / sites;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Masked masked(sites, 2.5, static_cast<uint64_t>(seed));
        mean += solve_square(masked.spectrum(), moments(masked.spectrum()), alpha, lambda, 0).eg / limit - 1;
      }
      scaled[k++] = sites * mean / seeds;
    }
    // L times the relative difference: 0.075, 0.00125, 8e-5, with a spread of 0.012, 1.8e-4, 1.2e-5 per matrix.
    assert_close(scaled[0], scaled[1], 0.25, 0);
    assert_true(scaled[0] > 0);
  }
}

}  // namespace

const struct CMUnitTest tests[] = {
    cmocka_unit_test(goe_matrix),
    cmocka_unit_test(masking),
    cmocka_unit_test(spectrum_moments),
    cmocka_unit_test(not_positive_definite),
    cmocka_unit_test(kappa_form_is_saddle_form),
    cmocka_unit_test(small_losses),
    cmocka_unit_test(substituted_back),
    cmocka_unit_test(one_eigenvalue),
    cmocka_unit_test(penalty_goes_to_zero),
    cmocka_unit_test(free_energy_derivatives),
    cmocka_unit_test(goes_to_the_limit),
};

ATP_TEST_MAIN(tests)
