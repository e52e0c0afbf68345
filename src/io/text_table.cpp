// SPDX-License-Identifier: MIT
#include "io/text_table.hpp"

#include "base/error.hpp"
#include "base/parse_real.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <strings.h>

namespace atp {

namespace {

constexpr char kBlanks = ' ';  // a separator: any number of blanks and tabs
constexpr char kNone = 0;      // a separator: a line is a cell

void require_readable(const Text &text) {
  const auto is = [&](const char *begin) { return text.bytes.size() > 1 && std::memcmp(text.begin(), begin, 2) == 0; };
  if (is("\xff\xfe") || is("\xfe\xff")) fail(ATP_E_FORMAT, "%s: is in UTF-16, expected UTF-8", text.label);
  for (const char *p = text.begin(); p < text.end(); ++p) {
    const auto c = static_cast<unsigned char>(*p);
    if ((c >= ' ' && c != 127) || is_line_end(*p) || c == '\t') continue;
    const char *name = c == '\v' ? "a vertical tab" : c == '\f' ? "a form feed" : "a control character";
    fail(ATP_E_FORMAT, "%s: line %lld: %s (byte 0x%02x), expected text with lines that end with LF, CR LF or CR", text.label,
         line_of(text, p), name, c);
  }
}

// Whether a cell is a number, or would be one but for a sign of thousands, a unit or the like: then it is no name.
bool like_number(const char *cell) {
  cell += std::strspn(cell, "+-.");
  if (*cell >= '0' && *cell <= '9') return true;
  for (const char *word : {"NA", "NaN", "nan", "NAN", "Inf", "inf"})
    if (std::strcmp(cell, word) == 0) return true;
  return false;
}

// The number in a cell, -1 where it has none.
double count_in(const char *cell) {
  double value = 0;
  return is_real_number(cell, cell + std::strlen(cell), value) ? value : -1;
}

// Which separators are outside quotes in the first line that has any; in the first line of all where it has names. Blanks beside another
// one separate nothing.
struct Separators {
  bool comma = false, semicolon = false, tab = false, blank = false;
  bool any() const { return comma || semicolon || tab || blank; }
  void add(char c) { (c == ',' ? comma : c == ';' ? semicolon : c == '\t' ? tab : blank) = true; }
};

Separators separators_in(const Text &text, atp_cells form) {
  const auto separates = [](char c) { return c == ',' || c == ';' || c == '\t'; };
  Separators found;
  bool inside = false, comment = false, blanks = false;
  char before = 0;  // the last character of the line that is no blank
  for (const char c : text.bytes) {
    if (!inside && is_line_end(c)) {
      if (found.any() || (before != 0 && form == ATP_CELLS_NAMED)) return found;
      comment = blanks = false;
      before = 0;
      continue;
    }
    comment = comment || (c == '#' && !inside && (form == ATP_CELLS_NUMBERS || before == 0));
    if (comment) continue;
    if (c == '"') inside = !inside;
    if (c == ' ' && !inside) {
      blanks = before != 0;
      continue;
    }
    if (blanks && !separates(c) && !separates(before)) found.blank = true;
    if (!inside && separates(c)) found.add(c);
    blanks = false;
    before = c;
  }
  return found;
}

// The lines that are not empty.
int64_t filled_lines(const Text &text) {
  int64_t lines = 0;
  char before = '\n';
  for (const char c : text.bytes) {
    lines += is_line_end(before) && !is_line_end(c) ? 1 : 0;
    before = c;
  }
  return lines;
}

char separator_of(const Text &text, atp_cells form) {
  const Separators found = separators_in(text, form);
  const bool numbers = form == ATP_CELLS_NUMBERS;
  if (numbers && found.comma && found.semicolon)
    fail(ATP_E_FORMAT, "%s: has commas and semicolons between its columns, expected one of them, and a point in numbers", text.label);
  if (found.tab) return numbers ? kBlanks : '\t';
  if (numbers && found.blank) return kBlanks;
  return found.comma ? ',' : found.semicolon ? ';' : found.blank ? kBlanks : ',';
}

}  // namespace

// The rows of a text, one after the other.
class TextTable::Reader {
 public:
  Reader(const Text &text, char separator, bool comments, TextTable &to)
      : text_(text), at_(text.begin()), separator_(separator), comments_(comments), to_(to) {}

