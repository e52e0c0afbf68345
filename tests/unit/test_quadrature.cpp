// SPDX-License-Identifier: MIT
// Rules for averages over a normal variable: closed forms, nodes of many digits (mpmath, 60 digits, Newton on the three-term recurrence),
// moments, kinks.
#include "support.h"

#include "math/quadrature.hpp"

#include <cmath>
#include <vector>

using namespace atp;

namespace {

struct Rule {
  std::vector<double> nodes, weights;
  template <class F>
  double average(F &&f) const {
    double sum = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) sum += weights[k] * f(nodes[k]);
    return sum;
  }
};

Span<double> span(std::vector<double> &v) { return {v.data(), static_cast<int64_t>(v.size())}; }

Rule hermite(int64_t n) {
  Rule r;
  r.nodes.resize(static_cast<std::size_t>(n));
  r.weights.resize(static_cast<std::size_t>(n));
  gauss_hermite(span(r.nodes), span(r.weights));
  return r;
}

Rule panels(const std::vector<Feature> &features, int64_t order) {
  Rule r;
  r.nodes.resize(static_cast<std::size_t>(kMaxPanels * order));
  r.weights.resize(r.nodes.size());
  const int64_t n = panel_rule(features.data(), static_cast<int64_t>(features.size()), order, span(r.nodes), span(r.weights));
  r.nodes.resize(static_cast<std::size_t>(n));
  r.weights.resize(static_cast<std::size_t>(n));
  return r;
}

void small_orders(void **) {
  const double x4[] = {std::sqrt(3 - std::sqrt(6.0)), std::sqrt(3 + std::sqrt(6.0))};
  const double w4[] = {(3 + std::sqrt(6.0)) / 12, (3 - std::sqrt(6.0)) / 12};
  Rule r = hermite(1);
  assert_close(r.nodes[0], 0, 0, 0);
  assert_close(r.weights[0], 1, 1e-15, 0);
  r = hermite(2);
  assert_close(r.nodes[1], 1, 1e-15, 0);
  assert_close(r.weights[0], 0.5, 1e-15, 0);
  r = hermite(3);
  assert_close(r.nodes[2], std::sqrt(3.0), 1e-15, 0);
  assert_close(r.weights[2], 1.0 / 6, 1e-15, 0);
  assert_close(r.weights[1], 2.0 / 3, 1e-15, 0);
  r = hermite(4);
  for (std::size_t k = 0; k < 2; ++k) {
    assert_close(r.nodes[2 + k], x4[k], 1e-15, 0);
    assert_close(r.nodes[1 - k], -x4[k], 1e-15, 0);
    assert_close(r.weights[2 + k], w4[k], 2e-15, 0);
    assert_close(r.weights[1 - k], w4[k], 2e-15, 0);
  }
}

void many_digits(void **) {
  const struct {
    int64_t n, place;  // counted from the middle: the k-th positive node
    double node, weight;
  } known[] = {{20, 1, 0.34696415708135592797, 0.26079306344955485915},
               {20, 10, 7.6190485416797582914, 1.2578006724379270154e-13},
               {101, 1, 0.31183980765152527991, 0.11851136934408050467},
               {101, 50, 19.060977597493893184, 4.8466317014240065333e-80},
               {500, 1, 0.070213060855969110041, 0.055884042652890847735}};
  for (const auto &k : known) {
    const Rule r = hermite(k.n);
    const std::size_t at = static_cast<std::size_t>((k.n + 1) / 2 + k.place - 1);
    assert_close(r.nodes[at], k.node, 1e-15, 0);
    // A node that is off by one unit in the last place changes the weight by node^2 such units.
    assert_close(r.weights[at], k.weight, 1e-14 + 2e-16 * k.node * k.node, 0);
  }
  // Inside: neighbours on both sides, found by value.
  const Rule r = hermite(500);
  bool seen = false;
  for (std::size_t k = 0; k < 500; ++k) {
    if (std::fabs(r.nodes[k] - 9.9835060444012584278) > 1e-14) continue;
    assert_close(r.weights[k], 1.3070616840986696297e-23, 1e-13, 0);
    seen = true;
  }
  assert_true(seen);
}

