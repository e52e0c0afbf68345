// SPDX-License-Identifier: MIT
#include "sample/ladder_length.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

double LadderLength::total() const {
  double sum = 0;
  for (int64_t k = 0; k + 1 < betas_.size(); ++k) sum += interval(k);
  return sum;
}

double LadderLength::at(double beta) const {
  double sum = 0;
  for (int64_t k = 0; k + 1 < betas_.size() && betas_[k] < beta; ++k)
    sum += interval(k) * std::min(1.0, (beta - betas_[k]) / (betas_[k + 1] - betas_[k]));
  return sum;
}

double LadderLength::beta(double length) const {
  const int64_t last = betas_.size() - 1;
  for (int64_t k = 0; k < last; ++k) {
    if (length <= interval(k) && interval(k) > 0) return betas_[k] + (betas_[k + 1] - betas_[k]) * length / interval(k);
    length -= interval(k);
  }
  // If the deviation falls like exp(-u l / kStep), the integral of d beta = d l / deviation is a difference
  // of exponentials.
  const double u = -std::log(std::clamp(deviations_[last] / deviations_[last - 1], 0.6, 1.0));
  const double stretch = u < 1e-9 ? length : kStep / u * std::expm1(u * length / kStep);
  return betas_[last] + stretch / deviations_[last];
}

}  // namespace atp
