// SPDX-License-Identifier: MIT
#include "report/pages.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cli {

namespace {

// Losses that span more than this take a logarithmic axis.
constexpr double kWideRange = 20;

// Whether the positive values of the series span a wide range.
bool is_wide(const Chart &chart, bool of_x) {
  double low = INFINITY, high = 0;
  for (const ChartSeries &series : chart.series)
    for (const double value : of_x ? series.x : series.y) {
      if (value > 0) low = std::fmin(low, value);
      if (std::isfinite(value)) high = std::fmax(high, value);
    }
  return high > kWideRange * low;
}

Chart chart_of(const std::string &title, const std::string &x_label, const std::string &y_label) {
  Chart chart;
  chart.title = title;
  chart.x_label = x_label;
  chart.y_label = y_label;
  return chart;
}

PageTable whole_table(const StoredTable &table, const std::string &caption) {
  PageTable shown;
  shown.caption = caption;
  shown.columns = table.columns;
  shown.rows = table.rows;
  return shown;
}

void add_if_any(std::vector<Chart> &charts, Chart chart) {
  if (!chart.series.empty()) charts.push_back(std::move(chart));
}

std::string last_of(const StoredTable &table, const std::string &column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c] == column && !table.rows.empty() && c < table.rows.back().size()) return table.rows.back()[c];
  return "";
}

Chart log_chart(const StoredTable &log, const std::string &title, const std::string &label,
                const std::vector<std::pair<const char *, const char *>> &columns) {
  Chart chart = chart_of(title, "epoch or iteration", label);
  int color = 0;
  for (const auto &[column, name] : columns) {
    const bool theory = std::string(column) == "optimal_loss";
    add_series(chart, series_of(log, {"epoch", column}, name, theory ? Look::dashed : Look::line, color++));
  }
  return chart;
}

}  // namespace

std::vector<Chart> training_charts(const StoredTable &log) {
  std::vector<Chart> charts;
  add_if_any(charts, log_chart(log, "Loss", "loss in nats per site",
                               {{"train_loss", "training loss"}, {"test_loss", "test loss"}, {"optimal_loss", "loss of the true model"}}));
  for (const auto &[column, title] :
       {std::pair{"gradient_norm", "Norm of the gradient"}, std::pair{"coupling_error", "Error of the couplings"}}) {
    Chart chart = log_chart(log, title, title, {{column, title}});
    chart.log_y = is_wide(chart, false);
    add_if_any(charts, std::move(chart));
  }
  return charts;
}

void write_training_page(const Session &session, const std::string &path, const TrainingReport &report) {
  if (!is_first_rank()) return;
  std::string summary = fmt::format("Training ended: {}.", report.outcome);
  if (const std::string loss = last_of(report.log, "train_loss"); !loss.empty())
    summary += fmt::format(" The training loss is {} nats per site", short_text(number_in(loss)));
  if (const std::string loss = last_of(report.log, "test_loss"); !loss.empty())
    summary += fmt::format(", the test loss {}", short_text(number_in(loss)));
  if (const std::string loss = last_of(report.log, "optimal_loss"); !loss.empty())
    summary += fmt::format(", that of the true model {}", short_text(number_in(loss)));
  ReportPage page("Training: " + report.data, summary + ".");
  page.add_facts(report.facts);
  page.begin_section("Losses and convergence");
  page.add_charts(training_charts(report.log));
  page.write(session, path);
}

std::vector<Chart> learning_curve_charts(const LearningCurveReport &report) {
  const StoredTable &table = report.table;
  const char *samples = "samples per parameter, alpha";
  Chart losses = chart_of("Test loss", samples, "test loss");
  add_series(losses, series_of(table, {"alpha", "eg"}, "theory", Look::line, 0));
  add_series(losses, series_of(table, {"alpha", "eg_sim", "eg_sim_sem"}, "simulation", Look::points, 1));
  add_level(losses, "best possible loss", report.best, 4);
  losses.log_y = is_wide(losses, false);
  losses.log_x = is_wide(losses, true);
  Chart training = chart_of("Training loss", samples, "training loss");
  add_series(training, series_of(table, {"alpha", "et"}, "theory", Look::line, 0));
  add_series(training, series_of(table, {"alpha", "et_sim", "et_sim_sem"}, "simulation", Look::points, 1));
  Chart order = chart_of("Order parameters", samples, "order parameter");
  int color = 0;
  for (const char *name : {"rho", "q", "m"}) add_series(order, series_of(table, {"alpha", name}, name, Look::line, color++));
  Chart penalty = chart_of("Penalty", samples, "lambda");
  const ChartSeries lambda = series_of(table, {"alpha", "lambda"}, "lambda", Look::line, 3);
  if (std::adjacent_find(lambda.y.begin(), lambda.y.end(), std::not_equal_to<>()) != lambda.y.end()) add_series(penalty, lambda);
  penalty.log_y = is_wide(penalty, false);
  std::vector<Chart> charts;
  for (Chart *chart : {&losses, &training, &order, &penalty}) {
    chart->log_x = losses.log_x;
    add_if_any(charts, std::move(*chart));
  }
  return charts;
}

void write_learning_curve_page(const Session &session, const std::string &path, const LearningCurveReport &report) {
  if (!is_first_rank()) return;
  ReportPage page(
      "Learning curve of masked Gaussian modelling",
      fmt::format("Test loss against the number of samples, loss {}; no student is below {}.", report.loss, short_text(report.best)));
  page.add_facts(report.facts);
  page.begin_section("Losses");
  page.add_charts(learning_curve_charts(report));
  page.begin_section("Table");
  page.add_table(whole_table(report.table, "All numbers. A column's head sorts the table."));
  page.write(session, path);
}

