// SPDX-License-Identifier: MIT
// The spacing of distributions between two ends, by the fluctuations of the energy, and errors of what several independent ladders give.
#pragma once

#include "base/span.hpp"

#include <cmath>
#include <cstdint>

namespace atp {

// Spacing of the rungs of a ladder. Two rungs exchange at a rate near erfc(x / 2), x = (beta' - beta) *
// (standard deviation of the energy). Rungs are therefore placed at equal steps of l(beta), the integral of the
// deviation over beta. A run on other rungs measures l.
class LadderLength {
 public:
  static constexpr double kStep = 1.2;    // exchange rate 0.4
  static constexpr double kWidest = 2.4;  // exchange rate 0.09

  // Deviations of the energy measured at betas (at least two), both borrowed.
  LadderLength(Span<const double> betas, Span<const double> deviations) : betas_(betas), deviations_(deviations) {}

  double total() const;
  double at(double beta) const;
  // The inverse of at(). Past the last rung the deviation keeps falling as over the last interval, by a
  // factor of 0.6 per kStep at most.
  double beta(double length) const;

 private:
  double interval(int64_t k) const { return (betas_[k + 1] - betas_[k]) * (deviations_[k] + deviations_[k + 1]) / 2; }

  Span<const double> betas_, deviations_;
};

// Jackknife standard error of a mean, from the n values that leave out one ladder each.
class Jackknife {
 public:
  void add(double x) {
    ++n_;
    const double step = x - mean_;
    mean_ += step / n_;
    squares_ += step * (x - mean_);
  }
  double error() const { return std::isfinite(squares_) ? std::sqrt(squares_ * (n_ - 1) / n_) : HUGE_VAL; }

 private:
  double n_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace atp
