// SPDX-License-Identifier: MIT
#include "base/table.hpp"

#include "base/text_writer.hpp"

namespace atp {

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
