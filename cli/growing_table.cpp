// SPDX-License-Identifier: MIT
#include "growing_table.hpp"

#include "files.hpp"

#include <sys/stat.h>

#include <sstream>
#include <utility>

namespace cli {

namespace {

constexpr const char *kSettings = "settings: ";

bool exists(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

std::string settings_of(const std::string &text) {
  std::stringstream lines(text);
  const std::string start = std::string("# ") + kSettings;
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, start.size(), start) == 0) return line.substr(start.size());
  return "";
}

}  // namespace

GrowingTable::GrowingTable(const Session &session, std::string path, std::vector<std::string> columns, std::size_t key_columns,
                           std::string settings, bool resume)
    : session_(session), path_(std::move(path)), settings_(std::move(settings)), columns_(std::move(columns)), key_columns_(key_columns) {
  if (!resume) return;
  if (path_.empty() || path_ == "-") wrong_use("--resume without --csv FILE, expected the file to complete");
  if (!exists(path_)) return;  // killed before the first rows
  const std::string had = settings_of(read_text(session, path_));
  if (had != settings_) wrong_use("--csv {} was made with \"{}\", expected \"{}\" with --resume", path_, had, settings_);
  const StoredTable table = read_table(session, path_);
  if (table.columns != columns_) wrong_use("--csv {} has other columns, expected those of this command with --resume", path_);
  for (const std::vector<std::string> &cells : table.rows) {
    if (cells.size() != columns_.size())
      wrong_use("--csv {} has a row of {} cells, expected {} with --resume", path_, cells.size(), columns_.size());
    stored_[{cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(key_columns_)}] = cells;
  }
}

const std::vector<std::string> *GrowingTable::stored(const std::vector<std::string> &key) const {
  const auto found = stored_.find(key);
  return found == stored_.end() ? nullptr : &found->second;
}

void GrowingTable::row(std::vector<std::string> cells) {
  std::vector<std::string> key(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(key_columns_));
  rows_[std::move(key)] = std::move(cells);
}

void GrowingTable::write(const std::vector<std::string> &notes) const {
  Table table(session_, columns_);
  table.note(kSettings + settings_);
  for (const std::string &note : notes) table.note(note);
  for (const std::vector<std::string> &key : order_) {
    const auto found = rows_.find(key);
    if (found != rows_.end()) table.row(found->second);
  }
  table.write(session_, path_);
}

void GrowingTable::save() const {
  if (!path_.empty() && path_ != "-") write({"outcome: not finished"});
}

void GrowingTable::finish(const std::vector<std::string> &notes) const { write(notes); }

}  // namespace cli