// Different, rising, symmetric nodes with the right moments are the rule: all zeros are there.
void every_order(void **) {
  for (int64_t n = 1; n <= 400; n += n < 150 ? 1 : 17) {
    const Rule r = hermite(n);
    const std::size_t last = static_cast<std::size_t>(n) - 1;
    for (std::size_t k = 0; k <= last; ++k) {
      if (k > 0) assert_true(r.nodes[k] > r.nodes[k - 1]);
      assert_true(r.nodes[k] == -r.nodes[last - k] && r.weights[k] == r.weights[last - k] && r.weights[k] >= 0);
    }
    double moment = 1;
    for (int degree = 0; degree <= 2 * n - 1 && degree <= 60; degree += 2, moment *= degree - 1)
      assert_close(r.average([&](double z) { return std::pow(z, degree); }), moment, 1e-13, 0);
  }
  // One degree more is wrong, by exactly n!: the rule is no better than it can be.
  const Rule r = hermite(5);
  assert_close(945 - r.average([](double z) { return std::pow(z, 10); }), 120, 1e-12, 0);
  for (int64_t n : {1000, 2001, 4096}) {
    const Rule large = hermite(n);
    for (std::size_t k = 1; k < large.nodes.size(); ++k) assert_true(large.nodes[k] > large.nodes[k - 1]);
    assert_close(large.average([](double) { return 1.0; }), 1, 1e-14, 0);
    assert_close(large.average([](double z) { return std::cos(3 * z); }), std::exp(-4.5), 0, 1e-15);
  }
}

void legendre(void **) {
  for (int64_t n : {1, 2, 5, 10, 16, 24, 61}) {
    Rule r;
    r.nodes.resize(static_cast<std::size_t>(n));
    r.weights.resize(static_cast<std::size_t>(n));
    gauss_legendre(span(r.nodes), span(r.weights));
    for (int degree = 0; degree <= 2 * n - 1; ++degree)
      assert_close(r.average([&](double x) { return std::pow(x, degree); }), degree % 2 == 0 ? 2.0 / (degree + 1) : 0, 1e-14, 1e-15);
  }
}

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846); }
double upper(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

void kinks(void **) {
  for (double c : {-3.7, -1.0, 0.0, 0.1234567, 2.5, 8.9, 20.0}) {
    const Rule r = panels({{c, 0}}, 10);
    assert_close(r.average([&](double z) { return z > c ? z - c : 0; }), density(c) - c * upper(c), 1e-13, 1e-16);
    assert_close(r.average([&](double z) { return z > c ? 1 : 0; }), upper(c), 1e-13, 1e-16);
    assert_close(r.average([](double z) { return z * z * z * z; }), 3, 1e-14, 0);
  }
  // Without the cut the same average is visibly wrong.
  const Rule blind = panels({}, 10);
  assert_true(std::fabs(blind.average([](double z) { return z > 0.1234567 ? 1 : 0; }) - upper(0.1234567)) > 1e-4);
}

// E of the derivative of a logistic step of width 1/s at c/s, with singularities at (c +- i pi) / s. With the logistic density f and its
// moments pi^2/3, 7 pi^4/15 E s f(s z - c) = sum_k moment_2k / (2k)! (d/dx)^2k density(x) / s^2k at x = c / s.
void features(void **) {
  const double pi = 3.14159265358979323846;
  for (double s : {1e3, 1e5, 1e7})
    for (double c : {0.0, 0.5 * s, -2 * s}) {
      const double x = c / s;
      for (int64_t order : {10, 16, 24}) {
        const Rule r = panels({{x, pi / s}}, order);
        const double got = r.average([&](double z) {
          const double e = std::exp(-std::fabs(s * z - c));
          return s * e / ((1 + e) * (1 + e));
        });
        const double second = (x * x - 1) * density(x), fourth = (x * x * x * x - 6 * x * x + 3) * density(x);
        const double expected = density(x) + pi * pi / 6 * second / (s * s) + 7 * std::pow(pi, 4) / 360 * fourth / std::pow(s, 4);
        assert_close(got, expected, order == 10 ? 1e-11 : 1e-13, 1e-17 * s);
      }
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(small_orders), cmocka_unit_test(many_digits), cmocka_unit_test(every_order),
      cmocka_unit_test(legendre),     cmocka_unit_test(kinks),       cmocka_unit_test(features),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
