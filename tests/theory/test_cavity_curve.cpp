// SPDX-License-Identifier: MIT
// Learning curves of spin models, whose fields are normal given the label. Logistic loss: the threshold of separability against its closed
// form, the laws of maximum likelihood, the curve of normal fields where the label moves them little, and normal averages over a grid with
// another proximal operator. q colours: two of them are the logistic loss; simulation, which draws labels first. Fixed seeds.
#include "support.h"

#include "base/arena.hpp"
#include "base/context.hpp"
#include "math/lattice.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/potts_curve.hpp"
#include "theory/replica/simulate.hpp"

#include <cmath>
#include <vector>

using namespace atp;
using namespace atp::replica;

namespace {

using Vector = std::vector<double>;

constexpr ConvexLoss kCavity{LossKind::logistic, 1, true}, kNormal{LossKind::logistic, 1, false};
constexpr double kPi = 3.14159265358979323846;

std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }
int64_t size_of(const Vector &x) { return static_cast<int64_t>(x.size()); }
Span<double> span(Vector &x) { return {x.data(), size_of(x)}; }

struct Inputs {
  Vector s, t;
  Spectrum spectrum() const { return {s.data(), t.data(), size_of(s), 0}; }
};

Row solve(const Inputs &inputs, const ConvexLoss &loss, double alpha, double lambda, double *optimum = nullptr) {
  Vector work(index_of(convex_workspace()));
  const Spectrum spectrum = inputs.spectrum();
  if (optimum != nullptr) *optimum = optimal_convex(spectrum, loss, span(work));
  return solve_convex(spectrum, loss, alpha, lambda, 1000, span(work));
}

Row converged(const Inputs &inputs, const ConvexLoss &loss, double alpha, double lambda, double *optimum = nullptr) {
  const Row row = solve(inputs, loss, alpha, lambda, optimum);
  if (row.outcome != ATP_OUTCOME_CONVERGED || !(row.residual <= 1e-12) || !(row.quadrature <= 1e-10))
    fail_msg("alpha = %g, lambda = %g: outcome %g, residual %g, quadrature %g", alpha, lambda, row.outcome, row.residual, row.quadrature);
  return row;
}

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }

// Labels can be separated below 1 / alpha_c = min_t E (sqrt(1 + t^2) x - t s)_+^2 with a standard normal x: s = sqrt(rho) / 2 is the mean
// of y x along S w* in units of its deviation, t the part of w along it. Z. Deng, A. Kammoun, C. Thrampoulidis, arXiv:1911.05822.
double separable_below(double rho) {
  double least = 1;
  for (int k = 0; k < 40000; ++k) {
    const double t = 1e-3 * k, width = std::sqrt(1 + t * t), c = t * std::sqrt(rho) / 2 / width;
    const double tail = std::erfc(c / std::sqrt(2.0)) / 2;
    least = std::fmin(least, width * width * ((1 + c * c) * tail - c * normal_density(c)));
  }
  return 1 / least;
}

void threshold(void **) {
  assert_close(separable_below(0), 2, 1e-12, 0);
  for (double rho : {0.1, 0.64, 4.0, 9.0}) {
    const Inputs inputs{{0.5, 1, 2}, {rho / 2, rho / 4, rho / 4}};
    const double alpha = separable_below(rho);
    assert_int_equal(solve(inputs, kCavity, 0.99 * alpha, 0).outcome, ATP_OUTCOME_DIVERGED);
    const Row above = converged(inputs, kCavity, 1.01 * alpha, 0);
    print_message("variance %g: separable below alpha = %g; just above training loss %g\n", rho, alpha, above.et);
    assert_true(std::isfinite(above.q) && above.et > 0);
  }
}

void many_samples(void **) {
  for (double rho : {0.3, 3.24}) {
    double optimum = 0;
    const Row row = converged({{0.5, 2}, {rho, rho / 4}}, kCavity, 1e4, 0, &optimum);
    assert_close(row.eg - optimum, 0.5e-4, 1e-2, 0);  // 1 / (2 alpha)
    assert_close(optimum - row.et, 0.5e-4, 1e-2, 0);
    assert_close(row.m, row.q, 1e-2, 0);  // w = w*
    // The noise of w per direction of unit variance is 1 / (M A), A = E P(1 - P).
    double curvature = 0;
    for (double x = -9; x < 9; x += 0.01)
      curvature += 0.01 * normal_density(x) / std::pow(2 * std::cosh((rho / 2 + std::sqrt(rho) * x) / 2), 2);
    assert_close(1e4 * row.q_hat / (row.v_hat * row.v_hat), 1 / curvature, 1e-3, 0);
  }
}

