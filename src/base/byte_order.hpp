// SPDX-License-Identifier: MIT
// Numbers in saved bytes, which are little-endian on every machine. Where the machine is, too, these functions copy.
#pragma once

#include <algorithm>
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

}  // namespace atp
