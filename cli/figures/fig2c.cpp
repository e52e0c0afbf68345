// SPDX-License-Identifier: MIT
// [R24 fig. 2c]: error of the couplings of factored attention against epoch.
#include "figures/potts_comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cli {

namespace {

struct Series {
  int64_t seed = 0;
  double hamming = 0;
  double beta = 0, size = 0, correlation = 0, optimal = 0;  // size: sum_ij (beta J_ij)^2 / L^2
  FactoredCurve curve;
};

std::string body_of(const FigureJob &job, const FactoredPlan &plan, const std::vector<Series> &all) {
  std::string body = fmt::format(
      "set title \"Coupling error of factored attention, {} couplings, L = q = {}, M = {}\\n{}{}\" font ',12'\n"
      "set logscale xy\n"
      "set xlabel 'epoch (one masked site per sequence)'\n"
      "set ylabel 'sum_{{ij}} (beta J_{{ij}} - A_{{ij}})^2 / L^2  (no unit)'\n"
      "set format y '10^{{%L}}'\n"
      "set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'\n"
      "set xrange [1:{}]\n"
      "plot ",
      couplings_name(job.only_couplings()), kSites, kSamples, plan.text(), quick_note(job, "300 epochs and 4 starts instead of 2000 and 8"),
      plan.epochs);
  const double first = all.front().hamming;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool same = all[k].hamming == first;
    body += fmt::format(
        "{}'{}.csv' using 'epoch':'error_{:g}_{}' with linespoints lc rgb '{}' dt {} pt {} ps 0.7 lw 1.5 title 'distance {:g}, seed {}'",
        k == 0 ? "" : ", \\\n     ", job.name, all[k].hamming, all[k].seed + 1, same ? "#08306b" : "#e6740b", same ? 1 : 2,
        4 + 2 * all[k].seed + (same ? 1 : 0), all[k].hamming, all[k].seed + 1);
  }
  return body + "\n";
}

}  // namespace

int reproduce_fig2c(const Session &session, const FigureJob &job) {
  const FactoredPlan plan = comparison_plans(job).factored;
  std::vector<double> distances = {0.3, 0.7};
  if (job.hamming > 0 || !job.couplings.empty()) distances = {job.hamming_of(job.only_couplings())};
  std::vector<Series> all;
  bool equilibrated = true;
  for (double hamming : distances)
    for (int64_t seed = 0; seed < kSeeds; ++seed) {
      const int64_t key = seed_of_run(session, seed);
      const SplitData split = draw_split(session, job.only_couplings(), hamming, key);
      const PottsData &data = split.data;
      equilibrated = equilibrated && data.equilibrated();
      Series series;
      series.seed = seed;
      series.hamming = hamming;
      series.beta = data.tuned.beta.value;
      series.optimal = split.optimal;
      series.curve = train_factored(session, split.train.get(), split.test.get(), data.truth.get(), plan, key,
                                    fmt::format("distance {:g}, seed {} of {}", hamming, seed + 1, kSeeds));
      const ComparedMaps maps = compare_maps(session, data.truth.get(), series.curve.model.get());
      series.correlation = map_correlation(maps.truth, maps.learned, kSites);
      for (double x : maps.truth) series.size += x * x / (kSites * kSites);
      all.push_back(std::move(series));
    }

  std::vector<std::string> columns = {"epoch"};
  for (const Series &s : all)
    for (const char *what : {"error", "test_loss"}) columns.push_back(fmt::format("{}_{:g}_{}", what, s.hamming, s.seed + 1));
  Table table(session, columns);
  table.note(
      fmt::format("coupling error and test loss (nats per site) of factored attention: L = q = {}, M = {}, {} couplings; {}, {} epochs",
                  kSites, kSamples, couplings_name(job.only_couplings()), plan.text(), plan.epochs));
  table.note("columns: what_distance_seed, distance the mean Hamming distance; a seed has J, U, data and training of its own");
  print_line(session,
             "distance  seed    beta  test - optimal  coupling error  of sum (beta J)^2 / L^2  correlation  starts in this minimum");
  for (const Series &s : all) {
    const double error = s.curve.coupling_errors.back(), loss = s.curve.test_losses.back();
    table.note(fmt::format(
        "distance {:g}, seed {}: beta {:.6g}, test loss {:.6f}, optimal loss {:.6f}, coupling error {:.6g}, relative {:.6g}, "
        "correlation {:.6f}, {} of {} starts",
        s.hamming, s.seed + 1, s.beta, loss, s.optimal, error, error / s.size, s.correlation, s.curve.good_starts, s.curve.starts));
    print_line(session,
               fmt::format("{:>8g}  {:>4}  {:>6.3f}  {:>14.4f}  {:>14.5f}  {:>22.2f}%  {:>11.4f}  {} of {}", s.hamming, s.seed + 1, s.beta,
                           loss - s.optimal, error, 100 * error / s.size, s.correlation, s.curve.good_starts, s.curve.starts));
  }
  for (std::size_t k = 0; k < all.front().curve.epochs.size(); ++k) {
    std::vector<std::string> row = {cell(all.front().curve.epochs[k])};
    for (const Series &s : all) {
      row.push_back(cell(s.curve.coupling_errors[k]));
      row.push_back(cell(s.curve.test_losses[k]));
    }
    table.row(row);
  }
  finish_figure(session, job, table, body_of(job, plan, all), 1000, 540);
  return equilibrated ? kDone : kNotConverged;
}

}  // namespace cli
