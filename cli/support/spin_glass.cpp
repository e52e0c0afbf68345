// SPDX-License-Identifier: MIT
#include "support/spin_glass.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kEigenvalues = 1000;
constexpr double kPi = 3.14159265358979323846;

// x = 2 sin(u) of the semicircle on [-2, 2] has the density 2 cos(u)^2 / pi in u, and the distribution function
// 1/2 + (u + sin(2 u) / 2) / pi. u of a probability, by bisection.
double semicircle_quantile(double probability) {
  double low = -kPi / 2, high = kPi / 2;
  for (int k = 0; k < 60; ++k) {
    const double u = (low + high) / 2;
    (0.5 + (u + std::sin(2 * u) / 2) / kPi < probability ? low : high) = u;
  }
  return (low + high) / 2;
}

// The mean of 1 / (1 + b^2 - b x) between two quantiles, by Simpson's rule.
double mean_between(double from, double to, double b) {
  constexpr int kParts = 64;
  double sum = 0, weight = 0;
  for (int k = 0; k <= kParts; ++k) {
    const double u = from + (to - from) * k / kParts, cosine = std::cos(u);
    const double w = (k == 0 || k == kParts ? 1 : 2 + 2 * (k % 2)) * cosine * cosine;
    weight += w;
    sum += w / (1 + b * b - 2 * b * std::sin(u));
  }
  return sum / weight;
}

}  // namespace

double SpinGlass::beta() const { return teacher * std::sqrt(response); }

MaskedSystem spin_glass(const Session &session, const SpinGlass &of, bool on_the_whole) {
  const auto p = static_cast<std::size_t>(kEigenvalues);
  const double b = of.beta(), size = static_cast<double>(kEigenvalues);
  std::vector<double> s(p), covariance(p * p);
  double from = -kPi / 2;
  for (std::size_t k = 0; k < p; ++k) {
    const double to = k + 1 < p ? semicircle_quantile(static_cast<double>(k + 1) / size) : kPi / 2;
    s[k] = mean_between(from, to, b);
    from = to;
  }
  const std::vector<double> weights(p, of.teacher / std::sqrt(size));
  for (std::size_t j = 0; j < p; ++j) {
    covariance[j * (p + 1)] = s[j];
    for (std::size_t k = 0; on_the_whole && k < p; ++k) covariance[j * p + k] += of.response * s[j] * weights[j] * weights[k] * s[k];
  }
  MaskedSystem system;
  if (!on_the_whole) {
    system.eigenvalues = s;
    system.projections.assign(p, of.teacher * of.teacher / size);
  }
  check(atp_masked_create(session.context.get(), covariance.data(), weights.data(), kEigenvalues, 0, out(system.handle)), "--beta");
  return system;
}

}  // namespace cli
