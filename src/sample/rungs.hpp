// SPDX-License-Identifier: MIT
// Spacing of the rungs of a ladder. Two rungs exchange at a rate near erfc(x / 2), x = (beta' - beta) *
// (standard deviation of the energy). Rungs are therefore placed at equal steps of l(beta), the integral of the
// deviation over beta. A run on other rungs measures l.
#pragma once

#include "base/span.hpp"

namespace atp {

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

}  // namespace atp
