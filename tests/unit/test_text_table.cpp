// SPDX-License-Identifier: MIT
// Small tables of text and distances between sites in them.
#include "counting.h"
#include "support.h"

#include "io/distance_files.hpp"
#include "io/text_table.hpp"

#include <cmath>
#include <string>
#include <vector>

using namespace atp;

namespace {

using Rows = std::vector<std::vector<std::string>>;

// The rows of a text, that of the names first.
Rows rows_of(const std::string &text, atp_cells form, const char *names = "", std::vector<int64_t> *lines = nullptr) {
  Context context(counting_alloc, counting_free, nullptr);
  const TextTable table(context, {{text.data(), static_cast<int64_t>(text.size())}, "file"}, form, names);
  Rows rows;
  if (table.has_names()) rows.emplace_back();
  for (int64_t c = 0; c < table.columns(); ++c) rows.back().push_back(table.name(c));
  for (int64_t k = 0; k < table.rows(); ++k) {
    rows.emplace_back();
    for (int64_t c = 0; c < table.cells(k); ++c) rows.back().push_back(table.cell(k, c));
    if (lines != nullptr) lines->push_back(table.line(k));
  }
  return rows;
}

void separators(void **) {
  assert_true((rows_of("  1 \t2\t# c\n\"3 4\" \"#\"\n", ATP_CELLS_NUMBERS) == Rows{{"1", "2"}, {"3 4", "#"}}));
  assert_true((rows_of("1 , 2,\n\" 3 \" ,4 ,5# c\n", ATP_CELLS_NUMBERS) == Rows{{"1", "2", ""}, {" 3 ", "4", "5"}}));
  assert_true((rows_of("\xEF\xBB\xBF"
                       "a;b\r\n1;2\r\n;\r\n",
                       ATP_CELLS_NAMED) == Rows{{"a", "b"}, {"1", "2"}}));
  assert_true((rows_of("a\tb\n1\t\n", ATP_CELLS_NAMED) == Rows{{"a", "b"}, {"1", ""}}));
  // A list of lines, and a table with a column of that name.
  assert_true((rows_of("A1D,B2C\n\n# c\nA1D;B2C\n", ATP_CELLS_LIST, "x,mutant") == Rows{{"A1D,B2C"}, {"A1D;B2C"}}));
  assert_true((rows_of("n,mutant\n1,A1D\n", ATP_CELLS_LIST, "x,mutant") == Rows{{"n", "mutant"}, {"1", "A1D"}}));
}

void names_of_rows(void **) {
  // As R writes them: with an empty name, and with none.
  assert_true((rows_of("\"\",\"i\",\"j\"\n\"1\",4,5\n\"2\",6,7\n", ATP_CELLS_NUMBERS) == Rows{{"i", "j"}, {"4", "5"}, {"6", "7"}}));
  assert_true((rows_of("i j\n1 4 5\n2 6 7\n", ATP_CELLS_NUMBERS) == Rows{{"i", "j"}, {"4", "5"}, {"6", "7"}}));
  std::vector<int64_t> lines;
  assert_true((rows_of("a\n\n\"x\ny\"\r\n# c\rb\n", ATP_CELLS_NAMED, "", &lines) == Rows{{"a"}, {"x\ny"}, {"b"}}));
  assert_true((lines == std::vector<int64_t>{3, 6}));
}

void written(void **) {
  const std::string text = "a b\n1 \"2\"\"\"\n", expected = "0,\"a\",\"b\"\n2,\"1\",\"2\"\"\"\n";
  Context context(counting_alloc, counting_free, nullptr);
  const TextTable table(context, {{text.data(), static_cast<int64_t>(text.size())}, "file"}, ATP_CELLS_NAMED);
  std::string out(expected.size(), 'x');
  assert_int_equal(table.write(&out[0], static_cast<int64_t>(out.size()) - 1), expected.size());
  assert_true(out.substr(0, out.size() - 1) == expected.substr(0, out.size() - 1) && out.back() == 'x');
  table.write(&out[0], static_cast<int64_t>(out.size()));
  assert_true(out == expected);
}

void tables_refuse(void **) {
  const struct {
    const char *text, *expected;
  } cases[] = {
      {"a,\"b\n1,2\n", "file: line 1 has a quote \" without an end"},
      {"1 2\n3\f4\n", "file: line 2: a form feed (byte 0x0c), expected text with lines that end with LF, CR LF or CR"},
      {"\xff\xfe"
       "1",
       "file: is in UTF-16, expected UTF-8"},
      {"1;2,5\n", "file: has commas and semicolons between its columns, expected one of them, and a point in numbers"},
      {"a,b\n1,2,3\n", "file: line 2 has 3 cells, expected 2 as in the first line; a cell with the separator needs quotes"},
  };
  for (const auto &c : cases) {
    try {
      rows_of(c.text, ATP_CELLS_NUMBERS);
      fail_msg("%s is taken", c.text);
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_FORMAT);
      assert_string_equal(e.what(), c.expected);
    }
  }
}

