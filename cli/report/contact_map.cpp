// SPDX-License-Identifier: MIT
#include "report/contact_map.hpp"

#include "report/heat_map.hpp"
#include "text/csv.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

// Positions of the sites on the axes: their numbers, or their places if the numbers have large gaps.
struct ContactAxis {
  bool numbered = false;
  int64_t first = 1, last = 1;
  std::vector<int64_t> positions;  // [sites]
  int64_t size() const { return last - first + 1; }
  // The site at each position; -1: none.
  std::vector<int64_t> places() const {
    std::vector<int64_t> place(static_cast<std::size_t>(size()), -1);
    for (std::size_t i = 0; i < positions.size(); ++i) place[static_cast<std::size_t>(positions[i] - first)] = static_cast<int64_t>(i);
    return place;
  }
};

ContactAxis axis_of(const ContactMap &map) {
  ContactAxis axis;
  const auto [low, high] = std::minmax_element(map.numbers, map.numbers + map.sites);
  axis.numbered = *high - *low < 2 * map.sites;
  for (int64_t i = 0; i < map.sites; ++i) axis.positions.push_back(axis.numbered ? map.numbers[i] : i + 1);
  axis.first = axis.numbered ? *low : 1;
  axis.last = axis.numbered ? *high : map.sites;
  return axis;
}

// Whether the map shows the score of two sites: not of those near in the sequence, unless they are of two proteins.
bool is_scored(const ContactMap &map, int64_t i, int64_t j) { return PairRule{map.numbers, map.separation, map.border}.keeps(i, j); }

// The largest score of the marked pairs, 1 if it is not positive: the end of the scale of colours.
double top_score(const ContactMap &map) {
  double top = 0;
  for (std::size_t k = 0; 2 * k < map.pairs.size(); ++k) top = std::fmax(top, map.scores.at(map.pairs[2 * k], map.pairs[2 * k + 1]));
  return top > 0 ? top : 1;
}

constexpr double kMapLeft = 46, kMapTop = 8, kMapSide = 386, kMapBottom = 40;
constexpr int64_t kMostScores = 500;  // sites of a map whose page has the scores of all pairs

// The map with what every part of the drawing needs.
struct MapLayout {
  const ContactMap &map;
  ContactAxis axis;
  double unit;  // the side of a cell
  int64_t cell_of(int64_t site) const { return axis.positions[static_cast<std::size_t>(site)] - axis.first; }
};

bool is_hidden(const ContactMap &map, int64_t site) {
  return !map.structure.empty() && map.structure.resolved[static_cast<std::size_t>(site)] == 0;
}

std::string site_name(const ContactMap &map, int64_t site) {
  const std::string protein = map.own_numbers.empty() ? "" : site < map.border ? " of the first protein" : " of the second protein";
  const int64_t number = map.own_numbers.empty() ? map.numbers[site] : map.own_numbers[static_cast<std::size_t>(site)];
  return fmt::format("{}{}{}{}", number, map.residues.empty() ? "" : " ",
                     map.residues.empty() ? "" : map.residues.substr(static_cast<std::size_t>(site), 1), protein);
}

// Bands of the sites that the structure does not show.
std::string hidden_svg(const MapLayout &drawing) {
  std::string text;
  const auto size = drawing.axis.size();
  for (int64_t i = 0; i < drawing.map.sites; ++i)
    if (is_hidden(drawing.map, i))
      text += fmt::format("<path class=\"hidden-site\" d=\"M0 {0}h{0}v1h-{0}zM{0} {0}h1v{1}h-1z\"/>\n", drawing.cell_of(i),
                          size - drawing.cell_of(i));
  return text;
}

