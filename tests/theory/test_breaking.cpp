// SPDX-License-Identifier: MIT
// One step of replica symmetry breaking: the perceptron that makes as few errors as possible, against its free energy in plain code, and
// the replicon of ridge regression.
#include "support.h"

#include "theory/dotattn/two_tokens/breaking.hpp"
#include "math/quadrature.hpp"

#include <cmath>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

constexpr double kPi = 3.14159265358979323846;

// Averages of a loss of one number, whose envelope is smooth between cuts.
class OneNumber : public NestedAverages {
 public:
  OneNumber(int64_t panels, int64_t outer) : panels_(panels), outer_(outer) {
    Arena measure;
    lay_out(measure);
    memory_.resize(measure.bytes() / sizeof(double) + 16);
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory_.data()) + 63) / 64 * 64;
    Arena arena(reinterpret_cast<void *>(begin), measure.bytes());
    lay_out(arena);
    gauss_legendre(Span<double>(nodes_, kOrder), Span<double>(weights_, kOrder));
  }
  BrokenMeans means(const BrokenOrder &order) override {
    double cuts[4];
    pieces(order, cuts);
    points_.lines = 1;
    points_.points = 3 * panels_ * kOrder;
    int64_t at = 0;
    for (int piece = 0; piece < 3; ++piece) {
      const double width = (cuts[piece + 1] - cuts[piece]) / static_cast<double>(panels_);
      for (int64_t panel = 0; panel < panels_; ++panel)
        for (int k = 0; k < kOrder; ++k, ++at) {
          points_.along[at] = cuts[piece] + width * (static_cast<double>(panel) + 0.5 + 0.5 * nodes_[k]);
          points_.length[at] = 0.5 * width * weights_[k];
          envelope(order, piece, points_.along[at], &points_.energy[at], &points_.g_along[at]);
        }
    }
    const NestedSums sums = nested_sums(points_, {std::sqrt(order.q0), std::sqrt(order.gap), order.mu}, scratch_);
    return {sums.free, sums.energy, sums.square, sums.mean_square, 0, 0, sums.noise};
  }

 protected:
  virtual void pieces(const BrokenOrder &order, double (&cuts)[4]) const = 0;
  // M and (x - w) / V.
  virtual void envelope(const BrokenOrder &order, int piece, double w, double *energy, double *g) const = 0;

 private:
  static constexpr int kOrder = 4;
  void lay_out(Arena &arena) {
    points_.lay_out(arena, 1, 3 * panels_ * kOrder);
    scratch_.outer = outer_;
    scratch_.lay_out(arena, 1, outer_);
  }
  int64_t panels_, outer_;
  std::vector<double> memory_;
  NestedPoints points_{};
  NestedScratch scratch_;
  double nodes_[kOrder], weights_[kOrder];
};

// A pattern with x < 0 is an error: M = 0 (w > 0), w^2 / 2 V, 1 (w < -sqrt(2 V)), where x jumps.
class Perceptron : public OneNumber {
  using OneNumber::OneNumber;
  void pieces(const BrokenOrder &order, double (&cuts)[4]) const override {
    const double edge = -std::sqrt(2 * order.v);
    cuts[0] = std::fmin(-8, edge - 1);
    cuts[1] = edge;
    cuts[2] = 0;
    cuts[3] = 8;
  }
  void envelope(const BrokenOrder &order, int piece, double w, double *energy, double *g) const override {
    *energy = piece == 0 ? 1 : piece == 1 ? w * w / (2 * order.v) : 0;
    *g = piece == 1 ? -w / order.v : 0;
  }
};

// (x - w)^2 / 2 V + x^2 / 2: ridge regression of labels that are zero.
class Ridge : public OneNumber {
  using OneNumber::OneNumber;
  void pieces(const BrokenOrder &, double (&cuts)[4]) const override {
    for (int k = 0; k < 4; ++k) cuts[k] = -9 + 6 * k;
  }
  void envelope(const BrokenOrder &order, int, double w, double *energy, double *g) const override {
    *energy = w * w / (2 * (1 + order.v));
    *g = -w / (1 + order.v);
  }
};

double tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

// The free energy in plain code: E exp(-mu M) by error functions, the outer number by a sum of 4000 equal steps.
double plain_energy(double alpha, double gap, double v, double mu) {
  const double s0 = std::sqrt(1 - gap), s1 = std::sqrt(gap), edge = std::sqrt(2 * v), step = 16.0 / 4000;
  double sum = 0;
  for (int k = 0; k <= 4000; ++k) {
    const double z = -8 + step * k, u = s0 * z;
    // Between -edge and 0: a normal density of u times exp(-mu w^2 / 2 v).
    const double all = v + mu * gap, mean = u * v / all, width = s1 * std::sqrt(v / all);
    const double middle =
        std::sqrt(v / all) * std::exp(-0.5 * mu * u * u / all) * (tail((-edge - mean) / width) - tail((0 - mean) / width));
    const double inner = tail(-u / s1) + middle + std::exp(-mu) * tail((edge + u) / s1);
    sum += step * std::exp(-0.5 * z * z) / std::sqrt(2 * kPi) * std::log(inner);
  }
  return -alpha * sum / mu - std::log1p(mu * gap / v) / (2 * mu) - (1 - gap) / (2 * (v + mu * gap));
}

// Replica-symmetric: alpha integral_0^x t^2 Dt = 1, x = sqrt(2 V); the energy is alpha H(x) (Gardner and Derrida 1988).
double symmetric_edge(double alpha) {
  double low = 0, high = 30;
  for (int k = 0; k < 200; ++k) {
    const double x = 0.5 * (low + high), inside = 0.5 - tail(x) - x * std::exp(-0.5 * x * x) / std::sqrt(2 * kPi);
    (alpha * inside < 1 ? low : high) = x;
  }
  return low;
}

BrokenSolution solve(Perceptron &perceptron, double alpha) {
  const BrokenProblem problem{alpha, 1, 0, true, Overlap::none};
  const double edge = symmetric_edge(alpha);
  const BrokenSolution first = solve_broken(perceptron, problem, {0.9, 0.1, 0.35 * edge * edge, 0, 0, 1}, true);
  assert_true(first.converged);
  return solve_broken(perceptron, problem, first.order, false);
}

// The solution is an extremum of the plain free energy, and a maximum over mu.
void perceptron_is_stationary(void **) {
  Perceptron perceptron(80, 101);
  for (const double alpha : {2.1, 2.5, 4.0, 10.0}) {
    const BrokenSolution s = solve(perceptron, alpha);
    assert_true(s.converged);
    const double x[3] = {s.order.gap, s.order.v, s.order.mu}, best = plain_energy(alpha, x[0], x[1], x[2]);
    assert_close(s.energy, best, 1e-6, 0);
    for (int k = 0; k < 3; ++k) {
      double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
      up[k] *= 1.001;
      down[k] *= 0.999;
      const double slope = (plain_energy(alpha, up[0], up[1], up[2]) - plain_energy(alpha, down[0], down[1], down[2])) / 0.002;
      assert_close(slope, 0, 0, 1e-5 * best);
    }
    const double symmetric = alpha * tail(symmetric_edge(alpha));
    assert_true(s.energy > symmetric * 1.02);
    // With gap and V at their best for each mu the energy is largest at this mu.
    const BrokenProblem problem{alpha, 1, 0, true, Overlap::none};
    for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
      BrokenOrder other = s.order;
      other.mu *= factor;
      const BrokenSolution held = solve_broken(perceptron, problem, other, true);
      assert_true(held.converged && held.energy < s.energy);
    }
  }
}

