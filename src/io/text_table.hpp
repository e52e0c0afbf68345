// SPDX-License-Identifier: MIT
// Small tables of text as people, R, pandas and spreadsheets write them.
//
// A UTF-8 byte order mark is skipped; lines end with LF, CR LF or CR. All lines have the same separator: blanks and tabs, or commas, tabs
// or semicolons. Cells may be in quotes, and rows may have names before the first column.
#pragma once

#include "alignment/growing.hpp"
#include "alignment/text.hpp"
#include "base/context.hpp"

#include <attopotts/input.h>

#include <cstring>

namespace atp {

class TextTable {
 public:
  // `names`: for ATP_CELLS_LIST, with commas between. Throws ATP_E_FORMAT with the label and the line.
  TextTable(Context &context, const Text &text, atp_cells form, const char *names = "");

  bool has_names() const { return names_; }
  int64_t rows() const { return rows_.size() - (names_ ? 1 : 0); }
  int64_t cells(int64_t row) const { return size_of(row + (names_ ? 1 : 0)); }
  const char *cell(int64_t row, int64_t k) const { return text_of(row + (names_ ? 1 : 0), k); }
  int64_t line(int64_t row) const { return rows_[row + (names_ ? 1 : 0)].line; }  // from 1
  int64_t columns() const { return names_ ? size_of(0) : 0; }
  const char *name(int64_t k) const { return text_of(0, k); }
  char separator() const { return separator_; }
  // The column with this name; -1 if there is none. Throws ATP_E_FORMAT where several have it.
  int64_t find(const char *name) const;
  const char *label() const { return label_; }

  // Writes what atp_input_table() gives while there is room; the bytes that all of it takes.
  int64_t write(char *text, int64_t size) const;

 private:
  class Reader;
  struct Row {
    int64_t begin, cells, line;  // of its first cell in the text; their number
  };

  // Rows in the order of the text, with that of the names.
  int64_t skipped(int64_t k) const { return names_ && k == 0 ? skipped_of_names_ : skipped_of_rows_; }
  int64_t size_of(int64_t k) const { return rows_[k].cells - skipped(k); }
  const char *text_of(int64_t k, int64_t c) const { return cell_after(text_.data() + rows_[k].begin, skipped(k) + c); }
  // The cell that comes n cells later in the text.
  static const char *cell_after(const char *cell, int64_t n) {
    for (; n > 0; --n) cell += std::strlen(cell) + 1;
    return cell;
  }
  bool are_names(const Reader &reader, atp_cells form, const char *names) const;
  void read(Reader &reader, atp_cells form, const char *names);
  bool rows_have_names(bool all_quoted) const;
  void settle_columns(bool all_quoted);

  const char *label_;
  Growing<char> text_;  // the cells, each with a final zero
  Growing<Row> rows_;
  bool names_ = false;  // the first row has the names of columns
  char separator_ = ',';
  int64_t skipped_of_names_ = 0, skipped_of_rows_ = 0;  // names of rows before the first column
};

}  // namespace atp
