// SPDX-License-Identifier: MIT
// Random parts of an alignment against each other: what independent samples would give. The formulas are with atp_statistics_parts().
#pragma once

#include "alignment/alignment.hpp"

#include <random>

namespace atp {

struct Splits {
  int64_t count;
  uint64_t seed;
};

// Splits of an alignment into a part of a summed weight, at most half of all, and the rest.
class RandomParts {
 public:
  RandomParts(Arena &arena, const Alignment &data, double samples)
      : data_(data),
        samples_(samples),
        order_(arena.take<int64_t>(data.count())),
        sequences_(arena.take<uint8_t>(data.count(), data.sites())),
        weights_(arena.take<double>(data.count())) {}

  // Calls visit(rest, small) for each split.
  template <class Visit>
  void each(Context &context, const Splits &splits, Visit &&visit) {
    std::mt19937_64 random(splits.seed);
    const double half = data_.effective_count() / 2;
    for (int64_t s = 0; s < splits.count; ++s) {
      shuffle(random);
      const int64_t cut = cut_at(samples_ < half ? samples_ : half);
      const Owner<Alignment> small(part(context, 0, cut)), rest(part(context, cut, data_.count()));
      visit(*rest, *small);
      small_ += small->effective_count() / static_cast<double>(splits.count);
      rest_ += rest->effective_count() / static_cast<double>(splits.count);
    }
  }
  // Summed weights of both, means over the splits.
  double small() const { return small_; }
  double rest() const { return rest_; }
  // Errors of frequencies go as the root of 1 / n: squares of errors of the data alone, and of data and samples together, over those of
  // the parts.
  double of_data() const { return rest_ / data_.effective_count(); }
  double of_both() const { return (1 / data_.effective_count() + 1 / samples_) / (1 / rest_ + 1 / small_); }

 private:
  void shuffle(std::mt19937_64 &random);
  int64_t cut_at(double weight) const;
  Alignment *part(Context &context, int64_t first, int64_t end) const;

  const Alignment &data_;
  double samples_, small_ = 0, rest_ = 0;
  Span<int64_t> order_;
  Span<uint8_t> sequences_;
  Span<double> weights_;
};

// Mean and standard deviation of numbers over splits, found [splits][numbers]; NaN without splits, with less than two.
void average_splits(Span<const double> found, int64_t splits, int64_t numbers, double *mean, double *deviation);

// A correlation or a slope of true values with noise, 1 / (1 + e), where e changes by a factor; the standard deviation goes with it.
void extend_ratio(double factor, double &value, double &deviation);
// A row of atp_comparison_column, from the sizes of the parts to those of data and samples.
void extend_row(const RandomParts &parts, double *mean, double *deviation);

}  // namespace atp
