// SPDX-License-Identifier: MIT
#include "support/side_table.hpp"

#include "support/failure.hpp"
#include "support/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

// Whether a cell is a number, or would be one but for a sign of thousands, a unit or the like: then it is no name.
bool like_number(const std::string &text) {
  static const std::vector<std::string> words = {"NA", "NaN", "nan", "NAN", "Inf", "inf"};
  const std::size_t first = text.find_first_not_of("+-.");
  return (first != std::string::npos && text[first] >= '0' && text[first] <= '9') ||
         std::find(words.begin(), words.end(), text.substr(first == std::string::npos ? 0 : first)) != words.end();
}

// What stands where no text has it: "" if nothing.
std::string unreadable_byte(const std::string &text) {
  if (text.compare(0, 2, "\xff\xfe") == 0 || text.compare(0, 2, "\xfe\xff") == 0) return "is in UTF-16, expected UTF-8";
  int64_t line = 1;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if (c == '\n' || (c == '\r' && text.compare(k, 2, "\r\n") != 0)) ++line;
    if ((c >= ' ' && c != 127) || c == '\n' || c == '\r' || c == '\t') continue;
    const char *name = c == '\v' ? "a vertical tab" : c == '\f' ? "a form feed" : "a control character";
    return fmt::format("line {}: {} (byte 0x{:02x}), expected text with lines that end with LF, CR LF or CR", line, name, c);
  }
  return "";
}

// The separators outside quotes in the first line that has any; in the first line of all where it has names. Blanks beside another one
// separate nothing.
std::string separators_in(const std::string &text, const SideForm &form) {
  std::string found;
  bool inside = false, comment = false, blanks = false;
  char before = 0;  // the last character of the line that is no blank
  for (const char c : text) {
    if (!inside && (c == '\n' || c == '\r')) {
      if (!found.empty() || (before != 0 && form.header == SideForm::Names::first)) return found;
      comment = blanks = false;
      before = 0;
      continue;
    }
    comment = comment || (c == '#' && !inside && (form.comments || before == 0));
    if (comment) continue;
    if (c == '"') inside = !inside;
    if (c == ' ' && !inside) {
      blanks = before != 0;
      continue;
    }
    const auto separates = [](char one) { return one == ',' || one == ';' || one == '\t'; };
    if (blanks && !separates(c) && !separates(before)) found += ' ';
    if (!inside && separates(c)) found += c;
    blanks = false;
    before = c;
  }
  return found;
}

char separator_of(const std::string &text, const SideForm &form, std::string &problem) {
  const std::string found = separators_in(text, form);
  const auto has = [&](char c) { return found.find(c) != std::string::npos; };
  const bool list = form.header == SideForm::Names::words;
  if (list && has(',') && has(';')) problem = "has commas and semicolons between its columns, expected one of them, and a point in numbers";
  if (has('\t')) return form.blanks && list ? kBlanks : '\t';
  if (list && has(' ')) return kBlanks;
  if (has(',')) return ',';
  if (has(';')) return ';';
  return form.blanks && has(' ') ? kBlanks : ',';
}

bool are_names(const std::vector<std::string> &cells, const SideForm &form) {
  if (form.header == SideForm::Names::first) return true;
  if (cells.size() > 1 && cells[0].empty()) return true;  // above the names of rows
  if (form.header == SideForm::Names::words) return std::none_of(cells.begin(), cells.end(), like_number);
  return std::any_of(cells.begin(), cells.end(),
                     [&](const std::string &cell) { return std::find(form.names.begin(), form.names.end(), cell) != form.names.end(); });
}

void check_widths(SideTable &table) {
  const std::size_t width = table.columns.size();
  for (std::size_t k = 0; width > 0 && k < table.rows.size() && table.problem.empty(); ++k)
    if (const std::size_t n = table.rows[k].size(); n != width)
      table.problem = fmt::format("line {} has {} cells, expected {} as in the first line; a cell with the separator needs quotes",
                                  table.lines[k], n, width);
}

// Whether all rows are one cell longer than the header and begin with 1, 2, ... (or 0, 1, ...), or with words; with commas these must be in
// quotes, or a comma before decimals would make rows longer, too.
bool rows_have_names(const SideTable &table, bool all_quoted) {
  if (table.columns.empty() || table.rows.empty() || (table.separator == ',' && !all_quoted)) return false;
  const double first = number_in(table.rows[0][0]);
  bool counted = first == 0 || first == 1, words = true;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const std::vector<std::string> &row = table.rows[k];
    if (row.size() != table.columns.size() + 1) return false;
    words = words && !like_number(row[0]);
    counted = counted && number_in(row[0]) == first + static_cast<double>(k);
  }
  return counted || words;
}

// Checks that all rows are as long as the header, and leaves out the names of rows: below a header that is empty or has no cell for them.
void settle_columns(SideTable &table, bool all_quoted) {
  if (rows_have_names(table, all_quoted)) table.columns.insert(table.columns.begin(), "");
  check_widths(table);
  if (!table.problem.empty() || table.columns.size() < 2 || !table.columns[0].empty()) return;
  table.columns.erase(table.columns.begin());
  for (std::vector<std::string> &row : table.rows) row.erase(row.begin());
}

}  // namespace

int64_t SideTable::find(const std::vector<std::string> &names) const {
  for (const std::string &name : names)
    if (const auto found = std::find(columns.begin(), columns.end(), name); found != columns.end()) {
      if (const int64_t n = std::count(found, columns.end(), name); n > 1)
        wrong_use("{} has {} columns with the name \"{}\", expected one", source, n, printable(name));
      return found - columns.begin();
    }
  return -1;
}

SideTable parse_side_table(std::string text, const SideForm &form) {
  SideTable table;
  const std::string mark = "\xEF\xBB\xBF";  // of UTF-8
  if (text.compare(0, mark.size(), mark) == 0) text.erase(0, mark.size());
  table.problem = unreadable_byte(text);
  if (!table.problem.empty()) return table;
  RowForm rows{separator_of(text, form, table.problem), form.comments, true};
  if (!table.problem.empty()) return table;
  std::vector<std::string> cells;
  if (form.header == SideForm::Names::of_lines) {
    RowReader first(text, rows);
    const bool lines = !first.next(cells) || !are_names(cells, form) ||
                       (cells.size() == 1 && rows.separator != kBlanks && text.find('"') == std::string::npos);
    if (lines) rows.separator = kNone;
  }
  table.separator = rows.separator;
  RowReader reader(text, rows);
  bool all_quoted = true;  // the first cells
  bool first = true;
  while (reader.next(cells)) {
    if (!reader.closed()) {
      table.problem = fmt::format("line {} has a quote \" without an end", reader.line());
      return table;
    }
    // Spreadsheets write rows of nothing but separators.
    if (cells.size() > 1 && std::all_of(cells.begin(), cells.end(), [](const std::string &cell) { return cell.empty(); })) continue;
    all_quoted = all_quoted && reader.begins_quoted();
    if (first && are_names(cells, form)) {
      table.columns = std::move(cells);
    } else {
      table.rows.push_back(std::move(cells));
      table.lines.push_back(reader.line());
    }
    first = false;
  }
  settle_columns(table, all_quoted);
  return table;
}

}  // namespace cli