// Cells in the order of their rows.
std::string cells_svg(const MapLayout &drawing) {
  const ContactMap &map = drawing.map;
  Cells scores(classes_of(Palette::sequential)), known({"known", "between"});
  const double top = top_score(map);
  map.scores.for_pairs([&](int64_t i, int64_t j, double score) {
    const std::size_t level = is_scored(map, i, j) ? level_of(score, top, Palette::sequential) : 0;
    if (level > 0) scores.add(drawing.cell_of(j), drawing.cell_of(i), level);
  });
  for (int64_t j = 0; !map.distances.empty() && j < map.sites; ++j)
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

std::string marks_svg(const MapLayout &drawing) {
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

std::string map_axes_svg(const MapLayout &drawing) {
  const double end = kMapTop + kMapSide, side = kMapSide;
  std::string text = fmt::format("<path class=\"frame\" d=\"M{0:g} {1:g}h{2:g}v{2:g}h-{2:g}zl{2:g} {2:g}\"/>\n", kMapLeft, kMapTop, side);
  for (const double tick : ticks_between(static_cast<double>(drawing.axis.first), static_cast<double>(drawing.axis.last), 6)) {
    const double at = (tick - static_cast<double>(drawing.axis.first) + 0.5) * drawing.unit;
    text += svg_text(kMapLeft + at, end + 15, short_text(tick), "middle", "tick") +
            svg_text(kMapLeft - 5, kMapTop + at + 4, short_text(tick), "end", "tick");
  }
  const char *name = drawing.axis.numbered ? "site" : "place of the site";
  text += svg_text(kMapLeft + side / 2, end + kMapBottom - 8, name, "middle", "label") + svg_upwards(12, kMapTop + side / 2, name);
  if (drawing.map.border > 0) {
    const double line =
        0.5 * drawing.unit * static_cast<double>(drawing.cell_of(drawing.map.border - 1) + drawing.cell_of(drawing.map.border) + 1);
    text += fmt::format("<path class=\"border\" d=\"M{:.1f} {:g}v{:g}M{:g} {:.1f}h{:g}\"/>\n", kMapLeft + line, kMapTop, side, kMapLeft,
                        kMapTop + line, side);
  }
  return text;
}

std::vector<LegendEntry> map_legend(const ContactMap &map) {
  const auto mark = [](const char *kind) { return fmt::format("<path class=\"pair {}\" d=\"M14 7{}\"/>", kind, shape_of(kind, 4)); };
  const auto square = [](const char *name) { return fmt::format("<path class=\"{}\" d=\"M7 1h14v12h-14z\"/>", name); };
  const std::size_t count = map.pairs.size() / 2;
  if (map.distances.empty()) return {{mark(""), fmt::format("the {} best pairs", count)}};
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
  std::vector<LegendEntry> entries = {
      {square("known"), fmt::format("distance below {:g} angstrom{}", map.cutoff, between ? " in a chain" : "")}};
  if (between) entries.push_back({square("between"), fmt::format("below {:g} angstrom between two chains", map.cutoff)});
  if (hidden) entries.push_back({square("hidden-site"), "not in the structure"});
  entries.push_back({mark(""), "best pairs: contacts"});
  if (far) entries.push_back({mark("far"), "best pairs: no contacts"});
  if (unknown) entries.push_back({mark("unknown"), "best pairs: distance not known"});
  return entries;
}

// Whether a marked pair is a contact, in words.
std::string verdict_on(const ContactMap &map, int64_t i, int64_t j) {
  if (map.distances.empty()) return "";
  const double distance = distance_of(map, i, j);
  if (std::isnan(distance)) return "distance not known";
  return fmt::format("distance {:.4g} angstrom, {}", distance, distance < map.cutoff ? "a contact" : "no contact");
}

// The scores of row i as JSON, for the cells to the right of the diagonal.
std::string scores_json(const MapLayout &drawing, const std::vector<int64_t> &place, std::size_t y) {
  std::string row;
  for (std::size_t x = y + 1; x < place.size(); ++x) {
    const bool scored = place[x] >= 0 && place[y] >= 0 && is_scored(drawing.map, place[y], place[x]);
    const double score = scored ? drawing.map.scores.at(place[y], place[x]) : std::nan("");
    row += (row.empty() ? "" : ",") + (std::isfinite(score) ? fmt::format("{:.4g}", score) : std::string("null"));
  }
  return "[" + row + "]";
}

std::string map_json(const MapLayout &drawing) {
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
                                                   map.ranks[k], map.scores.at(i, j), verdict.empty() ? "" : ", ", verdict)));
  }
  return fmt::format("{{\"names\":[{}],\n\"scores\":[{}],\n\"pairs\":[{}]}}", names, scores, pairs);
}

// The first pairs one by one, then in equal steps of the logarithm: the places of L/5, L/2 and L are among them.
constexpr double kPrecisionStep = 1.04;

ChartSeries precision_series(const std::vector<double> &curve, int64_t sites, const std::string &name, int color) {
  ChartSeries series{name, color == 0 ? Look::line : Look::dashed, color, {}, {}, {}};
  const int64_t named[] = {sites / 5, sites / 2, sites};
  double next = 1;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const auto pairs = static_cast<int64_t>(k + 1);
    if (static_cast<double>(pairs) < next && std::find(std::begin(named), std::end(named), pairs) == std::end(named)) continue;
    next = std::fmax(next, static_cast<double>(pairs) * kPrecisionStep);
    series.x.push_back(static_cast<double>(pairs));
    series.y.push_back(curve[k]);
  }
  return series;
}

