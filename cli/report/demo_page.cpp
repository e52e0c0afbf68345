// SPDX-License-Identifier: MIT
#include "report/demo_page.hpp"

#include "report/heat_figure.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

Chart loss_chart(const DemoReport &report) {
  Chart chart;
  chart.title = "Loss of factored attention";
  chart.x_label = "epoch (L-BFGS: iteration)";
  chart.y_label = "loss in nats per masked site";
  chart.log_x = chart.log_y = true;
  add_series(chart, series_of(report.sgd, {"epoch", "test_loss"}, "SGD, test", Look::line, 0));
  add_series(chart, series_of(report.lbfgs, {"epoch", "test_loss"}, "L-BFGS, test", Look::line, 1));
  add_series(chart, series_of(report.lbfgs, {"epoch", "train_loss"}, "L-BFGS, training", Look::dashed, 2));
  add_series(chart, series_of(report.sgd, {"epoch", "optimal_loss"}, "loss of the true model", Look::dashed, 4));
  return chart;
}

Chart error_chart(const DemoReport &report) {
  Chart chart;
  chart.title = "Error of the couplings";
  chart.x_label = "training sequences M";
  chart.y_label = "mean squared error";
  chart.log_x = chart.log_y = true;
  ChartSeries learned = series_of(report.errors, {"samples", "coupling_error"}, "learned", Look::points, 0);
  ChartSeries slope{"proportional to 1 / M", Look::dashed, 4, {}, {}, {}, {}};
  if (is_shown(learned))
    for (const double samples : {learned.x.front(), learned.x.back()}) {
      slope.x.push_back(samples);
      slope.y.push_back(learned.x.back() * learned.y.back() / samples);
    }
  add_series(chart, std::move(slope));
  add_series(chart, std::move(learned));
  return chart;
}

Chart theory_chart(const DemoReport &report) {
  Chart chart;
  chart.title = "Learning curve of masked Gaussian modelling";
  chart.x_label = "samples per parameter, alpha";
  chart.y_label = "test loss";
  chart.log_y = true;
  add_series(chart, series_of(report.theory, {"alpha", "eg_limit"}, "theory, many sites", Look::line, 0));
  add_series(chart, series_of(report.theory, {"alpha", "eg"}, "theory, this system", Look::dashed, 1));
  add_series(chart, series_of(report.theory, {"alpha", "eg_sim", "eg_sim_sem"}, "simulation, with standard errors", Look::points, 2));
  return chart;
}

HeatMap couplings_map(const DemoReport &report, const std::string &column, const std::string &title) {
  HeatMap map{title,
              fmt::format("Couplings of {0} x {0} pairs of sites.", report.sites),
              "site j",
              "site i",
              "coupling",
              "",
              Palette::diverging,
              report.largest,
              {}};
  HeatBlock block{report.sites, report.sites};
  const auto place =
      static_cast<std::size_t>(std::find(report.maps.columns.begin(), report.maps.columns.end(), column) - report.maps.columns.begin());
  for (const std::vector<std::string> &row : report.maps.rows) {
    block.values.push_back(number_in(row[place]));
    block.texts.push_back(fmt::format("sites {} and {}: {:.4g}", row[0], row[1], block.values.back()));
  }
  for (int64_t k = 0; k < report.sites; k += 5)
    for (std::vector<HeatTick> *ticks : {&block.column_ticks, &block.row_ticks})
      ticks->push_back({static_cast<double>(k), fmt::format("{}", k)});
  map.blocks.push_back(std::move(block));
  return map;
}

}  // namespace

void write_demo_page(const Session &session, const std::string &path, const DemoReport &report) {
  if (!is_first_rank()) return;
  ReportPage page(
      "Demonstration",
      "A random Potts model is sampled, learned back with factored attention, and compared; a learning curve has its theory beside it.");
  for (const Fact &fact : report.facts) page.add_fact(fact.name, fact.value);
  page.begin_section("Learned back");
  page.add_html("<div class=\"figures\">\n");
  page.add_chart(loss_chart(report));
  page.add_chart(error_chart(report));
  page.add_html("</div>\n");
  page.add_table({"Models of growing numbers of training sequences.", report.errors.columns, report.errors.rows, 0, ""});
  page.begin_section("Couplings");
  page.add_html("<div class=\"figures\">\n");
  page.add_html(heat_figure(couplings_map(report, "true", "True couplings"), page.next_id()));
  page.add_html(heat_figure(couplings_map(report, "learned", fmt::format("Learned couplings, M = {}", report.samples)), page.next_id()));
  page.add_html("</div>\n");
  page.begin_section("How many samples");
  page.add_chart(theory_chart(report));
  page.write(session, path);
}

}  // namespace cli
