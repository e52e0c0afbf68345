// SPDX-License-Identifier: MIT
#include "report/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cli {

namespace {

constexpr double kHeight = 300, kRight = 12, kTop = 10, kBottom = 44;
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
  std::size_t letters = 1;
  for (const double tick : axes.y.ticks) letters = std::max(letters, axes.y.tick_text(tick).size());
  axes.x.from = 30 + svg_width(std::string(letters, '0'));
  axes.x.to = kDrawingWidth - kRight;
  axes.y.from = kHeight - kBottom;
  axes.y.to = kTop;
  return axes;
}

std::string axes_svg(const Chart &chart, const Axes &axes) {
  const double left = axes.x.from, right = axes.x.to, bottom = axes.y.from;
  std::string text;
  for (const double tick : axes.y.ticks)
    text += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:g}\"/>", left, axes.y.at(tick), right) +
            svg_text(left - 6, axes.y.at(tick) + 4, axes.y.tick_text(tick), "end", "tick");
  for (const double tick : axes.x.ticks)
    text += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:g}V{:g}\"/>", axes.x.at(tick), kTop, bottom) +
            svg_text(axes.x.at(tick), bottom + 16, axes.x.tick_text(tick), "middle", "tick");
  text += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:g}V{:g}H{:g}\"/>\n", left, kTop, bottom, right);
  return text + svg_text((left + right) / 2, kHeight - 8, chart.x_label, "middle", "label") +
         svg_upwards(13, (kTop + bottom) / 2, chart.y_label);
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

// Its end on a logarithmic axis may lie below all of it.
std::string error_bar(const Scale &scale, int color, double x, double y, double error) {
  const bool whole = scale.has(y - error) && y - error >= scale.low * (1 - 1e-9);
  const double low = scale.at(whole || !scale.logarithmic ? y - error : scale.low), high = scale.at(y + error);
  return fmt::format("<path class=\"s{} bar\" d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}h7{}\"/>", color, x, low, high, x - 3.5, high,
                     whole || !scale.logarithmic ? fmt::format("M{:.1f} {:.1f}h7", x - 3.5, low) : "");
}

std::string points_svg(const Axes &axes, const ChartSeries &series) {
  std::string text;
  const bool small = series.x.size() > kManyPoints;
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    if (!has_place(axes, series, k)) continue;
    const double x = axes.x.at(series.x[k]), y = series.y[k], error = k < series.error.size() ? series.error[k] : 0;
    if (error > 0 && std::isfinite(error)) text += error_bar(axes.y, series.color, x, y, error);
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

// Describes in words what a chart shows.
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

// A single series that the axis names needs none.
std::vector<LegendEntry> legend_of(const Chart &chart) {
  std::vector<LegendEntry> entries;
  if (chart.series.size() == 1 && chart.series[0].name == chart.y_label) return entries;
  for (const ChartSeries &series : chart.series) {
    const std::string path = series.look == Look::points ? "M14 7" + mark_path(series.color) : "M1 7H27";
    const char *look = series.look == Look::points ? "mark" : series.look == Look::dashed ? "dashed" : "line";
    entries.push_back({fmt::format("<path class=\"s{} {}\" d=\"{}\"/>", series.color, look, path), series.name});
  }
  return entries;
}

}  // namespace

Drawing chart_drawing(const Chart &chart) {
  const Axes axes = axes_of(chart);
  Drawing drawing{chart.title, words_for(chart), axes_svg(chart, axes)};
  for (const ChartSeries &series : chart.series)
    drawing.body += series.look == Look::points ? points_svg(axes, series) : line_svg(axes, series);
  drawing.height = kHeight;
  add_legend(drawing, legend_of(chart));
  return drawing;
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
