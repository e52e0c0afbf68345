// SPDX-License-Identifier: MIT
// A CSV table that is too large to be kept in memory: rows are written as they come. A file is written beside its place and renamed by
// finish(); without finish() it is removed, and an older file is as it was.
#pragma once

#include "support/csv_table.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace cli {

class StreamedTable {
 public:
  // Writes the notes and the header of `head`, a table without rows. "" and "-": standard output.
  StreamedTable(std::string path, const Table &head);
  ~StreamedTable();
  StreamedTable(const StreamedTable &) = delete;
  StreamedTable &operator=(const StreamedTable &) = delete;
  void row(const std::vector<std::string> &cells);
  void finish();

 private:
  explicit StreamedTable(std::string path) : path_(std::move(path)) {}
  void put(const std::string &text);
  void flush();
  [[noreturn]] void fail() const;

  std::string path_, part_, buffer_;  // part_: "" where rows go to a stream
  std::FILE *file_ = nullptr;         // nullptr on other ranks than the first
};

}  // namespace cli
