// SPDX-License-Identifier: MIT
#include "figures/contact_map.hpp"

#include "figures/plots.hpp"
#include "support/csv_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

constexpr const char *kNotShown = "#f3ead0", *kBetween = "#a5d6a7";

// Writes every cell of the square, as an image needs. Scores are above the diagonal.
void write_grid(const Session &session, const std::string &directory, const ContactMap &map, const ContactAxis &axis) {
  const int64_t size = axis.size();
  const std::vector<int64_t> place = axis.places();
  Table table(session, {"i", "j", "score"});
  table.note(axis.numbered ? "i, j: numbers of the sites" : "i, j: places of the sites, 1-based");
  for (int64_t y = 0; y < size; ++y)
    for (int64_t x = 0; x < size; ++x) {
      const int64_t i = place[static_cast<std::size_t>(y)], j = place[static_cast<std::size_t>(x)];
      const bool shown = x > y && i >= 0 && j >= 0 && is_scored(map, i, j);
      table.row({cell(axis.first + y), cell(axis.first + x),
                 number_or_nan(shown ? map.scores[static_cast<std::size_t>(i * map.sites + j)] : std::nan(""))});
    }
  table.write(session, directory + "/contact_map.csv");
}

void write_pairs(const Session &session, const std::string &directory, const ContactMap &map, const ContactAxis &axis) {
  const auto position = [&](int64_t i) { return cell(axis.positions[static_cast<std::size_t>(i)]); };
  Table pairs(session, {"rank", "i", "j", "score", "distance"});
  for (std::size_t k = 0; 2 * k < map.pairs.size(); ++k) {
    const int64_t i = map.pairs[2 * k], j = map.pairs[2 * k + 1];
    pairs.row({cell(map.ranks[k]), position(i), position(j), cell(map.scores[static_cast<std::size_t>(i * map.sites + j)]),
               number_or_nan(distance_of(map, i, j))});
  }
  pairs.write(session, directory + "/contact_pairs.csv");
  if (map.distances.empty()) return;
  Table known(session, {"i", "j", "distance", "chains"});
  known.note(fmt::format("pairs below {:g}", map.cutoff));
  for (int64_t i = 0; i < map.sites; ++i)
    for (int64_t j = i + 1; j < map.sites; ++j)
      if (distance_of(map, i, j) < map.cutoff)
        known.row({position(i), position(j), cell(distance_of(map, i, j)), map.structure.empty() ? "" : map.structure.chains(i, j)});
  known.write(session, directory + "/contact_known.csv");
}

// Lines between two proteins, and bands of the sites that the structure does not show.
std::string marks_of(const ContactMap &map, const ContactAxis &axis) {
  std::string marks;
  const auto position = [&](int64_t i) { return axis.positions[static_cast<std::size_t>(i)]; };
  if (map.border > 0) {
    const double line = static_cast<double>(position(map.border - 1) + position(map.border)) / 2;
    for (const char *way : {"from {0:g}, graph 0 to {0:g}, graph 1", "from graph 0, first {0:g} to graph 1, first {0:g}"})
      marks += fmt::format("set arrow {} nohead front lc rgb '#000000' lw 1 dt 2\n", fmt::format(fmt::runtime(way), line));
  }
  for (int64_t i = 0; !map.structure.empty() && i < map.sites; ++i) {
    if (map.structure.resolved[static_cast<std::size_t>(i)] != 0) continue;
    int64_t end = i;
    while (end + 1 < map.sites && map.structure.resolved[static_cast<std::size_t>(end + 1)] == 0) ++end;
    const double low = static_cast<double>(position(i)) - 0.5, high = static_cast<double>(position(end)) + 0.5;
    for (const char *way : {"from {0:g}, graph 0 to {1:g}, graph 1", "from graph 0, first {0:g} to graph 1, first {1:g}"})
      marks += fmt::format("set object rectangle {} behind fs solid noborder fc rgb '{}'\n", fmt::format(fmt::runtime(way), low, high),
                           kNotShown);
    i = end;
  }
  return marks;
}

// The known contacts: those between two chains have a colour of their own.
std::string known_contacts(const ContactMap &map) {
  const std::string boxes = "with boxxyerror fs solid noborder fc rgb";
  if (map.structure.empty())
    return fmt::format("     'contact_known.csv' using 'i':'j':(0.5):(0.5) {} '#bbbbbb' title 'below the diagonal: distance < {:g}', \\\n",
                       boxes, map.cutoff);
  const auto part = [&](const char *test, const char *color, const std::string &title) {
    return fmt::format(
        "     'contact_known.csv' using (within(stringcolumn('chains')) {} ? column('i') : NaN):'j':(0.5):(0.5) {} '{}' title '{}', \\\n",
        test, boxes, color, title);
  };
  std::string text = part("== 1", "#bbbbbb", fmt::format("below the diagonal: distance < {:g} in a chain", map.cutoff));
  bool between = false, hidden = false;
  for (int64_t i = 0; i < map.sites; ++i) {
    hidden = hidden || map.structure.resolved[static_cast<std::size_t>(i)] == 0;
    for (int64_t j = i + 1; j < map.sites; ++j)
      between = between || (distance_of(map, i, j) < map.cutoff && map.structure.between_chains(i, j));
  }
  if (between) text += part("== 0", kBetween, "between two chains");
  if (hidden) text += fmt::format("     NaN with boxes fs solid noborder fc rgb '{}' title 'not in the structure', \\\n", kNotShown);
  return text;
}

