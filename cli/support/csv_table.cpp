// SPDX-License-Identifier: MIT
#include "support/csv_table.hpp"

#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void add_csv(CLI::App *app, std::string &path, const std::string &more) {
  app->add_option("--csv", path, "output file of the table; -: standard output" + more)
      ->check(output_file())
      ->type_name("FILE")
      ->capture_default_str();
}

StoredTable read_table(const Session &session, const std::string &path) { return parse_table(read_own(session, path)); }

}  // namespace cli
