// SPDX-License-Identifier: MIT
#include "reference_plm.hpp"

#include <algorithm>
#include <cmath>

namespace reference {

DensePseudolikelihood::DensePseudolikelihood(int64_t sites, int64_t colors, std::vector<uint8_t> sequences)
    : sites_(sites), colors_(colors), count_(static_cast<int64_t>(sequences.size()) / sites), sequences_(std::move(sequences)) {}

double DensePseudolikelihood::gradient(const std::vector<double> &parameters) {
  gradient_.assign(parameters.size(), 0.0);
  double logits[256], loss = 0;
  for (int64_t n = 0; n < count_; ++n) {
    const uint8_t *s = sequences_.data() + n * sites_;
    for (int64_t i = 0; i < sites_; ++i) {
      // J_ij(a, s_j) lies at start + a * stride.
      const auto start = [&](int64_t j) {
        const int64_t low = std::min(i, j), high = std::max(i, j), pair = low * (2 * sites_ - low - 1) / 2 + high - low - 1;
        return sites_ * colors_ + pair * colors_ * colors_ + (i < j ? s[j] : s[j] * colors_);
      };
      for (int64_t a = 0; a < colors_; ++a) logits[a] = parameters[static_cast<std::size_t>(i * colors_ + a)];
      for (int64_t j = 0; j < sites_; ++j) {
        if (j == i) continue;
        const double *x = parameters.data() + start(j);
        const int64_t stride = i < j ? colors_ : 1;
        for (int64_t a = 0; a < colors_; ++a) logits[a] += x[a * stride];
      }
      const double highest = *std::max_element(logits, logits + colors_), own = logits[s[i]];
      double total = 0;
      for (int64_t a = 0; a < colors_; ++a) total += logits[a] = std::exp(logits[a] - highest);
      loss += std::log(total) + highest - own;
      for (int64_t a = 0; a < colors_; ++a) logits[a] /= total;
      logits[s[i]] -= 1;
      for (int64_t a = 0; a < colors_; ++a) gradient_[static_cast<std::size_t>(i * colors_ + a)] += logits[a];
      for (int64_t j = 0; j < sites_; ++j) {
        if (j == i) continue;
        double *g = gradient_.data() + start(j);
        const int64_t stride = i < j ? colors_ : 1;
        for (int64_t a = 0; a < colors_; ++a) g[a * stride] += logits[a];
      }
    }
  }
  return loss;
}

}  // namespace reference
