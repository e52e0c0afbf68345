// SPDX-License-Identifier: MIT
// Optimisers against closed forms, hand-written recurrences and a Newton solution.
#include "support.h"

#include "placed.hpp"

#include "base/philox.hpp"
#include "math/small_linear.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/stochastic.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

using namespace atp;

namespace {

constexpr double kExact = 0x1p-46;  // resolution of a float64 objective

Span<double> span(std::vector<double> &v) { return {v.data(), static_cast<int64_t>(v.size())}; }

struct Run {
  Descent end = Descent::going;
  int iterations = 0;
  int evaluations = 0;
};

// Iterate to the end; at each accepted step check both strong Wolfe conditions from the outside.
template <class F>
Run minimize(Lbfgs &optimizer, std::vector<double> &x, F &&f, int limit, double noise = 0) {
  Run run;
  const auto counted = [&](Span<const double> at, Span<double> g) {
    ++run.evaluations;
    return f(at, g);
  };
  const int64_t n = static_cast<int64_t>(x.size());
  std::vector<double> before(x.size()), g0(x.size()), g1(x.size());
  while (run.iterations < limit && run.end == Descent::going) {
    before = x;
    const double f0 = f(span(before), span(g0));
    bool moved = false;
    run.end = optimizer.iterate(span(x), counted, &moved);
    if (!moved) continue;
    ++run.iterations;
    const double f1 = f(span(x), span(g1));
    double slope0 = 0, slope1 = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double s = x[k] - before[k];
      slope0 += s * g0[k];
      slope1 += s * g1[k];
    }
    assert_true(slope0 < 0);
    assert_true(f1 <= f0 + 1e-4 * slope0 * (1 - 1e-9) + kExact * fabs(f0) + noise);
    if (noise == 0) assert_true(fabs(slope1) <= 0.9 * fabs(slope0) * (1 + 1e-9) + 1e-15 * fabs(f0));
    if (noise == 0) assert_close(optimizer.value(), f1, 0, 0);
  }
  return run;
}

constexpr auto rosenbrock = [](Span<const double> x, Span<double> g) {
  fill(g, 0);
  double sum = 0;
  for (int64_t k = 0; k + 1 < x.size(); ++k) {
    const double a = x[k + 1] - x[k] * x[k], b = 1 - x[k];
    sum += 100 * a * a + b * b;
    g[k] += -400 * a * x[k] - 2 * b;
    g[k + 1] += 200 * a;
  }
  return sum;
};

void check_rosenbrock(int64_t n, int limit) {
  Placed<Lbfgs> optimizer(n, int64_t{8}, 1e-9, kExact);
  std::vector<double> x(n);
  for (int64_t k = 0; k < n; ++k) x[k] = k % 2 == 0 ? -1.2 : 1;
  const Run run = minimize(optimizer.object, x, rosenbrock, limit);
  print_message("rosenbrock in %d dimensions: %d iterations, %d evaluations\n", static_cast<int>(n), run.iterations, run.evaluations);
  assert_int_equal(static_cast<int>(run.end), static_cast<int>(Descent::converged));
  for (double v : x) assert_close(v, 1, 0, 1e-6);
}

void lbfgs_rosenbrock(void **) {
  check_rosenbrock(2, 60);
  check_rosenbrock(100, 600);
}

void lbfgs_quadratic(void **) {
  // f = 1/2 sum c_k (x_k - k)^2, condition number 1e6, eigenvalues spread evenly over the decades: the hard case for a short history.
  constexpr int64_t n = 50;
  const auto f = [](Span<const double> x, Span<double> g) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double c = std::pow(10, 6.0 * static_cast<double>(k) / (n - 1)), d = x[k] - static_cast<double>(k);
      sum += 0.5 * c * d * d;
      g[k] = c * d;
    }
    return sum;
  };
  Placed<Lbfgs> optimizer(n, int64_t{10}, 1e-9, kExact);
  std::vector<double> x(n, 0.0);
  const Run run = minimize(optimizer.object, x, f, 12000);
  print_message("quadratic, condition 1e6: %d iterations, %d evaluations\n", run.iterations, run.evaluations);
  assert_int_equal(static_cast<int>(run.end), static_cast<int>(Descent::converged));
  for (int64_t k = 0; k < n; ++k) assert_close(x[k], static_cast<double>(k), 0, 1e-5);
}