#define COLUMNS                                                                                                                      \
  ", expected 3 or 4 in all lines: i j d, or i j x d with any word x; other columns need a first line of names with i, j and d (or " \
  "distance) among them"
#define DISTANCE ", expected a distance: a finite number >= 0, with a point before its decimals"

DistanceCount parse(const std::string &text, const int64_t *numbers, int64_t sites, std::vector<double> &out) {
  Context context(counting_alloc, counting_free, nullptr);
  out.assign(static_cast<size_t>(sites * sites), -1);
  return parse_distances(context, {{text.data(), static_cast<int64_t>(text.size())}, "file"}, {sites, numbers}, out.data());
}

void distances_of_three_and_four_columns(void **) {
  std::vector<double> d;
  DistanceCount found = parse("# i j d\r\n1 2 3.5\r\n\r\n  3\t1 7e0 # end\n2 2 0\n2 1 3.25\n4 1 9\n", nullptr, 3, d);
  assert_int_equal(found.pairs, 4);
  assert_int_equal(found.used, 3);
  assert_true(d[0] == 0 && d[4] == 0 && d[8] == 0);
  assert_true(d[1] == 3.25 && d[3] == 3.25);  // the smallest
  assert_true(d[2] == 7 && d[6] == 7);
  assert_true(std::isnan(d[5]) && std::isnan(d[7]));
  const int64_t numbers[3] = {-2, 10, 11};
  found = parse("\xEF\xBB\xBF-2 11 x 4\n10 11 CB 2", numbers, 3, d);
  assert_int_equal(found.used, 2);
  assert_true(d[2] == 4 && d[5] == 2 && std::isnan(d[1]));
  const int64_t mixed[3] = {7, 3, 5};
  found = parse("3 5 1\n7 5 2\n6 7 3\n", mixed, 3, d);
  assert_int_equal(found.used, 2);
  assert_true(d[5] == 1 && d[2] == 2);
  found = parse("", nullptr, 3, d);
  assert_true(found.pairs == 0 && std::isnan(d[1]) && d[0] == 0);
}

void distances_by_names(void **) {
  std::vector<double> d;
  const DistanceCount found = parse("\"\";\"j\";\"distance\";\"i\"\n\"1\";2;+4.5;1\n\"2\";3;1e1;2\n", nullptr, 3, d);
  assert_true(found.pairs == 2 && found.used == 2 && d[1] == 4.5 && d[5] == 10 && std::isnan(d[2]));
}

void distances_refuse(void **) {
  const struct {
    const char *text, *expected;
  } cases[] = {
      {"1 2 3\n1 2\n", "file: line 2 has 2 columns" COLUMNS},
      {"1 2\n", "file: line 1 has 2 columns" COLUMNS},
      {"1 2 3 4 5 6\n", "file: line 1 has 6 columns" COLUMNS},
      {"1 2 3\r1 2 x 3\n", "file: line 2 has 4 columns" COLUMNS},
      {"\n\n1 b 3\n", "file: line 3 has \"b\", expected the number of a site"},
      {"1.5 2 3\n", "file: line 1 has \"1.5\", expected the number of a site"},
      {"99999999999999999999 2 3\n", "file: line 1 has \"99999999999999999999\", expected the number of a site"},
      {"1 2 far\n", "file: line 1 has \"far\"" DISTANCE},
      {"1 2 -1\n", "file: line 1 has \"-1\"" DISTANCE},
      {"1 2 nan\n", "file: line 1 has \"nan\"" DISTANCE},
      {"1 2 inf\n", "file: line 1 has \"inf\"" DISTANCE},
      {"1 2 3A\n", "file: line 1 has \"3A\"" DISTANCE},
      {"i,j,x\n1,2,3\n", "file: the first line names 3 columns, expected i, j and d (or distance) among them, or no names"},
      {"i,j,d,d\n1,2,3,4\n", "file: has 2 columns with the name \"d\", expected one"},
  };
  for (const auto &c : cases) {
    std::vector<double> d;
    try {
      parse(c.text, nullptr, 3, d);
      fail_msg("%s is taken", c.text);
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_FORMAT);
      assert_string_equal(e.what(), c.expected);
    }
    for (double x : d) assert_true(x == -1);
  }
}

const CMUnitTest tests[] = {
    cmocka_unit_test(separators),
    cmocka_unit_test(names_of_rows),
    cmocka_unit_test(written),
    cmocka_unit_test(tables_refuse),
    cmocka_unit_test(distances_of_three_and_four_columns),
    cmocka_unit_test(distances_by_names),
    cmocka_unit_test(distances_refuse),
};

}  // namespace

ATP_TEST_MAIN(tests)
