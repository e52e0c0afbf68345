// SPDX-License-Identifier: MIT
// Heat maps: coloured cells with a scale of colours.
#pragma once

#include "report/svg.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// Levels from the paper's colour to the strongest, or from one side over the paper's colour to the other.
enum class Palette { sequential, diverging };

// The classes of the levels of a palette.
std::vector<std::string> classes_of(Palette palette);
// The level of a value on a scale that ends at `top`, or goes from -top to top.
std::size_t level_of(double value, double top, Palette palette);

// The cells of a map: one path for each colour.
class Cells {
 public:
  // `classes`: of the colours.
  explicit Cells(const std::vector<std::string> &classes) : classes_(classes), runs_(classes.size()), paths_(classes.size()) {}
  // A cell of 1 x 1 with this corner. Cells of a row that follow each other become one rectangle.
  void add(int64_t x, int64_t y, std::size_t color);
  // The paths, in units of cells.
  std::string svg();

 private:
  struct Run {
    int64_t x = 0, y = 0, length = 0;
  };
  void end_run(std::size_t color);
  std::vector<std::string> classes_;
  std::vector<Run> runs_;
  std::vector<std::string> paths_;
};

// Adds the scale of colours with its ends below what the drawing has.
void add_color_scale(Drawing &drawing, Palette palette, const std::string &name, double top);

// The text as a string of JSON that may stand within <script>.
std::string script_string(const std::string &text);

// A label at the middle of a cell.
struct HeatTick {
  double place;  // in cells from the first
  std::string text;
};

struct HeatBlock {
  int64_t columns = 0, rows = 0;
  std::vector<double> values = {};      // [rows][columns]; NaN: no cell
  std::vector<std::string> texts = {};  // [rows][columns], for the pointer
  std::vector<HeatTick> column_ticks = {}, row_ticks = {};
  std::vector<int64_t> marked = {};  // cells with a dot: row * columns + column
};

// A matrix in one block, or in several blocks of columns below each other.
struct HeatMap {
  std::string title, description, x_label, y_label, scale, mark;  // mark: what a dot is, or ""
  Palette palette = Palette::diverging;
  double top = 1;  // the end of the scale of colours
  std::vector<HeatBlock> blocks;
};

// All blocks have cells of the same size: those of the first, which is the widest.
Drawing heat_drawing(const HeatMap &map);

}  // namespace cli
