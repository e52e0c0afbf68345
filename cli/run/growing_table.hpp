// SPDX-License-Identifier: MIT
// A table that is rewritten whenever new rows arrive, and that a later run can complete. The file is complete at any moment, even if the
// program is killed.
#pragma once

#include "run/file_lock.hpp"
#include "run/csv_table.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cli {

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
  // Writes the final table.
  void finish(const std::vector<std::string> &notes) const { table(notes).write(session_, path_); }
  // Sets the order of the rows, by their keys. Missing rows are left out.
  void order(std::vector<std::vector<std::string>> keys) { order_ = std::move(keys); }

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
