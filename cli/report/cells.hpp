// SPDX-License-Identifier: MIT
// Coloured cells of a map: one path of SVG for each colour.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// Levels from the paper's colour to the strongest, or from one side over the paper's colour to the other.
inline constexpr int kSequentialLevels = 10, kDivergingLevels = 11;
enum class Palette { sequential, diverging };

// The classes of its levels.
std::vector<std::string> classes_of(Palette palette);

// The level of a value on a scale that ends at `top`, or goes from -top to top.
std::size_t level_of(double value, double top, Palette palette);

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

// The scale of colours with its ends.
std::string color_scale_html(Palette palette, const std::string &name, double top);

}  // namespace cli
