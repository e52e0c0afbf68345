// SPDX-License-Identifier: MIT
#include "report/svg.hpp"

#include "text/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

struct DrawingColor {
  const char *name, *light, *dark;
};

// s: series, which differ in lightness, too; q: levels from the paper's colour to the strongest; d: from one side over the paper's colour
// to the other. Light ends are dark, so that they read the same in grey.
constexpr DrawingColor kDrawingColors[] = {
    {"paper", "#ffffff", "#12171d"}, {"ink", "#1b1f24", "#e6eaef"},     {"faint", "#59636e", "#a3adb8"},  {"rule", "#d5dae0", "#36404b"},
    {"known", "#b4bac2", "#59636f"}, {"between", "#8fc99a", "#3f7d4e"}, {"unseen", "#f3ead0", "#2f2a1b"}, {"s0", "#0b4f9e", "#7db8ff"},
    {"s1", "#c2500a", "#ffab6b"},    {"s2", "#1b7a5a", "#6fd3ad"},      {"s3", "#8338b3", "#d3a4f5"},     {"s4", "#5b6470", "#b3bcc6"},
    {"s5", "#a8134f", "#ff8db4"},    {"q0", "#ffffff", "#12171d"},      {"q1", "#dfedf5", "#16293c"},     {"q2", "#bedceb", "#1b3c5a"},
    {"q3", "#9ecae1", "#1f4e79"},    {"q4", "#7ab2d5", "#2f6899"},      {"q5", "#559ac9", "#3f81b9"},     {"q6", "#3182bd", "#4f9bd9"},
    {"q7", "#2367a2", "#80b8e6"},    {"q8", "#164b86", "#b2d4f2"},      {"q9", "#08306b", "#e3f1ff"},     {"d0", "#b35806", "#ffb066"},
    {"d1", "#cc761d", "#dc9048"},    {"d2", "#e59434", "#b9702b"},      {"d3", "#f4b566", "#8d541f"},     {"d4", "#f9dab3", "#563d26"},
    {"d5", "#ffffff", "#20262d"},    {"d6", "#b7d3e9", "#264361"},      {"d7", "#6ea6d3", "#2c6094"},     {"d8", "#3d7db5", "#4581be"},
    {"d9", "#225690", "#70a6df"},    {"d10", "#08306b", "#9ccbff"}};

constexpr const char *kDrawingRules = R"css(svg text { fill: var(--ink); font-family: inherit; font-size: 13px; }
svg .tick { fill: var(--faint); font-size: 12px; }
svg .small { font-size: 10px; }
svg .grid { stroke: var(--rule); fill: none; stroke-width: 1; }
svg .axis, svg .frame { stroke: var(--faint); fill: none; stroke-width: 1; }
svg .cells { shape-rendering: crispEdges; }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .dashed { fill: none; stroke-width: 2; stroke-dasharray: 7 4; }
svg .bar { fill: none; stroke-width: 1.3; }
svg .mark { stroke: var(--paper); stroke-width: 0.7; }
.known { fill: var(--known); }
.between { fill: var(--between); }
.hidden-site { fill: var(--unseen); }
.border { stroke: var(--ink); fill: none; stroke-dasharray: 4 3; }
.pair { fill: var(--s0); stroke: var(--paper); }
.pair.far { fill: var(--s1); }
.pair.unknown { fill: var(--paper); stroke: var(--ink); }
.wild { fill: var(--ink); }
)css";

