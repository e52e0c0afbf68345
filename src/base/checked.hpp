// SPDX-License-Identifier: MIT
// Products and sums of counts that are checked for overflow of 63 bits, and sizes in memory.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace atp {

// Throw ATP_E_TOO_LARGE if the result does not fit into int64_t. Counts must not be negative.
template <class... More>
int64_t product_of(int64_t first, More... more) {
  int64_t result = first;
  bool fits = true;
  // One zero makes the product zero, however large the other counts are.
  if (first == 0 || ((more == 0) || ...)) return 0;
  ((fits = fits && !__builtin_mul_overflow(result, static_cast<int64_t>(more), &result)), ...);
  if (!fits) fail(ATP_E_TOO_LARGE, "a product of %zu counts, the first %lld, does not fit into 63 bits", sizeof...(more) + 1, llong{first});
  return result;
}

template <class... More>
int64_t sum_of(int64_t first, More... more) {
  int64_t result = first;
  bool fits = true;
  ((fits = fits && !__builtin_add_overflow(result, static_cast<int64_t>(more), &result)), ...);
  if (!fits) fail(ATP_E_TOO_LARGE, "a sum of %zu counts, the first %lld, does not fit into 63 bits", sizeof...(more) + 1, llong{first});
  return result;
}

// A count of bytes, or of elements of some bytes, as a size of this machine's memory. Throws ATP_E_TOO_LARGE where it is negative or half
// of the address space or more: a machine of 32 bits has arrays of less than 2 GiB, while files and counts have 63 bits.
inline std::size_t memory_size(int64_t count, std::size_t element = 1) {
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element;
  if (count < 0 || static_cast<uint64_t>(count) > most)
    fail(ATP_E_TOO_LARGE, "%lld elements of %zu bytes do not fit into the memory of a machine of %zu bits", llong{count}, element,
         8 * sizeof(void *));
  return static_cast<std::size_t>(count) * element;
}

}  // namespace atp
