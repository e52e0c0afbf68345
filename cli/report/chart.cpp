// SPDX-License-Identifier: MIT
#include "report/chart.hpp"

#include "report/html.hpp"
#include "report/legend.hpp"
#include "report/scale.hpp"
#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace cli {

namespace {

// The drawing in units of its view box. Letters of 13 units are 10 pixels high on a phone.
constexpr double kWidth = 440, kHeight = 300, kLeft = 58, kRight = 12, kTop = 10, kBottom = 44;

constexpr std::size_t kManyPoints = 300;  // more have small marks

struct Axes {
  Scale x, y;
};

bool has_place(const Axes &axes, const ChartSeries &series, std::size_t k) { return axes.x.has(series.x[k]) && axes.y.has(series.y[k]); }

// The smallest and the largest value of all series that have a place.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value, bool logarithmic) {
    if (!std::isfinite(value) || (logarithmic && !(value > 0))) return;
    low = std::fmin(low, value);
    high = std::fmax(high, value);
  }
};

Axes axes_of(const Chart &chart) {
  Extent x, y;
  for (const ChartSeries &series : chart.series)
    for (std::size_t k = 0; k < series.x.size(); ++k) {
      if (!std::isfinite(series.y[k]) || (chart.log_y && !(series.y[k] > 0))) continue;
      const double error = k < series.error.size() && std::isfinite(series.error[k]) ? series.error[k] : 0;
      x.add(series.x[k], chart.log_x);
      y.add(series.y[k] - (series.y[k] > error || !chart.log_y ? error : 0), chart.log_y);
      y.add(series.y[k] + error, chart.log_y);
    }
  if (chart.from_zero && !chart.log_y) y.add(0, false);
  Axes axes;
  axes.x = std::isfinite(x.low) ? scale_over(x.low, x.high, chart.log_x, 6) : scale_over(0, 1, false, 6);
  axes.y = std::isfinite(y.low) ? scale_over(y.low, y.high, chart.log_y, 5) : scale_over(0, 1, false, 5);
  axes.x.from = kLeft;
  axes.x.to = kWidth - kRight;
  axes.y.from = kHeight - kBottom;
  axes.y.to = kTop;
  return axes;
}

std::string axes_svg(const Chart &chart, const Axes &axes) {
  std::string text;
  for (const double tick : axes.y.ticks)
    text += fmt::format(
        "<path class=\"grid\" d=\"M{:g} {:.1f}H{:g}\"/><text class=\"tick\" x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft,
        axes.y.at(tick), kWidth - kRight, kLeft - 6, axes.y.at(tick) + 4, short_text(tick));
  for (const double tick : axes.x.ticks)
    text += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:g}V{2:g}\"/><text class=\"tick\" x=\"{0:.1f}\" y=\"{3:g}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        axes.x.at(tick), kTop, kHeight - kBottom, kHeight - kBottom + 16, short_text(tick));
  text += fmt::format("<path class=\"axis\" d=\"M{0:g} {1:g}V{2:g}H{3:g}\"/>\n", kLeft, kTop, kHeight - kBottom, kWidth - kRight);
  text += fmt::format("<text class=\"label\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
                      kHeight - 8, html_text(chart.x_label));
  const double middle = (kTop + kHeight - kBottom) / 2;
  return text + fmt::format("<text class=\"label\" transform=\"translate(13 {:g}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", middle,
                            html_text(chart.y_label));
}

// A mark whose shape tells the series apart where colours do not.
std::string mark_path(int color, bool small = false) {
  if (small) return "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z";
  switch (color % 4) {
    case 1: return "m-3.4-3.4h6.8v6.8h-6.8z";
    case 2: return "m0-4.4l4.2 7.6h-8.4z";
    case 3: return "m0-4.6l4.6 4.6-4.6 4.6-4.6-4.6z";
    default: return "m-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z";
  }
}

std::string points_svg(const Axes &axes, const ChartSeries &series) {
  std::string text;
  const bool small = series.x.size() > kManyPoints;
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    if (!has_place(axes, series, k)) continue;
    const double x = axes.x.at(series.x[k]), y = series.y[k], error = k < series.error.size() ? series.error[k] : 0;
    if (error > 0 && std::isfinite(error))
      text += fmt::format("<path class=\"s{} line\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", series.color, x,
                          axes.y.at(axes.y.has(y - error) ? y - error : axes.y.low), axes.y.at(y + error));
    const std::string hint = k < series.hints.size() ? series.hints[k] : fmt::format("{}: {}, {}", series.name, cell(series.x[k]), cell(y));
    text += fmt::format("<path class=\"s{} mark\" d=\"M{:.1f} {:.1f}{}\"><title>{}</title></path>\n", series.color, x, axes.y.at(y),
                        mark_path(series.color, small), html_text(hint));
  }
  return text;
}

// A line; points that have no neighbours are marks.
std::string line_svg(const Axes &axes, const ChartSeries &series) {
  std::string path;
  ChartSeries alone{series.name, Look::points, series.color, {}, {}, {}};
  const auto shown = [&](std::size_t k) { return k < series.x.size() && has_place(axes, series, k); };
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    if (!shown(k)) continue;
    const bool before = k > 0 && shown(k - 1);
    if (!before && !shown(k + 1)) {
      alone.x.push_back(series.x[k]);
      alone.y.push_back(series.y[k]);
    } else {
      path += fmt::format("{}{:.1f} {:.1f}", before ? 'L' : 'M', axes.x.at(series.x[k]), axes.y.at(series.y[k]));
    }
  }
  if (!path.empty())
    path = fmt::format("<path class=\"s{} {}\" d=\"{}\"/>\n", series.color, series.look == Look::dashed ? "dashed" : "line", path);
  return path + points_svg(axes, alone);
}

