// SPDX-License-Identifier: MIT
#include "base/parse_real.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace atp {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The end of a word at `first`, whatever its case; nullptr if it is not there.
const char *behind(const char *first, const char *last, const char *word) {
  for (; *word != '\0'; ++word, ++first)
    if (first == last || lower(*first) != *word) return nullptr;
  return first;
}

// inf, infinity, nan and nan(...).
std::from_chars_result parse_word(const char *first, const char *last, double &value) {
  if (const char *end = behind(first, last, "inf"); end != nullptr) {
    const char *longer = behind(first, last, "infinity");
    value = std::numeric_limits<double>::infinity();
    return {longer != nullptr ? longer : end, std::errc()};
  }
  const char *end = behind(first, last, "nan");
  if (end == nullptr) return {first, std::errc::invalid_argument};
  value = std::numeric_limits<double>::quiet_NaN();
  if (end == last || *end != '(') return {end, std::errc()};
  const char *close = end + 1;
  while (close != last && (is_digit(*close) || *close == '_' || (lower(*close) >= 'a' && lower(*close) <= 'z'))) ++close;
  return {close != last && *close == ')' ? close + 1 : end, std::errc()};
}

// The digits of a number without its point: 0.digits * 10^exponent. Two different numbers of 64 bits, and the middle between them, differ
// within 768 digits; a 1 stands for all that follow.
class Decimal {
 public:
  static constexpr int kDigits = 768;
  void add(char digit, bool behind_point) {
    any_ = true;
    if (digit == '0' && count_ == 0) {
      exponent_ -= behind_point ? 1 : 0;
      return;
    }
    exponent_ += behind_point ? 0 : 1;
    if (count_ < kDigits)
      text_[count_++] = digit;
    else
      more_ = more_ || digit != '0';
  }
  void scale(int64_t exponent) { exponent_ += exponent; }
  bool any() const { return any_; }
  bool is_zero() const { return count_ == 0; }
  double value() {
    const int size = count_ + (more_ ? 1 : 0);
    if (more_) text_[count_] = '1';
    // Far beyond every number of 64 bits, however many digits there are.
    const int64_t power = std::clamp<int64_t>(exponent_ - size, -100000, 100000);
    std::snprintf(text_ + size, sizeof text_ - static_cast<std::size_t>(size), "e%d", static_cast<int>(power));
    return std::strtod(text_, nullptr);
  }

 private:
  char text_[kDigits + 16];
  int count_ = 0;
  int64_t exponent_ = 0;
  bool any_ = false, more_ = false;
};

// The exponent at `at`, "e-5"; moves `at` behind it. Without one it is 0.
int64_t parse_exponent(const char *&at, const char *last) {
  if (at == last || lower(*at) != 'e') return 0;
  const char *digit = at + 1;
  const bool negative = digit != last && *digit == '-';
  if (digit != last && (*digit == '-' || *digit == '+')) ++digit;
  if (digit == last || !is_digit(*digit)) return 0;
  int64_t exponent = 0;
  for (; digit != last && is_digit(*digit); ++digit) exponent = std::min<int64_t>(10 * exponent + (*digit - '0'), int64_t{1} << 40);
  at = digit;
  return negative ? -exponent : exponent;
}

}  // namespace

std::from_chars_result parse_real_by_strtod(const char *first, const char *last, double &value) {
  const bool negative = first != last && *first == '-';
  const char *at = negative ? first + 1 : first;
  double found = 0;
  if (at != last && !is_digit(*at) && *at != '.') {
    std::from_chars_result word = parse_word(at, last, found);
    if (word.ec == std::errc())
      value = negative ? -found : found;
    else
      word.ptr = first;
    return word;
  }
  Decimal decimal;
  bool behind_point = false;
  for (; at != last && (is_digit(*at) || (*at == '.' && !behind_point)); ++at) {
    if (*at == '.')
      behind_point = true;
    else
      decimal.add(*at, behind_point);
  }
  if (!decimal.any()) return {first, std::errc::invalid_argument};
  decimal.scale(parse_exponent(at, last));
  if (!decimal.is_zero()) {
    found = decimal.value();
    if (found == 0 || std::isinf(found)) return {at, std::errc::result_out_of_range};
  }
  value = negative ? -found : found;
  return {at, std::errc()};
}

std::from_chars_result parse_real(const char *first, const char *last, double &value) {
#if defined(__cpp_lib_to_chars) || (defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 200000)
  return std::from_chars(first, last, value);
#else
  return parse_real_by_strtod(first, last, value);
#endif
}

}  // namespace atp
