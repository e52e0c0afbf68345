// SPDX-License-Identifier: MIT
// Text into a buffer of the caller, the same in every locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace atp {

// The buffer may be too small; the writer knows how long all of the text is.
class TextWriter {
 public:
  TextWriter(char *text, int64_t size) : text_(text), size_(size) {}
  void put(const char *piece, int64_t n) {
    if (at_ + n <= size_) std::memcpy(text_ + at_, piece, static_cast<std::size_t>(n));
    at_ += n;
  }
  void put(const char *piece) { put(piece, static_cast<int64_t>(std::strlen(piece))); }
  // The shortest text that gives the same number back.
  void put(double value) {
    if (std::isnan(value)) return put("NaN");
    if (std::isinf(value)) return put(value > 0 ? "Inf" : "-Inf");
    put_digits(value);
  }
  void put(int64_t value) { put_digits(value); }
  int64_t length() const { return at_; }

 private:
  template <class Number>
  void put_digits(Number value) {
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
    put(digits, end.ptr - digits);
  }
  char *text_;
  int64_t size_, at_ = 0;
};

}  // namespace atp
