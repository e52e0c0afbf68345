// SPDX-License-Identifier: MIT
#include "reference_attention.hpp"

#include <algorithm>
#include <cmath>

namespace reference {

Attention::Attention(int64_t sites, int64_t colors, std::vector<uint8_t> sequences)
    : sites_(sites),
      colors_(colors),
      count_(static_cast<int64_t>(sequences.size()) / sites),
      sequences_(std::move(sequences)),
      map_gradient_(static_cast<std::size_t>(sites * sites)),
      value_gradient_(static_cast<std::size_t>(colors * colors)) {}

double Attention::gradient(const std::vector<double> &maps, const std::vector<double> &values) {
  std::fill(map_gradient_.begin(), map_gradient_.end(), 0.0);
  std::fill(value_gradient_.begin(), value_gradient_.end(), 0.0);
  double logits[256], loss = 0;
  const double scale = 1 / static_cast<double>(count_ * sites_);
  for (int64_t n = 0; n < count_; ++n) {
    const uint8_t *s = sequences_.data() + n * sites_;
    for (int64_t i = 0; i < sites_; ++i) {
      const double *row = maps.data() + i * sites_;
      for (int64_t a = 0; a < colors_; ++a) {
        logits[a] = 0;
        for (int64_t j = 0; j < sites_; ++j)
          if (j != i) logits[a] += row[j] * values[static_cast<std::size_t>(a * colors_ + s[j])];
      }
      const double highest = *std::max_element(logits, logits + colors_), own = logits[s[i]];
      double total = 0;
      for (int64_t a = 0; a < colors_; ++a) total += logits[a] = std::exp(logits[a] - highest);
      loss += std::log(total) + highest - own;
      for (int64_t a = 0; a < colors_; ++a) logits[a] *= scale / total;
      logits[s[i]] -= scale;
      for (int64_t j = 0; j < sites_; ++j) {
        if (j == i) continue;
        double sum = 0;
        for (int64_t a = 0; a < colors_; ++a) {
          const std::size_t place = static_cast<std::size_t>(a * colors_ + s[j]);
          sum += values[place] * logits[a];
          value_gradient_[place] += row[j] * logits[a];
        }
        map_gradient_[static_cast<std::size_t>(i * sites_ + j)] += sum;
      }
    }
  }
  return loss * scale;
}

}  // namespace reference
