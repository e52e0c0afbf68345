// SPDX-License-Identifier: MIT
// Learning curves of convex losses. Square: against the solver of the square loss, which shares no code with this one. Huber: the saddle
// point put into closed forms with error functions. Logistic: put into sums over a grid of both fields, with another proximal operator and
// Stein's lemma the other way round; the laws of maximum likelihood at large alpha; Cover's threshold of separability. Huber and logistic:
// drawn, learned with L-BFGS, compared.
#include "support.h"

#include "placed.hpp"

#include "base/philox.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/vector.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/square.hpp"

#include <cmath>
#include <vector>

using namespace atp;
using namespace atp::replica;

namespace {

constexpr ConvexLoss kSquare{LossKind::square, 1}, kLogistic{LossKind::logistic, 1};
constexpr double kPi = 3.14159265358979323846;

std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }

struct Problem {
  std::vector<double> s, t;
  double noise;
  Spectrum spectrum() const { return {s.data(), t.data(), static_cast<int64_t>(s.size()), noise}; }
  double teacher() const {
    double sum = 0;
    for (std::size_t k = 0; k < s.size(); ++k) sum += s[k] * t[k];
    return sum;
  }
};

// Eigenvalues from 0.3 to 3, uneven projections; E nu^2 as given.
Problem problem(int64_t p, double teacher, double noise) {
  Problem a;
  a.noise = noise;
  for (int64_t k = 0; k < p; ++k) {
    a.s.push_back(0.3 * std::pow(10.0, static_cast<double>(k) / static_cast<double>(p)));
    a.t.push_back(1 + static_cast<double>(k % 5));
  }
  const double scale = teacher / a.teacher();
  for (double &t : a.t) t *= scale;
  return a;
}

Row solve(const Problem &a, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter = 1000) {
  std::vector<double> work(index_of(convex_workspace()));
  const Spectrum spectrum = a.spectrum();
  return solve_convex(spectrum, loss, alpha, lambda, max_iter, {work.data(), static_cast<int64_t>(work.size())});
}

double optimum(const Problem &a, const ConvexLoss &loss) {
  std::vector<double> work(index_of(convex_workspace()));
  const Spectrum spectrum = a.spectrum();
  return optimal_convex(spectrum, loss, {work.data(), static_cast<int64_t>(work.size())});
}

Row converged(const Problem &a, const ConvexLoss &loss, double alpha, double lambda) {
  const Row row = solve(a, loss, alpha, lambda);
  if (row.outcome != ATP_OUTCOME_CONVERGED || !(row.residual <= 1e-12) || !(row.quadrature <= 1e-10))
    fail_msg("alpha = %g, lambda = %g: outcome %g, residual %g, quadrature %g", alpha, lambda, row.outcome, row.residual, row.quadrature);
  return row;
}

void same(const Row &a, const Row &b, double tolerance) {
  for (double Row::*x : {&Row::eg, &Row::et, &Row::rho, &Row::q, &Row::m, &Row::v, &Row::q_hat, &Row::m_hat, &Row::v_hat, &Row::kappa,
                         &Row::norm, &Row::free_energy})
    assert_close(a.*x, b.*x, tolerance, 0);
}

void square_is_square(void **) {
  for (int64_t p : {1, 7, 200}) {
    const Problem a = problem(p, 2.5, 0.4);
    const Spectrum spectrum = a.spectrum();
    for (double lambda : {10.0, 0.1, 1e-3, 1e-6, 1e-10})
      for (double alpha : {0.01, 0.3, 0.9, 1.0, 1.1, 2.0, 10.0, 1e4})
        same(converged(a, kSquare, alpha, lambda), solve_square(spectrum, moments(spectrum), alpha, lambda, 0), 1e-9);
    same(converged(a, kSquare, 1.5, 0), solve_square(spectrum, moments(spectrum), 1.5, 0, 0), 1e-9);
    assert_close(optimum(a, kSquare), 0.4, 1e-14, 0);
  }
}

