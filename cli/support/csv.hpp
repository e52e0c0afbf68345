// SPDX-License-Identifier: MIT
// The one writer and the one reader of CSV tables: `#` lines, a header line, rows. What the writer writes, the reader reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// A number with 10 digits; NaN is an empty cell, infinity is inf or -inf.
std::string cell(double value);
std::string cell(int64_t value);
// The number in a cell; NaN for an empty cell or a text that is not a number.
double number_in(const std::string &cell);

// One line of a table. Cells with commas, quotes or line breaks are quoted, and so is a first cell that would look like a comment or an
// empty line. A question mark stands for other control characters than blanks and line ends.
std::string csv_line(const std::vector<std::string> &cells);
// A `#` line; control characters become blanks.
std::string csv_note(const std::string &text);

struct StoredTable {
  std::vector<std::string> notes;  // without "# "
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool closed = true;  // false: quotes in the last row have no end
  // The rest of the first note that begins with `name`; "" where there is none.
  std::string note(const std::string &name) const;
};
StoredTable parse_table(const std::string &text, char separator = ',');

}  // namespace cli