// Logistic regression with a ridge: convex, its minimum by Newton's method.
struct Logistic {
  static constexpr int n = 12, samples = 200;
  double rows[samples][n], labels[samples];
  Logistic() {
    const RandomView random(7, Stream::model, 0, 0);
    for (int m = 0; m < samples; ++m) {
      double field = 0;
      for (int k = 0; k < n; ++k) {
        rows[m][k] = random.normal(static_cast<uint64_t>(m * n + k)) * (k % 3 == 0 ? 3 : 0.5);
        field += rows[m][k] * (k % 2 == 0 ? 0.7 : -0.4);
      }
      labels[m] = RandomView(7, Stream::model, 1, 0).uniform(static_cast<uint64_t>(m)) < 1 / (1 + std::exp(-field)) ? 1 : -1;
    }
  }
  double operator()(Span<const double> x, Span<double> g) const {
    double sum = 0;
    for (int k = 0; k < n; ++k) {
      sum += 0.01 * x[k] * x[k];
      g[k] = 0.02 * x[k];
    }
    for (int m = 0; m < samples; ++m) {
      double field = 0;
      for (int k = 0; k < n; ++k) field += rows[m][k] * x[k];
      sum += std::log1p(std::exp(-labels[m] * field)) / samples;
      for (int k = 0; k < n; ++k) g[k] -= labels[m] * rows[m][k] / (1 + std::exp(labels[m] * field)) / samples;
    }
    return sum;
  }
  void newton(double *x) const {
    std::fill(x, x + n, 0.0);
    for (int iteration = 0; iteration < 30; ++iteration) {
      double h[n][n] = {}, g[n];
      (*this)(Span<const double>(x, n), Span<double>(g, n));
      for (int m = 0; m < samples; ++m) {
        double field = 0;
        for (int k = 0; k < n; ++k) field += rows[m][k] * x[k];
        const double p = 1 / (1 + std::exp(-field));
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < n; ++k) h[j][k] += p * (1 - p) * rows[m][j] * rows[m][k] / samples;
      }
      for (int k = 0; k < n; ++k) h[k][k] += 0.02;
      assert_true(solve_small(n, h[0], g, 0));
      for (int k = 0; k < n; ++k) x[k] -= g[k];
    }
  }
};

void lbfgs_logistic(void **) {
  static const Logistic problem;
  double exact[Logistic::n];
  problem.newton(exact);
  Placed<Lbfgs> optimizer(int64_t{Logistic::n}, int64_t{8}, 1e-10, kExact);
  std::vector<double> x(Logistic::n, 0.0);
  const Run run = minimize(optimizer.object, x, problem, 300);
  assert_int_equal(static_cast<int>(run.end), static_cast<int>(Descent::converged));
  for (int k = 0; k < Logistic::n; ++k) assert_close(x[k], exact[k], 0, 1e-8);
  assert_true(run.evaluations < 2 * run.iterations + 10);
}

void lbfgs_noisy_values(void **) {
  // Values in single precision, gradients good: the minimum must be reached all the same.
  static const Logistic problem;
  const auto noisy = [](Span<const double> x, Span<double> g) { return static_cast<double>(static_cast<float>(problem(x, g))); };
  double exact[Logistic::n];
  problem.newton(exact);
  Placed<Lbfgs> optimizer(int64_t{Logistic::n}, int64_t{8}, 1e-7, 0x1p-22);
  std::vector<double> x(Logistic::n, 0.0);
  const Run run = minimize(optimizer.object, x, noisy, 300, 1e-6);
  assert_int_equal(static_cast<int>(run.end), static_cast<int>(Descent::converged));
  for (int k = 0; k < Logistic::n; ++k) assert_close(x[k], exact[k], 0, 1e-5);
}