Chart precision_chart(const ContactReport &report, int64_t sites) {
  Chart chart;
  chart.title = fmt::format("Precision of the best pairs, L = {} sites", sites);
  chart.x_label = "number of best pairs";
  chart.y_label = "share of contacts";
  chart.log_x = chart.from_zero = true;
  const bool paired = !report.within.empty() || !report.between.empty();
  chart.series.push_back(precision_series(report.curve, sites, paired ? "all pairs" : "precision", 0));
  if (!report.within.empty()) chart.series.push_back(precision_series(report.within, sites, "pairs within a protein", 1));
  if (!report.between.empty()) chart.series.push_back(precision_series(report.between, sites, "pairs between proteins", 2));
  return chart;
}

// The share of contacts among the best L pairs, or among all if there are fewer.
std::string summary_of(const ContactMap &map, const ContactReport &report) {
  std::string text = fmt::format("The strongest pairs of {} sites.", map.sites);
  if (report.curve.empty()) return text;
  const std::size_t n = std::min(report.curve.size(), static_cast<std::size_t>(map.sites));
  return text + fmt::format(" Of the best {} pairs {:.1f} per cent are contacts: their distance is below {:g} angstrom.", n,
                            100 * report.curve[n - 1], map.cutoff);
}

// Returns the table of pairs without its empty columns.
PageTable pairs_table(const ContactMap &map, const ContactReport &report) {
  PageTable table;
  table.caption = fmt::format("The {} best pairs. A column's head sorts the table.", report.cells.size());
  table.columns = {"rank"};
  table.ranked = 0;
  for (const int64_t rank : map.ranks) table.rows.push_back({cell(rank)});
  for (std::size_t c = 0; c < report.columns.size(); ++c) {
    if (std::all_of(report.cells.begin(), report.cells.end(), [c](const std::vector<std::string> &row) { return row[c].empty(); }))
      continue;
    table.columns.push_back(report.columns[c]);
    for (std::size_t k = 0; k < report.cells.size(); ++k) table.rows[k].push_back(report.cells[k][c]);
  }
  return table;
}

}  // namespace

double distance_of(const ContactMap &map, int64_t i, int64_t j) {
  return map.distances.empty() ? std::nan("") : map.distances[static_cast<std::size_t>(i * map.sites + j)];
}

Drawing contact_drawing(const ContactMap &map) {
  MapLayout layout{map, axis_of(map), 0};
  const int64_t size = layout.axis.size();
  layout.unit = kMapSide / static_cast<double>(size);
  Drawing drawing{
      map.distances.empty() ? "Scores, and the best pairs" : "Scores, and the best pairs on the contacts of the structure",
      fmt::format("{} sites. Above the diagonal: {}. Below it: the {} best pairs{}.", map.sites, map.score, map.pairs.size() / 2,
                  map.distances.empty() ? "" : fmt::format(", and the pairs with a distance below {:g} angstrom", map.cutoff))};
  drawing.body = fmt::format("<g class=\"cells\" transform=\"translate({:g} {:g}) scale({:.6g})\">\n{}{}</g>\n", kMapLeft, kMapTop,
                             layout.unit, hidden_svg(layout), cells_svg(layout));
  drawing.body +=
      fmt::format("<path class=\"area\" fill=\"none\" data-columns=\"{0}\" data-rows=\"{0}\" d=\"M{1:g} {2:g}h{3:g}v{3:g}h-{3:g}z\"/>\n",
                  size, kMapLeft, kMapTop, kMapSide) +
      map_axes_svg(layout) + marks_svg(layout);
  drawing.height = kMapTop + kMapSide + kMapBottom;
  add_color_scale(drawing, Palette::sequential, "above the diagonal: " + map.score, top_score(map));
  add_legend(drawing, map_legend(map));
  drawing.data = map_json(layout);
  drawing.readout = "Point at the map, or step through the best pairs with the arrow keys.";
  drawing.keys = "step through the best pairs";
  return drawing;
}

void write_contact_page(const Session &session, const std::string &path, const ContactMap &map, const ContactReport &report) {
  if (!is_first_rank()) return;
  ReportPage page("Contacts: " + report.input, summary_of(map, report));
  page.add_facts({{"Sequences or model", report.input}});
  page.add_facts({{"Sites", fmt::format("{}", map.sites)}});
  page.add_facts({{"Scores", report.settings}});
  if (!report.weights.empty()) page.add_facts({{"Effective number of sequences", report.weights}});
  if (!report.training.empty()) page.add_facts({{"Training", report.training}});
  for (const std::string &text : report.precision) page.add_facts({{"Precision", text}});
  page.begin_section("Contact map");
  const std::string id = page.next_id();
  page.add_html(figure_html(contact_drawing(map), id));
  if (!report.curve.empty()) {
    page.begin_section("Precision");
    page.add_chart(precision_chart(report, map.sites));
  }
  page.begin_section("Best pairs");
  PageTable table = pairs_table(map, report);
  table.follows = id;
  page.add_table(table);
  page.write(session, path);
}

