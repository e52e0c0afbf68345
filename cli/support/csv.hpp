// SPDX-License-Identifier: MIT
// The one writer and the one reader of CSV tables: `#` lines, a header line, rows. What the writer writes, the reader reads. side_table.hpp
// reads what others write.
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

// How cells are told apart.
inline constexpr char kBlanks = ' ';  // a separator: any number of blanks and tabs
inline constexpr char kNone = 0;      // a separator: a line is a cell
struct RowForm {
  char separator = ',';
  bool comments = false;  // # begins a comment anywhere outside quotes, else only at the begin of a line
  bool trims = false;     // blanks around cells are dropped
};

// The rows of a text, one after the other. Lines end with LF, CR LF or CR.
class RowReader {
 public:
  RowReader(const std::string &text, const RowForm &form) : text_(text), form_(form) {}
  // The cells of the next line that is neither empty nor a comment; false at the end. Comments, with their #, go to `notes`.
  bool next(std::vector<std::string> &cells, std::vector<std::string> *notes = nullptr);
  int64_t line() const { return line_; }                 // of the row, from 1
  bool closed() const { return closed_; }                // false: quotes in the last row have no end
  bool begins_quoted() const { return begins_quoted_; }  // whether its first cell is in quotes

 private:
  bool at_line_end() const;
  bool at_separator() const;
  bool at_comment() const;
  void skip_blanks();
  void end_line();
  std::string next_cell();

  const std::string &text_;
  RowForm form_;
  std::size_t at_ = 0;
  int64_t line_ = 0, next_line_ = 1;
  bool closed_ = true, begins_quoted_ = false;
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