// An independent implementation of the saddle-point equations for (q^, m^, V^).
void check_spectral_side(const Problem &a, const Row &row) {
  const double p = static_cast<double>(a.s.size()), ridge = row.lambda * p, v_hat = row.v_hat * p, q_hat = row.q_hat * p,
               m_hat = row.m_hat * p;
  double v = 0, q = 0, m = 0, norm = 0;
  for (std::size_t k = 0; k < a.s.size(); ++k) {
    const double s = a.s[k], d = ridge + v_hat * s;
    v += s / d;
    m += m_hat * s * s * a.t[k] / d;
    q += (m_hat * m_hat * s * s * a.t[k] + q_hat * s) * s / (d * d);
    norm += (m_hat * m_hat * s * s * a.t[k] + q_hat * s) / (d * d);
  }
  assert_close(row.v, v, 1e-11, 0);
  assert_close(row.m, m, 1e-11, 0);
  assert_close(row.q, q, 1e-11, 0);
  assert_close(row.norm, norm, 1e-11, 0);
}

// P(|x| < c) and E x^2 [|x| < c] of a standard normal x, E |x| [|x| > c].
double inside(double c) { return std::erf(c / std::sqrt(2.0)); }
double square_inside(double c) { return inside(c) - 2 * c * std::exp(-c * c / 2) / std::sqrt(2 * kPi); }
double outside(double c) { return std::erfc(c / std::sqrt(2.0)); }
double absolute_outside(double c) { return 2 * std::exp(-c * c / 2) / std::sqrt(2 * kPi); }

void huber_in_closed_form(void **) {
  const Problem a = problem(120, 2.5, 0.4);
  for (double delta : {1e-3, 0.1, 0.7, 2.0, 30.0})
    for (double lambda : {1.0, 1e-2, 1e-6})
      for (double alpha : {0.2, 0.95, 1.0, 1.3, 4.0, 100.0}) {
        const Row row = converged(a, {LossKind::huber, delta}, alpha, lambda);
        check_spectral_side(a, row);
        const double e = a.noise + a.teacher() + row.q - 2 * row.m, width = std::sqrt(e);
        const double c = delta * (1 + row.v) / width, b = delta / width;
        assert_close(row.v_hat, alpha * inside(c) / (1 + row.v), 1e-9, 0);
        assert_close(row.m_hat, row.v_hat, 0, 0);
        const double shrunk = e * square_inside(c) / ((1 + row.v) * (1 + row.v));
        assert_close(row.q_hat, alpha * (shrunk + delta * delta * outside(c)), 1e-9, 0);
        assert_close(row.eg, e * square_inside(b) + 2 * delta * width * absolute_outside(b) - delta * delta * outside(b), 1e-9, 0);
        assert_close(row.et, shrunk + 2 * delta * width * absolute_outside(c) - delta * delta * (1 + 2 * row.v) * outside(c), 1e-9,
                     1e-12 * row.eg);
        assert_close(row.free_energy, alpha * row.et / 2 + lambda * row.norm / 2, 1e-14, 0);
      }
  const double b = 0.7 / std::sqrt(a.noise);
  assert_close(optimum(a, {LossKind::huber, 0.7}),
               a.noise * square_inside(b) + 1.4 * std::sqrt(a.noise) * absolute_outside(b) - 0.49 * outside(b), 1e-13, 0);
  same(converged(a, {LossKind::huber, 1e9}, 1.2, 1e-3), converged(a, kSquare, 1.2, 1e-3), 1e-10);
}

// z - v / (1 + exp(z)) = omega by bisection.
double logistic_proximal(double omega, double v) {
  double low = omega, high = omega + v;
  for (int k = 0; k < 70 && v > 0; ++k) {
    const double z = (low + high) / 2;
    (z - v / (1 + std::exp(z)) > omega ? high : low) = z;
  }
  return low;
}

struct LogisticSums {
  double f2 = 0, f_omega = 0, f_nu = 0, test = 0, train = 0, optimum = 0;  // E f^2, E f omega, E f nu, losses
};

