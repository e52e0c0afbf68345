// SPDX-License-Identifier: MIT
// A table that is written again whenever rows have come, and that a later run completes: the file is whole at any moment, also when the
// program is killed.
#pragma once

#include "support/file_lock.hpp"
#include "support/table.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cli {

// What becomes of a file that an earlier run did not finish.
enum class Earlier { refuse, resume, restart };

class GrowingTable {
 public:
  // `settings` is a line that tells everything that rows depend on; rows are known by their first `key_columns` cells. With
  // Earlier::resume the rows of the file are taken over, if its settings are the same. The file is locked.
  GrowingTable(const Session &session, std::string path, std::vector<std::string> columns, std::size_t key_columns, std::string settings,
               Earlier earlier);
  // A row that the file had; nullptr where it had none.
  const std::vector<std::string> *stored(const std::vector<std::string> &key) const;
  std::size_t stored_count() const { return stored_.size(); }
  void row(std::vector<std::string> cells);
  // Write the file as it is now, the rows in the order of their keys in `order` first; what fails is a warning. Nothing for standard
  // output.
  void save() const;
  // Write at the end; notes go above the header.
  void finish(const std::vector<std::string> &notes) const;
  // The order of the rows in the file, by their keys; those that are not there yet are left out.
  void order(std::vector<std::vector<std::string>> keys) { order_ = std::move(keys); }

 private:
  void write(const std::vector<std::string> &notes) const;
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
