// SPDX-License-Identifier: MIT
// The list below a figure that says what its marks and colours are.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct LegendEntry {
  std::string sample;  // SVG in a view box of 28 x 14
  std::string text;
};

std::string legend_html(const std::vector<LegendEntry> &entries);

}  // namespace cli