namespace {

// Of contacts, and of other pairs: visible to everyone, also on grey.
constexpr const char *kPairColors[] = {"0072b2", "d55e00"};
constexpr const char *kGroups[] = {"contact", "no_contact"};

bool is_plain(const std::string &name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

// A comment. PyMOL runs what follows a semicolon in one.
std::string comment(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  return csv_note(text);
}

// Whether a script can name the atom: in PyMOL quotes have no escape.
bool has_name(const SiteResidue &residue) { return !residue.marker.empty() && residue.chain.find_first_of("\"\\") == std::string::npos; }

// The name of a chain: in quotes where it has other characters than letters and digits, or none.
std::string chain_text(const std::string &name) { return !name.empty() && is_plain(name) ? name : '"' + name + '"'; }

// The atom that stands for a residue. In PyMOL a number below zero needs a backslash, and of alternative locations the first counts.
std::string pymol_atom(const SiteResidue &residue) {
  const std::string number = residue.number[0] == '-' ? "\\" + residue.number : residue.number;
  return fmt::format("first (attopotts and chain {} and resi {} and name {})", chain_text(residue.chain), number, residue.marker);
}

std::string chimerax_atom(const SiteResidue &residue, const std::string &model) {
  const std::string chain = residue.chain.empty()     ? ""
                            : is_plain(residue.chain) ? "/" + residue.chain
                                                      : "//chain_id=" + chain_text(residue.chain);
  return fmt::format("{}{}:{}@{}", model, chain, residue.number, residue.marker);
}

// The beginning: the structure as a grey ribbon.
std::string opening(Viewer viewer, const std::string &path, const std::string &model) {
  const bool open = path != "-";
  if (viewer == Viewer::pymol)
    return (open ? fmt::format("/cmd.load({}, \"attopotts\")\n", json_string(path)) : "") +
           "hide everything, attopotts\nshow cartoon, attopotts\ncolor gray80, attopotts\n";
  return (open ? fmt::format("open {}\n", json_string(path)) : "") +
         fmt::format("hide {0} atoms\nshow {0} cartoons\ncolor {0} gray\n", model);
}

}  // namespace

std::string contact_script(const Session &session, Viewer viewer, const ContactMap &map, const Structure &structure) {
  const std::string model = structure.models > 1 ? "#1.1" : "#1";
  int64_t counts[] = {0, 0}, left_out = 0;
  std::string lines;
  for (std::size_t k = 0; k < map.ranks.size(); ++k) {
    const int64_t i = map.pairs[2 * k], j = map.pairs[2 * k + 1];
    const double distance = distance_of(map, i, j);
    const auto [one, other] = std::isnan(distance) ? std::pair<SiteResidue, SiteResidue>() : map.structure.residues(i, j);
    if (!has_name(one) || !has_name(other)) {
      ++left_out;
      continue;
    }
    const int group = distance < map.cutoff ? 0 : 1;
    ++counts[group];
    lines += fmt::format("# pair {}: sites {} and {}, distance {:.4g}\n", map.ranks[k], map.numbers[i], map.numbers[j], distance);
    lines += viewer == Viewer::pymol ? fmt::format("distance {}, {}, {}\n", kGroups[group], pymol_atom(one), pymol_atom(other))
                                     : fmt::format("pbond {} {} color #{} radius 0.2 dashes 0 name {}\n", chimerax_atom(one, model),
                                                   chimerax_atom(other, model), kPairColors[group], kGroups[group]);
  }
  for (const int group : {0, 1})
    if (viewer == Viewer::pymol && counts[group] > 0)
      lines += fmt::format("hide labels, {0}\nset dash_gap, 0, {0}\ncolor 0x{1}, {0}\n", kGroups[group], kPairColors[group]);
  return comment(fmt::format("attopotts {}", atp_version_string())) + comment("command: " + session.command_line) +
         comment(
             fmt::format("{} pairs nearer than {:g} in blue, {} others in orange, {} without both residues in the structure have no line",
                         counts[0], map.cutoff, counts[1], left_out)) +
         opening(viewer, structure.path, model) + lines;
}

}  // namespace cli