namespace {

// A column of one branch and one omega: theory as a line, simulation as points.
void add_branch(Chart &chart, const DotattnReport &report, const std::string &column, std::size_t branch, std::size_t omega) {
  const std::string &word = report.branches[branch];
  const std::string name =
      fmt::format("{}{}, omega {:g}", column == "theta" || column == "m" ? column + ", " : "", word, report.omegas[omega]);
  const int color = static_cast<int>(omega * report.branches.size() + branch) % kSeriesColors;
  const std::vector<std::pair<std::string, std::string>> where = {{"branch", word}, {"omega", cell(report.omegas[omega])}};
  const std::string error = has_column(report.table, column + "_sem") ? column + "_sem" : "";
  add_series(chart, series_of(report.table, {"alpha", column, error, where}, name, branch == 0 ? Look::line : Look::dashed, color));
  add_series(chart,
             series_of(report.table, {"alpha", column + "_sim", column + "_sim_sem", where}, name + ", simulation", Look::points, color));
}

std::vector<Chart> branch_charts(const DotattnReport &report) {
  const char *samples = "samples per dimension, alpha";
  Chart overlaps = chart_of("Overlaps", samples, "overlap"), eg = chart_of("Generalisation loss", samples, "generalisation loss"),
        et = chart_of("Training loss", samples, "training loss");
  for (std::size_t w = 0; w < report.omegas.size(); ++w)
    for (std::size_t b = 0; b < report.branches.size(); ++b) {
      // The overlap that a branch holds at 0 is not shown.
      if (report.branches[b] != "positional") add_branch(overlaps, report, "theta", b, w);
      if (report.branches[b] != "semantic") add_branch(overlaps, report, "m", b, w);
      add_branch(eg, report, "eg", b, w);
      add_branch(et, report, "et", b, w);
    }
  std::vector<Chart> charts;
  for (Chart *chart : {&overlaps, &eg, &et}) add_if_any(charts, std::move(*chart));
  return charts;
}

std::vector<Chart> transition_charts(const StoredTable &table) {
  Chart chart = chart_of("Transition", "share of positions in the teacher, omega", "samples per dimension, alpha");
  const std::pair<const char *, const char *> curves[] = {{"alpha_c", "the training losses cross"},
                                                          {"alpha_linear", "better than the best linear map of positions"},
                                                          {"alpha_semantic", "the semantic branch begins"},
                                                          {"alpha_positional", "the positional branch begins"},
                                                          {"alpha_positional_end", "the positional branch ends"}};
  int color = 0;
  for (const auto &[column, name] : curves)
    add_series(chart, series_of(table, {"omega", column}, name, color < 2 ? Look::line : Look::dashed, color)), ++color;
  std::vector<Chart> charts;
  add_if_any(charts, std::move(chart));
  return charts;
}

// Against time: overlaps and losses, of runs as points.
std::vector<Chart> time_charts(const StoredTable &table) {
  Chart overlaps = chart_of("Overlaps", "time, samples per dimension", "overlap"),
        losses = chart_of("Losses", "time, samples per dimension", "loss");
  const bool runs = has_column(table, "run");
  int color = 0;
  for (const char *name : {"q", "m", "theta", "eg", "et"}) {
    const std::string error = has_column(table, std::string(name) + "_sem") ? std::string(name) + "_sem" : "";
    add_series(color < 3 ? overlaps : losses, series_of(table, {"time", name, error}, name, runs ? Look::points : Look::line, color));
    ++color;
  }
  std::vector<Chart> charts;
  for (Chart *chart : {&overlaps, &losses}) {
    chart->listed = !runs;  // several runs have the same times; the table has them all
    chart->log_x = is_wide(*chart, true);
    add_if_any(charts, std::move(*chart));
  }
  return charts;
}

}  // namespace

std::vector<Chart> dotattn_charts(const DotattnReport &report) {
  if (has_column(report.table, "time")) return time_charts(report.table);
  return report.branches.empty() ? transition_charts(report.table) : branch_charts(report);
}

void write_dotattn_page(const Session &session, const std::string &path, const DotattnReport &report) {
  if (!is_first_rank()) return;
  const bool times = has_column(report.table, "time"), branches = !report.branches.empty();
  ReportPage page("Dot-product attention", times      ? "Overlaps and losses against time."
                                           : branches ? "Solutions of dot-product attention against the number of samples."
                                                      : "Where the semantic solution takes over from the positional one.");
  page.add_facts(report.facts);
  page.begin_section(times ? "Dynamics" : branches ? "Branches" : "Transition");
  page.add_charts(dotattn_charts(report));
  page.begin_section("Table");
  page.add_table(whole_table(report.table, "All numbers. A column's head sorts the table."));
  page.write(session, path);
}

Chart weights_chart(const StoredTable &table, double automatic, double effective) {
  Chart chart = chart_of("Effective number of sequences", "theta: fraction of columns in which neighbours may differ", "sequences");
  chart.log_y = true;
  add_series(chart, series_of(table, {"theta", "effective"}, "effective number", Look::line, 0));
  add_series(chart, series_of(table, {"theta", "largest"}, "largest neighbourhood", Look::dashed, 1));
  add_series(chart, {fmt::format("automatic theta, {:.3g}", automatic), Look::points, 5, {automatic}, {effective}, {}});
  return chart;
}

}  // namespace cli
