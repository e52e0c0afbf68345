// SPDX-License-Identifier: MIT
#include "commands/sample_quality.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kAxes = 2;
constexpr std::size_t kMostShown = 1500;  // points of data and of samples each

constexpr const char *kStatistics[] = {"f_i", "f_ij", "C_ij", "C_ijk"};
constexpr const char *kMeasureNumbers[] = {"count", "pearson", "slope", "rms", "largest"};
constexpr const char *kQualityMeasures[] = {"variance_1",  "variance_2", "plane",  "nearest",    "nearest_q05", "nearest_q50",
                                            "nearest_q95", "copies",     "spread", "spread_q05", "spread_q50",  "spread_q95"};

std::string measure_name(int measure) {
  if (measure >= ATP_QUALITY_VARIANCE_1) return kQualityMeasures[measure - ATP_QUALITY_VARIANCE_1];
  return fmt::format("{}_{}", kStatistics[measure / ATP_COMPARISON_COLUMNS], kMeasureNumbers[measure % ATP_COMPARISON_COLUMNS]);
}

Options quality_options(const Session &session, int64_t splits) {
  Options options = options_of(session, ATP_OWNER_QUALITY);
  options.set(ATP_OPT_RUNS, splits);
  return options;
}

constexpr const char *kGenerative =
    "models of pseudo-likelihood with default penalties do not generate: learn --family dense --objective "
    "likelihood or autoregressive";

}  // namespace

SampleQuality::SampleQuality(const Session &session, const Alignment &data, const Alignment &samples, int64_t splits) : splits_(splits) {
  const Options options = quality_options(session, splits);
  found_ = attopotts::samples_quality(session.context, data, samples, &options);
  coordinates_ = attopotts::principal_components(session.context, data, &samples, kAxes);
}

double SampleQuality::number(int measure, atp_quality_column column) const { return found_.quality(measure, column); }

int SampleQuality::verdict(int measure) const {
  const double verdict = number(measure, ATP_QUALITY_VERDICT);
  return std::isnan(verdict) ? 0 : static_cast<int>(verdict);
}

// Whether it is within limits that samples without any relation to the data are within, too.
bool SampleQuality::is_unknown(int measure) const {
  const bool limited = !std::isnan(number(measure, ATP_QUALITY_LOW)) || !std::isnan(number(measure, ATP_QUALITY_HIGH));
  return limited && !std::isnan(number(measure, ATP_QUALITY_SAMPLES)) && std::isnan(number(measure, ATP_QUALITY_VERDICT));
}

bool SampleQuality::cannot_tell() const {
  const bool no_parts = splits_ > 0 && std::isnan(number(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON, ATP_QUALITY_PARTS));
  return no_parts || is_unknown(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON) ||
         is_unknown(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_SLOPE);
}

// The number of the samples, and what it is compared with.
std::string SampleQuality::text(int measure) const {
  return fmt::format("{:.3g}, of independent samples {:.3g}", number(measure, ATP_QUALITY_SAMPLES), number(measure, ATP_QUALITY_PARTS));
}

std::string SampleQuality::covariances_fault() const {
  const int pearson = verdict(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON),
            slope = verdict(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_SLOPE);
  const std::string numbers = fmt::format("Pearson {}; slope {}", text(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON),
                                          text(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_SLOPE));
  if (pearson < 0) return fmt::format("the covariances C_ij of the samples are not those of the data ({}): {}", numbers, kGenerative);
  if (slope < 0)
    return fmt::format("the covariances C_ij of the samples are too weak ({}): learn with a smaller --l2-couplings; {}", numbers,
                       kGenerative);
  if (slope > 0)
    return fmt::format(
        "the covariances C_ij of the samples are too strong ({}): sample at the beta of the model, or learn with a larger "
        "--l2-couplings",
        numbers);
  return "";
}