// Normal inputs of the same covariance, S + S w* w*^T S / 4, give the same curve for small rho, and not for large ones.
void little_moved(void **) {
  double before = 0;
  for (double rho : {0.0, 0.01, 0.04, 4.0}) {
    const int64_t p = 400;
    Inputs given{Vector(index_of(p), 1), Vector(index_of(p), 0)}, all = given;
    given.t.back() = all.t.back() = rho;
    all.s.back() = 1 + rho / 4;
    const Row cavity = converged(given, kCavity, 3, 0.05), normal = converged(all, kNormal, 3, 0.05);
    const double difference = std::fabs(cavity.eg / normal.eg - 1);
    if (rho == 0) {
      for (double Row::*x : {&Row::eg, &Row::et, &Row::q, &Row::v, &Row::norm}) assert_close(cavity.*x, normal.*x, 1e-10, 0);
    } else {
      print_message("variance %g: relative difference of test losses %g\n", rho, difference);
      assert_true(rho < 1 ? difference < 1e-4 * rho : difference > 1e-2);
      assert_true(difference > before);
      before = difference;
    }
  }
}

// z + v (sigmoid(z) - 1) = omega by bisection.
double proximal(double omega, double v) {
  double low = omega, high = omega + v;
  for (int k = 0; k < 100; ++k) {
    const double z = (low + high) / 2;
    (z - v / (1 + std::exp(z)) > omega ? high : low) = z;
  }
  return low;
}

// The solution put into trapezoidal sums, with E f omega instead of a derivative (Stein: E f (omega - m / 2) = q E df/domega).
void averages(void **) {
  for (double rho : {0.5, 3.24, 20.0})
    for (double alpha : {0.8, 3.0})
      for (double lambda : {1.0, 0.01}) {
        const Row row = converged({{0.4, 1, 1.7}, {rho, rho / 5, rho / 3}}, kCavity, alpha, lambda);
        double f1 = 0, f2 = 0, slope = 0, test = 0, train = 0;
        const double h = 0.01, width = std::sqrt(row.q);
        for (double x = -9; x < 9; x += h) {
          const double w = h * normal_density(x), omega = row.m / 2 + width * x, z = proximal(omega, row.v), f = (z - omega) / row.v;
          f1 += w * f;
          f2 += w * f * f;
          slope -= w * f * x / width;
          test += w * std::log1p(std::exp(-omega));
          train += w * std::log1p(std::exp(-z));
        }
        assert_close(row.m_hat, alpha * f1 / 2, 1e-8, 0);
        assert_close(row.q_hat, alpha * f2, 1e-8, 0);
        assert_close(row.v_hat, alpha * slope, 1e-8, 0);
        assert_close(row.eg, test, 1e-8, 0);
        assert_close(row.et, train, 1e-8, 0);
      }
}

struct Potts {
  Row row;  // means over shifts
  double optimum = 0;
};

Potts solve_colors(const Vector &covariance, int64_t q, const Inputs &inputs, double alpha, double lambda, int64_t count, int64_t shifts) {
  Vector basis_work(index_of(basis_workspace(q)));
  const FieldBasis basis = field_basis(covariance.data(), q, span(basis_work));
  Vector normals(index_of(count * FieldPoints::dimensions(basis))), weights(index_of(count)), probabilities(index_of(count * q)),
      starts(index_of(count * FieldPoints::labels(basis) * q)), work(index_of(PottsSample::workspace(basis) + 4 * q));
  FieldPoints points;
  points.count = count;
  points.normals = span(normals);
  points.weights = span(weights);
  points.probabilities = span(probabilities);
  points.starts = span(starts);
  const int64_t multiplier = korobov_multiplier(count, FieldPoints::dimensions(basis), points.weights);
  Potts mean;
  const double n = static_cast<double>(shifts);
  for (int64_t shift = 0; shift < shifts; ++shift) {
    place_points(basis, multiplier, 1, shift, points);
    double optimum = 0;
    const Row row = solve_potts(inputs.spectrum(), basis, points, {alpha, lambda, 10000, true}, span(work), optimum);
    assert_int_equal(row.outcome, ATP_OUTCOME_CONVERGED);
    for (double Row::*x : {&Row::eg, &Row::et, &Row::q, &Row::m, &Row::v, &Row::norm, &Row::m_hat}) mean.row.*x += row.*x / n;
    mean.optimum += optimum / n;
  }
  return mean;
}

