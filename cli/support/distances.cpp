// SPDX-License-Identifier: MIT
#include "support/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace cli {

namespace {

constexpr int64_t kMostNumber = int64_t{1} << 53;  // the largest number of a site

// A distance in [L][L] between sites, from rows and matrices.
class DistanceMap {
 public:
  explicit DistanceMap(const DistanceSites &sites) : count_(sites.count) {
    made_.values.assign(static_cast<std::size_t>(count_ * count_), std::numeric_limits<double>::quiet_NaN());
    for (int64_t i = 0; i < count_; ++i) {
      made_.values[static_cast<std::size_t>(i * (count_ + 1))] = 0;
      places_[sites.numbers[i]] = i;
    }
  }
  // Of several distances of a pair the smallest counts.
  void add(int64_t number_i, int64_t number_j, double distance) {
    if (number_i == number_j) return;
    ++made_.pairs;
    const auto i = places_.find(number_i), j = places_.find(number_j);
    if (i == places_.end() || j == places_.end()) return;
    ++made_.used;
    double &known = made_.values[static_cast<std::size_t>(i->second * count_ + j->second)];
    if (std::isnan(known) || distance < known) known = made_.values[static_cast<std::size_t>(j->second * count_ + i->second)] = distance;
  }
  Distances take() { return std::move(made_); }

 private:
  int64_t count_;
  std::unordered_map<int64_t, int64_t> places_;
  Distances made_;
};

bool is_whole(const std::string &text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos; }

double distance_in(const std::string &place, const std::string &cell) {
  const double distance = number_in(cell);
  if (!(distance >= 0) || std::isinf(distance))
    wrong_use("{} has \"{}\", expected a distance: a finite number >= 0, with a point before its decimals", place, printable(cell));
  return distance;
}

void add_table(const Session &session, const InputFile &file, DistanceMap &map) {
  const std::string name = file.label + " " + file.path;
  const SideTable table = side_table_in(session, file, {});
  const std::vector<std::size_t> columns = pair_columns(name, table, true);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<std::string> &row = table.rows[r];
    const std::string place = fmt::format("{}: line {}", name, table.lines[r]);
    // 1,2,7,5: a kind of atom that is a number is not told from a comma before decimals.
    if (table.columns.empty() && table.separator == ',' && row.size() == 4 && is_whole(row[2]) && is_whole(row[3]))
      wrong_use(
          "{} has \"{},{}\", which may be one distance or two columns; expected a point before decimals, or names of columns in the first "
          "line",
          place, row[2], row[3]);
    map.add(site_number(place, row[columns[0]]), site_number(place, row[columns[1]]), distance_in(place, row[columns[2]]));
  }
}

void add_distance_rows(const InputFile &file, const std::vector<double> &values, int64_t columns, DistanceMap &map) {
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(columns)) {
    const std::string place = fmt::format("{} {}: row {}", file.label, file.path, at / static_cast<std::size_t>(columns));
    const double distance = values[at + static_cast<std::size_t>(columns) - 1];
    for (const double number : {values[at], values[at + 1]})
      if (!(std::fabs(number) <= static_cast<double>(kMostNumber)) || number != std::floor(number))
        wrong_use("{} has {:g}, expected the number of a site", place, number);
    if (!(distance >= 0) || std::isinf(distance)) wrong_use("{} has {:g}, expected a distance, a finite number >= 0", place, distance);
    map.add(static_cast<int64_t>(values[at]), static_cast<int64_t>(values[at + 1]), distance);
  }
}

// A matrix of all distances in the order of the sites; `columns`: where the sites are in it, nullptr if it has no more.
void add_matrix(const InputFile &file, const std::vector<double> &values, int64_t size, const DistanceSites &sites, const int64_t *columns,
                DistanceMap &map) {
  check(atp_symmetric_check(values.data(), size, ATP_SYMMETRIC_DISTANCES), file.label + " " + file.path);
  for (int64_t i = 0; i < sites.count; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const int64_t a = columns == nullptr ? i : columns[i], b = columns == nullptr ? j : columns[j];
      const double lower = values[static_cast<std::size_t>(a * size + b)];
      const double distance = std::isnan(lower) ? values[static_cast<std::size_t>(b * size + a)] : lower;
      if (distance < 0 || std::isinf(distance))
        wrong_use("{} {}: row {}, column {} has {:g}, expected a finite number >= 0, or NaN for an unknown distance", file.label, file.path,
                  a, b, distance);
      if (!std::isnan(distance)) map.add(sites.numbers[i], sites.numbers[j], distance);
    }
}

void add_array(const Session &session, const InputFile &file, const DistanceSites &sites, DistanceMap &map) {
  const std::vector<int64_t> shape = npy_shape(file);
  const int64_t rows = shape.size() == 2 ? shape[0] : 0, columns = shape.size() == 2 ? shape[1] : 0;
  const bool whole = rows == sites.total && columns == sites.total && sites.total != sites.count;
  if (columns == 3 || columns == 4) return add_distance_rows(file, npy_numbers(file), columns, map);
  if (!whole && (rows != sites.count || columns != sites.count))
    wrong_use("{} {} is an array of {}, expected rows i, j, d (3 columns), or the matrix of the {} x {} distances", file.label, file.path,
              shape_text(shape), sites.count, sites.count);
  if (whole) session.say("distances: takes the {} columns of the model, of {}", sites.count, sites.total);
  add_matrix(file, npy_numbers(file), rows, sites, whole ? sites.columns : nullptr, map);
}

}  // namespace

int64_t site_number(const std::string &place, const std::string &cell) {
  int64_t number = 0;
  if (!read_count(cell, -kMostNumber, kMostNumber, number).empty())
    wrong_use("{} has \"{}\", expected the number of a site", place, printable(cell));
  return number;
}

std::vector<std::size_t> pair_columns(const std::string &place, const SideTable &table, bool distance) {
  const char *wanted = distance ? "i, j and d (or distance)" : "i and j";
  std::vector<int64_t> found = {table.find({"i"}), table.find({"j"})};
  if (distance) found.push_back(table.find({"d", "distance"}));
  if (!table.columns.empty()) {
    if (std::count(found.begin(), found.end(), -1) > 0)
      wrong_use("{} names its columns {}, expected {} among them, or no names", place,
                printable(fmt::format("{}", fmt::join(table.columns, ", "))), wanted);
    return {found.begin(), found.end()};
  }
  const std::size_t first = table.rows.empty() ? 0 : table.rows[0].size();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::size_t n = table.rows[r].size();
    const bool good = n == first && (distance ? n == 3 || n == 4 : n == 2);
    if (!good)
      wrong_use("{}: line {} has {} columns, expected {}; other columns need a first line of names with {} among them", place,
                table.lines[r], n, distance ? "3 or 4 in all lines: i j d, or i j x d with any word x" : "2: the numbers of two sites",
                wanted);
  }
  return distance ? std::vector<std::size_t>{0, 1, first - 1} : std::vector<std::size_t>{0, 1};
}

Distances read_distances(const Session &session, const std::string &flag, const std::string &path, const DistanceSites &sites) {
  const InputFile file = open_input(session, flag, path);
  DistanceMap map(sites);
  if (file.kind() == "npy")
    add_array(session, file, sites, map);
  else
    add_table(session, file, map);
  return map.take();
}

}  // namespace cli