void lbfgs_honest_ends(void **) {
  {  // A kink: no gradient vanishes, so this must never be called converged.
    const auto f = [](Span<const double> x, Span<double> g) {
      double sum = 0;
      for (int64_t k = 0; k < x.size(); ++k) {
        const double c = static_cast<double>(k + 1);
        sum += c * std::fabs(x[k]);
        g[k] = x[k] > 0 ? c : -c;
      }
      return sum + 1;
    };
    Placed<Lbfgs> optimizer(int64_t{3}, int64_t{5}, 1e-6, kExact);
    std::vector<double> x = {1, -0.7, 0.3};
    Descent end = Descent::going;
    bool moved = false;
    for (int k = 0; k < 2000 && end == Descent::going; ++k) end = optimizer->iterate(span(x), f, &moved);
    assert_int_equal(static_cast<int>(end), static_cast<int>(Descent::stalled));
  }
  {  // Not finite at the start.
    const auto f = [](Span<const double>, Span<double> g) {
      fill(g, 1);
      return std::nan("");
    };
    Placed<Lbfgs> optimizer(int64_t{3}, int64_t{5}, 1e-6, kExact);
    std::vector<double> x = {1, 2, 3};
    bool moved = true;
    assert_int_equal(static_cast<int>(optimizer->iterate(span(x), f, &moved)), static_cast<int>(Descent::diverged));
    assert_false(moved);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3);
  }
  {  // A wall of infinities beside the minimum, f = x - log x: steps beyond the wall are taken back.
    const auto f = [](Span<const double> x, Span<double> g) {
      g[0] = 1 - 1 / x[0];
      return x[0] > 0 ? x[0] - std::log(x[0]) : INFINITY;
    };
    Placed<Lbfgs> optimizer(int64_t{1}, int64_t{5}, 1e-9, kExact);
    std::vector<double> x = {1.9};
    Descent end = Descent::going;
    bool moved = false;
    for (int k = 0; k < 100 && end == Descent::going; ++k) end = optimizer->iterate(span(x), f, &moved);
    assert_int_equal(static_cast<int>(end), static_cast<int>(Descent::converged));
    assert_close(x[0], 1, 0, 1e-8);
  }
}

// Two optimisers load the state that one has saved.
template <class T>
void hand_over(Placed<T> &one, Placed<T> &two) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(state_bytes(one->payload())));
  StateWriter writer(bytes.data(), static_cast<int64_t>(bytes.size()), StateKind::trainer, 1, one->payload());
  one->save(writer);
  writer.finish();
  StateReader reader(bytes.data(), static_cast<int64_t>(bytes.size()), StateKind::trainer, 1, two->payload(), "trainer");
  two->load(reader);
}

// Save after k iterations into an optimiser that was busy with something else; both must go on with the same bits.
void lbfgs_save_restore(void **) {
  constexpr int64_t n = 20;
  for (int cut : {0, 1, 5, 30}) {
    Placed<Lbfgs> one(n, int64_t{6}, 1e-12, kExact), two(n, int64_t{6}, 1e-12, kExact);
    std::vector<double> x(n), y(n, 0.3);
    for (int64_t k = 0; k < n; ++k) x[k] = k % 2 == 0 ? -1.2 : 1;
    bool moved = false;
    for (int k = 0; k < 9; ++k) two->iterate(span(y), rosenbrock, &moved);
    for (int k = 0; k < cut; ++k) one->iterate(span(x), rosenbrock, &moved);
    hand_over(one, two);
    y = x;
    for (int k = 0; k < 25; ++k) {
      const Descent a = one->iterate(span(x), rosenbrock, &moved), b = two->iterate(span(y), rosenbrock, &moved);
      assert_int_equal(static_cast<int>(a), static_cast<int>(b));
      assert_memory_equal(x.data(), y.data(), n * sizeof(double));
    }
  }
}

void wolfe_search(void **) {
  // phi(a) = -a / (a^2 + b), J. More', D. Thuente, ACM TOMS 20, 286 (1994), eq. 5.1: from steps far too small to far too large.
  for (double first : {1e-3, 1e-1, 1e1, 1e3}) {
    const auto phi = [](double a) {
      const double d = a * a + 2;
      return SearchPoint{a, -a / d, (a * a - 2) / (d * d)};
    };
    const SearchResult result = search_line(phi(0), 0, first, phi);
    assert_true(result.accepted && result.wolfe);
    assert_true(result.point.value <= -1e-4 * result.point.step * 0.5);
    assert_true(fabs(result.point.slope) <= 0.9 * 0.5);
  }
  // Uphill beyond the noise at every step: nothing is accepted.
  const auto lie = [](double a) { return SearchPoint{a, a > 0 ? 1.0 : 0.0, -1}; };
  assert_false(search_line({0, 0, -1}, 1e-9, 1, lie).accepted);
}

