// SPDX-License-Identifier: MIT
// Small text files as people, R, pandas and spreadsheets write them: lists, tables and matrices, for all flags that read one.
//
// A UTF-8 byte order mark is skipped; lines end with LF, CR LF or CR. All lines have the same separator: blanks and tabs, or commas, tabs
// or semicolons. Cells may be in quotes, and rows may have names before the first column.
#pragma once

#include "support/csv.hpp"

#include <string>
#include <vector>

namespace cli {

// What a file may hold.
struct SideForm {
  enum class Names {
    first,     // the first line has the names of the columns
    words,     // it has them if it has no number
    of_lines,  // the same, if one of `names` is among them; without them a line is a cell, whatever separates
  } header = Names::words;
  bool blanks = true;    // blanks may separate
  bool comments = true;  // # begins a comment anywhere, else only at the begin of a line
  std::vector<std::string> names = {};
};

struct SideTable {
  std::vector<std::string> columns;  // empty where the file has no names of columns
  std::vector<std::vector<std::string>> rows;
  std::vector<int64_t> lines;  // the line of each row, from 1
  char separator = ',';
  std::string problem;  // what makes the text none that can be read, with the line; "" if nothing
  std::string source;   // flag and file, for messages
  // The column with the first of these names that the file has; -1 if it has none of them. Fails if it has that name twice.
  int64_t find(const std::vector<std::string> &names) const;
};
SideTable parse_side_table(std::string text, const SideForm &form);

}  // namespace cli