// Trapezoidal sums over nu = sqrt(rho) x and omega = m / sqrt(rho) x + sqrt(q - m^2 / rho) y.
LogisticSums logistic_sums(double rho, double q, double m, double v) {
  constexpr double kStep = 0.1, kRange = 8.5;
  LogisticSums sum;
  const double along = m / std::sqrt(rho), across = std::sqrt(q - m * m / rho);
  const int n = static_cast<int>(kRange / kStep);
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j) {
      const double x = kStep * i, y = kStep * j, nu = std::sqrt(rho) * x, omega = along * x + across * y;
      for (double label : {-1.0, 1.0}) {
        const double w = kStep * kStep / (2 * kPi) * std::exp(-(x * x + y * y) / 2) / (1 + std::exp(-label * nu));
        const double z = logistic_proximal(label * omega, v), f = label / (1 + std::exp(z));
        sum.f2 += w * f * f;
        sum.f_omega += w * f * omega;
        sum.f_nu += w * f * nu;
        sum.test += w * std::log1p(std::exp(-label * omega));
        sum.train += w * std::log1p(std::exp(-z));
        sum.optimum += w * std::log1p(std::exp(-label * nu));
      }
    }
  return sum;
}

// E f nu = rho E df/dnu + m E df/domega and E f omega = m E df/dnu + q E df/domega.
void logistic_on_a_grid(void **) {
  const struct {
    double teacher, alpha, lambda;
  } cases[] = {{1, 0.5, 1e-1}, {1, 3, 1e-1}, {1, 10, 1e-3}, {0.05, 4, 1e-2}, {4, 6, 1e-2}, {4, 100, 0}, {0.7, 1.5, 1.0}, {0.7, 1e-3, 1e-2}};
  for (const auto &c : cases) {
    const Problem a = problem(60, c.teacher, 0);
    const Row row = converged(a, kLogistic, c.alpha, c.lambda);
    check_spectral_side(a, row);
    const LogisticSums sum = logistic_sums(c.teacher, row.q, row.m, row.v);
    const double determinant = c.teacher * row.q - row.m * row.m;
    const double by_nu = (row.q * sum.f_nu - row.m * sum.f_omega) / determinant;
    const double by_omega = (c.teacher * sum.f_omega - row.m * sum.f_nu) / determinant;
    assert_close(row.rho, c.teacher, 1e-14, 0);
    assert_close(row.q_hat, c.alpha * sum.f2, 1e-9, 0);
    assert_close(row.m_hat, c.alpha * by_nu, 1e-8, 0);
    assert_close(row.v_hat, -c.alpha * by_omega, 1e-8, 0);
    assert_close(row.eg, sum.test, 1e-9, 0);
    assert_close(row.et, sum.train, 1e-9, 0);
    assert_close(optimum(a, kLogistic), sum.optimum, 1e-11, 0);
    assert_close(row.free_energy, c.alpha * row.et + c.lambda * row.norm / 2, 1e-14, 0);
  }
}

// Maximum likelihood with many samples: excess of the test loss 1 / (2 alpha), and as much below the optimum in training, up to 1 /
// alpha^2.
void many_samples(void **) {
  for (double teacher : {0.2, 2.0, 30.0}) {
    const Problem a = problem(50, teacher, 0);
    const double best = optimum(a, kLogistic);
    double last = 1;
    for (double alpha : {300.0, 3000.0, 30000.0}) {
      const Row row = converged(a, kLogistic, alpha, 0);
      const double test = 2 * alpha * (row.eg - best) - 1, train = 2 * alpha * (best - row.et) - 1;
      assert_true(std::fabs(test) < 30 / alpha && std::fabs(train) < 30 / alpha);
      assert_true(std::fabs(test) < 0.2 * last);
      last = std::fabs(test);
    }
  }
}

// Labels that say nothing about x can be separated by a hyperplane as long as alpha < 2. T. Cover, IEEE Trans. Electron. Comput. 14, 326
// (1965).
void separability(void **) {
  const Problem a = problem(50, 0, 0);
  assert_close(optimum(a, kLogistic), std::log(2.0), 1e-14, 0);
  for (double alpha : {0.3, 1.5, 1.97}) {
    const Row row = solve(a, kLogistic, alpha, 0);
    assert_true(row.outcome == ATP_OUTCOME_DIVERGED && std::isinf(row.eg) && std::isinf(row.q) && row.et == 0);
    assert_true(converged(a, kLogistic, alpha, 1e-9).et < 1e-3);
  }
  for (double alpha : {2.03, 2.5, 20.0}) {
    const Row row = converged(a, kLogistic, alpha, 0);
    assert_true(row.eg > std::log(2.0) && row.et < std::log(2.0) && row.m == 0);
  }
  // With labels that do, separation lasts longer.
  assert_true(solve(problem(50, 4, 0), kLogistic, 2.5, 0).outcome == ATP_OUTCOME_DIVERGED);
}

