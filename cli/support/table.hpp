// SPDX-License-Identifier: MIT
// CSV tables: `#` lines with version, command line and seed, a header line, rows.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

class Table {
 public:
  Table(const Session &session, const std::vector<std::string> &columns);
  // A `#` line above the header.
  void note(const std::string &text);
  // A row from texts; a text with commas, quotes or newlines is quoted.
  void row(const std::vector<std::string> &cells);
  std::string text() const { return notes_ + header_ + rows_; }
  // Write to a file, beside it and renamed, or to standard output ("" or "-").
  void write(const Session &session, const std::string &path) const;

 private:
  std::string notes_, header_, rows_;
};

// A number with all its digits; "" for NaN.
std::string cell(double value);
std::string cell(int64_t value);

// The value of a `#` line "name: value" and the rows below the header of a table that this program wrote.
struct StoredTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
StoredTable parse_table(const std::string &text);
StoredTable read_table(const Session &session, const std::string &path);

}  // namespace cli
