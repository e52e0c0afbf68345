// SPDX-License-Identifier: MIT
// Lines of a text in memory and their fields, separated by blanks and tabs. Errors name file and line.
#pragma once

#include "base/context.hpp"
#include "alignment/text.hpp"

namespace atp {

struct Field {
  const char *begin = nullptr, *end = nullptr;
  int64_t size() const { return end - begin; }
  bool is(char c) const { return size() == 1 && *begin == c; }
};

class FieldReader {
 public:
  // With a separator, ',' say, it separates like a blank.
  explicit FieldReader(const Text &text, char separator = ' ')
      : text_(without_mark(text)), next_(text_.begin()), at_(next_), line_end_(next_), separator_(separator) {}

  bool next_line();                     // moves to the next line; false at the end of the text
  bool next_content();                  // the same, to one that is neither empty nor begins with '#'
  bool next_field(Field &field);        // the next field of the line; false at its end
  int64_t count_fields() const;         // fields that remain in the line
  llong line() const { return line_; }  // from 1
  int64_t bytes_left() const { return text_.end() - at_; }
  const char *label() const { return text_.label; }

  // Read the next field as the named type, or throw ATP_E_FORMAT (ATP_E_NOT_FINITE for a NaN or an infinity).
  // `what` names the field in errors. Reals are at most 1e100 in magnitude, like all numbers of models.
  Field word(const char *what);
  int64_t integer(const char *what, int64_t lowest, int64_t highest);
  double real(const char *what);
  char symbol(const char *what);
  void end_line(const char *after);  // throws if the line has another field

  [[noreturn]] void fail_format(const char *format, ...) const __attribute__((format(printf, 2, 3)));

 private:
  Text text_;
  const char *next_, *at_, *line_end_;
  llong line_ = 0;
  char separator_;
};

// Whether a field is a whole number, or any number (finite or infinite). For detecting the format of a file.
bool is_integer(const Field &field);
bool is_real(const Field &field);

}  // namespace atp
