// SPDX-License-Identifier: MIT
// Curves and points on two axes.
#pragma once

#include "report/svg.hpp"
#include "text/csv.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cli {

enum class Look { line, dashed, points };

struct ChartSeries {
  std::string name;
  Look look = Look::line;
  int color = 0;                        // of kSeriesColors
  std::vector<double> x, y;             // NaN: not shown
  std::vector<double> error;            // half the length of error bars; empty: none
  std::vector<std::string> hints = {};  // a text for each point; empty: its numbers
};
inline constexpr int kSeriesColors = 6;

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false, from_zero = false;
  std::vector<ChartSeries> series;
  bool listed = true;  // pages have a table of the numbers
};

Drawing chart_drawing(const Chart &chart);

// The columns of a table as a series: rows whose columns have these texts. error: "" for none.
struct ChartColumns {
  std::string x, y, error = {};
  std::vector<std::pair<std::string, std::string>> where = {};
};
ChartSeries series_of(const StoredTable &table, const ChartColumns &columns, const std::string &name, Look look, int color);
// Adds the series if any point of it has a place.
void add_series(Chart &chart, ChartSeries series);
// A line across the chart: a value that theory or data set.
void add_level(Chart &chart, const std::string &name, double value, int color);
bool has_column(const StoredTable &table, const std::string &column);
// Whether any point of the series has a place.
bool is_shown(const ChartSeries &series);

}  // namespace cli
