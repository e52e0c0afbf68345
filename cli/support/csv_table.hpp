// SPDX-License-Identifier: MIT
// CSV tables with the version, the command line and the seed of the run in `#` lines.
#pragma once

#include "support/csv.hpp"
#include "support/session.hpp"

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
  // Writes to standard output ("" or "-"), or to a file, which is replaced as a whole.
  void write(const Session &session, const std::string &path) const;

 private:
  std::string notes_, header_, rows_;
};

StoredTable read_table(const Session &session, const std::string &path);

}  // namespace cli