// Wide fields, strong teachers, weak penalties: everywhere converged, with losses that belong together.
void hard_corners(void **) {
  for (double teacher : {1e-4, 1.0, 1e2, 1e4})
    for (double alpha : {1e-3, 0.5, 50.0})
      for (double lambda : {1e2, 1e-9}) {
        const Problem a = problem(30, teacher, 0);
        const Row row = converged(a, kLogistic, alpha, lambda);
        check_spectral_side(a, row);
        const double best = optimum(a, kLogistic);
        assert_true(row.eg >= best * (1 - 1e-10) && row.et <= row.eg && row.m * row.m <= teacher * row.q * (1 + 1e-10));
        // At the minimum the energy is below that of w = 0.
        assert_true(row.free_energy <= alpha * std::log(2.0) * (1 + 1e-12));
      }
}

void not_converged(void **) {
  const Row row = solve(problem(60, 1, 0), kLogistic, 3, 1e-2, 2);
  assert_true(row.outcome == ATP_OUTCOME_MAX_ITER && row.iterations == 2 && row.residual > 1e-12);
}

struct Means {
  double test = 0, test_error = 0, train = 0, train_error = 0;
};

// Draw x = sqrt(s) g, labels of w* = sqrt(t), learn with L-BFGS, judge exactly: only q and m of the student are needed, h and nu being
// normal.
Means simulate(const Problem &a, const ConvexLoss &loss, int64_t samples, double lambda, int64_t realisations, uint64_t seed) {
  const int64_t p = static_cast<int64_t>(a.s.size());
  std::vector<double> x(index_of(samples * p)), y(index_of(samples)), w(index_of(p)), h(index_of(samples)), test, train;
  for (int64_t r = 0; r < realisations; ++r) {
    const RandomView normal(seed, Stream::model, static_cast<uint64_t>(r), 0), label(seed, Stream::model, static_cast<uint64_t>(r), 1);
    for (int64_t n = 0; n < samples; ++n) {
      double nu = 0;
      for (int64_t k = 0; k < p; ++k) {
        x[index_of(n * p + k)] = std::sqrt(a.s[index_of(k)]) * normal.normal(static_cast<uint64_t>(n * p + k));
        nu += std::sqrt(a.t[index_of(k)]) * x[index_of(n * p + k)];
      }
      y[index_of(n)] = loss.classifies() ? (label.uniform(static_cast<uint64_t>(n)) < 1 / (1 + std::exp(-nu)) ? 1 : -1)
                                         : nu + std::sqrt(a.noise) * label.normal(static_cast<uint64_t>(n));
    }
    const auto energy = [&](Span<const double> at, Span<double> gradient) {
      const double ridge = lambda * static_cast<double>(p);
      double sum = ridge / 2 * dot(at, at);
      for (int64_t k = 0; k < p; ++k) gradient[k] = ridge * at[k];
      for (int64_t n = 0; n < samples; ++n) {
        const Span<const double> row(x.data() + n * p, p);
        const double z = dot(at, row), target = y[index_of(n)], residual = z - target;
        h[index_of(n)] = z;
        double slope = 0;
        if (loss.classifies()) {
          sum += std::log1p(std::exp(-target * z));
          slope = -target / (1 + std::exp(target * z));
        } else if (std::fabs(residual) <= loss.delta) {
          sum += residual * residual / 2;
          slope = residual;
        } else {
          sum += loss.delta * (std::fabs(residual) - loss.delta / 2);
          slope = std::copysign(loss.delta, residual);
        }
        add_scaled(slope, row, gradient);
      }
      return sum;
    };
    Placed<Lbfgs> optimizer(p, int64_t{10}, 1e-8, 0x1p-46);
    std::fill(w.begin(), w.end(), 0.0);
    Descent end = Descent::going;
    for (int step = 0; step < 2000 && end == Descent::going; ++step) {
      bool moved = false;
      end = optimizer->iterate({w.data(), p}, energy, &moved);
    }
    assert_true(end == Descent::converged);
    double norm = 0, q = 0, m = 0;
    for (int64_t k = 0; k < p; ++k) {
      norm += w[index_of(k)] * w[index_of(k)];
      q += a.s[index_of(k)] * w[index_of(k)] * w[index_of(k)];
      m += a.s[index_of(k)] * w[index_of(k)] * std::sqrt(a.t[index_of(k)]);
    }
    const double empirical = (optimizer->value() - lambda * static_cast<double>(p) / 2 * norm) / static_cast<double>(samples);
    if (loss.classifies()) {
      test.push_back(logistic_sums(a.teacher(), q, m, 0).test);
      train.push_back(empirical);
    } else {
      const double width = std::sqrt(a.noise + a.teacher() + q - 2 * m), b = loss.delta / width;
      test.push_back(width * width * square_inside(b) + 2 * loss.delta * width * absolute_outside(b) -
                     loss.delta * loss.delta * outside(b));
      train.push_back(2 * empirical);
    }
  }
  const auto estimate = [](const std::vector<double> &values, double *mean, double *error) {
    const double n = static_cast<double>(values.size());
    double sum = 0, square = 0;
    for (double v : values) sum += v;
    for (double v : values) square += (v - sum / n) * (v - sum / n);
    *mean = sum / n;
    *error = std::sqrt(square / (n - 1) / n);
  };
  Means means;
  estimate(test, &means.test, &means.test_error);
  estimate(train, &means.train, &means.train_error);
  return means;
}

