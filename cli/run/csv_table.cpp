// SPDX-License-Identifier: MIT
#include "run/csv_table.hpp"

#include "run/files.hpp"
#include "run/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace cli {

namespace {

// JSON has no infinity: it stays a text.
std::string json_cell(const std::string &text) {
  if (text.empty()) return "null";
  static const std::string digits = "0123456789";
  const std::size_t first = text[0] == '-' ? 1 : 0;
  // What C reads and JSON does not: +1, .5, 1., 007, 0x10.
  const bool begins = first < text.size() && digits.find(text[first]) != std::string::npos &&
                      (text[first] != '0' || first + 1 == text.size() || std::string(".eE").find(text[first + 1]) != std::string::npos);
  const std::size_t point = text.find('.');
  const bool ends = digits.find(text.back()) != std::string::npos &&
                    (point == std::string::npos || (point + 1 < text.size() && digits.find(text[point + 1]) != std::string::npos));
  const bool known = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  return begins && ends && known && !std::isnan(number_in(text)) ? text : json_string(text);
}

// What the library asks for the next part, and what next() threw there: no exception goes through the library.
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

void Table::write(const Session &session, const std::string &path) const {
  write_text(session, path, is_json(session, path) ? json_of(parse_table(text())) : text());
}

StoredTable read_table(const Session &session, const std::string &path) { return parse_table(read_own(session, path)); }

void write_streamed(const Session &session, const std::string &path, const Table &head, const std::function<std::string()> &next) {
  Parts parts{next, head.text(), false, nullptr};
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
}

}  // namespace cli
