// SPDX-License-Identifier: MIT
#include "io/fields.hpp"

#include "base/error.hpp"
#include "base/parse_real.hpp"
#include "potts/model.hpp"

#include <charconv>
#include <cmath>
#include <cstdarg>

namespace atp {

namespace {

bool separates(char c, char separator) { return is_blank(c) || c == separator; }

// std::from_chars does not accept a leading plus.
const char *after_plus(const Field &field) {
  return field.size() > 1 && *field.begin == '+' && field.begin[1] != '-' ? field.begin + 1 : field.begin;
}

bool parse(const Field &field, int64_t &value) {
  const std::from_chars_result end = std::from_chars(after_plus(field), field.end, value);
  return end.ec == std::errc() && end.ptr == field.end;
}
bool parse(const Field &field, double &value) { return is_real_number(after_plus(field), field.end, value); }

}  // namespace

bool is_integer(const Field &field) {
  int64_t value = 0;
  return parse(field, value);
}

bool is_real(const Field &field) {
  double value = 0;
  return parse(field, value);
}

bool FieldReader::next_line() {
  if (next_ == text_.end()) return false;
  at_ = next_;
  line_end_ = end_of_line(text_, at_);
  next_ = atp::next_line(text_, line_end_);
  ++line_;
  return true;
}

bool FieldReader::next_content() {
  while (next_line()) {
    FieldReader copy = *this;
    Field first;
    if (copy.next_field(first) && *first.begin != '#') return true;
  }
  return false;
}

bool FieldReader::next_field(Field &field) {
  while (at_ < line_end_ && separates(*at_, separator_)) ++at_;
  field.begin = at_;
  while (at_ < line_end_ && !separates(*at_, separator_)) ++at_;
  field.end = at_;
  return field.size() > 0;
}

int64_t FieldReader::count_fields() const {
  FieldReader copy = *this;
  Field field;
  int64_t n = 0;
  while (copy.next_field(field)) ++n;
  return n;
}

void FieldReader::fail_format(const char *format, ...) const {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(ATP_E_FORMAT, "%s:%lld: %s", label(), line_, text);
}

Field FieldReader::word(const char *what) {
  Field field;
  if (!next_field(field)) fail_format("the line ends, expected %s", what);
  return field;
}

int64_t FieldReader::integer(const char *what, int64_t lowest, int64_t highest) {
  const Field field = word(what);
  int64_t value = 0;
  if (!parse(field, value) || value < lowest || value > highest)
    fail_format("%s, expected %s in %lld..%lld", Quoted(field.begin, field.end).text, what, llong{lowest}, llong{highest});
  return value;
}

double FieldReader::real(const char *what) {
  const Field field = word(what);
  double value = 0;
  if (!parse(field, value)) fail_format("%s, expected %s, a number", Quoted(field.begin, field.end).text, what);
  if (!std::isfinite(value))
    fail(ATP_E_NOT_FINITE, "%s:%lld: %s, expected %s, finite", label(), line_, Quoted(field.begin, field.end).text, what);
  if (std::fabs(value) > kLargestModelNumber)
    fail_format("%s, expected %s, at most 1e100 in magnitude", Quoted(field.begin, field.end).text, what);
  return value;
}

char FieldReader::symbol(const char *what) {
  const Field field = word(what);
  if (field.size() != 1 || *field.begin <= ' ' || *field.begin > '~')
    fail_format("%s, expected %s, one printable character", Quoted(field.begin, field.end).text, what);
  return *field.begin;
}

void FieldReader::end_line(const char *after) {
  Field field;
  if (next_field(field)) fail_format("%s, expected the end of the line after %s", Quoted(field.begin, field.end).text, after);
}

}  // namespace atp
