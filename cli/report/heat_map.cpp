// SPDX-License-Identifier: MIT
#include "report/heat_map.hpp"

#include "run/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int kSequentialLevels = 10, kDivergingLevels = 11;

int levels_of(Palette palette) { return palette == Palette::sequential ? kSequentialLevels : kDivergingLevels; }

constexpr double kHeatLeft = 46, kHeatRight = 8, kHeatTop = 8, kHeatBottom = 38, kMostUnit = 20;

std::string block_cells(const HeatMap &map, const HeatBlock &block) {
  Cells cells(classes_of(map.palette));
  for (int64_t y = 0; y < block.rows; ++y)
    for (int64_t x = 0; x < block.columns; ++x) {
      const double value = block.values[static_cast<std::size_t>(y * block.columns + x)];
      const std::size_t least = map.palette == Palette::sequential ? 1 : 0;  // the paper's colour is that of no cell
      if (!std::isnan(value)) cells.add(x, y, std::max(least, level_of(value, map.top, map.palette)));
    }
  return cells.svg();
}

// `top`: of the block in the drawing.
std::string block_labels(const HeatMap &map, const HeatBlock &block, double unit, double top) {
  const double width = unit * static_cast<double>(block.columns), end = top + unit * static_cast<double>(block.rows);
  std::string text;
  for (const HeatTick &tick : block.column_ticks)
    text += svg_text(kHeatLeft + (tick.place + 0.5) * unit, end + 14, tick.text, "middle", "tick");
  for (const HeatTick &tick : block.row_ticks)
    text += svg_text(kHeatLeft - 4, top + (tick.place + 0.5) * unit + 3.5, tick.text, "end", unit < 13 ? "tick small" : "tick");
  return text + fmt::format("<path class=\"frame\" d=\"M{:g} {:.1f}h{:.2f}V{:.2f}h-{:.2f}z\"/>\n", kHeatLeft, top, width, end, width) +
         svg_text(kHeatLeft + width / 2, end + kHeatBottom - 7, map.x_label, "middle", "label") +
         svg_upwards(12, (top + end) / 2, map.y_label);
}

std::string block_svg(const HeatMap &map, const HeatBlock &block, double unit, double top) {
  std::string text = fmt::format("<g class=\"cells\" transform=\"translate({:g} {:.1f}) scale({:.6g})\">\n{}</g>\n", kHeatLeft, top, unit,
                                 block_cells(map, block));
  for (const int64_t place : block.marked)
    text += fmt::format("<circle class=\"wild\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"/>",
                        kHeatLeft + (static_cast<double>(place % block.columns) + 0.5) * unit,
                        top + (std::floor(static_cast<double>(place) / static_cast<double>(block.columns)) + 0.5) * unit, 0.22 * unit);
  const double width = unit * static_cast<double>(block.columns), height = unit * static_cast<double>(block.rows);
  return text + block_labels(map, block, unit, top) +
         fmt::format(
             "<path class=\"area\" fill=\"none\" data-columns=\"{}\" data-rows=\"{}\" d=\"M{:g} {:.1f}h{:.2f}v{:.2f}h-{:.2f}z\"/>\n",
             block.columns, block.rows, kHeatLeft, top, width, height, width);
}

std::string texts_json(const HeatBlock &block) {
  std::string json;
  for (int64_t y = 0; y < block.rows; ++y) {
    json += y == 0 ? "[" : ",\n[";
    for (int64_t x = 0; x < block.columns; ++x)
      json += (x == 0 ? "" : ",") + script_string(block.texts[static_cast<std::size_t>(y * block.columns + x)]);
    json += "]";
  }
  return "[" + json + "]";
}

}  // namespace

std::vector<std::string> classes_of(Palette palette) {
  std::vector<std::string> classes;
  for (int k = 0; k < levels_of(palette); ++k) classes.push_back(fmt::format("{}{}", palette == Palette::sequential ? 'q' : 'd', k));
  return classes;
}

std::size_t level_of(double value, double top, Palette palette) {
  const int levels = levels_of(palette);
  const double part = palette == Palette::sequential ? value / top : (value / top + 1) / 2;
  return static_cast<std::size_t>(std::clamp(static_cast<int>(std::floor(part * levels)), 0, levels - 1));
}

void Cells::add(int64_t x, int64_t y, std::size_t color) {
  Run &run = runs_[color];
  if (run.length > 0 && run.y == y && run.x + run.length == x) {
    ++run.length;
    return;
  }
  end_run(color);
  run = {x, y, 1};
}

void Cells::end_run(std::size_t color) {
  const Run &run = runs_[color];
  if (run.length > 0) paths_[color] += fmt::format("M{} {}h{}v1h-{}z", run.x, run.y, run.length, run.length);
  runs_[color].length = 0;
}

std::string Cells::svg() {
  std::string text;
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    end_run(k);
    if (!paths_[k].empty()) text += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes_[k], paths_[k]);
  }
  return text;
}

void add_color_scale(Drawing &drawing, Palette palette, const std::string &name, double top) {
  constexpr double kLine = 19, kSwatch = 13;
  const std::vector<std::string> classes = classes_of(palette);
  const std::string low = palette == Palette::sequential ? "0" : fmt::format("{:.3g}", -top), high = fmt::format("{:.3g}", top);
  const double bar = kSwatch * static_cast<double>(classes.size());
  double x = 8, y = drawing.height + 4;
  drawing.body += svg_text(x, y + 11.5, name, "start", "label");
  if (x + svg_width(name + low + high) + bar + 30 > drawing.width)
    y += kLine;
  else
    x += svg_width(name) + 10;
  drawing.body += svg_text(x, y + 11.5, low, "start", "tick");
  x += svg_width(low) + 5;
  for (std::size_t k = 0; k < classes.size(); ++k)
    drawing.body += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:g}v12h-{:g}z\"/>", classes[k],
                                x + kSwatch * static_cast<double>(k), y + 1, kSwatch, kSwatch);
  drawing.body += fmt::format("<path class=\"frame\" d=\"M{:.1f} {:.1f}h{:g}v12h-{:g}z\"/>\n", x, y + 1, bar, bar) +
                  svg_text(x + bar + 5, y + 11.5, high, "start", "tick");
  drawing.height = y + kLine;
}

std::string script_string(const std::string &text) {
  std::string safe;
  for (const char c : json_string(text)) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

Drawing heat_drawing(const HeatMap &map) {
  const double unit = std::min(kMostUnit, (kDrawingWidth - kHeatLeft - kHeatRight) / static_cast<double>(map.blocks.front().columns));
  Drawing drawing{map.title, map.description};
  std::string json;
  for (const HeatBlock &block : map.blocks) {
    drawing.body += block_svg(map, block, unit, drawing.height + kHeatTop);
    drawing.height += kHeatTop + unit * static_cast<double>(block.rows) + kHeatBottom;
    json += (json.empty() ? "" : ",\n") + texts_json(block);
  }
  add_color_scale(drawing, map.palette, map.scale, map.top);
  if (!map.mark.empty()) add_legend(drawing, {{"<circle class=\"wild\" cx=\"14\" cy=\"7\" r=\"3\"/>", map.mark}});
  drawing.data = "{\"cells\":[" + json + "]}";
  drawing.readout = "Point at a cell, or move over the cells with the arrow keys.";
  drawing.keys = "move over the cells";
  return drawing;
}

}  // namespace cli
