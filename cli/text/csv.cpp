// SPDX-License-Identifier: MIT
#include "text/csv.hpp"

#include "text/utf8.hpp"

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

}  // namespace

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

std::string cell(int64_t value) { return fmt::format("{}", value); }

double number_in(const std::string &cell) {
  char *end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return cell.empty() || *end != '\0' ? std::nan("") : value;
}

std::string shown_cell(const std::string &text) { return without_controls(text, "?", "\t\n\r"); }

std::string csv_line(const std::vector<std::string> &cells) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string text = shown_cell(cells[k]);
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

bool RowReader::at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

void RowReader::end_line() {
  if (at_ < text_.size()) at_ += text_.compare(at_, 2, "\r\n") == 0 ? std::size_t{2} : std::size_t{1};
}

bool RowReader::next(std::vector<std::string> &cells, std::vector<std::string> *notes) {
  for (;; end_line()) {
    if (at_ == text_.size()) return false;
    if (text_[at_] != '#' && !at_line_end()) break;
    const std::size_t begin = at_;
    while (!at_line_end()) ++at_;
    if (at_ > begin && notes != nullptr) notes->push_back(text_.substr(begin, at_ - begin));
  }
  cells.clear();
  for (bool more = true; more;) {
    cells.push_back(next_cell());
    more = !at_line_end();
    if (more) ++at_;
  }
  end_line();
  return true;
}

// Quotes count where a cell begins with one; then a line end within them belongs to the cell.
std::string RowReader::next_cell() {
  std::string cell;
  bool inside = false;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (inside && c == '"' && text_.compare(at_, 2, "\"\"") == 0)
      cell += text_[++at_];
    else if (c == '"' && (inside || cell.empty()))
      inside = !inside;
    else if (!inside && (c == ',' || at_line_end()))
      break;
    else
      cell += c;
  }
  return cell;
}

StoredTable parse_table(const std::string &text) {
  StoredTable table;
  RowReader reader(text);
  for (std::vector<std::string> cells; reader.next(cells, &table.notes);) {
    if (table.columns.empty())
      table.columns = std::move(cells);
    else
      table.rows.push_back(std::move(cells));
  }
  for (std::string &note : table.notes) note.erase(0, note.compare(0, 2, "# ") == 0 ? std::size_t{2} : std::size_t{1});
  return table;
}

}  // namespace cli
