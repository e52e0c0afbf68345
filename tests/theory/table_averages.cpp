// SPDX-License-Identifier: MIT
// Gaussian averages of two solutions of dot-product attention by randomised quasi-Monte Carlo, as CSV: what the quadrature is compared with
// in research/dotattn_crossing.py. Points are multiples of powers of 1 / g, g^5 = g + 1, moved by random
// shifts; means and standard errors are over kShifts shifts. Both solutions see the same points; `less` is the first less the second.
// Usage: theory_table_averages POINTS SEED OMEGA SIGMA Q M THETA V  Q M THETA V, the teacher's map [[0.6, 0.4], [0.4, 0.6]]
#include "plain_two_tokens.hpp"

#include "base/philox.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kTerms = 7, kShifts = 16;
constexpr const char *kNames[kTerms] = {"square", "difference", "field", "noise", "train", "test", "least"};

struct Order {
  double q, m, theta, v;
};

struct Setting {
  int64_t points;
  double omega, sigma;
  Order orders[2];
};

// The integrands at h = sigma z and w = theta h / rho + m (1, -1) + s zeta; z, zeta from `normals`.
void integrands(double omega, double sigma, const Order &order, const double (&normals)[4], double (&terms)[kTerms]) {
  const double rho = sigma * sigma, slope = order.theta / rho, s = std::sqrt(order.q - order.theta * order.theta / rho);
  const double h[2] = {sigma * normals[0], sigma * normals[1]};
  const double w[2] = {slope * h[0] + order.m + s * normals[2], slope * h[1] - order.m + s * normals[3]};
  double t[2][2];
  for (int i = 0; i < 2; ++i) {
    const double a = std::exp(h[i] * h[0]), b = std::exp(h[i] * h[1]), same = 0.6, other = 0.4;
    t[i][0] = (1 - omega) * a / (a + b) + omega * (i == 0 ? same : other);
    t[i][1] = (1 - omega) * b / (a + b) + omega * (i == 1 ? same : other);
  }
  double x1 = 0, x2 = 0;
  plain::grid_search(w[0], w[1], t, order.v, rho, &x1, &x2);
  const double d1 = x1 - w[0], d2 = x2 - w[1];
  terms[0] = d1 * d1 + d2 * d2;
  terms[1] = d1 - d2;
  terms[2] = d1 * h[0] + d2 * h[1];
  terms[3] = d1 * normals[2] + d2 * normals[3];
  terms[4] = plain::distance(x1, x2, t);
  terms[5] = plain::distance(w[0], w[1], t);
  terms[6] = terms[0] / (2 * order.v) + rho / 2 * terms[4];
}

struct Sum {
  double sum = 0, squares = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
  }
  void print(const char *solution, const char *name) const {
    const double mean = sum / kShifts, variance = (squares / kShifts - mean * mean) * kShifts / (kShifts - 1);
    std::printf("%s,%s,%.10g,%.3g\n", solution, name, mean, std::sqrt(std::fmax(variance, 0) / kShifts));
  }
};

// Means of the integrands of both solutions over the points of one shift.
void average(const Setting &setting, const double (&shift)[4], double (&means)[2][kTerms]) {
  constexpr double kRatio = 1.16730397826141868426;  // g
  double step[4], place[4];
  for (int e = 0; e < 4; ++e) {
    step[e] = std::pow(kRatio, -(e + 1));
    place[e] = shift[e];
  }
  for (auto &solution : means)
    for (double &mean : solution) mean = 0;
  for (int64_t k = 0; k < setting.points; ++k) {
    double normals[4], terms[kTerms];
    for (int e = 0; e < 4; ++e) {
      normals[e] = atp::normal_quantile(std::fmin(std::fmax(place[e], 1e-16), 1 - 1e-16));
      place[e] += step[e];
      place[e] -= std::floor(place[e]);
    }
    for (int b = 0; b < 2; ++b) {
      integrands(setting.omega, setting.sigma, setting.orders[b], normals, terms);
      for (int e = 0; e < kTerms; ++e) means[b][e] += terms[e] / static_cast<double>(setting.points);
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  const auto number = [&](int k) { return std::atof(argv[k]); };
  const int64_t points = argc == 13 ? std::atoll(argv[1]) : 0;
  if (points < 1) {
    std::fprintf(stderr, "table_averages: expected 12 numbers, the first at least 1\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  const Setting setting{
      points, number(3), number(4), {{number(5), number(6), number(7), number(8)}, {number(9), number(10), number(11), number(12)}}};
  Sum sums[3][kTerms];
  for (uint64_t k = 0; k < kShifts; ++k) {
    const atp::RandomView random(seed, atp::Stream::lattice, 1 + k, 0);
    const double shift[4] = {random.uniform(0), random.uniform(1), random.uniform(2), random.uniform(3)};
    double means[2][kTerms];
    average(setting, shift, means);
    for (int e = 0; e < kTerms; ++e) {
      for (int b = 0; b < 2; ++b) sums[b][e].add(means[b][e]);
      sums[2][e].add(means[0][e] - means[1][e]);
    }
  }
  std::printf("# %lld points, %d shifts, seed %llu\nsolution,average,mean,sem\n", static_cast<long long>(points), kShifts,
              static_cast<unsigned long long>(seed));
  constexpr const char *kSolutions[3] = {"first", "second", "less"};
  for (int b = 0; b < 3; ++b)
    for (int e = 0; e < kTerms; ++e) sums[b][e].print(kSolutions[b], kNames[e]);
  return 0;
}
