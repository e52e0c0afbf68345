// SPDX-License-Identifier: MIT
// Products and sums of counts that are checked for overflow of 63 bits.
#pragma once

#include "base/error.hpp"

#include <cstdint>

namespace atp {

// Throw ATP_E_TOO_LARGE if the result does not fit into int64_t. Counts must not be negative.
template <class... More>
int64_t product_of(int64_t first, More... more) {
  int64_t result = first;
  bool fits = true;
  // One zero makes the product zero, however large the other counts are.
  if (first == 0 || ((more == 0) || ...)) return 0;
  ((fits = fits && !__builtin_mul_overflow(result, static_cast<int64_t>(more), &result)), ...);
  if (!fits)
    fail(ATP_E_TOO_LARGE, "a product of %zu counts, the first %lld, does not fit into 63 bits", sizeof...(more) + 1,
         static_cast<long long>(first));
  return result;
}

template <class... More>
int64_t sum_of(int64_t first, More... more) {
  int64_t result = first;
  bool fits = true;
  ((fits = fits && !__builtin_add_overflow(result, static_cast<int64_t>(more), &result)), ...);
  if (!fits)
    fail(ATP_E_TOO_LARGE, "a sum of %zu counts, the first %lld, does not fit into 63 bits", sizeof...(more) + 1,
         static_cast<long long>(first));
  return result;
}

}  // namespace atp
