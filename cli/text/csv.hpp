// SPDX-License-Identifier: MIT
// Writes and reads the CSV tables of this program: `#` lines, a header line, rows. The library reads the tables of other programs, see
// SideTable in run/files.hpp.
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

// A text as a table shows it: a question mark for each control character but tabs and line ends, and for each byte that is no UTF-8.
std::string shown_cell(const std::string &text);
// One line of a table. Cells with commas, quotes or line breaks are quoted, and so is a first cell that would look like a comment or an
// empty line. Cells are those of shown_cell().
std::string csv_line(const std::vector<std::string> &cells);
// A `#` line; control characters become blanks.
std::string csv_note(const std::string &text);

// The rows of a text, one after the other. Lines end with LF, CR LF or CR.
class RowReader {
 public:
  explicit RowReader(const std::string &text) : text_(text) {}
  // The cells of the next line that is neither empty nor a comment; false at the end. Comments, with their #, go to `notes`.
  bool next(std::vector<std::string> &cells, std::vector<std::string> *notes = nullptr);

 private:
  bool at_line_end() const;
  void end_line();
  std::string next_cell();

  const std::string &text_;
  std::size_t at_ = 0;
};

struct StoredTable {
  std::vector<std::string> notes;  // without "# "
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  // The rest of the first note that begins with `name`; "" where there is none.
  std::string note(const std::string &name) const;
};
// A table of this program.
StoredTable parse_table(const std::string &text);

}  // namespace cli
