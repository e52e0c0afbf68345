// SPDX-License-Identifier: MIT
#include "report/contact_figure.hpp"

#include "report/cells.hpp"
#include "report/html.hpp"
#include "report/legend.hpp"
#include "report/scale.hpp"
#include "support/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr double kMapLeft = 46, kMapTop = 8, kMapSide = 386, kMapBottom = 40;
constexpr int64_t kMostScores = 500;  // sites of a map whose page has the scores of all pairs

// The map with what every part of the drawing needs.
struct Drawing {
  const ContactMap &map;
  ContactAxis axis;
  double unit;  // the side of a cell
  int64_t cell_of(int64_t site) const { return axis.positions[static_cast<std::size_t>(site)] - axis.first; }
  double score(int64_t i, int64_t j) const { return map.scores[static_cast<std::size_t>(i * map.sites + j)]; }
};

bool is_hidden(const ContactMap &map, int64_t site) {
  return !map.structure.empty() && map.structure.resolved[static_cast<std::size_t>(site)] == 0;
}

std::string site_name(const ContactMap &map, int64_t site) {
  return fmt::format("{}{}{}", map.numbers[site], map.residues.empty() ? "" : " ",
                     map.residues.empty() ? "" : map.residues.substr(static_cast<std::size_t>(site), 1));
}

// Bands of the sites that the structure does not show.
std::string hidden_svg(const Drawing &drawing) {
  std::string text;
  const auto size = drawing.axis.size();
  for (int64_t i = 0; i < drawing.map.sites; ++i)
    if (is_hidden(drawing.map, i))
      text += fmt::format("<path class=\"hidden-site\" d=\"M0 {0}h{0}v1h-{0}zM{0} {0}h1v{1}h-1z\"/>\n", drawing.cell_of(i),
                          size - drawing.cell_of(i));
  return text;
}

// Cells in the order of their rows.
std::string cells_svg(const Drawing &drawing) {
  const ContactMap &map = drawing.map;
  Cells scores(classes_of(Palette::sequential)), known({"known", "between"});
  const double top = top_score(map);
  for (int64_t i = 0; i < map.sites; ++i)
    for (int64_t j = i + 1; j < map.sites; ++j) {
      const std::size_t level = is_scored(map, i, j) ? level_of(drawing.score(i, j), top, Palette::sequential) : 0;
      if (level > 0) scores.add(drawing.cell_of(j), drawing.cell_of(i), level);
    }
  for (int64_t j = 0; j < map.sites; ++j)
    for (int64_t i = 0; i < j; ++i)
      if (distance_of(map, i, j) < map.cutoff)
        known.add(drawing.cell_of(i), drawing.cell_of(j), !map.structure.empty() && map.structure.between_chains(i, j) ? 1 : 0);
  return scores.svg() + known.svg();
}

std::string shape_of(const std::string &kind, double r) {
  if (kind == "far") return fmt::format("m0-{0:.2f}l{0:.2f} {0:.2f}-{0:.2f} {0:.2f}-{0:.2f}-{0:.2f}z", 1.25 * r);
  return fmt::format("m-{0:.2f} 0a{0:.2f} {0:.2f} 0 1 0 {1:.2f} 0a{0:.2f} {0:.2f} 0 1 0-{1:.2f} 0z", r, 2 * r);
}

std::string kind_of(const ContactMap &map, int64_t i, int64_t j) {
  if (map.distances.empty()) return "";
  const double distance = distance_of(map, i, j);
  return std::isnan(distance) ? "unknown" : distance < map.cutoff ? "" : "far";
}

std::string marks_svg(const Drawing &drawing) {
  std::string text;
  const double radius = std::clamp(0.55 * drawing.unit, 1.8, 5.0);
  for (std::size_t k = 0; 2 * k < drawing.map.pairs.size(); ++k) {
    const int64_t i = drawing.map.pairs[2 * k], j = drawing.map.pairs[2 * k + 1];
    const auto place = [&](int64_t site) { return (static_cast<double>(drawing.cell_of(site)) + 0.5) * drawing.unit; };
    const std::string kind = kind_of(drawing.map, i, j);
    text += fmt::format("<path class=\"pair {}\" data-pair=\"{}\" d=\"M{:.1f} {:.1f}{}\"/>\n", kind, k, kMapLeft + place(i),
                        kMapTop + place(j), shape_of(kind, radius));
  }
  return text;
}