void two_colors_are_logistic(void **) {
  const Vector pair{0.25, -0.25, -0.25, 0.25};
  const bool fewer = left_out("two_colors_are_logistic (all but one teacher and penalty)");
  for (double rho : {0.0, 0.5, 4.0})
    for (double lambda : {1.0, 0.01}) {
      if (fewer && (rho < 4 || lambda == 1)) continue;
      const Inputs inputs{{0.4, 0.8, 1.0, 2.2}, {rho * 0.1, rho * 0.4, 0, rho * 0.29}};
      double optimum = 0;
      const Row logistic = converged(inputs, kCavity, 2.5, lambda, &optimum);
      const Potts potts = solve_colors(pair, 2, inputs, 2.5, lambda, 1 << 14, 2);
      for (double Row::*x : {&Row::eg, &Row::et, &Row::q, &Row::v, &Row::norm, &Row::m_hat})
        assert_close(potts.row.*x, logistic.*x, 1e-8, 0);
      assert_close(potts.row.m, logistic.m, 1e-8, 1e-14);
      assert_close(potts.optimum, optimum, 1e-8, 0);
    }
}

// The same model drawn, labels first: independent colours and a covariance whose labels are not equally probable. Losses of 60 data sets,
// 4 comparisons for each of 2 cases at 4 standard errors and 0.5 per cent for p = 120: false alarms below 0.2 per cent. Fields that are
// normal on the whole must fail.
void drawn(void **) {
  const int64_t p = 120, count = 60;
  const Vector equal{1, 0, 0, 0, 1, 0, 0, 0, 1}, uneven{2, -0.5, 0.2, -0.5, 1, 0.1, 0.2, 0.1, 0.6};
  for (const Vector *covariance : {&uneven, &equal}) {
    if (covariance == &equal && left_out("drawn (equal colours)")) break;
    const double rho = 3, alpha = 2.5, lambda = 0.1;
    const Inputs inputs{Vector(index_of(p), 1), Vector(index_of(p), rho / static_cast<double>(p))};
    Vector factor(index_of(p * p)), teacher(index_of(p), std::sqrt(rho / static_cast<double>(p))), basis_work(index_of(basis_workspace(3)));
    for (int64_t j = 0; j < p; ++j) factor[index_of(j * (p + 1))] = 1;
    const FieldBasis basis = field_basis(covariance->data(), 3, span(basis_work));
    Simulation simulation{factor.data(), teacher.data(), p, 0, &alpha, 1, lambda, count, 5, covariance->data(), 3, 4000, true};
    const int64_t samples = std::lround(alpha * static_cast<double>(p));
    Vector work(index_of(potts_learner_workspace(basis.rank, 3, p, samples)));
    const auto mean = [&](bool cavity, double error[2]) {
      simulation.cavity = cavity;
      double sum[2] = {}, square[2] = {};
      for (int64_t k = 0; k < count; ++k) {
        const Losses losses = learn_potts(simulation, basis, factor.data(), samples, k, span(work));
        const double both[] = {losses.eg, losses.et};
        for (int j = 0; j < 2; ++j) {
          sum[j] += both[j] / static_cast<double>(count);
          square[j] += both[j] * both[j] / static_cast<double>(count);
        }
      }
      for (int j = 0; j < 2; ++j) error[j] = std::sqrt((square[j] - sum[j] * sum[j]) / static_cast<double>(count - 1));
      return std::vector<double>(sum, sum + 2);
    };
    const Potts theory = solve_colors(*covariance, 3, inputs, alpha, lambda, 1 << 12, 4);
    double error[2], other_error[2];
    const Vector cavity = mean(true, error), normal = mean(false, other_error);
    const double expected[] = {theory.row.eg, theory.row.et};
    for (int j = 0; j < 2; ++j) {
      print_message("%s: theory %.5f, drawn %.5f(%.5f), normal fields %.5f\n", j == 0 ? "test" : "training", expected[j],
                    cavity[index_of(j)], error[j], normal[index_of(j)]);
      assert_true(std::fabs(cavity[index_of(j)] - expected[j]) < 4 * error[j] + 0.005 * expected[j]);
    }
    assert_true(std::fabs(normal[0] - expected[0]) > 4 * other_error[0] + 0.005 * expected[0]);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(threshold),
                              cmocka_unit_test(many_samples),
                              cmocka_unit_test(little_moved),
                              cmocka_unit_test(averages),
                              cmocka_unit_test(two_colors_are_logistic),
                              cmocka_unit_test(drawn)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