std::string css_rules() {
  std::string text = kDrawingRules;
  for (const DrawingColor &color : kDrawingColors) {
    const std::string name = color.name;
    if (name.size() > 3) continue;  // has a rule of its own
    if (name[0] == 's')
      text += fmt::format(".{0} {{ stroke: var(--{0}); }}\n.{0}.mark {{ fill: var(--{0}); }}\n", name);
    else if (name[0] == 'q' || name[0] == 'd')
      text += fmt::format(".{0} {{ fill: var(--{0}); }}\n", name);
  }
  return text;
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

// The ends are whole halves of steps.
void set_linear_ticks(Scale &scale, int about) {
  const double step = round_step((scale.high - scale.low) / about);
  scale.low = std::floor(2 * scale.low / step + 1e-9) * step / 2;
  scale.high = std::ceil(2 * scale.high / step - 1e-9) * step / 2;
  for (double k = std::ceil(scale.low / step - 1e-9); k <= scale.high / step + 1e-9; ++k) scale.ticks.push_back(k * step);
}

// Powers of ten, 1, 2 and 5 times them where there are few, or as on a linear scale where these are few, too.
void set_log_ticks(Scale &scale, int about) {
  const double low = std::floor(std::log10(scale.low)), high = std::ceil(std::log10(scale.high));
  const double every = std::max(1.0, std::ceil((high - low) / about));
  const bool few = std::log10(scale.high / scale.low) < about / 2.0;
  for (double k = low; k <= high; k += every)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !few) break;
      const double tick = factor * std::pow(10, k);
      if (tick >= scale.low * (1 - 1e-9) && tick <= scale.high * (1 + 1e-9)) scale.ticks.push_back(tick);
    }
  if (scale.ticks.size() > 2) return;
  scale.ticks.clear();
  const double step = round_step((scale.high - scale.low) / about);
  for (double k = std::ceil(scale.low / step); k * step <= scale.high; ++k) scale.ticks.push_back(k * step);
}

// A whole number in superscript digits.
std::string superscript(int number) {
  constexpr const char *kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text;
  for (const char c : fmt::format("{}", number)) text += c == '-' ? "\u207b" : kDigits[c - '0'];
  return text;
}

// Breaks a text at blanks into lines of at most so many letters.
std::vector<std::string> broken_lines(const std::string &text, std::size_t letters) {
  std::vector<std::string> lines = {""};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > letters) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string html_text(const std::string &text) {
  std::string safe;
  for (const char c : without_controls(text, "\xef\xbf\xbd")) {
    switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string svg_text(double x, double y, const std::string &text, const char *anchor, const char *kind) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, x, y, anchor, html_text(text));
}

std::string svg_upwards(double x, double y, const std::string &text) {
  return fmt::format("<text class=\"label\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", x, y,
                     html_text(text));
}

double svg_width(const std::string &text) {
  return 6.8 * static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void add_legend(Drawing &drawing, const std::vector<LegendEntry> &entries) {
  constexpr double kLine = 19, kSample = 28, kGap = 16;
  double x = 8, y = drawing.height + 4;
  for (const LegendEntry &entry : entries) {
    const double width = kSample + 6 + svg_width(entry.text);
    if (x > 8 && x + width > drawing.width) {
      x = 8;
      y += kLine;
    }
    drawing.body += fmt::format("<g class=\"key\" transform=\"translate({:.1f} {:.1f})\">{}{}</g>\n", x, y, entry.sample,
                                svg_text(kSample + 6, 11.5, entry.text, "start", "label"));
    x += width + kGap;
  }
  if (!entries.empty()) drawing.height = y + kLine;
}

double Scale::at(double value) const {
  const double part = logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : (value - low) / (high - low);
  return from + part * (to - from);
}

bool Scale::has(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

std::string Scale::tick_text(double tick) const {
  const double power = logarithmic ? std::log10(tick) : 0;
  if (std::fabs(power) < 3.5) return short_text(tick);
  const double whole = std::floor(power + 1e-9), factor = std::round(tick / std::pow(10, whole));
  return (factor > 1 ? fmt::format("{:g}\u00b7", factor) : "") + "10" + superscript(static_cast<int>(whole));
}

Scale scale_over(double low, double high, bool logarithmic, int about) {
  Scale scale;
  scale.logarithmic = logarithmic;
  if (logarithmic) {
    scale.low = low > 0 ? low : 1;
    scale.high = high > scale.low * 1.01 ? high : scale.low * 10;
    const double margin = std::pow(scale.high / scale.low, 0.03);
    scale.low /= margin;
    scale.high *= margin;
    set_log_ticks(scale, about);
    return scale;
  }
  const double largest = std::fmax(std::fabs(low), std::fabs(high));
  const double spread = high - low > 1e-9 * largest ? 0 : largest > 0 ? largest / 2 : 0.5;
  scale.low = low - spread;
  scale.high = high + spread;
  set_linear_ticks(scale, about);
  return scale;
}

std::vector<double> ticks_between(double low, double high, int about) {
  const double step = std::fmax(1, round_step((high - low) / about));
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) ticks.push_back(tick);
  return ticks;
}

std::string short_text(double value) { return fmt::format("{:.5g}", std::fabs(value) < 1e-12 ? 0 : value); }

std::string page_colors() {
  std::string light, dark;
  for (const DrawingColor &color : kDrawingColors) {
    light += fmt::format("  --{}: {};\n", color.name, color.light);
    dark += fmt::format("    --{}: {};\n", color.name, color.dark);
  }
  return ":root {\n" + light + "}\n@media (prefers-color-scheme: dark) {\n  :root {\n" + dark + "  }\n}\n";
}

std::string drawing_rules() { return css_rules(); }

std::string paper_rules() {
  std::string text = css_rules();
  for (const DrawingColor &color : kDrawingColors) {
    const std::string variable = fmt::format("var(--{})", color.name);
    for (std::size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at))
      text.replace(at, variable.size(), color.light);
  }
  return text;
}