// What a chart shows, in words.
std::string words_for(const Chart &chart) {
  std::string text = fmt::format("{} against {}.", chart.y_label, chart.x_label);
  for (const ChartSeries &series : chart.series) {
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < series.x.size(); ++k)
      if (std::isfinite(series.x[k]) && std::isfinite(series.y[k])) shown.push_back(k);
    if (shown.empty()) continue;
    const auto lower = [&](std::size_t a, std::size_t b) { return series.y[a] < series.y[b]; };
    const auto [least, most] = std::minmax_element(shown.begin(), shown.end(), lower);
    text += fmt::format(" {}: {} points, {} at {}, {} at {}; smallest {}, largest {}.", series.name, shown.size(),
                        short_text(series.y[shown.front()]), short_text(series.x[shown.front()]), short_text(series.y[shown.back()]),
                        short_text(series.x[shown.back()]), short_text(series.y[*least]), short_text(series.y[*most]));
  }
  return text;
}

std::string legend_of(const Chart &chart) {
  std::vector<LegendEntry> entries;
  for (const ChartSeries &series : chart.series) {
    const std::string path = series.look == Look::points ? "M14 7" + mark_path(series.color) : "M1 7H27";
    const char *look = series.look == Look::points ? "mark" : series.look == Look::dashed ? "dashed" : "line";
    entries.push_back({fmt::format("<path class=\"s{} {}\" d=\"{}\"/>", series.color, look, path), series.name});
  }
  return legend_html(entries);
}

// All numbers of a chart: a row for each x, a column for each series and its errors.
std::string numbers_html(const Chart &chart) {
  PageTable table;
  table.caption = "Numbers of the figure: " + chart.title;
  table.columns = {chart.x_label};
  table.ranked = 0;
  std::map<double, std::vector<std::string>> rows;
  for (const ChartSeries &series : chart.series) {
    const std::size_t column = table.columns.size();
    table.columns.push_back(series.name);
    if (!series.error.empty()) table.columns.push_back(series.name + ", standard error");
    for (std::size_t k = 0; k < series.x.size(); ++k) {
      if (!std::isfinite(series.x[k]) || !std::isfinite(series.y[k])) continue;
      std::vector<std::string> &row = rows[series.x[k]];
      row.resize(std::max(row.size(), table.columns.size()));
      row[column] = cell(series.y[k]);
      if (!series.error.empty()) row[column + 1] = cell(series.error[k]);
    }
  }
  for (auto &[x, cells] : rows) {
    cells.resize(table.columns.size());
    cells[0] = cell(x);
    table.rows.push_back(cells);
  }
  return "<details><summary>Numbers of this figure</summary>\n" + table_html(table) + "</details>\n";
}

}  // namespace

std::string chart_html(const Chart &chart, const std::string &id) {
  const Axes axes = axes_of(chart);
  std::string text = fmt::format(
      "<figure class=\"chart\"><figcaption>{1}</figcaption>\n<svg viewBox=\"0 0 {2:g} {3:g}\" role=\"img\" aria-labelledby=\"{0}-title\" "
      "aria-describedby=\"{0}-desc\"><title id=\"{0}-title\">{1}</title><desc id=\"{0}-desc\">{4}</desc>\n",
      id, html_text(chart.title), kWidth, kHeight, html_text(words_for(chart)));
  text += axes_svg(chart, axes);
  for (const ChartSeries &series : chart.series) text += series.look == Look::points ? points_svg(axes, series) : line_svg(axes, series);
  return text + "</svg>\n" + legend_of(chart) + (chart.listed ? numbers_html(chart) : "") + "</figure>\n";
}

ChartSeries series_of(const StoredTable &table, const ChartColumns &columns, const std::string &name, Look look, int color) {
  const auto text = [&table](const std::vector<std::string> &row, const std::string &column) {
    const auto place = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin());
    return place < row.size() ? row[place] : std::string();
  };
  ChartSeries series{name, look, color, {}, {}, {}};
  for (const std::vector<std::string> &row : table.rows) {
    const auto differs = [&](const std::pair<std::string, std::string> &wanted) { return text(row, wanted.first) != wanted.second; };
    if (std::any_of(columns.where.begin(), columns.where.end(), differs)) continue;
    series.x.push_back(number_in(text(row, columns.x)));
    series.y.push_back(number_in(text(row, columns.y)));
    if (!columns.error.empty()) series.error.push_back(number_in(text(row, columns.error)));
  }
  return series;
}

void add_series(Chart &chart, ChartSeries series) {
  if (is_shown(series)) chart.series.push_back(std::move(series));
}

void add_level(Chart &chart, const std::string &name, double value, int color) {
  Extent x;
  for (const ChartSeries &series : chart.series)
    for (const double at : series.x) x.add(at, chart.log_x);
  if (std::isfinite(x.low) && std::isfinite(value))
    chart.series.push_back({name, Look::dashed, color, {x.low, x.high}, {value, value}, {}});
}

bool has_column(const StoredTable &table, const std::string &column) {
  return std::find(table.columns.begin(), table.columns.end(), column) != table.columns.end();
}

bool is_shown(const ChartSeries &series) {
  for (std::size_t k = 0; k < series.x.size(); ++k)
    if (std::isfinite(series.x[k]) && std::isfinite(series.y[k])) return true;
  return false;
}

}  // namespace cli
