// SPDX-License-Identifier: MIT
// Numbers in saved bytes, which are little-endian on every machine, and the checksum of such bytes. Where the machine is little-endian,
// too, the functions that order bytes copy.
#pragma once

#include "base/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace atp {

inline constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// The bytes of one number of a T: a number itself, or a struct of numbers of 64 bits.
template <class T>
constexpr int64_t word_bytes() {
  static_assert(std::is_trivially_copyable_v<T> && (!std::is_class_v<T> || sizeof(T) % 8 == 0));
  return std::is_class_v<T> ? 8 : static_cast<int64_t>(sizeof(T));
}

// Reverses each of n words, in place.
inline void reverse_words(void *data, int64_t n, int64_t word) {
  char *p = static_cast<char *>(data);
  for (int64_t k = 0; k < n; ++k, p += word) std::reverse(p, p + word);
}

// Changes words between the machine's order and little-endian, in place.
inline void order_words(void *data, int64_t n, int64_t word) {
  if constexpr (!kLittleEndian) reverse_words(data, n, word);
}

// Copies n objects of T from the machine's order to little-endian, or back: the objects are at `to` or at `from`.
template <class T>
void copy_ordered(void *to, const void *from, int64_t n) {
  if (n == 0) return;
  std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
  order_words(to, n * static_cast<int64_t>(sizeof(T)) / word_bytes<T>(), word_bytes<T>());
}

// FNV-1a, 64 bits. Detects damaged states and states of other objects.
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
