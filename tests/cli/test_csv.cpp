// SPDX-License-Identifier: MIT
// CSV tables of the program: the reader reads what the writer writes.
#include "text/csv.hpp"

#include <cmath>
#include <cstdarg>
#include <csetjmp>
#include <cstddef>
#include <limits>

extern "C" {
#include <cmocka.h>
}

using namespace cli;

namespace {

using Rows = std::vector<std::vector<std::string>>;

StoredTable round_trip(const std::vector<std::string> &notes, const std::vector<std::string> &columns, const Rows &rows) {
  std::string text;
  for (const std::string &note : notes) text += csv_note(note);
  text += csv_line(columns);
  for (const auto &row : rows) text += csv_line(row);
  return parse_table(text);
}

void test_texts(void **) {
  const std::vector<std::string> notes = {"attopotts 1", "", "settings: a, \"b\"", "# twice"};
  const std::vector<std::string> columns = {"name", "with,comma", "with \"quotes\"", "last"};
  const Rows rows = {{"plain", "a,b", "\"", "x"},
                     {"", "", "", ""},
                     {"#not a comment", "two\nlines", "return\r\nhere", "\"\""},
                     {" blanks ", ",", "\"a\",\"b\"", "# later"},
                     {"line\n# no comment", "\n", "", "end"}};
  const StoredTable table = round_trip(notes, columns, rows);
  assert_true(table.notes == notes);
  assert_true(table.columns == columns);
  assert_true(table.rows == rows);
  assert_string_equal(table.note("settings: ").c_str(), "a, \"b\"");
  assert_string_equal(table.note("outcome: ").c_str(), "");
}

void test_one_column(void **) {
  const Rows rows = {{"a"}, {""}, {"#"}, {"b"}};
  assert_true(round_trip({}, {"only"}, rows).rows == rows);
}

void test_numbers(void **) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0, -1.5, 1e-300, 123456789, infinity, -infinity, std::nan("")};
  std::vector<std::string> cells;
  for (const double x : numbers) cells.push_back(cell(x));
  const StoredTable table = round_trip({}, cells, {cells});
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double read = number_in(table.rows[0][k]);
    assert_true(std::isnan(numbers[k]) ? std::isnan(read) : read == numbers[k]);
  }
  assert_true(cell(int64_t{-9007199254740993}) == "-9007199254740993");
  for (const char *text : {"", "nan", "one", "1x"}) assert_true(std::isnan(number_in(text)));
}

void test_foreign_text(void **) {
  // A control character in a note becomes a blank: a note is one line.
  assert_string_equal(csv_note("a\nb\tc").c_str(), "# a b c\n");
  // Empty lines and a missing last line end are no rows; comments may follow the header.
  const StoredTable table = parse_table("#short\n\na,b\n# later\n1,2\n\n3,4");
  assert_true((table.notes == std::vector<std::string>{"short", "later"}));
  assert_true((table.rows == Rows{{"1", "2"}, {"3", "4"}}));
  assert_true(parse_table("").columns.empty());
  // Quotes count where a cell begins with one, as RFC 4180 has them.
  assert_true((parse_table("a,b\nx \"y\" z,\"p\"q\n").rows == Rows{{"x \"y\" z", "pq"}}));
  // CR ends lines, too.
  assert_true((parse_table("# n\ra,b\r1,2\r\n3,4\r").rows == Rows{{"1", "2"}, {"3", "4"}}));
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_one_column),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_foreign_text),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
