// SPDX-License-Identifier: MIT
// A CSV table that is too large to be kept in memory: its rows are made while the file is written.
#pragma once

#include "support/csv_table.hpp"

#include <functional>
#include <string>

namespace cli {

// Writes the notes and the header of `head`, a table without rows, then the rows that next() returns as csv_line()s, some at a time; ""
// ends the table. The file is as it was if next() throws. "" and "-": standard output.
void write_streamed(const Session &session, const std::string &path, const Table &head, const std::function<std::string()> &next);

}  // namespace cli