// The best pairs below the diagonal, and what they say of the structure.
std::string best_pairs(const ContactMap &map, double point) {
  if (map.distances.empty())
    return fmt::format(
        "     'contact_pairs.csv' using 'i':'j' with points pt 7 ps {:.2f} lc rgb '#08306b' title 'below the diagonal: the {} best pairs', "
        "\\\n",
        point, map.pairs.size() / 2);
  const auto part = [&](const std::string &test, const char *style, double size, const char *title) {
    return fmt::format(
        "     'contact_pairs.csv' using (column('distance') {} ? column('i') : NaN):'j' with points {} ps {:.2f} title '{}', \\\n", test,
        style, size, title);
  };
  std::string text = known_contacts(map) + part(fmt::format("< {:g}", map.cutoff), "pt 7 lc rgb '#08306b'", point, "best pairs: contacts") +
                     part(fmt::format(">= {:g}", map.cutoff), "pt 2 lc rgb '#d95f02'", 1.3 * point, "best pairs: no contacts");
  bool unknown = false;
  for (std::size_t k = 0; 2 * k < map.pairs.size(); ++k)
    unknown = unknown || std::isnan(distance_of(map, map.pairs[2 * k], map.pairs[2 * k + 1]));
  if (unknown) text += part("!= column('distance')", "pt 6 lc rgb '#000000'", point, "best pairs: distance not known");
  return text;
}

// Lines of a title, broken after commas where they are longer than the picture is wide.
std::string broken(const std::string &title) {
  constexpr std::size_t longest = 95;
  std::string text;
  std::size_t column = 0;
  for (std::size_t k = 0; k < title.size(); ++k) {
    text += title[k];
    column = title.compare(k, 2, "\\n") == 0 ? 0 : column + 1;
    if (title.compare(k, 2, ", ") != 0) continue;
    const std::size_t next = std::min({title.find(", ", k + 2), title.find("\\n", k), title.size()});
    if (column + (next - k) <= longest) continue;
    text += "\\n";
    ++k;  // the blank
    column = 0;
  }
  return text;
}

std::string body_of(const ContactMap &map, const ContactAxis &axis, int plot_pixels) {
  const int64_t size = axis.size();
  const double point = std::fmin(1, std::fmax(0.3, plot_pixels / static_cast<double>(size) / 9));
  const std::string name = axis.numbered ? "site" : "place of the site", pairs = best_pairs(map, point);
  // A line of the legend for each.
  int entries = 0;
  for (std::size_t place = pairs.find(" title '"); place != std::string::npos; place = pairs.find(" title '", place + 1)) ++entries;
  std::string body = fmt::format(
      "set title \"{}\" noenhanced font ',12'\n"
      "unset grid\nset border 15\nset size ratio 1\n"
      "# From white to dark: reads the same in grey.\n"
      "set palette defined (0 '#ffffff', 1 '#9ecae1', 2 '#3182bd', 3 '#08306b')\n"
      "set xlabel '{}'\nset ylabel '{}'\nset cblabel '{}' noenhanced\n"
      "set xrange [{}:{}]\nset yrange [{}:{}]\nset cbrange [0:{:.10g}]\n"
      "set key outside bottom center horizontal Left reverse samplen 2 font ',12'\nset bmargin {}\n",
      broken(map.title), name, name, plot_text(map.score), static_cast<double>(axis.first) - 0.5, static_cast<double>(axis.last) + 0.5,
      static_cast<double>(axis.last) + 0.5, static_cast<double>(axis.first) - 0.5, top_score(map), 4 + entries);
  body += marks_of(map, axis);
  body += "within(c) = c[1:strstrt(c, '-') - 1] eq c[strstrt(c, '-') + 1:strlen(c)]\n";
  return body + "plot 'contact_map.csv' using 'j':'i':'score' with image notitle, \\\n" + pairs +
         "     x with lines lc rgb '#777777' lw 0.5 notitle\n";
}

}  // namespace

ContactAxis axis_of(const ContactMap &map) {
  ContactAxis axis;
  const auto [low, high] = std::minmax_element(map.numbers, map.numbers + map.sites);
  axis.numbered = *high - *low < 2 * map.sites;
  for (int64_t i = 0; i < map.sites; ++i) axis.positions.push_back(axis.numbered ? map.numbers[i] : i + 1);
  axis.first = axis.numbered ? *low : 1;
  axis.last = axis.numbered ? *high : map.sites;
  return axis;
}

std::vector<int64_t> ContactAxis::places() const {
  std::vector<int64_t> place(static_cast<std::size_t>(size()), -1);
  for (std::size_t i = 0; i < positions.size(); ++i) place[static_cast<std::size_t>(positions[i] - first)] = static_cast<int64_t>(i);
  return place;
}

bool is_scored(const ContactMap &map, int64_t i, int64_t j) {
  return std::abs(map.numbers[j] - map.numbers[i]) >= map.separation || (i < map.border && j >= map.border);
}

double distance_of(const ContactMap &map, int64_t i, int64_t j) {
  return map.distances.empty() ? std::nan("") : map.distances[static_cast<std::size_t>(i * map.sites + j)];
}

double top_score(const ContactMap &map) {
  double top = 0;
  for (std::size_t k = 0; 2 * k < map.pairs.size(); ++k)
    top = std::fmax(top, map.scores[static_cast<std::size_t>(map.pairs[2 * k] * map.sites + map.pairs[2 * k + 1])]);
  return top > 0 ? top : 1;
}

bool draw_contact_map(const Session &session, const std::string &directory, const ContactMap &map) {
  constexpr int width = 860, height = 860, plot_pixels = 620;
  const ContactAxis axis = axis_of(map);
  write_grid(session, directory, map, axis);
  write_pairs(session, directory, map, axis);
  return draw_picture(session, directory, "contact_map", body_of(map, axis, plot_pixels), width, height);
}

}  // namespace cli
