// SPDX-License-Identifier: MIT
// Heat maps of a page: a matrix in one or several blocks of columns, with the text of each cell for the pointer.
#pragma once

#include "report/cells.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// A label at the middle of a cell.
struct HeatTick {
  double place;  // in cells from the first
  std::string text;
};

struct HeatBlock {
  int64_t columns = 0, rows = 0;
  std::vector<double> values = {};      // [rows][columns]; NaN: no cell
  std::vector<std::string> texts = {};  // [rows][columns]
  std::vector<HeatTick> column_ticks = {}, row_ticks = {};
  std::vector<int64_t> marked = {};  // cells with a dot: row * columns + column
};

struct HeatMap {
  std::string title, description, x_label, y_label, scale, mark;  // mark: what a dot is, or ""
  Palette palette = Palette::diverging;
  double top = 1;  // the end of the scale of colours
  std::vector<HeatBlock> blocks;
};

// All blocks have cells of the same size: those of the first, which is the widest.
std::string heat_figure(const HeatMap &map, const std::string &id);

}  // namespace cli
