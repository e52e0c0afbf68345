// SPDX-License-Identifier: MIT
// [R24 fig. 2d]: test loss of a single attention layer between factored (a = 0) and plain (a = 1).
#include "figures/potts_comparison.hpp"

#include <cmath>

namespace cli {

namespace {

struct Point {
  double a = 0;
  bool free = false;  // the map itself is learned, a = 0
  std::vector<double> losses;
};

std::string map_name(const Point &point) { return point.free ? "free" : "softmax"; }

std::string body_of(const FigureJob &job, const NetworkPlan &plan, const SplitData &split, double hamming, double highest) {
  const double room = highest - split.optimal;
  return fmt::format(
      "set title \"One attention layer between factored (a = 0) and plain (a = 1), {0} couplings\\n"
      "L = q = {1}, M = {2}, mean Hamming distance {3:g}, beta = {4:.2f}; mean of {5} seeds and their range\\n{6}, {7} epochs, best of "
      "{13} starts{8}\" font "
      "',12'\n"
      "set xlabel 'dial a: queries and keys from p + a e, values from e + a p'\n"
      "set ylabel 'final test loss (nats per masked site)'\n"
      "set key top left Left reverse font ',12'\n"
      "set xrange [-0.05:1.05]\n"
      "set yrange [{11:.4g}:{12:.4g}]\n"
      "plot '{9}.csv' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean' with lines ls 1 notitle, \\\n"
      "     '' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 1 title "
      "'softmax of queries and keys', \\\n"
      "     '' using (strcol('map') eq 'free' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 2 ps 1.4 title "
      "'a = 0, free map', \\\n"
      "     {10:.10g} with lines ls 3 title 'optimal loss (true conditionals)'\n",
      couplings_name(job.couplings.front()), kSites, kSamples, hamming, split.data.tuned.beta.value, kSeeds, network_text(plan),
      plan.epochs, quick_note(job, "fewer epochs, starts and values of a"), job.name, split.optimal, split.optimal - 0.1 * room,
      highest + 0.5 * room, plan.starts);
}

}  // namespace

int reproduce_fig2d(const Session &session, const FigureJob &asked) {
  FigureJob job = asked;
  // Attention is never negative, so only couplings of kind contacts can be learned.
  if (job.couplings.empty()) job.couplings = {ATP_COUPLINGS_CONTACTS};
  const double hamming = job.hamming_of(job.only_couplings());
  NetworkPlan plan;
  plan.architecture = ATP_ARCHITECTURE_DIAL;
  plan.what = "the attention layer";
  plan.rate = job.rate > 0 ? job.rate : 0.1;
  plan.epochs = job.quick ? 150 : 1000;
  plan.starts = job.quick ? 2 : 4;
  const SplitData split = draw_split(session, job.only_couplings(), hamming, session.seed);
  std::vector<Point> points;
  for (double a : job.quick ? std::vector<double>{0, 0.1, 0.5, 1} : std::vector<double>{0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1})
    points.push_back({a, false, {}});
  points.push_back({0, true, {}});
  for (std::size_t k = points.size(); k-- > 0;) {
    Point &point = points[k];
    plan.dial = point.a;
    plan.free_map = point.free;
    for (int64_t seed = 0; seed < kSeeds; ++seed) {
      const NetworkCurve curve = train_network(session, split.train.get(), split.test.get(), plan, seed_of_run(session, seed),
                                               fmt::format("a = {:g}, {} map, seed {} of {}", point.a, map_name(point), seed + 1, kSeeds));
      point.losses.push_back(curve.test_losses.back());
    }
  }
  Table table(session, {"map", "a", "mean", "lowest", "highest", "seed_1", "seed_2", "seed_3", "optimal_loss"});
  table.note(fmt::format(
      "final test loss in nats per masked site: L = q = {}, M = {}, {} test sequences, {} couplings, mean Hamming distance {:g}; "
      "mean, lowest and highest of {} seeds of start, order and masks; J, U and data are the same; {}, {} epochs, of {} starts the one "
      "with the smallest training loss",
      kSites, kSamples, kTests, couplings_name(job.only_couplings()), hamming, kSeeds, network_text(plan), plan.epochs, plan.starts));
  print_line(session, "map          a  test loss     lowest    highest  above optimal");
  double highest = split.optimal;
  for (const Point &point : points) {
    const MeanError loss = mean_error(point.losses);
    highest = std::fmax(highest, loss.highest);
    table.row({map_name(point), cell(point.a), cell(loss.mean), cell(loss.lowest), cell(loss.highest), cell(point.losses[0]),
               cell(point.losses[1]), cell(point.losses[2]), cell(split.optimal)});
    print_line(session, fmt::format("{:<8}  {:>4g}  {:>9.4f}  {:>9.4f}  {:>9.4f}  {:>13.4f}", map_name(point), point.a, loss.mean,
                                    loss.lowest, loss.highest, loss.mean - split.optimal));
  }
  print_line(session, fmt::format("optimal         {:>9.4f}", split.optimal));
  finish_figure(session, job, table, body_of(job, plan, split, hamming, highest), 900, 560);
  return split.data.equilibrated() ? kDone : kNotConverged;
}

}  // namespace cli
