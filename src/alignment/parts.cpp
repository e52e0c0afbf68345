// SPDX-License-Identifier: MIT
#include "alignment/parts.hpp"

#include <attopotts/scores.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace atp {

// The same order on every machine, unlike that of std::shuffle.
void RandomParts::shuffle(std::mt19937_64 &random) {
  const int64_t n = order_.size(), sites = data_.sites();
  for (int64_t k = 0; k < n; ++k) order_[k] = k;
  for (int64_t k = n; k > 1; --k) std::swap(order_[k - 1], order_[static_cast<int64_t>(random() % static_cast<uint64_t>(k))]);
  for (int64_t k = 0; k < n; ++k) {
    std::copy_n(data_.sequence(order_[k]), sites, sequences_.data() + k * sites);
    weights_[k] = data_.weights[order_[k]];
  }
}

// How many sequences from the first on have this summed weight; both parts keep at least one.
int64_t RandomParts::cut_at(double weight) const {
  int64_t cut = 0;
  for (double sum = 0; cut + 1 < order_.size() && sum < weight; ++cut) sum += weights_[cut];
  return std::max<int64_t>(cut, 1);
}

Alignment *RandomParts::part(Context &context, int64_t first, int64_t end) const {
  return create_alignment(context, sequences_.data() + first * data_.sites(), {end - first, data_.sites(), data_.colors(), 0},
                          weights_.data() + first, false);
}

void average_splits(Span<const double> found, int64_t splits, int64_t numbers, double *mean, double *deviation) {
  const auto n = static_cast<double>(splits);
  for (int64_t k = 0; k < numbers; ++k) {
    double sum = 0, squares = 0;
    for (int64_t s = 0; s < splits; ++s) sum += found[s * numbers + k] / n;
    for (int64_t s = 0; s < splits; ++s) squares += (found[s * numbers + k] - sum) * (found[s * numbers + k] - sum);
    mean[k] = splits > 0 ? sum : std::numeric_limits<double>::quiet_NaN();
    deviation[k] = splits > 1 ? std::sqrt(squares / (n - 1)) : std::numeric_limits<double>::quiet_NaN();
  }
}

void extend_ratio(double factor, double &value, double &deviation) {
  if (!(value > 0)) return;
  const double extended = 1 / (1 + (1 / value - 1) * factor);
  deviation *= factor * extended * extended / (value * value);
  value = extended;
}

void extend_row(const RandomParts &parts, double *mean, double *deviation) {
  extend_ratio(parts.of_both(), mean[ATP_COMPARISON_PEARSON], deviation[ATP_COMPARISON_PEARSON]);
  extend_ratio(parts.of_data(), mean[ATP_COMPARISON_SLOPE], deviation[ATP_COMPARISON_SLOPE]);
  for (const int column : {ATP_COMPARISON_RMS, ATP_COMPARISON_LARGEST})
    for (double *of : {mean, deviation}) of[column] *= std::sqrt(parts.of_both());
}

}  // namespace atp