// 12 comparisons at 3 standard errors of 40 realisations each (Student's t: 0.5 per cent): a right theory fails for one choice of seeds in
// 18; the seeds are fixed. Planted fault: at alpha 10 per cent larger the test losses of the theory must fail.
void simulation(void **) {
  const int64_t p = 100, realisations = 40;
  const struct {
    ConvexLoss loss;
    double teacher, noise, alpha, lambda;
  } cases[] = {{{LossKind::huber, 0.5}, 1, 0.5, 1.2, 3e-2},
               {{LossKind::huber, 0.5}, 1, 0.5, 3, 1e-3},
               {{LossKind::huber, 2}, 1, 0.5, 2, 1e-2},
               {kLogistic, 1, 0, 4, 1e-2},
               {kLogistic, 1, 0, 6, 1e-2},
               {kLogistic, 4, 0, 12, 1e-2}};
  uint64_t seed = 1;
  for (const auto &c : cases) {
    const Problem a = problem(p, c.teacher, c.noise);
    const Row row = converged(a, c.loss, c.alpha, c.lambda), fault = converged(a, c.loss, 1.1 * c.alpha, c.lambda);
    const int64_t samples = std::lround(c.alpha * static_cast<double>(p));
    const Means means = simulate(a, c.loss, samples, c.lambda, realisations, seed++);
    const auto distance = [&](const Row &theory) { return std::fabs(means.test - theory.eg) / means.test_error; };
    const double train = std::fabs(means.train - row.et) / means.train_error;
    print_message("alpha = %g, lambda = %g: test %.5f(%.5f), theory %.5f; train %.5f(%.5f), theory %.5f; fault seen at %.1f errors\n",
                  c.alpha, c.lambda, means.test, means.test_error, row.eg, means.train, means.train_error, row.et, distance(fault));
    assert_true(distance(row) < 3 && train < 3);
    assert_true(distance(fault) > 3);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(square_is_square), cmocka_unit_test(huber_in_closed_form), cmocka_unit_test(logistic_on_a_grid),
      cmocka_unit_test(many_samples),     cmocka_unit_test(separability),         cmocka_unit_test(hard_corners),
      cmocka_unit_test(not_converged),    cmocka_unit_test(simulation),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
