// SPDX-License-Identifier: MIT
// Simulation against theory, and simulation against the same data solved the plain way. Fixed seeds.
#include "theory/replica/simulate.hpp"
#include "theory/replica/inputs.hpp"
#include "theory/replica/square.hpp"

#include "base/philox.hpp"
#include "counting.h"
#include "small_matrix.hpp"
#include "support.h"

#include <cmath>

using namespace atp;
using namespace atp::replica;
using small::Matrix;

namespace {

struct Problem {
  Problem(int sites, double shift) : p(sites - 1), covariance(p, p), teacher(p, 1), s(p), t(p) {
    Matrix precision(sites, sites);
    std::vector<double> work(static_cast<std::size_t>(std::max(mask_workspace(sites), spectrum_workspace(p))));
    fill_goe(sites, shift, 1, precision.x.data());
    noise = mask_precision(precision.x.data(), sites, 0, covariance.x.data(), teacher.x.data(), work.data());
    replica::spectrum(covariance.x.data(), teacher.x.data(), p, s.data(), t.data(), work.data());
  }
  Spectrum spectrum() const { return {s.data(), t.data(), p, noise}; }
  std::vector<SimRow> simulate(const std::vector<double> &alphas, double lambda, int64_t realisations, int threads,
                               uint64_t seed = 1) const {
    Context context(counting_alloc, counting_free, nullptr);
    context.threads = threads;
    const Simulation simulation{
        covariance.x.data(), teacher.x.data(), p, noise, alphas.data(), static_cast<int64_t>(alphas.size()), lambda, realisations, seed};
    std::vector<double> numbers(alphas.size() * ATP_REPLICA_SIM_COLUMNS);
    StopFlag stop;
    Reporter reporter(nullptr, nullptr, stop);
    assert_int_equal(replica::simulate(context, simulation, reporter, numbers.data()), ATP_OUTCOME_CONVERGED);
    assert_int_equal(context.allocator.bytes(), 0);
    std::vector<SimRow> rows;
    for (std::size_t k = 0; k < numbers.size(); k += ATP_REPLICA_SIM_COLUMNS)
      rows.push_back({numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3], numbers[k + 4], numbers[k + 5], numbers[k + 6]});
    return rows;
  }

  int p;
  Matrix covariance, teacher;
  double noise = 0;
  std::vector<double> s, t;
};

// Columns of a lower triangular C with C C^T = a.
Matrix cholesky_factor(const Matrix &a) {
  Matrix c(a.rows, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j <= i; ++j) {
      double x = a(i, j);
      for (int k = 0; k < j; ++k) x -= c(i, k) * c(j, k);
      c(i, j) = i == j ? std::sqrt(x) : x / c(j, j);
    }
  return c;
}

struct Data {
  Matrix x, y;
};

// The data of a realisation, from the definition: numbers in the order of the columns of Z, then of the noise.
Data draw(const Problem &problem, const Matrix &factor, int samples, uint64_t realisation, uint64_t seed) {
  const RandomView random(seed, Stream::replica, realisation, static_cast<uint64_t>(samples));
  Matrix z(samples, problem.p), y(samples, 1);
  uint64_t k = 0;
  for (int j = 0; j < problem.p; ++j)
    for (int i = 0; i < samples; ++i) z(i, j) = random.normal(k++);
  const Matrix x = z * small::transposed(factor), signal = x * problem.teacher;
  for (int i = 0; i < samples; ++i) y(i, 0) = signal(i, 0) + std::sqrt(problem.noise) * random.normal(k++);
  return {x, y};
}

double square(const Matrix &a) {
  double sum = 0;
  for (double x : a.x) sum += x * x;
  return sum;
}

// One realisation against the normal equations on the same data: w = (X^T X + Lambda)^-1 X^T y, or X^T (X X^T)^-1 y without penalty and
// with few samples.
void same_as_the_normal_equations(void **) {
  const Problem problem(16, 3);
  const Matrix factor = cholesky_factor(problem.covariance);
  for (double lambda : {0.0, 0.5})
    for (double alpha : {0.01, 0.4, 0.8, 1.0, 1.4, 4.0}) {
      const SimRow row = problem.simulate({alpha}, lambda, 1, 1, 77)[0];
      const int samples = static_cast<int>(row.samples);
      assert_int_equal(samples, std::max(1L, std::lround(alpha * problem.p)));
      assert_close(row.alpha, static_cast<double>(samples) / problem.p, 1e-15, 0);
      assert_true(row.realisations == 1 && std::isnan(row.eg_sem) && std::isnan(row.et_sem));
      const Data data = draw(problem, factor, samples, 0, 77);
      const Matrix xt = small::transposed(data.x);
      const double penalty = lambda * problem.p;
      Matrix w = lambda == 0 && samples < problem.p ? xt * (small::inverse(data.x * xt) * data.y)
                                                    : small::inverse(small::shifted(xt * data.x, penalty)) * (xt * data.y);
      Matrix fit = data.x * w;
      for (int i = 0; i < samples; ++i) fit(i, 0) -= data.y(i, 0);
      for (int j = 0; j < problem.p; ++j) w(j, 0) -= problem.teacher(j, 0);
      assert_close(row.eg, (small::transposed(w) * (problem.covariance * w))(0, 0) + problem.noise, 1e-7, 0);
      assert_close(row.et, square(fit) / samples, 1e-7, 1e-12);
    }
}