std::string SampleQuality::triples_fault() const {
  const int pearson = int{ATP_QUALITY_TRIPLES} + ATP_COMPARISON_PEARSON, slope = int{ATP_QUALITY_TRIPLES} + ATP_COMPARISON_SLOPE;
  if (verdict(pearson) == 0 && verdict(slope) == 0) return "";
  return fmt::format(
      "the correlations C_ijk of three sites are not those of the data, though C_ij are (Pearson {}; slope {}): the model is fitted "
      "to pairs, and does not have what more sites do together",
      text(pearson), text(slope));
}

// Weak covariances alone make the samples narrow along the components.
std::string SampleQuality::width_fault(bool weak) const {
  const bool narrow = verdict(ATP_QUALITY_VARIANCE_1) < 0 || verdict(ATP_QUALITY_VARIANCE_2) < 0;
  const std::string variances = fmt::format("variance along the first two principal components over that of the data {}, and {}",
                                            text(ATP_QUALITY_VARIANCE_1), text(ATP_QUALITY_VARIANCE_2));
  if (verdict(ATP_QUALITY_SPREAD) < 0 || (narrow && !weak))
    return fmt::format(
        "the samples are narrower than the data (two differ at {:.3g} of the sites, two sequences of the data at {:.3g}; {}): they have "
        "not "
        "reached all of the family. Sample with more --chains and a longer --burn-in; if that does not help, the model is at fault",
        number(ATP_QUALITY_SPREAD, ATP_QUALITY_SAMPLES), number(ATP_QUALITY_SPREAD, ATP_QUALITY_DATA), variances);
  if (verdict(ATP_QUALITY_VARIANCE_1) > 0 || verdict(ATP_QUALITY_VARIANCE_2) > 0 || verdict(ATP_QUALITY_PLANE) > 0)
    return fmt::format(
        "the samples lie elsewhere than the data in the plane of the first two principal components (energy coefficient {}; {}): see "
        "--picture",
        text(ATP_QUALITY_PLANE), variances);
  return "";
}

std::vector<std::string> SampleQuality::faults() const {
  std::vector<std::string> found;
  const auto add = [&](std::string fault) {
    if (!fault.empty()) found.push_back(std::move(fault));
  };
  if (verdict(int{ATP_QUALITY_SITES} + ATP_COMPARISON_RMS) > 0)
    add(fmt::format(
        "the frequencies f_i of the samples are not those of the data (rms {}): the model has other frequencies, or the chains are "
        "not in equilibrium, and then a longer --burn-in changes them",
        text(int{ATP_QUALITY_SITES} + ATP_COMPARISON_RMS)));
  const std::string covariances = covariances_fault();
  add(covariances);
  if (covariances.empty()) add(triples_fault());
  add(width_fault(!covariances.empty()));
  if (verdict(ATP_QUALITY_NEAREST) < 0 || verdict(ATP_QUALITY_COPIES) > 0)
    add(fmt::format(
        "the samples are too close to the data (mean distance to the nearest sequence {}; {:.3g} of the samples are copies, of "
        "independent samples {:.3g}): the model has learned sequences by heart. Learn with a larger --l2-couplings or fewer --epochs, "
        "and watch the held-out loss (--test)",
        text(ATP_QUALITY_NEAREST), number(ATP_QUALITY_COPIES, ATP_QUALITY_SAMPLES), number(ATP_QUALITY_COPIES, ATP_QUALITY_PARTS)));
  if (cannot_tell())
    add(
        fmt::format("there are too few sequences to tell whether C_ij of the samples are those of the data (Pearson {:.3g}): samples "
                    "without any correlation would pass, too",
                    number(int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON, ATP_QUALITY_SAMPLES)));
  return found;
}

