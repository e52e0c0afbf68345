// SPDX-License-Identifier: MIT
// Axes of charts: places of values, and ticks.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct Scale {
  double low = 0, high = 1;  // values at the ends
  double from = 0, to = 1;   // their places in the drawing
  bool logarithmic = false;
  std::vector<double> ticks;
  double at(double value) const;
  // Whether a value has a place.
  bool has(double value) const;
};

// A scale over values: its ends are round on a linear scale. `about`: the number of ticks.
Scale scale_over(double low, double high, bool logarithmic, int about);

// Round whole numbers between two values, both included.
std::vector<double> ticks_between(double low, double high, int about);

// A few digits, for ticks and descriptions.
std::string short_text(double value);

}  // namespace cli
