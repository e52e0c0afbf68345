// SPDX-License-Identifier: MIT
// Where to put the rungs of a ladder. Two rungs exchange at a rate near erfc(x / 2), x = (beta' - beta) * (standard deviation of the
// energy); so rungs belong at equal steps of the length l(beta) = integral of the deviation over beta, known from a run on other rungs.
#pragma once

#include "base/span.hpp"

namespace atp {

class LadderLength {
 public:
  static constexpr double kStep = 1.2;    // exchanges at a rate of 0.4
  static constexpr double kWidest = 2.4;  // at a rate of 0.09

  // Deviations of the energy measured at betas (at least two), both borrowed.
  LadderLength(Span<const double> betas, Span<const double> deviations) : betas_(betas), deviations_(deviations) {}

  double total() const;
  double at(double beta) const;
  // The inverse. Past the last rung the deviation goes on falling as it did over the last interval, at most by 0.6 per kStep.
  double beta(double length) const;

 private:
  double interval(int64_t k) const { return (betas_[k + 1] - betas_[k]) * (deviations_[k] + deviations_[k + 1]) / 2; }

  Span<const double> betas_, deviations_;
};

}  // namespace atp
