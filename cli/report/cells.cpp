// SPDX-License-Identifier: MIT
#include "report/cells.hpp"

#include "report/html.hpp"
#include "report/scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

int levels_of(Palette palette) { return palette == Palette::sequential ? kSequentialLevels : kDivergingLevels; }

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

std::string color_scale_html(Palette palette, const std::string &name, double top) {
  const std::vector<std::string> classes = classes_of(palette);
  std::string text =
      fmt::format("<p class=\"scale\">{} <span>{}</span> <svg viewBox=\"0 0 {} 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                  html_text(name), palette == Palette::sequential ? "0" : short_text(-top), classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) text += fmt::format("<path class=\"{}\" d=\"M{} 0h1v1h-1z\"/>", classes[k], k);
  return text + fmt::format("</svg> <span>{}</span></p>\n", short_text(top));
}

}  // namespace cli
