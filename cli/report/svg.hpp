// SPDX-License-Identifier: MIT
// Drawings in SVG: text, axes, legends and colours. Charts and maps are drawings; pages and pictures show them.
#pragma once

#include <string>
#include <vector>

namespace cli {

// The text for HTML and SVG, also for values in double quotes. Bytes that are no UTF-8, and control characters, become the replacement
// character: names of sequences and files may hold anything.
std::string html_text(const std::string &text);

inline constexpr double kDrawingWidth = 440;  // letters of 13 units are 10 pixels high on a phone

// What stands between <svg> and </svg>, from (0, 0) to (width, height); a unit is about a pixel.
struct Drawing {
  std::string title, description, body = {};
  double width = kDrawingWidth, height = 0;
  // Of maps: JSON for the script of pages, the text that asks for a pointer, and what the arrow keys do.
  std::string data = {}, readout = {}, keys = {};
};

// A text at a place. `kind`: the class, "tick", "tick small", "label"; `anchor`: "start", "middle", "end".
std::string svg_text(double x, double y, const std::string &text, const char *anchor, const char *kind);
// The name of a vertical axis, upwards.
std::string svg_upwards(double x, double y, const std::string &text);
// About how wide a text is.
double svg_width(const std::string &text);

struct LegendEntry {
  std::string sample;  // SVG in a box of 28 x 14
  std::string text;
};
// Adds a legend below what the drawing has.
void add_legend(Drawing &drawing, const std::vector<LegendEntry> &entries);

// An axis: places of values, and ticks.
struct Scale {
  double low = 0, high = 1;  // values at the ends
  double from = 0, to = 1;   // their places in the drawing
  bool logarithmic = false;
  std::vector<double> ticks;
  double at(double value) const;
  // Whether a value has a place.
  bool has(double value) const;
  std::string tick_text(double tick) const;
};
// A scale over values, with a margin on a logarithmic scale, with round ends on others. `about`: the number of ticks.
Scale scale_over(double low, double high, bool logarithmic, int about);
// Round whole numbers between two values, both included.
std::vector<double> ticks_between(double low, double high, int about);
// A few digits, for ticks and descriptions.
std::string short_text(double value);

// The rules of drawings: with the colours of the page's style for light and dark screens, or with those for white paper.
std::string page_colors();
std::string drawing_rules();
std::string paper_rules();

// The <svg> of a drawing on a page. `id`: unique there.
std::string svg_on_page(const Drawing &drawing, const std::string &id);
// A file: lines above the drawings, which stand beside each other, two in a row.
std::string svg_file(const std::vector<std::string> &heading, const std::vector<Drawing> &drawings);

}  // namespace cli