  // Appends the cells of the next line that is neither empty nor a comment; false at the end.
  bool next() {
    for (;; end_line()) {
      skip_blanks();
      if (at_ == text_.end()) return false;
      if (*at_ != '#' && !at_line_end()) break;
      while (!at_line_end()) ++at_;
    }
    line_ = next_line_;
    begins_quoted_ = *at_ == '"';
    begin_ = to_.text_.size();
    count_ = 0;
    for (bool more = true; more;) {
      add_cell();
      if (separator_ == kBlanks) skip_blanks();
      more = !at_line_end() && !at_comment();
      if (more && separator_ != kBlanks) ++at_;
    }
    while (!at_line_end()) ++at_;  // a comment
    end_line();
    return true;
  }
  int64_t line() const { return line_; }
  bool begins_quoted() const { return begins_quoted_; }
  int64_t begin() const { return begin_; }
  int64_t count() const { return count_; }
  const char *cells() const { return to_.text_.data() + begin_; }
  void drop() { to_.text_.truncate(begin_); }

 private:
  bool at_line_end() const { return at_ == text_.end() || is_line_end(*at_); }
  bool at_separator() const { return separator_ == kBlanks ? is_blank(*at_) : separator_ != kNone && *at_ == separator_; }
  bool at_comment() const { return comments_ && at_ < text_.end() && *at_ == '#'; }
  bool is_pair(const char *two) const { return text_.end() - at_ > 1 && at_[0] == two[0] && at_[1] == two[1]; }
  void skip_blanks() {
    while (at_ < text_.end() && is_blank(*at_) && (separator_ == kBlanks || !at_separator())) ++at_;
  }
  void end_line() {
    if (at_ < text_.end()) at_ += is_pair("\r\n") ? 2 : 1;
    ++next_line_;
  }
  // Quotes count where a cell begins with one; then a line end within them belongs to the cell.
  void add_cell() {
    const int64_t begin = to_.text_.size();
    int64_t kept = begin;  // the part in quotes is never trimmed
    bool inside = false;
    ++count_;
    skip_blanks();
    for (; at_ < text_.end(); ++at_) {
      if (inside && is_pair("\"\"")) {
        to_.text_.push_back(*++at_);
      } else if (*at_ == '"' && (inside || to_.text_.size() == begin)) {
        inside = !inside;
        kept = to_.text_.size();
      } else if (!inside && (at_separator() || at_line_end() || at_comment())) {
        break;
      } else {
        if (at_line_end() && !is_pair("\r\n")) ++next_line_;
        to_.text_.push_back(*at_);
      }
    }
    if (inside) fail(ATP_E_FORMAT, "%s: line %lld has a quote \" without an end", text_.label, llong{line_});
    int64_t end = to_.text_.size();
    while (end > kept && is_blank(to_.text_[end - 1])) --end;
    to_.text_.truncate(end);
    to_.text_.push_back('\0');
  }