void sgd_recurrence(void **) {
  for (double momentum : {0.0, 0.9}) {
    Placed<Sgd> sgd(int64_t{5}, momentum);
    std::vector<double> x = {1, 2, 3, 4, 5}, v(5, 0.0), y = x, g(5);
    for (int t = 0; t < 50; ++t) {
      for (int k = 0; k < 5; ++k) g[k] = std::sin(1.0 + t * 0.3 + k) + 0.1 * x[k];
      const double rate = cosine_rate(0.1, t, 50);
      for (int k = 0; k < 5; ++k) {
        v[k] = momentum * v[k] + g[k];
        y[k] -= rate * v[k];
      }
      sgd->step(span(x), span(g), rate);
      for (int k = 0; k < 5; ++k) assert_close(x[k], y[k], 1e-14, 0);
    }
  }
}

void adam_recurrence(void **) {
  Placed<Adam> adam(int64_t{5});
  std::vector<double> x = {1, 2, 3, 4, 5}, y = x, m(5, 0.0), v(5, 0.0), g(5);
  for (int t = 1; t <= 200; ++t) {
    for (int k = 0; k < 5; ++k) g[k] = std::sin(1.0 + t * 0.3 + k) + 0.1 * x[k];
    const double rate = 0.01;
    for (int k = 0; k < 5; ++k) {
      m[k] = 0.9 * m[k] + 0.1 * g[k];
      v[k] = 0.999 * v[k] + 0.001 * g[k] * g[k];
      y[k] -= rate * (m[k] / (1 - std::pow(0.9, t))) / (std::sqrt(v[k] / (1 - std::pow(0.999, t))) + 1e-8);
    }
    adam->step(span(x), span(g), rate);
    for (int k = 0; k < 5; ++k) assert_close(x[k], y[k], 1e-12, 0);
  }
}

template <class T>
void check_restore(Placed<T> &one, Placed<T> &two) {
  std::vector<double> x = {1, 2, 3, 4, 5}, y = {9, 9, 9, 9, 9}, g(5);
  const auto step = [&](Placed<T> &optimizer, std::vector<double> &z, int t) {
    for (int k = 0; k < 5; ++k) g[k] = std::cos(1.0 + t + k) + 0.1 * z[k];
    optimizer->step(span(z), span(g), 0.05);
  };
  for (int t = 0; t < 13; ++t) step(one, x, t);
  for (int t = 0; t < 4; ++t) step(two, y, t);
  hand_over(one, two);
  y = x;
  for (int t = 13; t < 30; ++t) {
    step(one, x, t);
    step(two, y, t);
    assert_memory_equal(x.data(), y.data(), 5 * sizeof(double));
  }
}

void stochastic_save_restore(void **) {
  Placed<Sgd> a(int64_t{5}, 0.8), b(int64_t{5}, 0.8);
  check_restore(a, b);
  Placed<Adam> c(int64_t{5}), d(int64_t{5});
  check_restore(c, d);
}

void cosine_schedule(void **) {
  for (int k = 0; k <= 1000; ++k) assert_close(cos_pi(k / 1000.0), std::cos(3.14159265358979323846 * k / 1000.0), 0, 1e-15);
  assert_close(cosine_rate(0.05, 0, 30), 0.05, 1e-15, 0);
  assert_close(cosine_rate(0.05, 15, 30), 0.025, 1e-15, 0);
  assert_close(cosine_rate(0.05, 10, 30), 0.0375, 1e-15, 0);
  assert_close(cosine_rate(0.05, 30, 30), 0, 0, 1e-16);
  // Over a whole schedule the mean rate is (T + 1) / (2 T) of the first one.
  double sum = 0;
  for (int t = 0; t < 30; ++t) sum += cosine_rate(1, t, 30);
  assert_close(sum, 15.5, 1e-14, 0);
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lbfgs_rosenbrock),  cmocka_unit_test(lbfgs_quadratic),
      cmocka_unit_test(lbfgs_logistic),    cmocka_unit_test(lbfgs_noisy_values),
      cmocka_unit_test(lbfgs_honest_ends), cmocka_unit_test(lbfgs_save_restore),
      cmocka_unit_test(wolfe_search),      cmocka_unit_test(sgd_recurrence),
      cmocka_unit_test(adam_recurrence),   cmocka_unit_test(stochastic_save_restore),
      cmocka_unit_test(cosine_schedule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
