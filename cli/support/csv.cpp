// SPDX-License-Identifier: MIT
#include "support/csv.hpp"

#include "support/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

std::string quoted_cell(const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Reads the row that begins at `at` and moves `at` behind its line end. Quotes count where a cell begins with one; then a line end within
// them belongs to the cell. `closed` is false if the last quotes of the text have no end.
std::vector<std::string> read_row(const std::string &text, char separator, std::size_t &at, bool &closed) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (inside && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
      cells.back() += text[++at];
    else if (c == '"' && (inside || cells.back().empty()))
      inside = !inside;
    else if (!inside && c == separator)
      cells.emplace_back();
    else if (!inside && c == '\n')
      break;
    else
      cells.back() += c;
  }
  ++at;
  closed = !inside;
  return cells;
}

}  // namespace

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

std::string cell(int64_t value) { return fmt::format("{}", value); }

double number_in(const std::string &cell) {
  char *end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return cell.empty() || *end != '\0' ? std::nan("") : value;
}

std::string csv_line(const std::vector<std::string> &cells) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string text = without_controls(cells[k], "?", "\t\n\r");
    const bool special = k == 0 && (text.empty() ? cells.size() == 1 : text[0] == '#');
    line += k == 0 ? "" : ",";
    line += special || text.find_first_of(",\"\n\r") != std::string::npos ? quoted_cell(text) : text;
  }
  return line + "\n";
}

std::string csv_note(const std::string &text) { return "# " + without_controls(text, " ") + "\n"; }

std::string StoredTable::note(const std::string &name) const {
  for (const std::string &text : notes)
    if (text.compare(0, name.size(), name) == 0) return text.substr(name.size());
  return "";
}

StoredTable parse_table(const std::string &text, char separator) {
  StoredTable table;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text[at] == '#' || end == at) {
      const std::size_t begin = at + (text.compare(at, 2, "# ") == 0 ? 2 : 1);
      if (end > at) table.notes.push_back(begin < end ? text.substr(begin, end - begin) : "");
      at = end + 1;
    } else if (table.columns.empty()) {
      table.columns = read_row(text, separator, at, table.closed);
    } else {
      table.rows.push_back(read_row(text, separator, at, table.closed));
    }
  }
  return table;
}

}  // namespace cli
