// SPDX-License-Identifier: MIT
#include "report/heat_map.hpp"
#include "report/pages.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr std::size_t kBlockSites = 32;  // at most, of the heat map: letters stay readable on a phone
constexpr std::size_t kMostRows = 2000;  // of the table: the lowest and the highest energies

std::string mutant_text(const MutantMap &map, std::size_t site, std::size_t color) {
  const int64_t own = map.wild_type[site];
  const std::string wild = own < 0 ? "" : map.symbols[static_cast<std::size_t>(own)];
  if (own == static_cast<int64_t>(color)) return fmt::format("{}{}: wild type", wild, map.numbers[site]);
  const double score = map.scores[site * map.symbols.size() + color];
  return std::isnan(score) ? "" : fmt::format("{}{}{}: score {:.4g}", wild, map.numbers[site], map.symbols[color], score);
}

HeatBlock mutant_block(const MutantMap &map, std::size_t begin, std::size_t end) {
  const std::size_t colors = map.symbols.size();
  HeatBlock block{static_cast<int64_t>(end - begin), static_cast<int64_t>(colors)};
  for (std::size_t a = 0; a < colors; ++a) {
    block.row_ticks.push_back({static_cast<double>(a), map.symbols[a]});
    for (std::size_t i = begin; i < end; ++i) {
      block.values.push_back(map.scores[i * colors + a]);
      block.texts.push_back(mutant_text(map, i, a));
      if (map.wild_type[i] == static_cast<int64_t>(a))
        block.marked.push_back(block.columns * static_cast<int64_t>(a) + static_cast<int64_t>(i - begin));
    }
  }
  for (std::size_t i = begin; i < end; i += 4)
    block.column_ticks.push_back({static_cast<double>(i - begin), fmt::format("{}", map.numbers[i])});
  return block;
}

// By energy, the lowest first. Of many rows those at both ends.
PageTable mutants_table(const StoredTable &table) {
  PageTable shown;
  shown.columns = table.columns;
  shown.rows = table.rows;
  const auto column = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), "energy") - table.columns.begin());
  std::stable_sort(shown.rows.begin(), shown.rows.end(), [column](const std::vector<std::string> &a, const std::vector<std::string> &b) {
    return number_in(a[column]) < number_in(b[column]);
  });
  shown.ranked = static_cast<int>(column);
  shown.caption = fmt::format("{} mutants by energy; negative: more probable than the sequence.", table.rows.size());
  if (shown.rows.size() <= kMostRows) return shown;
  shown.rows.erase(shown.rows.begin() + kMostRows / 2, shown.rows.end() - kMostRows / 2);
  shown.caption += fmt::format(" The {} lowest and the {} highest energies are shown.", kMostRows / 2, kMostRows / 2);
  return shown;
}

}  // namespace

Drawing mutant_drawing(const MutantMap &map) {
  double top = 0;
  for (const double score : map.scores)
    if (std::isfinite(score)) top = std::fmax(top, std::fabs(score));
  HeatMap heat{"All single mutants",
               fmt::format("{} sites, {} colours; blue: more probable than the sequence, orange: less probable.", map.numbers.size(),
                           map.symbols.size()),
               "site",
               "mutated to",
               "score -(H(mutant) - H(sequence)):",
               "the sequence itself",
               Palette::diverging,
               top > 0 ? top : 1,
               {}};
  const std::size_t sites = map.numbers.size(), blocks = (sites + kBlockSites - 1) / kBlockSites, size = (sites + blocks - 1) / blocks;
  for (std::size_t begin = 0; begin < sites; begin += size) heat.blocks.push_back(mutant_block(map, begin, std::min(sites, begin + size)));
  return heat_drawing(heat);
}

Chart scatter_chart(const MutantScatter &scatter) {
  Chart chart;
  chart.title = "Measured effects against scores";
  chart.x_label = scatter.score;
  chart.y_label = scatter.measurement;
  chart.listed = false;  // the table has all mutants
  ChartSeries single{"single mutants", Look::points, 0, {}, {}, {}, {}}, several{"several mutations", Look::points, 1, {}, {}, {}, {}};
  for (std::size_t k = 0; k < scatter.names.size(); ++k) {
    ChartSeries &series = scatter.sizes[k] > 1 ? several : single;
    series.x.push_back(scatter.scores[k]);
    series.y.push_back(scatter.measured[k]);
    series.hints.push_back(fmt::format("{}: score {:.4g}, measured {:.4g}", scatter.names[k], scatter.scores[k], scatter.measured[k]));
  }
  add_series(chart, std::move(several));
  add_series(chart, std::move(single));
  return chart;
}

void write_mutant_page(const Session &session, const std::string &path, const MutantReport &report) {
  if (!is_first_rank()) return;
  ReportPage page("Mutants: " + report.wild_type, fmt::format("Scores of mutants of {} by the model {}.", report.wild_type, report.model));
  page.add_facts(report.facts);
  page.begin_section("Heat map");
  page.add_drawing(mutant_drawing(report.map));
  if (report.scatter) {
    page.begin_section("Measured effects");
    page.add_chart(scatter_chart(*report.scatter));
  }
  if (report.agreement)
    page.add_table({"Agreement of scores and measurements, with intervals of 95 per cent.", report.agreement->columns,
                    report.agreement->rows, -1, ""});
  if (report.table) {
    page.begin_section("Mutants");
    page.add_table(mutants_table(*report.table));
  }
  page.write(session, path);
}

}  // namespace cli
