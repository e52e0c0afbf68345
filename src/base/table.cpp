// SPDX-License-Identifier: MIT
#include "base/table.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace atp {

namespace {

// Text into a buffer that may be too small; knows how long all of it is.
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
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
    put(digits, end.ptr - digits);
  }
  int64_t length() const { return at_; }

 private:
  char *text_;
  int64_t size_, at_ = 0;
};

}  // namespace

int64_t TableKind::find(const char *column) const {
  for (int64_t k = 0; k < count; ++k)
    if (std::strcmp(columns[k].name, column) == 0) return k;
  return -1;
}

void Table::require_room(int64_t n) const {
  if (n > capacity_ - rows_)
    fail(ATP_E_BUFFER, "the table has %lld rows and room for %lld, must have room for %lld more", llong{rows_}, llong{capacity_}, llong{n});
}

int64_t Table::csv(char *text, int64_t size) const {
  TextWriter writer(text, size);
  for (int64_t c = 0; c < columns(); ++c) {
    if (c > 0) writer.put(",", 1);
    writer.put(column(c).name);
  }
  writer.put("\n", 1);
  for (int64_t row = 0; row < rows_; ++row) {
    for (int64_t c = 0; c < columns(); ++c) {
      if (c > 0) writer.put(",", 1);
      writer.put(value(row, c));
    }
    writer.put("\n", 1);
  }
  writer.put("", 1);
  return writer.length();
}

}  // namespace atp
