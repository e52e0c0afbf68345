// SPDX-License-Identifier: MIT
#include "report/heat_figure.hpp"

#include "report/html.hpp"
#include "report/legend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr double kHeatWidth = 440, kHeatLeft = 46, kHeatRight = 8, kHeatTop = 8, kHeatBottom = 38, kMostUnit = 20;

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

std::string block_labels(const HeatMap &map, const HeatBlock &block, double unit) {
  const double width = unit * static_cast<double>(block.columns), end = kHeatTop + unit * static_cast<double>(block.rows);
  const char *size = unit < 13 ? "tick small" : "tick";
  std::string text;
  for (const HeatTick &tick : block.column_ticks)
    text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                        kHeatLeft + (tick.place + 0.5) * unit, end + 14, html_text(tick.text));
  for (const HeatTick &tick : block.row_ticks)
    text += fmt::format("<text class=\"{}\" x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", size, kHeatLeft - 4,
                        kHeatTop + (tick.place + 0.5) * unit + 3.5, html_text(tick.text));
  text += fmt::format("<path class=\"frame\" d=\"M{:g} {:g}h{:.2f}V{:.2f}h-{:.2f}z\"/>\n", kHeatLeft, kHeatTop, width, end, width);
  return text + fmt::format(
                    "<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text><text class=\"label\" "
                    "transform=\"translate(12 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                    kHeatLeft + width / 2, end + kHeatBottom - 7, html_text(map.x_label), (kHeatTop + end) / 2, html_text(map.y_label));
}

std::string block_svg(const HeatMap &map, std::size_t k, double unit, const std::string &id) {
  const HeatBlock &block = map.blocks[k];
  const double width = unit * static_cast<double>(block.columns), height = unit * static_cast<double>(block.rows);
  const std::string part = map.blocks.size() > 1 ? fmt::format(", part {} of {}", k + 1, map.blocks.size()) : "";
  std::string text = fmt::format(
      "<svg viewBox=\"0 0 {0:g} {1:.2f}\" role=\"img\" aria-labelledby=\"{2}-title\" aria-describedby=\"{2}-desc\"><title "
      "id=\"{2}-title\">{3}{4}</title><desc "
      "id=\"{2}-desc\">{5}</desc>\n<g class=\"cells\" transform=\"translate({6:g} {7:g}) scale({8:.6g})\">\n{9}</g>\n",
      kHeatWidth, kHeatTop + height + kHeatBottom, fmt::format("{}-{}", id, k + 1), html_text(map.title), part, html_text(map.description),
      kHeatLeft, kHeatTop, unit, block_cells(map, block));
  for (const int64_t place : block.marked)
    text += fmt::format("<circle class=\"wild\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"/>",
                        kHeatLeft + (static_cast<double>(place % block.columns) + 0.5) * unit,
                        kHeatTop + (std::floor(static_cast<double>(place) / static_cast<double>(block.columns)) + 0.5) * unit, 0.22 * unit);
  return text + block_labels(map, block, unit) +
         fmt::format(
             "<path class=\"area\" fill=\"none\" data-columns=\"{}\" data-rows=\"{}\" d=\"M{:g} {:g}h{:.2f}v{:.2f}h-{:.2f}z\"/></svg>\n",
             block.columns, block.rows, kHeatLeft, kHeatTop, width, height, width);
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

std::string heat_figure(const HeatMap &map, const std::string &id) {
  const double unit = std::min(kMostUnit, (kHeatWidth - kHeatLeft - kHeatRight) / static_cast<double>(map.blocks.front().columns));
  std::string text = fmt::format(
      "<figure class=\"map\" id=\"{0}\"><figcaption>{1}</figcaption>\n<div role=\"group\" tabindex=\"0\" aria-label=\"{1}: arrow keys move "
      "over the cells\" data-map=\"{0}\">\n",
      id, html_text(map.title));
  std::string json;
  for (std::size_t k = 0; k < map.blocks.size(); ++k) {
    text += block_svg(map, k, unit, id);
    json += (k == 0 ? "" : ",\n") + texts_json(map.blocks[k]);
  }
  text += "</div>\n" + color_scale_html(map.palette, map.scale, map.top);
  if (!map.mark.empty()) text += legend_html({{"<circle class=\"wild\" cx=\"14\" cy=\"7\" r=\"3\"/>", map.mark}});
  return text + fmt::format(
                    "<p class=\"readout\">Point at a cell, or move over the cells with the arrow keys.</p>\n<script "
                    "type=\"application/json\">{{\"cells\":[{}]}}</script>\n</figure>\n",
                    json);
}

}  // namespace cli
