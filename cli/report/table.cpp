// SPDX-License-Identifier: MIT
#include "report/table.hpp"

#include "report/html.hpp"
#include "support/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

// Whether a column has numbers, and nothing else but empty cells.
bool holds_numbers(const PageTable &table, std::size_t column) {
  bool any = false;
  for (const std::vector<std::string> &row : table.rows) {
    if (column >= row.size() || row[column].empty()) continue;
    if (std::isnan(number_in(row[column]))) return false;
    any = true;
  }
  return any;
}

// A number with many digits is shown with a few; the page keeps them all.
std::string cell_html(const std::string &text, bool number) {
  if (!number || text.size() < 8 || text.find_first_not_of("0123456789-") == std::string::npos) return html_text(text);
  return fmt::format("<data value=\"{}\">{:.5g}</data>", html_text(text), number_in(text));
}

std::string row_html(const PageTable &table, std::size_t r, const std::vector<bool> &numbers) {
  std::string text = table.follows.empty() ? "<tr>" : fmt::format("<tr data-pair=\"{}\">", r);
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += fmt::format("<td{}>{}</td>", numbers[c] ? " class=\"n\"" : "",
                        c < table.rows[r].size() ? cell_html(table.rows[r][c], numbers[c]) : "");
  return text + "</tr>\n";
}

}  // namespace

std::string table_html(const PageTable &table) {
  std::vector<bool> numbers;
  for (std::size_t c = 0; c < table.columns.size(); ++c) numbers.push_back(holds_numbers(table, c));
  const std::string caption = html_text(table.caption);
  std::string text = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table "
      "class=\"sortable\"{1}><caption><span>{0}</span></caption>\n<thead><tr>",
      caption, table.follows.empty() ? "" : fmt::format(" data-map=\"{}\"", table.follows));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += fmt::format("<th scope=\"col\"{} aria-sort=\"{}\"><button type=\"button\">{}</button></th>", numbers[c] ? " class=\"n\"" : "",
                        static_cast<int>(c) == table.ranked ? "ascending" : "none", html_text(table.columns[c]));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) text += row_html(table, r, numbers);
  return text + "</tbody></table></div>\n";
}

}  // namespace cli
