// SPDX-License-Identifier: MIT
// The input of a fuzz target as a program: choices, numbers and texts, one after the other; zeros past its end.
#pragma once

#include "fuzz.hpp"

#include <cstring>
#include <string>

namespace atp_fuzz {

class ProgramBytes {
 public:
  ProgramBytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint8_t byte() { return at_ == end_ ? 0 : *at_++; }
  // A number in 0..n-1, n <= 256.
  int below(int n) { return byte() % n; }
  int64_t integer() {
    int64_t value = 0;
    for (int k = 0; k < 8; ++k) value = static_cast<int64_t>(static_cast<uint64_t>(value) << 8 | byte());
    return value;
  }
  // Any number, also one that is not finite.
  double real() {
    const int64_t bits = integer();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  // Up to `most` characters, up to a zero.
  std::string text(int most) {
    std::string found;
    for (int k = 0; k < most; ++k) {
      const char c = static_cast<char>(byte());
      if (c == '\0') break;
      found += c;
    }
    return found;
  }

 private:
  const uint8_t *at_, *end_;
};

}  // namespace atp_fuzz
