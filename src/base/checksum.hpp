// SPDX-License-Identifier: MIT
// FNV-1a, 64 bits. Detects damaged states and states of other objects.
#pragma once

#include "base/byte_order.hpp"
#include "base/span.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace atp {

inline constexpr uint64_t kChecksumStart = 0xcbf29ce484222325u;

inline uint64_t checksum(const void *bytes, std::size_t size, uint64_t state = kChecksumStart) {
  const unsigned char *p = static_cast<const unsigned char *>(bytes);
  for (std::size_t k = 0; k < size; ++k) state = (state ^ p[k]) * 0x100000001b3u;
  return state;
}

// Of the little-endian bytes of numbers, or of structs of numbers of 64 bits: the same on every machine.
template <class T>
uint64_t checksum_of(Span<T> x, uint64_t state = kChecksumStart) {
  if constexpr (kLittleEndian) return checksum(x.data(), static_cast<std::size_t>(x.size()) * sizeof(T), state);
  for (const T &value : x) {
    char bytes[sizeof(T)];
    copy_ordered<std::remove_const_t<T>>(bytes, &value, 1);
    state = checksum(bytes, sizeof bytes, state);
  }
  return state;
}
template <class T>
uint64_t checksum_of(const T &x, uint64_t state = kChecksumStart) {
  using One = std::remove_extent_t<T>;
  constexpr int64_t n = std::is_array_v<T> ? static_cast<int64_t>(std::extent_v<T>) : 1;
  return checksum_of(Span<const One>(reinterpret_cast<const One *>(&x), n), state);
}

}  // namespace atp
