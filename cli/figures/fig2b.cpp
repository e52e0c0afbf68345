// SPDX-License-Identifier: MIT
// [R24 fig. 2b]: the couplings J next to the attention maps that factored attention and encoders learn.
#include "figures/potts_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

struct Maps {
  atp_couplings law = ATP_COUPLINGS_GAUSSIAN;
  double hamming = 0, beta = 0;
  std::vector<double> truth, learned[std::size(kFamilies)];
};

std::vector<double> absolute(std::vector<double> map) {
  for (double &x : map) x = std::fabs(x);
  return map;
}

double largest_of(const std::vector<double> &map) {
  double largest = 0;
  for (double x : map) largest = std::fmax(largest, std::fabs(x));
  return largest;
}

Maps learn(const Session &session, const SplitData &split, const ComparisonPlans &plans, atp_couplings law, double hamming) {
  Maps maps;
  maps.law = law;
  maps.hamming = hamming;
  maps.beta = split.data.tuned.beta.value;
  for (std::size_t f = 0; f < std::size(kFamilies); ++f) {
    const std::string task = fmt::format("{}, {}", couplings_name(law), kFamilies[f].title);
    if (kFamilies[f].blocks == 0) {
      const FactoredCurve curve =
          train_factored(session, split.train.get(), split.test.get(), split.data.truth.get(), plans.factored, session.seed, task);
      ComparedMaps compared = compare_maps(session, split.data.truth.get(), curve.model.get());
      maps.truth = std::move(compared.truth);
      maps.learned[f] = std::move(compared.learned);
      continue;
    }
    NetworkPlan plan = plans.network;
    plan.blocks = kFamilies[f].blocks;
    plan.what = kFamilies[f].title;
    const NetworkCurve curve = train_network(session, split.train.get(), split.test.get(), plan, session.seed, task);
    // With one block its map, with three the mean of the last two.
    const std::size_t last = curve.maps.size() - 1;
    maps.learned[f] = curve.maps[last];
    if (last > 0)
      for (std::size_t k = 0; k < maps.learned[f].size(); ++k) maps.learned[f][k] = (curve.maps[last][k] + curve.maps[last - 1][k]) / 2;
    // The diagonal is no interaction.
    for (int64_t i = 0; i < kSites; ++i) maps.learned[f][static_cast<std::size_t>(i * (kSites + 1))] = 0;
  }
  return maps;
}

// Correlation with J, and with |J| if J has both signs.
std::string correlations(const Maps &maps, std::size_t family, int64_t apart) {
  std::string text = fmt::format("{:.3f} with J", map_correlation(maps.truth, maps.learned[family], kSites, apart));
  if (maps.law != ATP_COUPLINGS_CONTACTS)
    text += fmt::format(", {:.3f} with |J|", map_correlation(absolute(maps.truth), absolute(maps.learned[family]), kSites, apart));
  return text;
}

// Chain neighbours are in every map of contacts, and a network with positions finds them first. So the other contacts are counted
// separately.
std::vector<int64_t> separations(const Maps &maps) {
  return maps.law == ATP_COUPLINGS_CONTACTS ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1};
}

const char *pairs_name(int64_t apart) { return apart == 1 ? "all pairs" : "off the chain"; }

std::string panel_text(const Maps &maps, std::size_t family) {
  std::string text = correlations(maps, family, 1);
  if (maps.law == ATP_COUPLINGS_CONTACTS)
    text += fmt::format(", {:.3f} where |i - j| > 1", map_correlation(maps.truth, maps.learned[family], kSites, 2));
  return text;
}

