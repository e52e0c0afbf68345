// SPDX-License-Identifier: MIT
#include "io/distance_files.hpp"

#include "base/parse_real.hpp"
#include "base/symmetric.hpp"
#include "io/npy.hpp"
#include "io/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace atp {

namespace {

constexpr double kMostNumber = 9007199254740992.0;  // 2^53, the largest number of a site

bool is_site(double number) { return std::fabs(number) <= kMostNumber && number == std::floor(number); }
bool is_distance(double distance) { return distance >= 0 && !std::isinf(distance); }

// NaN for a text that is no number.
double number_in(const char *cell) {
  const char *begin = cell + (*cell == '+' ? 1 : 0);
  double value = 0;
  return is_real_number(begin, begin + std::strlen(begin), value) ? value : std::nan("");
}

bool is_whole(const char *cell) { return *cell != '\0' && std::strspn(cell, "0123456789") == std::strlen(cell); }

// Indices of sites by their numbers.
class Places {
 public:
  explicit Places(const DistanceSites &sites)
      : sites_(sites), sorted_(sites.numbers != nullptr && std::is_sorted(sites.numbers, sites.numbers + sites.count)) {}
  // -1 if there is none.
  int64_t find(int64_t number) const {
    if (sites_.numbers == nullptr) return number >= 1 && number <= sites_.count ? number - 1 : -1;
    const int64_t *end = sites_.numbers + sites_.count;
    const int64_t *place = sorted_ ? std::lower_bound(sites_.numbers, end, number) : std::find(sites_.numbers, end, number);
    return place < end && *place == number ? place - sites_.numbers : -1;
  }

 private:
  DistanceSites sites_;
  bool sorted_;
};

// A symmetric matrix of what add() is given; of several distances of a pair the smallest counts.
class Distances {
 public:
  Distances(int64_t sites, double *out) : sites_(sites), out_(out) {
    std::fill_n(out, sites * sites, std::numeric_limits<double>::quiet_NaN());
    for (int64_t i = 0; i < sites; ++i) out[i * sites + i] = 0;
  }
  void add(int64_t i, int64_t j, double distance) {
    double &known = out_[i * sites_ + j];
    if (std::isnan(known) || distance < known) known = out_[j * sites_ + i] = distance;
  }

