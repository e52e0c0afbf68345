// SPDX-License-Identifier: MIT
#include "run/growing_table.hpp"

#include "run/files.hpp"
#include "run/named_files.hpp"

#include <sys/stat.h>

#include <utility>

namespace cli {

namespace {

constexpr const char *kSettings = "settings: ", *kOutcome = "outcome: ", *kNotFinished = "not finished";

bool is_regular(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

GrowingTable::GrowingTable(const Session &session, std::string path, std::vector<std::string> columns, std::size_t key_columns,
                           std::string settings, Earlier earlier)
    : session_(session), path_(std::move(path)), settings_(std::move(settings)), columns_(std::move(columns)), key_columns_(key_columns) {
  const bool to_file = !path_.empty() && path_ != "-";
  if (earlier != Earlier::refuse && !to_file)
    wrong_use("{} is given without --csv FILE, expected the file to {}", earlier == Earlier::resume ? "--resume" : "--restart",
              earlier == Earlier::resume ? "complete" : "overwrite");
  if (!to_file) return;
  claim_output("the lock of --csv", path_ + ".lock");
  lock_ = std::make_unique<FileLock>("--csv", path_);
  if (!lock_->warning().empty()) session.say("warning: {}", lock_->warning());
  if (earlier == Earlier::restart || !as_first_rank([&] { return is_regular(path_); }))
    return;  // no file also if the earlier run ended before its first rows
  const StoredTable table = read_table(session, path_);
  if (earlier == Earlier::resume) {
    take_over(table);
    return;
  }
  const std::string outcome = table.note(kOutcome);
  if (!table.note(kSettings).empty() && (outcome == kNotFinished || outcome == "interrupted"))
    wrong_use(
        "--csv {} contains rows of an earlier run that did not finish, expected --resume to complete it, --restart to overwrite it, or "
        "another name",
        path_);
}

void GrowingTable::take_over(const StoredTable &table) {
  const std::string had = table.note(kSettings);
  if (had != settings_) wrong_use("--csv {} was made with \"{}\", expected \"{}\" with --resume", path_, had, settings_);
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

Table GrowingTable::table(const std::vector<std::string> &notes) const {
  Table table(session_, columns_);
  table.note(kSettings + settings_);
  for (const std::string &note : notes) table.note(note);
  for (const std::vector<std::string> &key : order_) {
    const auto found = rows_.find(key);
    if (found != rows_.end()) table.row(found->second);
  }
  return table;
}

void GrowingTable::save() const {
  if (!is_replaced(path_)) return;
  try {
    finish({std::string(kOutcome) + kNotFinished});
  } catch (const Failure &failure) {
    session_.say("warning: table not saved: {}; the run continues", failure.what());
  }
}

}  // namespace cli
