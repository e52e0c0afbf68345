// SPDX-License-Identifier: MIT
// Pearson's chi-square test of counts against exact probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

// Upper regularised incomplete gamma function Q(a, x): series below x = a + 1, continued fraction (modified Lentz) above.
inline double upper_gamma(double a, double x) {
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double k = a + 1; term > sum * 1e-16; k += 1) sum += term *= x / k;
    return 1 - sum * front;
  }
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < 100000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    if (std::fabs(c) < tiny) c = tiny;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

struct ChiSquare {
  double statistic = 0, freedom = 0;
  double p() const { return freedom > 0 ? upper_gamma(freedom / 2, statistic / 2) : 1; }
};

// Cells where fewer than 8 counts are expected are taken in the order of their probabilities, smallest first, and pooled until there are 8.
inline ChiSquare chi_square(const std::vector<double> &probabilities, const std::vector<int64_t> &counts) {
  const double n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  std::vector<double> expected, observed;
  std::vector<std::pair<double, int64_t>> small;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (n * probabilities[k] < 8) {
      small.emplace_back(n * probabilities[k], counts[k]);
    } else {
      expected.push_back(n * probabilities[k]);
      observed.push_back(static_cast<double>(counts[k]));
    }
  }
  std::sort(small.begin(), small.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  double e = 0, o = 0;
  for (const auto &cell : small) {
    e += cell.first;
    o += static_cast<double>(cell.second);
    if (e >= 8) {
      expected.push_back(e);
      observed.push_back(o);
      e = o = 0;
    }
  }
  if (!expected.empty()) {
    expected.back() += e;
    observed.back() += o;
  }
  ChiSquare result;
  for (std::size_t k = 0; k < expected.size(); ++k)
    result.statistic += (observed[k] - expected[k]) * (observed[k] - expected[k]) / expected[k];
  result.freedom = static_cast<double>(expected.size()) - 1;
  return result;
}