std::string map_axes_svg(const Drawing &drawing) {
  const double end = kMapTop + kMapSide, side = kMapSide;
  std::string text = fmt::format("<path class=\"frame\" d=\"M{0:g} {1:g}h{2:g}v{2:g}h-{2:g}zl{2:g} {2:g}\"/>\n", kMapLeft, kMapTop, side);
  for (const double tick : ticks_between(static_cast<double>(drawing.axis.first), static_cast<double>(drawing.axis.last), 6)) {
    const double at = (tick - static_cast<double>(drawing.axis.first) + 0.5) * drawing.unit;
    text += fmt::format(
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{:g}</text><text class=\"tick\" x=\"{:g}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{:g}</text>\n",
        kMapLeft + at, end + 15, tick, kMapLeft - 5, kMapTop + at + 4, tick);
  }
  const char *name = drawing.axis.numbered ? "site" : "place of the site";
  text += fmt::format(
      "<text class=\"label\" x=\"{0:g}\" y=\"{1:g}\" text-anchor=\"middle\">{2}</text><text class=\"label\" transform=\"translate(12 "
      "{3:g}) rotate(-90)\" text-anchor=\"middle\">{2}</text>\n",
      kMapLeft + side / 2, end + kMapBottom - 8, name, kMapTop + side / 2);
  if (drawing.map.border > 0) {
    const double line =
        0.5 * drawing.unit * static_cast<double>(drawing.cell_of(drawing.map.border - 1) + drawing.cell_of(drawing.map.border) + 1);
    text += fmt::format("<path class=\"border\" d=\"M{:.1f} {:g}v{:g}M{:g} {:.1f}h{:g}\"/>\n", kMapLeft + line, kMapTop, side, kMapLeft,
                        kMapTop + line, side);
  }
  return text;
}

std::string map_legend(const ContactMap &map) {
  const auto mark = [](const char *kind) { return fmt::format("<path class=\"pair {}\" d=\"M14 7{}\"/>", kind, shape_of(kind, 4)); };
  const auto square = [](const char *name) { return fmt::format("<path class=\"{}\" d=\"M7 1h14v12h-14z\"/>", name); };
  const std::size_t count = map.pairs.size() / 2;
  if (map.distances.empty()) return legend_html({{mark(""), fmt::format("the {} best pairs", count)}});
  bool between = false, hidden = false, unknown = false, far = false;
  for (int64_t i = 0; !map.structure.empty() && i < map.sites; ++i) {
    hidden = hidden || is_hidden(map, i);
    for (int64_t j = i + 1; j < map.sites; ++j)
      between = between || (distance_of(map, i, j) < map.cutoff && map.structure.between_chains(i, j));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::string kind = kind_of(map, map.pairs[2 * k], map.pairs[2 * k + 1]);
    unknown = unknown || kind == "unknown";
    far = far || kind == "far";
  }
  std::vector<LegendEntry> entries = {{square("known"), fmt::format("distance below {:g}{}", map.cutoff, between ? " in a chain" : "")}};
  if (between) entries.push_back({square("between"), fmt::format("distance below {:g} between two chains", map.cutoff)});
  if (hidden) entries.push_back({square("hidden-site"), "not in the structure"});
  entries.push_back({mark(""), fmt::format("among the {} best pairs: contacts", count)});
  if (far) entries.push_back({mark("far"), "others"});
  if (unknown) entries.push_back({mark("unknown"), "distance not known"});
  return legend_html(entries);
}

// The scores of row i as JSON, for the cells to the right of the diagonal.
std::string scores_json(const Drawing &drawing, const std::vector<int64_t> &place, std::size_t y) {
  std::string row;
  for (std::size_t x = y + 1; x < place.size(); ++x) {
    const bool scored = place[x] >= 0 && place[y] >= 0 && is_scored(drawing.map, place[y], place[x]);
    const double score = scored ? drawing.score(place[y], place[x]) : std::nan("");
    row += (row.empty() ? "" : ",") + (std::isfinite(score) ? fmt::format("{:.4g}", score) : std::string("null"));
  }
  return "[" + row + "]";
}

