// SPDX-License-Identifier: MIT
#include "report/contact_page.hpp"

#include "report/contact_figure.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

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
  return text + fmt::format(" Of the best {} pairs {:.1f} per cent are contacts: their distance is below {:g}.", n,
                            100 * report.curve[n - 1], map.cutoff);
}

// Without the columns that have nothing in them.
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

void write_contact_page(const Session &session, const std::string &path, const ContactMap &map, const ContactReport &report) {
  if (!is_first_rank()) return;
  ReportPage page("Contacts: " + report.input, summary_of(map, report));
  page.add_fact("Sequences or model", report.input);
  page.add_fact("Sites", fmt::format("{}", map.sites));
  page.add_fact("Scores", report.settings);
  if (!report.training.empty()) page.add_fact("Training", report.training);
  for (const std::string &text : report.precision) page.add_fact("Precision", text);
  page.begin_section("Contact map");
  const std::string id = page.next_id();
  page.add_html(contact_figure(map, id));
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

}  // namespace cli