// Digits of the table of docs/theory.md, section 16, and of more rows; the plain free energy at these digits has the same errors.
void perceptron_table(void **) {
  const double table[][6] = {{2.1, 0.00244, 0.00255, 0.0873, 2.487, 14.39}, {2.5, 0.01560, 0.01788, 0.1852, 0.760, 7.30},
                             {3, 0.03251, 0.03910, 0.2127, 0.370, 5.71},    {4, 0.06200, 0.07737, 0.2245, 0.162, 4.48},
                             {6, 0.10525, 0.13360, 0.2241, 0.066, 3.49},    {10, 0.15803, 0.20029, 0.2161, 0.026, 2.70}};
  Perceptron perceptron(80, 101);
  for (const auto &[alpha, symmetric, errors, gap, v, mu] : table) {
    const BrokenSolution s = solve(perceptron, alpha);
    assert_true(s.converged);
    assert_close(tail(symmetric_edge(alpha)), symmetric, 0, 0.5e-5);
    assert_close(s.energy / alpha, errors, 0, 0.5e-5);
    assert_close(plain_energy(alpha, gap, v, mu) / alpha, errors, 0, 1e-5);
    assert_close(s.order.gap, gap, 0, 0.5e-4);
    assert_close(s.order.v, v, 0, 0.5e-3);
    assert_close(s.order.mu, mu, 0, 0.5e-2);
  }
}

// mu -> 0 is the replica-symmetric solution of Gardner and Derrida; the errors vanish at alpha = 2 (Cover 1965).
void perceptron_limits(void **) {
  Perceptron perceptron(80, 101);
  for (const double alpha : {2.5, 6.0}) {
    const double edge = symmetric_edge(alpha), gap = 0.1;
    const BrokenOrder order{1 - gap, gap, 0.5 * edge * edge, 0, 0, 0};
    const BrokenProblem problem{alpha, 1, 0, true, Overlap::none};
    assert_close(broken_energy(problem, order, perceptron.means(order)), alpha * tail(edge), 1e-6, 0);
  }
  double last = 1;
  for (const double alpha : {2.2, 2.1, 2.05}) {
    const BrokenSolution s = solve(perceptron, alpha);
    assert_true(s.converged && s.energy > 0 && s.energy < 0.5 * last);
    last = s.energy;
  }
}

// The finite-step replicon of ridge regression does not depend on the step. It is 1 - df2 / alpha, df2 with the effective penalty, and it
// gives tr (X^T X + lambda)^-2 / d = V^2 / replicon, here from the Marchenko-Pastur density.
void ridge_replicon(void **) {
  Ridge ridge(60, 101);
  for (const double alpha : {0.5, 2.0})
    for (const double lambda : {0.01, 0.5}) {
      double v = 1;
      for (int k = 0; k < 10000; ++k) v = 0.5 * (v + 1 / (lambda + alpha / (1 + v)));
      double low = 0, high = 1e6;  // kappa = lambda / (alpha - df1(kappa))
      for (int k = 0; k < 300; ++k) {
        const double kappa = 0.5 * (low + high);
        (kappa * (alpha - 1 / (1 + kappa)) < lambda ? low : high) = kappa;
      }
      const double df2 = 1 / ((1 + low) * (1 + low));
      double replicon = 0;
      for (const double gap : {0.02, 0.3}) {
        const BrokenOrder order{1 - gap, gap, v, 0, 0, 0};
        const BrokenMeans means = ridge.means(order);
        replicon = 1 - alpha * v * v * (means.square - means.mean_square) / gap;
        assert_close(replicon, 1 - df2 / alpha, 0, 1e-6);
      }
      // X^T X of alpha d rows with elements of variance 1 / d: eigenvalues in (1 -+ sqrt(alpha))^2, and 1 - alpha at zero.
      const double a = std::pow(1 - std::sqrt(alpha), 2), b = std::pow(1 + std::sqrt(alpha), 2);
      double trace = alpha < 1 ? (1 - alpha) / (lambda * lambda) : 0;
      const int n = 20000;
      for (int k = 0; k < n; ++k) {
        const double angle = kPi * (k + 0.5) / n, x = 0.5 * (a + b) - 0.5 * (b - a) * std::cos(angle),
                     half = 0.5 * (b - a) * std::sin(angle);
        trace += kPi / n * half * half / (2 * kPi * x) / ((x + lambda) * (x + lambda));
      }
      assert_close(trace, v * v / replicon, 1e-5, 0);
    }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(perceptron_is_stationary), cmocka_unit_test(perceptron_table),
                              cmocka_unit_test(perceptron_limits), cmocka_unit_test(ridge_replicon)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