  const Text text_;
  const char *at_;
  char separator_;
  bool comments_, begins_quoted_ = false;
  int64_t line_ = 0, next_line_ = 1, begin_ = 0, count_ = 0;
  TextTable &to_;
};

TextTable::TextTable(Context &context, const Text &marked, atp_cells form, const char *names)
    : label_(marked.label), text_(context.allocator), rows_(context.allocator) {
  const Text text = without_mark(marked);
  require_readable(text);
  separator_ = separator_of(text, form);
  if (form == ATP_CELLS_LIST) {
    Reader first(text, separator_, false, *this);
    const bool quoted = std::find(text.begin(), text.end(), '"') != text.end();
    if (!first.next() || !are_names(first, form, names) || (first.count() == 1 && separator_ != kBlanks && !quoted)) separator_ = kNone;
    text_.truncate(0);
  }
  // A final zero stands where a separator or the end of a line was.
  text_.reserve(text.bytes.size() + 1);
  rows_.reserve(filled_lines(text));
  Reader reader(text, separator_, form == ATP_CELLS_NUMBERS, *this);
  read(reader, form, names);
}

bool TextTable::are_names(const Reader &reader, atp_cells form, const char *names) const {
  if (form == ATP_CELLS_NAMED) return true;
  if (reader.count() > 1 && *reader.cells() == '\0') return true;  // above the names of rows
  bool numbers = false, known = false;
  const char *cell = reader.cells();
  for (int64_t k = 0; k < reader.count(); ++k, cell = cell_after(cell, 1)) {
    numbers = numbers || like_number(cell);
    for (const char *name = names; *name != '\0';) {
      const std::size_t size = std::strcspn(name, ",");
      known = known || (std::strlen(cell) == size && strncasecmp(cell, name, size) == 0);
      name += size + (name[size] == ',' ? 1 : 0);
    }
  }
  return form == ATP_CELLS_NUMBERS ? !numbers : known;
}

void TextTable::read(Reader &reader, atp_cells form, const char *names) {
  bool all_quoted = true;  // the first cells
  while (reader.next()) {
    bool empty = reader.count() > 1;                                   // spreadsheets write rows of nothing but separators
    empty = empty && text_.size() - reader.begin() == reader.count();  // their final zeros
    if (empty) {
      reader.drop();
      continue;
    }
    all_quoted = all_quoted && reader.begins_quoted();
    if (rows_.size() == 0) names_ = are_names(reader, form, names);
    rows_.push_back({reader.begin(), reader.count(), reader.line()});
  }
  settle_columns(all_quoted);
}

// Whether all rows are one cell longer than the names of columns and begin with 1, 2, ... (or 0, 1, ...), or with words; with commas these
// must be in quotes, or a comma before decimals would make rows longer, too.
bool TextTable::rows_have_names(bool all_quoted) const {
  if (!names_ || rows() == 0 || (separator_ == ',' && !all_quoted)) return false;
  const double first = count_in(cell(0, 0));
  bool counted = first == 0 || first == 1, words = true;
  for (int64_t k = 0; k < rows(); ++k) {
    if (cells(k) != columns() + 1) return false;
    words = words && !like_number(cell(k, 0));
    counted = counted && count_in(cell(k, 0)) == first + static_cast<double>(k);
  }
  return counted || words;
}

// Checks that all rows are as long as the names of columns, and leaves out those of rows: below a name that is empty or has no cell.
void TextTable::settle_columns(bool all_quoted) {
  if (!names_) return;
  const bool named = rows_have_names(all_quoted);
  const int64_t width = columns() + (named ? 1 : 0);
  for (int64_t k = 0; width > 0 && k < rows(); ++k)
    if (cells(k) != width)
      fail(ATP_E_FORMAT, "%s: line %lld has %lld cells, expected %lld as in the first line; a cell with the separator needs quotes", label_,
           llong{line(k)}, llong{cells(k)}, llong{width});
  if (width < 2 || (!named && *name(0) != '\0')) return;
  skipped_of_names_ = named ? 0 : 1;
  skipped_of_rows_ = 1;
}

int64_t TextTable::find(const char *wanted) const {
  int64_t found = -1, times = 0;
  const char *cell = columns() > 0 ? name(0) : nullptr;
  for (int64_t k = 0; k < columns(); ++k, cell = cell_after(cell, 1))
    if (std::strcmp(cell, wanted) == 0 && times++ == 0) found = k;
  if (times > 1) fail(ATP_E_FORMAT, "%s: has %lld columns with the name \"%s\", expected one", label_, llong{times}, wanted);
  return found;
}

int64_t TextTable::write(char *text, int64_t size) const {
  int64_t used = 0;
  const auto put = [&](char c) {
    if (used++ < size) text[used - 1] = c;
  };
  for (int64_t k = 0; k < rows_.size(); ++k) {
    char line[32];
    std::snprintf(line, sizeof line, "%lld", names_ && k == 0 ? 0LL : llong{rows_[k].line});
    for (const char *p = line; *p != '\0'; ++p) put(*p);
    const char *cell = text_of(k, 0);
    for (int64_t c = 0; c < size_of(k); ++c, cell = cell_after(cell, 1)) {
      put(',');
      put('"');
      for (const char *p = cell; *p != '\0'; ++p) {
        if (*p == '"') put('"');
        put(*p);
      }
      put('"');
    }
    put('\n');
  }
  return used;
}

}  // namespace atp
