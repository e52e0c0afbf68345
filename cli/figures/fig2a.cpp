// SPDX-License-Identifier: MIT
// [R24 fig. 2a]: test loss against epoch, of factored attention and of standard transformer encoders.
#include "figures/potts_comparison.hpp"

#include "support/progress_display.hpp"

#include <algorithm>
#include <algorithm>
#include <chrono>

namespace cli {

namespace {

constexpr std::size_t kFamilyCount = std::size(kFamilies);

struct Losses {
  std::vector<int64_t> epochs;
  std::vector<std::vector<double>> runs;  // one per seed
  MeanError at(std::size_t mark) const {
    std::vector<double> values;
    for (const auto &run : runs) values.push_back(run[mark]);
    return mean_error(values);
  }
};

struct Panel {
  double hamming = 0, optimal = 0, beta = 0;
  Losses families[kFamilyCount];
};

// Estimates the time of the encoders from a few epochs of the larger one.
void forecast(const Session &session, const SplitData &split, const ComparisonPlans &plans, std::size_t panels) {
  const auto begin = std::chrono::steady_clock::now();
  NetworkPlan few = plans.network;
  few.blocks = 3;
  few.epochs = 4;
  few.what = "encoder";
  train_network(session, split.train.get(), split.test.get(), few, session.seed, "calibration");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // One block costs a third; tests become rarer.
  const double all = seconds / 8 * 1.5 * static_cast<double>(plans.network.epochs * kSeeds) * static_cast<double>(panels);
  session.say("the encoders will take about {} (estimated from {} epochs of the one with 3 blocks)", clock_time(all), few.epochs);
}

Panel train_all(const Session &session, const SplitData &split, const ComparisonPlans &plans, double hamming) {
  Panel panel;
  panel.hamming = hamming;
  panel.optimal = split.optimal;
  panel.beta = split.data.tuned.beta.value;
  for (std::size_t f = 0; f < kFamilyCount; ++f)
    for (int64_t seed = 0; seed < kSeeds; ++seed) {
      const std::string task = fmt::format("distance {:g}, {}, seed {} of {}", hamming, kFamilies[f].title, seed + 1, kSeeds);
      const int64_t key = seed_of_run(session, seed);
      Losses &losses = panel.families[f];
      if (kFamilies[f].blocks == 0) {
        FactoredCurve curve =
            train_factored(session, split.train.get(), split.test.get(), split.data.truth.get(), plans.factored, key, task);
        losses.epochs = curve.epochs;
        losses.runs.push_back(std::move(curve.test_losses));
      } else {
        NetworkPlan plan = plans.network;
        plan.blocks = kFamilies[f].blocks;
        plan.what = kFamilies[f].title;
        NetworkCurve curve = train_network(session, split.train.get(), split.test.get(), plan, key, task);
        losses.epochs = curve.epochs;
        losses.runs.push_back(std::move(curve.test_losses));
      }
    }
  return panel;
}

// One row per epoch, family and distance.
Table table_of(const Session &session, const std::vector<Panel> &panels) {
  Table table(session, {"distance", "family", "epoch", "mean", "lowest", "highest", "seed_1", "seed_2", "seed_3", "optimal_loss"});
  for (const Panel &panel : panels)
    for (std::size_t f = 0; f < kFamilyCount; ++f) {
      const Losses &losses = panel.families[f];
      for (std::size_t k = 0; k < losses.epochs.size(); ++k) {
        const MeanError loss = losses.at(k);
        table.row({cell(panel.hamming), kFamilies[f].name, cell(losses.epochs[k]), cell(loss.mean), cell(loss.lowest), cell(loss.highest),
                   cell(losses.runs[0][k]), cell(losses.runs[1][k]), cell(losses.runs[2][k]), cell(panel.optimal)});
      }
    }
  return table;
}

std::string body_of(const FigureJob &job, const ComparisonPlans &plans, const std::vector<Panel> &panels) {
  std::string body = fmt::format(
      "set multiplot layout 1,{} title \"Test loss on Potts data, {} couplings, L = q = {}, M = {}; mean and range of {} seeds\\n"
      "factored: {}\\nencoders: d = 20, {}{}\" font ',12'\n"
      "set logscale xy\n"
      "set xlabel 'epoch (one masked site per sequence)'\n"
      "set ylabel 'test loss (nats per masked site)'\n"
      "set key bottom left Left reverse samplen 3 font ',11'\n"
      "set xrange [1:{}]\n"
      "pick(d, f) = (column('distance') == d && strcol('family') eq f)\n"
      "set style fill transparent solid 0.25 noborder\n",
      panels.size(), couplings_name(job.only_couplings()), kSites, kSamples, kSeeds, plans.factored.text(), network_text(plans.network),
      quick_note(job, "fewer epochs and starts, one distance"), std::max(plans.factored.epochs, plans.network.epochs));
  for (const Panel &panel : panels) {
    body += fmt::format("set title 'mean Hamming distance {:g}, beta = {:.2f}'\nset yrange [{:.4g}:4]\nplot ", panel.hamming, panel.beta,
                        0.4 * panel.optimal);
    for (std::size_t f = 0; f < kFamilyCount; ++f) {
      const Family &family = kFamilies[f];
      const std::string value = fmt::format("(pick({:g}, '{}') ? column('epoch') : NaN)", panel.hamming, family.name);
      body += fmt::format(
          "'{0}.csv' using {1}:'lowest':'highest' with filledcurves lc rgb '{2}' notitle, \\\n"
          "     '' using {1}:'mean' with linespoints lc rgb '{2}' lw 2 dt {3} pt {4} ps 0.6 title '{5}', \\\n     ",
          job.name, value, family.shade, family.dash, family.point, family.title);
    }
    body += fmt::format("{:.10g} with lines ls 3 title 'optimal loss (true conditionals)'\n", panel.optimal);
  }
  return body + "unset multiplot\n";
}

}  // namespace

int reproduce_fig2a(const Session &session, const FigureJob &job) {
  const atp_couplings law = job.only_couplings();
  std::vector<double> distances = {0.3, 0.7};
  if (job.hamming > 0 || !job.couplings.empty() || job.quick) distances = {job.hamming_of(law)};
  const ComparisonPlans plans = comparison_plans(job);
  std::vector<Panel> panels;
  bool equilibrated = true;
  for (double hamming : distances) {
    const SplitData split = draw_split(session, law, hamming, session.seed);
    equilibrated = equilibrated && split.data.equilibrated();
    if (panels.empty() && !job.quick) forecast(session, split, plans, distances.size());
    panels.push_back(train_all(session, split, plans, hamming));
  }
  Table table = table_of(session, panels);
  table.note(
      fmt::format("test loss in nats per masked site: L = q = {}, M = {}, {} test sequences, {} couplings; mean, lowest and highest of {} "
                  "seeds of start, order and masks; J, U and data are the same",
                  kSites, kSamples, kTests, couplings_name(law), kSeeds));
  table.note("factored: " + plans.factored.text() + "; encoders: d = 20, " + network_text(plans.network));
  print_line(session, "distance  model                 test loss      lowest    highest  above optimal");
  for (const Panel &panel : panels) {
    for (std::size_t f = 0; f < kFamilyCount; ++f) {
      const Losses &losses = panel.families[f];
      const MeanError last = losses.at(losses.epochs.size() - 1);
      print_line(session, fmt::format("{:>8g}  {:<20}  {:>9.4f}   {:>9.4f}  {:>9.4f}  {:>13.4f}", panel.hamming, kFamilies[f].title,
                                      last.mean, last.lowest, last.highest, last.mean - panel.optimal));
    }
    print_line(session, fmt::format("{:>8g}  {:<20}  {:>9.4f}", panel.hamming, "optimal", panel.optimal));
  }
  finish_figure(session, job, table, body_of(job, plans, panels), panels.size() > 1 ? 1200 : 800, 620);
  return equilibrated ? kDone : kNotConverged;
}

}  // namespace cli
