// SPDX-License-Identifier: MIT
// CSV tables with the version, the command line and the seed of the run in `#` lines.
#pragma once

#include "text/csv.hpp"
#include "run/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cli {

class Table {
 public:
  Table(const Session &session, const std::vector<std::string> &columns);
  // Adds a `#` line above the header.
  void note(const std::string &text);
  void row(const std::vector<std::string> &cells);
  std::string text() const { return notes_ + header_ + rows_; }
  // Writes to standard output ("" or "-"), or to a file, which is replaced as a whole; as JSON where is_json() says so.
  void write(const Session &session, const std::string &path) const;

 private:
  std::string notes_, header_, rows_;
};

// --csv: the file of a command's table. `more` ends its help.
void add_csv(CLI::App *app, std::string &path, const std::string &more = "");

// Writes the notes and the header of `head`, a table without rows, then the rows that next() returns as csv_line()s, some at a time; ""
// ends the table. It need not fit into memory. The file is as it was if next() throws. "" and "-": standard output.
void write_streamed(const Session &session, const std::string &path, const Table &head, const std::function<std::string()> &next);

StoredTable read_table(const Session &session, const std::string &path);

// Whether a table that is written to this place is JSON: the name ends in .json, or --json was given and it goes to standard output.
bool is_json(const Session &session, const std::string &path);
// {"notes": [...], "columns": [...], "rows": [{column: cell, ...}, ...]}: cells are numbers where they can be, null where they are empty.
std::string json_of(const StoredTable &table);

}  // namespace cli
