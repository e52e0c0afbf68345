// SPDX-License-Identifier: MIT
#include "run/csv_table.hpp"

#include "run/files.hpp"
#include "run/signals.hpp"
#include "run/named_files.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

namespace cli {

namespace {

// JSON has no infinity: it stays a text.
std::string json_cell(const std::string &text) {
  if (text.empty()) return "null";
  static const std::string digits = "0123456789";
  const std::size_t first = text[0] == '-' ? 1 : 0;
  // False for numbers that C reads and JSON does not: +1, .5, 1., 007, 0x10.
  const bool begins = first < text.size() && digits.find(text[first]) != std::string::npos &&
                      (text[first] != '0' || first + 1 == text.size() || std::string(".eE").find(text[first + 1]) != std::string::npos);
  const std::size_t point = text.find('.');
  const bool ends = digits.find(text.back()) != std::string::npos &&
                    (point == std::string::npos || (point + 1 < text.size() && digits.find(text[point + 1]) != std::string::npos));
  const bool known = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  return begins && ends && known && !std::isnan(number_in(text)) ? text : json_string(text);
}

// The callback that gives the library the next part of a file. It keeps what next() throws: no exception passes through the library.
struct Parts {
  const std::function<std::string()> &next;
  std::string text;  // the header first, then the rows of the last call
  bool begun = false;
  std::exception_ptr failure;
};

int64_t next_part(const void **bytes, void *user) {
  Parts &parts = *static_cast<Parts *>(user);
  try {
    stop_if_interrupted();
    if (parts.begun) parts.text = parts.next();
  } catch (...) {
    parts.failure = std::current_exception();
    return -1;
  }
  parts.begun = true;
  *bytes = parts.text.data();
  return static_cast<int64_t>(parts.text.size());
}

}  // namespace

bool is_json(const Session &session, const std::string &path) {
  const std::string end = ".json";
  if (path.empty() || path == "-") return session.json;
  return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

std::string json_of(const StoredTable &table) {
  const auto list = [](const std::vector<std::string> &texts) {
    std::string text;
    for (const std::string &each : texts) text += (text.empty() ? "" : ", ") + json_string(each);
    return "[" + text + "]";
  };
  std::string text = fmt::format("{{\"notes\": {},\n \"columns\": {},\n \"rows\": [", list(table.notes), list(table.columns));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    text += r == 0 ? "\n  {" : ",\n  {";
    for (std::size_t c = 0; c < std::min(table.columns.size(), table.rows[r].size()); ++c)
      text += fmt::format("{}{}: {}", c == 0 ? "" : ", ", json_string(table.columns[c]), json_cell(table.rows[r][c]));
    text += "}";
  }
  return text + "\n]}\n";
}

Table::Table(const Session &session, const std::vector<std::string> &columns) : header_(csv_line(columns)) {
  note(fmt::format("attopotts {}", atp_version_string()));
  note("command: " + session.command_line);
  note(fmt::format("seed: {}", session.seed));
  for (const std::string &text : session.notes) note(text);
}

void Table::note(const std::string &text) { notes_ += csv_note(text); }

void Table::row(const std::vector<std::string> &cells) { rows_ += csv_line(cells); }

void Table::write(const Session &session, const std::string &path, bool commented) const {
  if (is_json(session, path)) return write_text(session, path, json_of(parse_table(text())));
  write_text(session, path, commented ? text() : head(session) + rows_);
  if (!commented) write_notes(session, path);
}

void Table::write_notes(const Session &session, const std::string &path) const {
  if (!session.comments && is_replaced(path)) write_text(session, path + ".json", json_of(parse_table(notes_ + header_)));
}

StoredTable read_table(const Session &session, const std::string &path) { return parse_table(read_own(session, path)); }

void write_streamed(const Session &session, const std::string &path, const Table &head, const std::function<std::string()> &next) {
  Parts parts{next, head.head(session), false, nullptr};
  if (!is_first_rank()) {  // the ranks make the rows together, and one writes them
    const void *unused = nullptr;
    while (next_part(&unused, &parts) > 0) continue;
    if (parts.failure) std::rethrow_exception(parts.failure);
    return;
  }
  require_not_read(path);
  const FinishFirst finish_first;  // the table stops at a signal itself, and leaves no part of it
  const std::string place = path.empty() ? "-" : path;
  const atp_status status = atp_file_write_parts(session.context.get(), place.c_str(), next_part, &parts);
  if (parts.failure) std::rethrow_exception(parts.failure);
  check(status, place);
  head.write_notes(session, path);
}

namespace {

constexpr const char *kSettings = "settings: ", *kOutcome = "outcome: ", *kNotFinished = "not finished", *kEndedEarly = "interrupted";

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
  if (!table.note(kSettings).empty() && (outcome == kNotFinished || outcome == kEndedEarly))
    wrong_use(
        "--csv {} contains rows of an earlier run that did not finish, expected --resume to complete it, --restart to overwrite it, or "
        "another name",
        path_);
}

void GrowingTable::take_over(const StoredTable &table) {
  const std::string had = table.note(kSettings);
  if (had.empty() && !table.rows.empty())
    wrong_use("--csv {} has no settings in its comments, expected a table that a run without --no-comments wrote, or that did not finish",
              path_);
  if (had != settings_) wrong_use("--csv {} was made with \"{}\", expected \"{}\" with --resume", path_, had, settings_);
  if (table.columns != columns_) wrong_use("--csv {} has other columns, expected those of this command with --resume", path_);
  for (const std::vector<std::string> &cells : table.rows) {
    if (cells.size() != columns_.size())
      wrong_use("--csv {} has a row of {} cells, expected {} with --resume", path_, cells.size(), columns_.size());
    stored_[{cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(key_columns_)}] = cells;
  }
}

void GrowingTable::order(std::vector<std::vector<std::string>> keys) {
  const std::set<std::vector<std::string>> made(keys.begin(), keys.end());
  for (const auto &[key, cells] : stored_)
    if (made.count(key) == 0)
      wrong_use(
          "--csv {} has the row {}, which this command does not make; expected the command of that file with --resume, or another name",
          path_, fmt::join(key, ","));
  order_ = std::move(keys);
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

void GrowingTable::finish(const std::vector<std::string> &notes) const {
  const bool resumable = std::any_of(notes.begin(), notes.end(), [](const std::string &note) {
    return note == std::string(kOutcome) + kNotFinished || note == std::string(kOutcome) + kEndedEarly;
  });
  table(notes).write(session_, path_, resumable);
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