std::string svg_on_page(const Drawing &drawing, const std::string &id) {
  return fmt::format(
      "<svg viewBox=\"0 0 {1:g} {2:.1f}\" role=\"img\" aria-labelledby=\"{0}-title\" aria-describedby=\"{0}-desc\"><title "
      "id=\"{0}-title\">{3}</title><desc id=\"{0}-desc\">{4}</desc>\n{5}</svg>\n",
      id, drawing.width, drawing.height, html_text(drawing.title), html_text(drawing.description), drawing.body);
}

std::string svg_file(const std::vector<std::string> &heading, const std::vector<Drawing> &drawings) {
  constexpr double kMargin = 14, kGap = 26, kLine = 17, kCaption = 24;
  const std::size_t columns = std::min<std::size_t>(2, drawings.size());
  const double width = 2 * kMargin + static_cast<double>(columns) * (kDrawingWidth + kGap) - kGap;
  double y = kMargin;
  std::string body;
  for (std::size_t k = 0; k < heading.size(); ++k)
    for (const std::string &line : broken_lines(heading[k], static_cast<std::size_t>((width - 2 * kMargin) / 6.8)))
      body += svg_text(kMargin, y += kLine, line, "start", k == 0 ? "heading" : "tick");
  if (!heading.empty()) y += kMargin;
  for (std::size_t first = 0; first < drawings.size(); first += columns) {
    double height = 0;
    for (std::size_t k = first; k < std::min(drawings.size(), first + columns); ++k) {
      const Drawing &drawing = drawings[k];
      body += fmt::format("<g transform=\"translate({:g} {:g})\">\n{}<g transform=\"translate(0 {:g})\">\n{}</g></g>\n",
                          kMargin + static_cast<double>(k - first) * (kDrawingWidth + kGap), y,
                          svg_text(0, kLine, drawing.title, "start", "caption"), kCaption, drawing.body);
      height = std::fmax(height, kCaption + drawing.height);
    }
    y += height + kMargin;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:g} {1:.0f}\" font-family=\"Helvetica, "
      "Arial, "
      "'Liberation Sans', sans-serif\">\n<title>{2}</title>\n<style>\n{3}svg .heading {{ font-size: 15px; font-weight: bold; }}\nsvg "
      ".caption {{ "
      "font-weight: bold; }}\n</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{4}</svg>\n",
      width, y, html_text(heading.empty() ? "" : heading.front()), paper_rules(), body);
}

}  // namespace cli
