// SPDX-License-Identifier: MIT
#include "figures/curve_picture.hpp"

#include "figures/plots.hpp"
#include "support/learning_curve.hpp"
#include "support/signals.hpp"
#include "support/csv_table.hpp"

#include <cmath>

namespace cli {

namespace {

// Theory in steps of 0.05 in alpha, simulation at every fifth step.
constexpr std::size_t kPoints = 80, kEach = 5;

std::string body_of(const std::string &name, const GaussianCurve &curve) {
  return fmt::format(
      "set title \"Learning curve of masked Gaussian modelling\\nz = {1:g}, lambda = {2:g}, {4} realisations{5}\"\n"
      "set logscale y\n"
      "set xlabel 'samples per parameter, alpha = M / (L - 1)'\n"
      "set ylabel 'test loss E (x_i - w . x)^2'\n"
      "set key top right\n"
      "set xrange [0:4.1]\n"
      "plot '{0}.csv' using 'alpha':'eg_limit' with lines ls 1 title 'theory, L to infinity', \\\n"
      "     '' using 'alpha':'eg' with lines ls 2 dt 5 title 'theory, L = {3}', \\\n"
      "     '' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = {3}, with standard errors', \\\n"
      "     {6:.10g} with lines ls 3 title 'best loss 1/z'\n",
      name, curve.shift, curve.penalty, curve.sites, curve.realisations, curve.reduced, 1 / curve.shift);
}

}  // namespace

GaussianCurveResult draw_gaussian_curve(const Session &session, const std::string &directory, const std::string &name,
                                        const GaussianCurve &curve) {
  std::vector<double> alphas, few;
  for (std::size_t k = 1; k <= kPoints; ++k) {
    alphas.push_back(0.05 * static_cast<double>(k));
    if (k % kEach == 0) few.push_back(alphas.back());
  }
  const MaskedSystem system = random_system(session, curve.sites, curve.shift, 0, "learning curve");
  const CurveTable limit = limit_curve(session, curve.shift, {alphas, curve.penalty}).table,
                   theory = square_curve(session, system, {alphas, curve.penalty}, false).table;
  const CurveTable simulated = simulated_curve(session, system, few, curve.penalty, curve.realisations);
  stop_if_interrupted();
  GaussianCurveResult result;
  result.outcome = simulated.outcome;
  result.points = static_cast<int64_t>(few.size());
  Table table(session, {"alpha", "eg_limit", "eg", "eg_sim", "eg_sim_sem"});
  table.note(
      fmt::format("masked Gaussian modelling: z {:g}, lambda {:g}, L {}, {} realisations, best loss {:.10g} (limit), {:.10g} (L = {})",
                  curve.shift, curve.penalty, curve.sites, curve.realisations, 1 / curve.shift, system.noise(), curve.sites));
  double squares = 0;
  for (std::size_t k = 0; k < kPoints; ++k) {
    const double eg = theory.at(k, ATP_REPLICA_EG);
    double mean = std::nan(""), error = std::nan("");
    if ((k + 1) % kEach == 0) {
      mean = simulated.at(k / kEach, ATP_REPLICA_SIM_EG);
      error = simulated.at(k / kEach, ATP_REPLICA_SIM_EG_SEM);
      result.agreeing += std::fabs(mean - eg) <= 3 * error;
      squares += (mean - eg) * (mean - eg) / (error * error);
    }
    if (eg > result.peak) {
      result.peak = eg;
      result.peak_alpha = alphas[k];
    }
    table.row({cell(alphas[k]), cell(limit.at(k, ATP_REPLICA_EG)), cell(eg), cell(mean), cell(error)});
  }
  result.root_mean_square = std::sqrt(squares / static_cast<double>(few.size()));
  result.without_data = theory.at(0, ATP_REPLICA_RHO);
  result.end = theory.at(kPoints - 1, ATP_REPLICA_EG);
  result.best = system.noise();
  table.write(session, directory + "/" + name + ".csv");
  result.table = parse_table(table.text());
  result.drawn = draw_picture(session, directory, name, body_of(name, curve), 900, 520);
  return result;
}

}  // namespace cli
