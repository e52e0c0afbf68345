// SPDX-License-Identifier: MIT
#include "support/table.hpp"

#include "support/files.hpp"

#include <cmath>
#include <cstdio>
#include <sstream>

namespace cli {

namespace {

std::string escaped(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line_of(const std::vector<std::string> &cells) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) line += (k == 0 ? "" : ",") + escaped(cells[k]);
  return line + "\n";
}

}  // namespace

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

std::string cell(int64_t value) { return fmt::format("{}", value); }

Table::Table(const Session &session, const std::vector<std::string> &columns) : header_(line_of(columns)) {
  note(fmt::format("attopotts {}", atp_version_string()));
  note("command: " + session.command_line);
  note(fmt::format("seed: {}", session.seed));
  for (const std::string &text : session.notes) note(text);
}

// One line, whatever a name or a path in it has.
void Table::note(const std::string &text) {
  notes_ += "# ";
  for (const char c : text) notes_ += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  notes_ += "\n";
}

void Table::row(const std::vector<std::string> &cells) { rows_ += line_of(cells); }

void Table::write(const Session &session, const std::string &path) const { write_text(session, path, text()); }

StoredTable parse_table(const std::string &text) {
  StoredTable table;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::stringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) cells.push_back(part);
    if (line.back() == ',') cells.emplace_back();
    if (table.columns.empty())
      table.columns = cells;
    else
      table.rows.push_back(cells);
  }
  return table;
}

StoredTable read_table(const Session &session, const std::string &path) { return parse_table(read_text(session, path)); }

}  // namespace cli
