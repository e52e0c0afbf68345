// SPDX-License-Identifier: MIT
// The pages of `compare` and `mutants`.
#include "report/pages.hpp"

#include "report/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cli {

namespace {

constexpr std::size_t kMostPoints = 4000;  // of the figure of frequencies: the largest
constexpr int64_t kBins = 61;              // of the figure of covariances, in each direction

// The smallest frequency that is shown, so that no more than kMostPoints are.
double least_shown(const CompareReport &report) {
  if (report.in_data.size() <= kMostPoints) return 0;
  std::vector<double> larger;
  for (std::size_t k = 0; k < report.in_data.size(); ++k) larger.push_back(std::fmax(report.in_data[k], report.in_samples[k]));
  std::nth_element(larger.begin(), larger.begin() + kMostPoints, larger.end(), std::greater<>());
  return larger[kMostPoints];
}

Chart frequencies_chart(const CompareReport &report) {
  const double least = least_shown(report);
  Chart chart;
  chart.title = "Frequencies of colours at sites" + (least > 0 ? fmt::format(", the {} largest", kMostPoints) : std::string());
  chart.x_label = "in the data";
  chart.y_label = "in the samples";
  chart.listed = false;
  ChartSeries points{"a colour at a site", Look::points, 0, {}, {}, {}, {}};
  double top = 0;
  for (std::size_t k = 0; k < report.in_data.size(); ++k) {
    const double x = report.in_data[k], y = report.in_samples[k];
    if (!std::isfinite(x) || !std::isfinite(y) || (least > 0 && std::fmax(x, y) <= least)) continue;
    const auto q = static_cast<std::size_t>(report.colors);
    points.x.push_back(x);
    points.y.push_back(y);
    points.hints.push_back(
        fmt::format("site {}, {}: {:.4f} in the data, {:.4f} in the samples", report.numbers[k / q], report.symbols[k % q], x, y));
    top = std::fmax(top, std::fmax(x, y));
  }
  chart.series.push_back(std::move(points));
  chart.series.push_back({"equal", Look::dashed, 4, {0, top}, {0, top}, {}});
  return chart;
}

// Numbers of covariances C_ij(a, b), i < j, in bins of data and samples: rows from the largest of the samples.
struct Histogram {
  double top = 0;  // bins are from -top to top
  std::vector<double> counts = std::vector<double>(kBins * kBins, 0.0);
  int64_t bin(double value) const {
    return std::clamp(static_cast<int64_t>(std::floor((value / top + 1) / 2 * static_cast<double>(kBins))), int64_t{0}, kBins - 1);
  }
  double edge(int64_t k) const { return top * (2 * static_cast<double>(k) / static_cast<double>(kBins) - 1); }
};

Histogram histogram_of(const CompareReport &report) {
  Histogram histogram;
  const auto sites = static_cast<int64_t>(report.numbers.size()), block = report.colors * report.colors;
  const auto each_pair = [&](const auto &visit) {
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t k = (i * sites + i + 1) * block; k < (i + 1) * sites * block; ++k)
        visit(report.c_data[static_cast<std::size_t>(k)], report.c_samples[static_cast<std::size_t>(k)]);
  };
  each_pair([&](double x, double y) { histogram.top = std::fmax(histogram.top, std::fmax(std::fabs(x), std::fabs(y))); });
  if (!(histogram.top > 0)) histogram.top = 1;
  each_pair([&](double x, double y) {
    histogram.counts[static_cast<std::size_t>((kBins - 1 - histogram.bin(y)) * kBins + histogram.bin(x))] += 1;
  });
  return histogram;
}

HeatMap covariances_map(const CompareReport &report) {
  const Histogram histogram = histogram_of(report);
  HeatMap map{
      "Covariances of pairs of sites",
      fmt::format("How many covariances C_ij(a, b) have which value in data and samples, from {0} to {1}. On the diagonal they are equal.",
                  short_text(-histogram.top), short_text(histogram.top)),
      "in the data",
      "in the samples",
      "log10 (1 + number)",
      "",
      Palette::sequential,
      0,
      {}};
  HeatBlock block{kBins, kBins};
  for (int64_t y = 0; y < kBins; ++y)
    for (int64_t x = 0; x < kBins; ++x) {
      const double count = histogram.counts[static_cast<std::size_t>(y * kBins + x)];
      block.values.push_back(count > 0 ? std::log10(1 + count) : std::nan(""));
      map.top = std::fmax(map.top, std::log10(1 + count));
      const int64_t up = kBins - 1 - y;
      block.texts.push_back(count > 0 ? fmt::format("{:.0f} covariances: data {:.3g} to {:.3g}, samples {:.3g} to {:.3g}", count,
                                                    histogram.edge(x), histogram.edge(x + 1), histogram.edge(up), histogram.edge(up + 1))
                                      : "");
    }
  for (const double part : {-0.9, -0.45, 0.0, 0.45, 0.9}) {
    const double place = (part + 1) / 2 * static_cast<double>(kBins) - 0.5;
    block.column_ticks.push_back({place, fmt::format("{:.2g}", part * histogram.top)});
    block.row_ticks.push_back({static_cast<double>(kBins - 1) - place, fmt::format("{:.2g}", part * histogram.top)});
  }
  map.blocks.push_back(std::move(block));
  return map;
}

}  // namespace

void write_compare_page(const Session &session, const std::string &path, const CompareReport &report) {
  if (!is_first_rank()) return;
  ReportPage page("Samples against data", fmt::format("Statistics of {} beside those of {}.", report.samples, report.data));
  page.add_facts(report.facts);
  page.begin_section("Statistics");
  page.add_table({"Frequencies f_i, pair frequencies f_ij, covariances C_ij of samples against data, and the largest C_ijk of three sites.",
                  report.table.columns, report.table.rows, -1, ""});
  for (const std::string &note : report.table.notes)
    if (note.compare(0, 7, "slope: ") == 0 || note.compare(0, 7, "_parts:") == 0) page.add_text(note);
  page.begin_section("Frequencies");
  page.add_chart(frequencies_chart(report));
  if (!report.c_data.empty()) {
    page.begin_section("Covariances");
    page.add_drawing(heat_drawing(covariances_map(report)));
  }
  page.begin_section("Principal components");
  page.add_chart(report.components);
  page.begin_section("Distances");
  page.add_charts(report.distances);
  page.begin_section("All measures");
  page.add_table({"Numbers of the samples beside those of the data and of random parts of it, with limits: docs/tables.md.",
                  report.measures.columns, report.measures.rows, -1, ""});
  page.write(session, path);
}

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
