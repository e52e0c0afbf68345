// SPDX-License-Identifier: MIT
// A mean and its standard error, and agreement within errors. Sums are in the order of the numbers.
#pragma once

#include "base/span.hpp"

#include <cmath>
#include <cstdint>

namespace atp {

struct MeanError {
  double mean, error;
};

// The mean of x = number(value) over independent values; its error is sqrt(sum (x - mean)^2 / (n (n - 1))), NaN for a single value.
template <class Value, class Number>
MeanError mean_error(Span<const Value> values, Number &&number) {
  const double n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const Value &value : values) sum += number(value);
  const double mean = sum / n;
  for (const Value &value : values) squares += (number(value) - mean) * (number(value) - mean);
  return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("")};
}

inline MeanError mean_error(Span<const double> values) {
  return mean_error(values, [](double x) { return x; });
}

// The mean of independent values with weights w; its error is sqrt(n / (n - 1) sum w^2 (x - mean)^2) / sum w.
inline MeanError weighted_mean_error(Span<const double> values, Span<const double> weights) {
  double sum = 0, total = 0, squares = 0;
  for (int64_t k = 0; k < values.size(); ++k) {
    sum += weights[k] * values[k];
    total += weights[k];
  }
  const double mean = sum / total, n = static_cast<double>(values.size());
  for (int64_t k = 0; k < values.size(); ++k) {
    const double part = weights[k] * (values[k] - mean);
    squares = std::fma(part, part, squares);
  }
  return {mean, std::sqrt(n / (n - 1) * squares) / total};
}

// How many of n values are at most factor * error from what is expected. NaN is nowhere near.
inline int64_t count_within_errors(const double *expected, const double *values, const double *errors, int64_t n, double factor) {
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) count += std::fabs(values[k] - expected[k]) <= factor * errors[k] ? 1 : 0;
  return count;
}

}  // namespace atp