 private:
  int64_t sites_;
  double *out_;
};

// From read(sink), which calls sink(i, j, distance) with numbers of sites. A first pass checks everything before anything is written.
template <class Read>
DistanceCount fill(const DistanceSites &sites, double *out, Read &&read) {
  const Places places(sites);
  read([](int64_t, int64_t, double) {});
  Distances made(sites.count, out);
  DistanceCount found;
  read([&](int64_t i, int64_t j, double distance) {
    if (i == j) return;
    ++found.pairs;
    const int64_t a = places.find(i), b = places.find(j);
    if (a < 0 || b < 0) return;
    ++found.used;
    made.add(a, b, distance);
  });
  return found;
}

// The columns i, j and d of a table: by their names, or where it has none in this order, as the lines `i j d` and `i j x d`.
struct PairColumns {
  int64_t i, j, d;
};

PairColumns columns_of(const TextTable &table) {
  if (table.has_names()) {
    const int64_t d = table.find("d");
    const PairColumns found{table.find("i"), table.find("j"), d >= 0 ? d : table.find("distance")};
    if (found.i < 0 || found.j < 0 || found.d < 0)
      fail(ATP_E_FORMAT, "%s: the first line names %lld columns, expected i, j and d (or distance) among them, or no names", table.label(),
           llong{table.columns()});
    return found;
  }
  const int64_t first = table.rows() == 0 ? 3 : table.cells(0);
  for (int64_t r = 0; r < table.rows(); ++r)
    if (const int64_t n = table.cells(r); n != first || (n != 3 && n != 4))
      fail(ATP_E_FORMAT,
           "%s: line %lld has %lld columns, expected 3 or 4 in all lines: i j d, or i j x d with any word x; other columns need a first "
           "line "
           "of names with i, j and d (or distance) among them",
           table.label(), llong{table.line(r)}, llong{n});
  return {0, 1, first - 1};
}

[[noreturn]] void refuse_cell(const TextTable &table, int64_t row, const char *cell, const char *expected) {
  Quoted shown(cell, cell + std::strlen(cell));
  *std::strrchr(shown.text, '\'') = '\0';
  fail(ATP_E_FORMAT, "%s: line %lld has \"%s\", expected %s", table.label(), llong{table.line(row)}, shown.text + 1, expected);
}

template <class Sink>
void read_rows(const TextTable &table, const PairColumns &columns, Sink &&sink) {
  for (int64_t r = 0; r < table.rows(); ++r) {
    // 1,2,7,5: a kind of atom that is a number is not told from a comma before decimals.
    if (!table.has_names() && table.separator() == ',' && table.cells(r) == 4 && is_whole(table.cell(r, 2)) && is_whole(table.cell(r, 3)))
      fail(
          ATP_E_FORMAT,
          "%s: line %lld has \"%s,%s\", which may be one distance or two columns; expected a point before decimals, or names of columns in "
          "the first line",
          table.label(), llong{table.line(r)}, table.cell(r, 2), table.cell(r, 3));
    const double i = number_in(table.cell(r, columns.i)), j = number_in(table.cell(r, columns.j)), d = number_in(table.cell(r, columns.d));
    if (!is_site(i)) refuse_cell(table, r, table.cell(r, columns.i), "the number of a site");
    if (!is_site(j)) refuse_cell(table, r, table.cell(r, columns.j), "the number of a site");
    if (!is_distance(d))
      refuse_cell(table, r, table.cell(r, columns.d), "a distance: a finite number >= 0, with a point before its decimals");
    sink(static_cast<int64_t>(i), static_cast<int64_t>(j), d);
  }
}

struct Array {
  Span<double> values;
  int64_t rows, columns;
  const char *label;
};

template <class Sink>
void read_rows(const Array &array, Sink &&sink) {
  for (int64_t n = 0; n < array.rows; ++n) {
    const double *row = array.values.data() + n * array.columns, distance = row[array.columns - 1];
    const auto refuse_row = [&](double found, const char *expected) {
      fail(ATP_E_FORMAT, "%s: row %lld has %g, expected %s", array.label, llong{n}, found, expected);
    };
    for (int k = 0; k < 2; ++k)
      if (!is_site(row[k])) refuse_row(row[k], "the number of a site");
    if (!is_distance(distance)) refuse_row(distance, "a distance, a finite number >= 0");
    sink(static_cast<int64_t>(row[0]), static_cast<int64_t>(row[1]), distance);
  }
}

// A matrix of all sites, or of all columns; of d_ij and d_ji the smaller counts.
DistanceCount fill_matrix(const Array &array, const DistanceSites &sites, double *out) {
  const bool whole = array.rows != sites.count;
  require_symmetric(array.values.data(), array.rows, array.label, Symmetric::distances, kOfFile);
  for (int64_t i = 0; i < array.rows; ++i)
    for (int64_t j = 0; j < array.rows; ++j)
      if (const double d = array.values[i * array.rows + j]; i != j && !std::isnan(d) && !is_distance(d))
        fail(ATP_E_FORMAT, "%s: row %lld, column %lld has %g, expected a finite number >= 0, or NaN for an unknown distance", array.label,
             llong{i}, llong{j}, d);
  Distances made(sites.count, out);
  DistanceCount found;
  for (int64_t i = 0; i < sites.count; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const int64_t a = whole ? sites.columns[i] : i, b = whole ? sites.columns[j] : j;
      const double d = std::fmin(array.values[a * array.rows + b], array.values[b * array.rows + a]);
      if (std::isnan(d)) continue;
      ++found.pairs;
      ++found.used;
      made.add(i, j, d);
    }
  return found;
}

DistanceCount read_array(const Source &source, const DistanceSites &sites, double *out) {
  const NpyArray file(source.text(), source.size());
  const int64_t rows = file.dimensions() == 2 ? file.extent(0) : 0, columns = file.dimensions() == 2 ? file.extent(1) : 0;
  const bool list = columns == 3 || columns == 4, whole = sites.columns != nullptr && rows == sites.total && columns == sites.total;
  if (!list && !whole && (rows != sites.count || columns != sites.count))
    fail(ATP_E_FORMAT, "%s: an array of %s, expected rows i, j, d (3 columns), or the matrix of the %lld x %lld distances", source.label(),
         file.shape_text().text, llong{sites.count}, llong{sites.count});
  const Scratch memory(source.context().allocator, Scratch::piece<double>(file.count()));
  const Array array{memory.arena().take<double>(file.count()), rows, columns, source.label()};
  file.read(array.values.data());
  if (!list) return fill_matrix(array, sites, out);
  return fill(sites, out, [&](auto &&sink) { read_rows(array, sink); });
}

}  // namespace

DistanceCount parse_distances(Context &context, const Text &text, const DistanceSites &sites, double *out) {
  const TextTable table(context, text, ATP_CELLS_NUMBERS);
  const PairColumns columns = columns_of(table);
  return fill(sites, out, [&](auto &&sink) { read_rows(table, columns, sink); });
}

DistanceCount read_distances(const Source &source, const DistanceSites &sites, double *out) {
  if (source.content() == Content::npy) return read_array(source, sites, out);
  const LoadedText text(source, "distances");
  return parse_distances(source.context(), text.get(), sites, out);
}

}  // namespace atp
