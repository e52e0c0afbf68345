// SPDX-License-Identifier: MIT
#include "report/legend.hpp"

#include "report/html.hpp"

#include <fmt/core.h>

namespace cli {

std::string legend_html(const std::vector<LegendEntry> &entries) {
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry &entry : entries)
    text += fmt::format("<li><svg viewBox=\"0 0 28 14\" width=\"28\" height=\"14\" aria-hidden=\"true\">{}</svg> {}</li>", entry.sample,
                        html_text(entry.text));
  return text + "</ul>\n";
}

}  // namespace cli