Table SampleQuality::measures(const Session &session) const {
  Table table(session, {"measure", "samples", "data", "parts", "parts_sd", "low", "high", "verdict"});
  for (int measure = 0; measure < ATP_QUALITY_ROWS; ++measure) {
    std::vector<std::string> cells = {measure_name(measure)};
    for (int column = ATP_QUALITY_SAMPLES; column < ATP_QUALITY_VERDICT; ++column) cells.push_back(cell(found_.quality(measure, column)));
    const double verdict = number(measure, ATP_QUALITY_VERDICT);
    cells.push_back(is_unknown(measure) ? "unknown" : std::isnan(verdict) ? "" : verdict < 0 ? "low" : verdict > 0 ? "high" : "good");
    table.row(cells);
  }
  return table;
}

Table SampleQuality::histograms(const Session &session) const {
  Table table(session, ResultTable::names(ATP_TABLE_DISTANCES));
  for (int64_t d = 0; d < found_.distances.rows(); ++d) {
    std::vector<std::string> cells;
    for (int column = 0; column < ATP_DISTANCES_COLUMNS; ++column) cells.push_back(cell(found_.distances(d, column)));
    table.row(cells);
  }
  return table;
}

Table SampleQuality::components(const Session &session) const {
  Table table(session, {"set", "sequence", "component_1", "component_2"});
  table.note(fmt::format("variances of the data: {:.10g} and {:.10g}", coordinates_.variances[0], coordinates_.variances[1]));
  for (const auto &[name, values] : {std::pair{"data", &coordinates_.of_data}, std::pair{"samples", &coordinates_.of_samples}})
    for (std::size_t n = 0; n < values->size() / kAxes; ++n)
      table.row({name, cell(static_cast<int64_t>(n)), cell((*values)[kAxes * n]), cell((*values)[kAxes * n + 1])});
  return table;
}

Chart SampleQuality::components_chart() const {
  Chart chart;
  chart.title = "Principal components of the data";
  chart.x_label = "first component";
  chart.y_label = "second component";
  chart.listed = false;
  int color = 0;
  for (const auto &[name, values] : {std::pair{"data", &coordinates_.of_data}, std::pair{"samples", &coordinates_.of_samples}}) {
    ChartSeries points{name, Look::points, color++, {}, {}, {}, {}};
    const std::size_t count = values->size() / kAxes, step = (count + kMostShown - 1) / kMostShown;
    for (std::size_t n = 0; n < count; n += step) {
      points.x.push_back((*values)[kAxes * n]);
      points.y.push_back((*values)[kAxes * n + 1]);
    }
    chart.series.push_back(std::move(points));
  }
  return chart;
}

std::vector<Chart> SampleQuality::distance_charts() const {
  const auto chart_of = [](const char *title, const char *label) {
    Chart chart;
    chart.title = title;
    chart.x_label = "fraction of the sites that differ";
    chart.y_label = label;
    chart.from_zero = true;
    return chart;
  };
  const auto add = [&](Chart &chart, const char *name, int column, Look look, int color) {
    ChartSeries series{name, look, color, {}, {}, {}, {}};
    for (int64_t d = 0; d < found_.distances.rows(); ++d) {
      series.x.push_back(found_.distances(d, ATP_DISTANCES_DISTANCE));
      series.y.push_back(found_.distances(d, column));
    }
    add_series(chart, std::move(series));
  };
  Chart nearest = chart_of("Distance to the nearest sequence of the data", "share of the sequences");
  add(nearest, "data, the sequence itself left out", ATP_DISTANCES_NEAREST_DATA, Look::line, 0);
  add(nearest, "a random part of the data, in the rest", ATP_DISTANCES_NEAREST_PARTS, Look::dashed, 2);
  add(nearest, "samples", ATP_DISTANCES_NEAREST_SAMPLES, Look::line, 1);
  Chart pairs = chart_of("Distance of two sequences", "share of the pairs");
  add(pairs, "data", ATP_DISTANCES_PAIRS_DATA, Look::line, 0);
  add(pairs, "samples", ATP_DISTANCES_PAIRS_SAMPLES, Look::line, 1);
  return {nearest, pairs};
}

}  // namespace cli
