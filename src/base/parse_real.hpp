// SPDX-License-Identifier: MIT
// Real numbers in texts, correctly rounded, whatever the locale is: std::from_chars for double, which libc++ lacks before version 20.
#pragma once

#include "base/error.hpp"

#include <charconv>

namespace atp {

// What std::from_chars(first, last, value) does.
ATP_FOR_IO std::from_chars_result parse_real(const char *first, const char *last, double &value);
// The same without std::from_chars. strtod rounds correctly in every C library that is supported here; it gets a text without a point,
// so that no locale matters.
std::from_chars_result parse_real_by_strtod(const char *first, const char *last, double &value);

// Whether all of a text is a number.
inline bool is_real_number(const char *first, const char *last, double &value) {
  const std::from_chars_result end = parse_real(first, last, value);
  return end.ec == std::errc() && end.ptr == last;
}

}  // namespace atp
