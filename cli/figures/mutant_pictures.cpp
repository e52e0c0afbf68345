// SPDX-License-Identifier: MIT
#include "figures/mutant_pictures.hpp"

#include "figures/plots.hpp"
#include "support/csv_table.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

// The tics of the axis of sites: about 15 of them, by number.
std::string site_tics(const std::vector<int64_t> &numbers) {
  const std::size_t step = std::max<std::size_t>(1, (numbers.size() + 14) / 15);
  std::string tics;
  for (std::size_t i = 0; i < numbers.size(); i += step) tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", numbers[i], i + 1);
  return tics;
}

std::string color_tics(const std::vector<std::string> &symbols) {
  std::string tics;
  for (std::size_t a = 0; a < symbols.size(); ++a)
    tics += fmt::format("{}\"{}\" {}", tics.empty() ? "" : ", ", plot_text(symbols[a]), a + 1);
  return tics;
}

}  // namespace

bool draw_mutant_map(const Session &session, const std::string &directory, const MutantMap &map) {
  const std::size_t colors = map.symbols.size(), sites = map.numbers.size();
  Table cells(session, {"place", "number", "row", "to", "score"}), wild(session, {"place", "number", "row", "symbol"});
  cells.note("place: of the site, 1-based; row: of the symbol; score: log probability of the mutant over that of the sequence");
  double largest = 0;
  for (std::size_t i = 0; i < sites; ++i) {
    const auto place = static_cast<int64_t>(i + 1);
    for (std::size_t a = 0; a < colors; ++a) {
      const double score = map.scores[i * colors + a];
      if (std::isfinite(score)) largest = std::max(largest, std::fabs(score));
      cells.row({cell(place), cell(map.numbers[i]), cell(static_cast<int64_t>(a + 1)), map.symbols[a], number_or_nan(score)});
    }
    if (const int64_t own = map.wild_type[i]; own >= 0)
      wild.row({cell(place), cell(map.numbers[i]), cell(own + 1), map.symbols[static_cast<std::size_t>(own)]});
  }
  cells.write(session, directory + "/mutant_map.csv");
  wild.write(session, directory + "/mutant_wild_type.csv");
  const int width = std::clamp(static_cast<int>(sites) * 12 + 220, 640, 2400);
  const std::string body = fmt::format(
      "set title \"{}\" noenhanced font ',12'\n"
      "unset grid\nset border 15\n"
      "# From orange (less probable) over white to blue: the middle is the sequence itself.\n"
      "set palette defined (-1 '#b35806', 0 '#ffffff', 1 '#08306b')\n"
      "set xlabel 'site'\nset ylabel 'mutated to'\nset cblabel 'score'\n"
      "set xrange [0.5:{}.5]\nset yrange [{}.5:0.5]\nset cbrange [{:.10g}:{:.10g}]\n"
      "set xtics ({})\nset ytics ({}) noenhanced font ',10'\nset key outside below horizontal\n"
      "plot 'mutant_map.csv' using 'place':'row':'score' with image notitle, \\\n"
      "     'mutant_wild_type.csv' using 'place':'row' with points pt 7 ps 0.4 lc rgb '#000000' title 'wild type'\n",
      map.title, sites, colors, largest > 0 ? -largest : -1, largest > 0 ? largest : 1, site_tics(map.numbers), color_tics(map.symbols));
  return draw_picture(session, directory, "mutant_map", body, width, 480);
}

bool draw_mutant_scatter(const Session &session, const std::string &directory, const MutantScatter &scatter) {
  Table table(session, {"mutant", "mutations", "score", "measured"});
  bool several = false;
  for (std::size_t k = 0; k < scatter.names.size(); ++k) {
    if (std::isnan(scatter.measured[k])) continue;
    several = several || scatter.sizes[k] > 1;
    table.row({scatter.names[k], cell(scatter.sizes[k]), cell(scatter.scores[k]), cell(scatter.measured[k])});
  }
  table.write(session, directory + "/mutant_scatter.csv");
  std::string body = fmt::format(
      "set title \"{}\" noenhanced font ',12'\n"
      "set xlabel \"{}\" noenhanced\nset ylabel \"{}\" noenhanced\nset key outside below horizontal\n"
      "plot 'mutant_scatter.csv' using (column('mutations') == 1 ? column('score') : NaN):'measured' with points pt 7 ps 0.5 "
      "lc rgb '#08306b' title 'single mutants'",
      scatter.title, plot_text(scatter.score), plot_text(scatter.measurement));
  if (several)
    body +=
        ", \\\n     '' using (column('mutations') > 1 ? column('score') : NaN):'measured' with points pt 6 ps 0.5 lc rgb '#e6740b' "
        "title 'several mutations'";
  return draw_picture(session, directory, "mutant_scatter", body + "\n", 720, 640);
}

}  // namespace cli