std::string body_of(const FigureJob &job, const ComparisonPlans &plans, const std::vector<Maps> &all) {
  std::string body = fmt::format(
      "set multiplot layout {},4 title \"Couplings beside learned maps, L = q = {}, M = {}\\nfactored: {}\\nencoders: d = 20, {}{}\" font "
      "',12'\n"
      "unset grid\nset border 15\nset size ratio 1\nset xrange [-0.5:{}.5]\nset yrange [{}.5:-0.5]\n"
      "set xtics 5 font ',10'\nset ytics 5 font ',10'\nset cbtics font ',10'\n"
      "set xlabel 'site j' offset 0,0.7 font ',11'\nset ylabel 'site i' offset 1.5,0 font ',11'\nunset key\n",
      all.size(), kSites, kSamples, plans.factored.text(), network_text(plans.network), quick_note(job, "fewer epochs and starts"),
      kSites - 1, kSites - 1);
  for (const Maps &maps : all) {
    const std::string law = couplings_name(maps.law);
    const double top = std::fmax(largest_of(maps.truth), largest_of(maps.learned[0]));
    const auto panel = [&](const std::string &title, const std::string &column, double low, double high) {
      body += fmt::format(
          "set title \"{}\" font ',11'\nset cbrange [{:.4g}:{:.4g}]\n"
          "plot '{}.csv' using 'j':'i':'{}_{}' with image\n",
          title, low, high, job.name, column, law);
    };
    const double low = maps.law == ATP_COUPLINGS_CONTACTS ? 0 : -top;
    panel(fmt::format("{}, distance {:g}:\\nbeta J_{{ij}}", law, maps.hamming), "coupling", low, top);
    for (std::size_t f = 0; f < std::size(kFamilies); ++f)
      panel(fmt::format("{}, {}\\nr = {}", kFamilies[f].title, f == 0 ? "A_{ij}" : "attention", panel_text(maps, f)), kFamilies[f].name,
            f == 0 ? low : 0, f == 0 ? top : largest_of(maps.learned[f]));
  }
  return body + "unset multiplot\n";
}

}  // namespace

int reproduce_fig2b(const Session &session, const FigureJob &job) {
  std::vector<atp_couplings> laws = job.couplings;
  if (laws.empty()) laws = {ATP_COUPLINGS_CONTACTS, ATP_COUPLINGS_GAUSSIAN};
  const ComparisonPlans plans = comparison_plans(job);
  std::vector<Maps> all;
  bool equilibrated = true;
  for (atp_couplings law : laws) {
    // Low-temperature data hide Gaussian couplings from every learner.
    const double hamming = job.hamming > 0 ? job.hamming : law == ATP_COUPLINGS_CONTACTS ? job.hamming_of(law) : 0.7;
    const SplitData split = draw_split(session, law, hamming, session.seed);
    equilibrated = equilibrated && split.data.equilibrated();
    all.push_back(learn(session, split, plans, law, hamming));
  }
  std::vector<std::string> columns = {"i", "j"};
  for (const Maps &maps : all)
    for (const char *what : {"coupling", "factored", "encoder1", "encoder3"})
      columns.push_back(fmt::format("{}_{}", what, couplings_name(maps.law)));
  Table table(session, columns);
  table.note(
      fmt::format("beta J_ij and learned maps: L = q = {}, M = {}; factored: A_ij in the units of beta J, {}; encoders: attention averaged "
                  "over {} test sequences, 3 blocks: mean of the last two, diagonal left out; d = 20, {}",
                  kSites, kSamples, plans.factored.text(), kTests, network_text(plans.network)));
  print_line(session, "couplings  pairs          model                 correlation of the maps (off the chain: |i - j| > 1)");
  for (const Maps &maps : all)
    for (int64_t apart : separations(maps))
      for (std::size_t f = 0; f < std::size(kFamilies); ++f) {
        const std::string found = correlations(maps, f, apart);
        table.note(fmt::format("{}, distance {:g}, beta {:.6g}, {}, {}: correlation {}", couplings_name(maps.law), maps.hamming, maps.beta,
                               pairs_name(apart), kFamilies[f].title, found));
        print_line(session,
                   fmt::format("{:<9}  {:<13}  {:<20}  {}", couplings_name(maps.law), pairs_name(apart), kFamilies[f].title, found));
      }
  for (int64_t k = 0; k < kSites * kSites; ++k) {
    std::vector<std::string> row = {cell(k / kSites), cell(k % kSites)};
    for (const Maps &maps : all) {
      row.push_back(cell(maps.truth[static_cast<std::size_t>(k)]));
      for (const auto &map : maps.learned) row.push_back(cell(map[static_cast<std::size_t>(k)]));
    }
    table.row(row);
  }
  finish_figure(session, job, table, body_of(job, plans, all), 1400, all.size() > 1 ? 720 : 460);
  return equilibrated ? kDone : kNotConverged;
}

}  // namespace cli
