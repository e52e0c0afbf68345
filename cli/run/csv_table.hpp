// SPDX-License-Identifier: MIT
// CSV tables with the version, the command line and the seed of the run in `#` lines.
#pragma once

#include "text/csv.hpp"
#include "run/session.hpp"
#include "run/named_files.hpp"

#include <functional>
#include <map>
#include <memory>
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
  // The text as a file gets it: without the notes where the session has no comments.
  std::string head(const Session &session) const { return (session.comments ? notes_ : "") + header_; }
  // Writes to standard output ("" or "-"), or to a file, which is replaced as a whole; as JSON where is_json() says so. Without comments
  // the notes of the file PATH go to PATH.json; `commented`: they stay in it.
  void write(const Session &session, const std::string &path, bool commented = false) const;
  // Writes PATH.json where the notes of a table are not in the file PATH itself.
  void write_notes(const Session &session, const std::string &path) const;

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

// A table that is rewritten whenever new rows arrive, and that a later run can complete. The file is complete at any moment, even if the
// program is killed.

// What to do with the file of an unfinished earlier run.
enum class Earlier { refuse, resume, restart };

class GrowingTable {
 public:
  // `settings` is one line with everything on which rows depend. The first `key_columns` cells identify a row. Earlier::resume keeps the
  // rows of the file, which must have the same settings. The file is locked.
  GrowingTable(const Session &session, std::string path, std::vector<std::string> columns, std::size_t key_columns, std::string settings,
               Earlier earlier);
  // A row of the earlier run; nullptr if the file did not have it.
  const std::vector<std::string> *stored(const std::vector<std::string> &key) const;
  std::size_t stored_count() const { return stored_.size(); }
  void row(std::vector<std::string> cells);
  // Writes the present rows, in the order of order(). A failure is a warning. Does nothing for standard output.
  void save() const;
  // The present rows; notes go above the header.
  Table table(const std::vector<std::string> &notes) const;
  // Writes the final table; one that --resume may complete keeps its comments.
  void finish(const std::vector<std::string> &notes) const;
  // Sets the rows that the run makes and their order, by their keys. Missing rows are left out. Fails if the earlier run has another row,
  // which would be lost.
  void order(std::vector<std::vector<std::string>> keys);

 private:
  void take_over(const StoredTable &table);

  const Session &session_;
  std::string path_, settings_;
  std::vector<std::string> columns_;
  std::size_t key_columns_;
  std::unique_ptr<FileLock> lock_;
  std::map<std::vector<std::string>, std::vector<std::string>> stored_, rows_;
  std::vector<std::vector<std::string>> order_;
};

}  // namespace cli