std::string map_json(const Drawing &drawing) {
  const ContactMap &map = drawing.map;
  const std::vector<int64_t> place = drawing.axis.places();
  std::string names, scores, pairs;
  for (std::size_t y = 0; y < place.size(); ++y) {
    names += (y == 0 ? "" : ",") + script_string(place[y] < 0 ? "" : site_name(map, place[y]));
    if (map.sites <= kMostScores) scores += (y == 0 ? "" : ",") + scores_json(drawing, place, y);
  }
  for (std::size_t k = 0; 2 * k < map.pairs.size(); ++k) {
    const int64_t i = map.pairs[2 * k], j = map.pairs[2 * k + 1];
    const std::string verdict = verdict_on(map, i, j);
    pairs += fmt::format("{}[{},{},{}]", k == 0 ? "" : ",", drawing.cell_of(i), drawing.cell_of(j),
                         script_string(fmt::format("{} and {}: rank {}, score {:.4g}{}{}", site_name(map, i), site_name(map, j),
                                                   map.ranks[k], drawing.score(i, j), verdict.empty() ? "" : ", ", verdict)));
  }
  return fmt::format("{{\"names\":[{}],\n\"scores\":[{}],\n\"pairs\":[{}]}}", names, scores, pairs);
}

}  // namespace

std::string verdict_on(const ContactMap &map, int64_t i, int64_t j) {
  if (map.distances.empty()) return "";
  const double distance = distance_of(map, i, j);
  if (std::isnan(distance)) return "distance not known";
  return fmt::format("distance {:.4g}, {}", distance, distance < map.cutoff ? "a contact" : "no contact");
}

std::string contact_figure(const ContactMap &map, const std::string &id) {
  Drawing drawing{map, axis_of(map), 0};
  const int64_t size = drawing.axis.size();
  drawing.unit = kMapSide / static_cast<double>(size);
  const std::string desc =
      fmt::format("{} sites. Above the diagonal: {}. Below it: the {} best pairs{}. The table below has them all.", map.sites, map.score,
                  map.pairs.size() / 2, map.distances.empty() ? "" : fmt::format(", and the pairs with a distance below {:g}", map.cutoff));
  std::string text = fmt::format(
      "<figure class=\"map\" id=\"{0}\"><figcaption>{3}</figcaption>\n<div role=\"group\" tabindex=\"0\" aria-label=\"Contact map: "
      "arrow keys step "
      "through the best pairs\" data-map=\"{0}\">\n<svg viewBox=\"0 0 440 {1:g}\" role=\"img\" aria-labelledby=\"{0}-title\" "
      "aria-describedby=\"{0}-desc\"><title "
      "id=\"{0}-title\">Contact map</title><desc id=\"{0}-desc\">{2}</desc>\n",
      id, kMapTop + kMapSide + kMapBottom, html_text(desc),
      map.distances.empty() ? "Scores, and the best pairs" : "Scores, and the best pairs before the contacts of the structure");
  text += fmt::format("<g class=\"cells\" transform=\"translate({:g} {:g}) scale({:.6g})\">\n{}{}</g>\n", kMapLeft, kMapTop, drawing.unit,
                      hidden_svg(drawing), cells_svg(drawing));
  text +=
      fmt::format("<path class=\"area\" fill=\"none\" data-columns=\"{0}\" data-rows=\"{0}\" d=\"M{1:g} {2:g}h{3:g}v{3:g}h-{3:g}z\"/>\n",
                  size, kMapLeft, kMapTop, kMapSide);
  text += map_axes_svg(drawing) + marks_svg(drawing) + "</svg></div>\n";
  text += color_scale_html(Palette::sequential, "above the diagonal: " + map.score, top_score(map)) + map_legend(map);
  return text + fmt::format(
                    "<p class=\"readout\">Point at the map, or step through the best pairs with the arrow keys.</p>\n"
                    "<script type=\"application/json\">{}</script>\n</figure>\n",
                    map_json(drawing));
}

}  // namespace cli