// 16 points, both losses within 4 standard errors of 30 realisations (Student's t with 29 degrees of freedom: 4.0e-4): a false alarm in one
// of 78 seeds. lambda = 1e-8 is the smallest w. Finite p: at alpha
// = 1.4 the mean of e_g is (p - 1/alpha) / (p - 1 / (alpha - 1)) of the limit, one per cent and half a standard error here.
void theory_and_simulation(void **) {
  const Problem problem(201, 2.5);
  const std::vector<double> alphas = {0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 5.0, 8.0};
  for (double lambda : {1e-8, 0.1}) {
    if (lambda == 0.1 && left_out("theory_and_simulation (a penalty)")) return;
    const std::vector<SimRow> rows = problem.simulate(alphas, lambda, 30, 2);
    for (const SimRow &row : rows) {
      const Row theory = solve_square(problem.spectrum(), moments(problem.spectrum()), row.alpha, lambda, 0);
      print_message("alpha %g: e_g %.5f +- %.5f, theory %.5f; e_t %.5g +- %.2g, theory %.5g\n", row.alpha, row.eg, row.eg_sem, theory.eg,
                    row.et, row.et_sem, theory.et);
      assert_close(row.eg, theory.eg, 0, 4 * row.eg_sem);
      assert_close(row.et, theory.et, 0, 4 * row.et_sem);
      assert_true(row.eg_sem < 0.06 * row.eg && row.eg_sem > 0);
    }
  }
  // And a theory with a penalty that is wrong by half is seen.
  const SimRow row = problem.simulate({3.0}, 0.5, 200, 2)[0];
  const auto off = [&](double lambda) {
    return std::fabs(row.et - solve_square(problem.spectrum(), moments(problem.spectrum()), row.alpha, lambda, 0).et) / row.et_sem;
  };
  print_message("standard errors away: %.2f, with a wrong penalty %.2f\n", off(0.5), off(0.75));
  assert_true(off(0.5) < 4 && off(0.75) > 6);
}

void same_numbers_for_any_team(void **) {
  const Problem problem(40, 2.5);
  const std::vector<double> alphas = {0.5, 1.0, 2.0};
  const std::vector<SimRow> one = problem.simulate(alphas, 1e-8, 7, 1), three = problem.simulate(alphas, 1e-8, 7, 3);
  assert_memory_equal(one.data(), three.data(), one.size() * sizeof(SimRow));
  // A point does not depend on the others, but on the seed.
  const std::vector<SimRow> alone = problem.simulate({1.0}, 1e-8, 7, 2), other = problem.simulate({1.0}, 1e-8, 7, 2, 2);
  assert_memory_equal(alone.data(), one.data() + 1, sizeof(SimRow));
  assert_true(other[0].eg != alone[0].eg);
}

// Finite temperature: given the data, w is Gaussian around the minimum with covariance T (X^T X + Lambda)^-1, so that the losses gain T tr
// S (X^T X + Lambda)^-1 and (T / M) tr X^T X (X^T X + Lambda)^-1; theory: T V and T V / (1 + V). The free energy is that of the Gaussian
// integral.
void finite_temperature(void **) {
  const Problem problem(81, 2.5);
  const Matrix factor = cholesky_factor(problem.covariance);
  const double p = problem.p, temperature = 0.7;
  for (double lambda : {0.02, 0.5})
    for (int samples : {40, 80, 200}) {
      const int n = 24;
      double eg[2] = {0, 0}, et[2] = {0, 0}, free[2] = {0, 0};
      for (int r = 0; r < n; ++r) {
        const Data data = draw(problem, factor, samples, static_cast<uint64_t>(r), 5);
        const Matrix xt = small::transposed(data.x), gram = xt * data.x, hessian = small::shifted(gram, lambda * p),
                     inverse = small::inverse(hessian);
        const Matrix w = inverse * (xt * data.y), c = cholesky_factor(hessian);
        Matrix rest = data.x * w;
        for (int i = 0; i < samples; ++i) rest(i, 0) -= data.y(i, 0);
        double log_det = 0;
        for (int i = 0; i < problem.p; ++i) log_det += 2 * std::log(c(i, i)) - std::log(p);
        const double v = small::trace(problem.covariance * inverse), u = small::trace(gram * inverse) / samples;
        const double f = (0.5 * (square(rest) + lambda * p * square(w)) + temperature / 2 * log_det) / p;
        const auto add = [](double(&sum)[2], double x) {
          sum[0] += x;
          sum[1] += x * x;
        };
        add(eg, v);
        add(et, u);
        add(free, f);
      }
      const auto cold = solve_square(problem.spectrum(), moments(problem.spectrum()), samples / p, lambda, 0);
      const auto warm = solve_square(problem.spectrum(), moments(problem.spectrum()), samples / p, lambda, temperature);
      const auto agrees = [n](const double(&sum)[2], double theory, double finite_size) {
        const double mean = sum[0] / n, error = std::sqrt((sum[1] / n - mean * mean) / (n - 1));
        assert_close(mean, theory, finite_size, 4 * error);
      };
      // Corrections of traces are of order 1/p, as in goes_to_the_limit of test_replica_square.cpp.
      agrees(eg, (warm.eg - cold.eg) / temperature, 2 / p);
      agrees(et, (warm.et - cold.et) / temperature, 1 / p);
      agrees(free, warm.free_energy, 1 / p);
    }
}

}  // namespace

const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_as_the_normal_equations),
    cmocka_unit_test(theory_and_simulation),
    cmocka_unit_test(same_numbers_for_any_team),
    cmocka_unit_test(finite_temperature),
};

ATP_TEST_MAIN(tests)
