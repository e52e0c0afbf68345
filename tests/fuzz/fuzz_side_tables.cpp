// SPDX-License-Identifier: MIT
// Small files that flags read: the first byte says what the file may hold, the others are the file. What is accepted has rows of one length
// below names, in ascending lines, without control characters; what the program writes of it, it reads again.
#include "fuzz.hpp"

#include "support/side_table.hpp"

#include <string>
#include <vector>

using atp_fuzz::check;

namespace {

cli::SideForm form_of(uint8_t choice) {
  cli::SideForm form;
  form.header = choice % 3 == 0   ? cli::SideForm::Names::words
                : choice % 3 == 1 ? cli::SideForm::Names::first
                                  : cli::SideForm::Names::of_lines;
  form.blanks = (choice & 64) == 0;
  form.comments = (choice & 128) == 0;
  form.names = {"mutant", "variant"};
  return form;
}

void check_table(const cli::SideTable &table, std::size_t size) {
  check(table.rows.size() == table.lines.size(), "each row has a line");
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    check(table.lines[k] >= 1 && table.lines[k] <= static_cast<int64_t>(size) + 1, "the line is in the text");
    check(k == 0 || table.lines[k] > table.lines[k - 1], "lines ascend");
    check(!table.rows[k].empty() && (table.columns.empty() || table.rows[k].size() == table.columns.size()),
          "rows are as long as the names");
    for (const std::string &cell : table.rows[k])
      for (const char c : cell) check(static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r', "no control characters");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  const cli::SideTable table = cli::parse_side_table(text, form_of(data[0]));
  if (!table.problem.empty()) {
    check(table.problem.find('\n') == std::string::npos, "what is wrong is one line");
    return 0;
  }
  atp_fuzz::accepted = !table.rows.empty();
  check_table(table, size);
  std::string written = cli::csv_line({"first"});
  std::vector<std::vector<std::string>> shown;
  for (const auto &row : table.rows) {
    written += cli::csv_line(row);
    shown.emplace_back();
    for (const std::string &cell : row) shown.back().push_back(cli::shown_cell(cell));
  }
  check(cli::parse_table(written).rows == shown, "what is written is read again");
  return 0;
}
