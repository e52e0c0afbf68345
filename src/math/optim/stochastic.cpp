// SPDX-License-Identifier: MIT
#include "math/optim/stochastic.hpp"

#include "math/optim/vector.hpp"

#include <cmath>

namespace atp {

// sin(pi (1/2 - u)) by its power series: |x| <= pi/2, the first term left out is below 1e-17.
double cos_pi(double u) {
  const double x = 3.14159265358979323846 * (0.5 - u), square = x * x;
  double sum = 0;
  for (int k = 10; k >= 1; --k) sum = square / (2.0 * k * (2.0 * k + 1)) * (1 - sum);
  return x * (1 - sum);
}

double cosine_rate(double rate, int64_t step, int64_t steps) {
  return 0.5 * rate * (1 + cos_pi(static_cast<double>(step) / static_cast<double>(steps)));
}

void Sgd::reset() { fill(velocity_, 0); }

void Sgd::step(Span<double> x, Span<const double> gradient, double rate) {
  if (momentum_ == 0) return add_scaled(-rate, gradient, x);
  for (int64_t k = 0; k < n_; ++k) {
    velocity_[k] = momentum_ * velocity_[k] + gradient[k];
    x[k] -= rate * velocity_[k];
  }
}

void Adam::reset() {
  power1_ = power2_ = 1;
  fill(mean_, 0);
  fill(square_, 0);
}

void Adam::step(Span<double> x, Span<const double> gradient, double rate) {
  power1_ *= kBeta1;
  power2_ *= kBeta2;
  const double scale1 = rate / (1 - power1_), scale2 = 1 / (1 - power2_);
  const double *g = gradient.data();
  double *m = mean_.data(), *v = square_.data(), *p = x.data();
  for (int64_t k = 0; k < n_; ++k) {
    m[k] = kBeta1 * m[k] + (1 - kBeta1) * g[k];
    v[k] = kBeta2 * v[k] + (1 - kBeta2) * (g[k] * g[k]);
    p[k] -= scale1 * m[k] / (std::sqrt(v[k] * scale2) + kEpsilon);
  }
}

void Adam::save(StateWriter &writer) const {
  writer.value(power1_);
  writer.value(power2_);
  writer.array(Span<const double>(mean_));
  writer.array(Span<const double>(square_));
}

void Adam::check(StateReader &reader) const {
  reader.real("power of beta 1", 0, 1);
  reader.real("power of beta 2", 0, 1);
  reader.reals<double>(n_, "mean of gradients");
  reader.reals<double>(n_, "mean of squared gradients", 0);
}

void Adam::load(StateReader &reader) {
  reader.value(power1_);
  reader.value(power2_);
  reader.array(mean_);
  reader.array(square_);
}

}  // namespace atp
