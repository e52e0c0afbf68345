// SPDX-License-Identifier: MIT
// [R24 fig. 3 right]: the interpolation peak of factored attention on Potts data, V fixed to U.
#include "figures/figures.hpp"
#include "figures/peak_theory.hpp"
#include "figures/potts_data.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace cli {

namespace {

constexpr int64_t kPeakSites = 20, kPeakColors = 20, kPeakTests = 2000, kPeakIterations = 5000, kPeakHistory = 30;
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 10, 14, 19, 28, 38, 57, 76, 114, 152, 228, 304};
// Times sum_ij A_ij^2, beside the mean loss per site.
struct PeakPenalty {
  double value;
  const char *name, *label;
};
constexpr PeakPenalty kPenalties[] = {{1e-6, "1e-6", "10^{-6}"}, {1e-4, "1e-4", "10^{-4}"}};
constexpr std::size_t kN = std::size(kCounts), kP = std::size(kPenalties);

// The theory takes the fields of sites for normal: not of frozen data. It has the first models, and a small version few points.
constexpr double kLeastOfTheory = 0.5;
struct TheoryPlan {
  std::size_t models;
  int64_t points, realisations;
};
constexpr TheoryPlan kTheory = {3, 1024, 30}, kQuickTheory = {1, 64, 5};

struct Loss {
  double test = 0, train = 0;
  bool converged = false;
};

// Pseudo-likelihood with V = U, a convex problem.
Loss learn(const Session &session, const PottsData &data, const atp_alignment *train, const atp_alignment *test, double penalty) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_COLORS_FIXED, 1));
  check(atp_options_set_f64(options.get(), ATP_OPT_L2_COUPLINGS, penalty));
  check(atp_options_set_i64(options.get(), ATP_OPT_EPOCHS, kPeakIterations));
  // The tolerance is relative to |A|, and the penalty's slope is 2 penalty |A|: a larger one ends on the way to the minimum.
  check(atp_options_set_f64(options.get(), ATP_OPT_TOLERANCE, penalty / 10));
  check(atp_options_set_i64(options.get(), ATP_OPT_HISTORY, kPeakHistory));
  check(atp_options_set_i64(options.get(), ATP_OPT_PRECISION, 64));
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), train, options.get(), out(trainer)));
  std::vector<double> values(static_cast<std::size_t>(kPeakColors * kPeakColors));
  check(atp_model_values(data.truth.get(), values.data(), kPeakColors * kPeakColors));
  check(atp_trainer_set_values(trainer.get(), values.data(), kPeakColors * kPeakColors));
  const StopOnSignal stop(trainer.get());
  atp_outcome outcome = ATP_OUTCOME_NONE;
  check(atp_trainer_run(trainer.get(), kPeakIterations, nullptr, nullptr, &outcome));
  stop_if_interrupted();
  Loss loss;
  loss.converged = outcome == ATP_OUTCOME_CONVERGED;
  check(atp_trainer_gradient(trainer.get(), &loss.train, nullptr, nullptr, 0));
  check(atp_trainer_loss(trainer.get(), test, &loss.test));
  return loss;
}

struct PeakPlan {
  int64_t models, sets;  // of J and U; of data for each
  int64_t realisations() const { return models * sets; }
};

// Replica exchange of frozen data takes minutes for some J: fewer of them.
PeakPlan plan_of(const FigureJob &job, double hamming) {
  if (job.quick) return {2, 5};
  return hamming < 0.5 ? PeakPlan{3, 10} : PeakPlan{10, 3};
}

// All realisations at one mean Hamming distance.
struct Curves {
  double hamming = 0;
  PeakPlan plan{};
  std::vector<double> test[kN][kP], train[kN][kP], optima;
  std::vector<double> theory[kN][kP], theory_train[kN][kP], normal[kN][kP];  // of models; normal: fields drawn, as many as in the data
  bool has_theory() const { return !normal[0][0].empty(); }
  bool equilibrated = true;
  int64_t unfinished = 0;
};

void add_theory(const Session &session, const FigureJob &job, const PottsData &data, const atp_alignment *sequences, Curves &curves) {
  const TheoryPlan plan = job.quick ? kQuickTheory : kTheory;
  if (curves.hamming < kLeastOfTheory || curves.normal[0][0].size() == plan.models) return;
  const PeakTheory theory(session, data, sequences, plan.points);
  for (std::size_t k = 0; k < kN; ++k)
    for (std::size_t p = 0; p < kP; ++p) {
      const PeakTheory::Losses losses = theory.losses(session, kCounts[k], kPenalties[p].value);
      curves.theory[k][p].push_back(losses.test);
      curves.theory_train[k][p].push_back(losses.train);
      curves.normal[k][p].push_back(theory.drawn(session, kCounts[k], kPenalties[p].value, plan.realisations).test);
    }
}

Curves learn_all(const Session &session, const FigureJob &job, double hamming) {
  const PeakPlan plan = plan_of(job, hamming);
  Curves curves;
  curves.plan = plan;
  curves.hamming = hamming;
  const int64_t most = kCounts[kN - 1];
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t m = 0; m < plan.models; ++m) {
    const int64_t key = seed_of_run(session, m);
    Model random;
    check(atp_model_create_random(session.context.get(), kPeakSites, kPeakColors, job.only_couplings(), ATP_COLOR_MATRIX_GAUSSIAN, key,
                                  out(random)));
    const PottsData data = draw_potts_data(session, std::move(random), hamming, plan.sets * most + kPeakTests, key);
    curves.equilibrated = curves.equilibrated && data.equilibrated();
    const Alignment test = rows_of(session, data.all.get(), plan.sets * most, kPeakTests);
    double optimal = 0;
    check(atp_model_loss(session.context.get(), data.truth.get(), test.get(), &optimal));
    for (int64_t set = 0; set < plan.sets; ++set) {
      curves.optima.push_back(optimal);
      for (std::size_t k = 0; k < kN; ++k) {
        const Alignment train = rows_of(session, data.all.get(), set * most, kCounts[k]);
        for (std::size_t p = 0; p < kP; ++p) {
          const Loss loss = learn(session, data, train.get(), test.get(), kPenalties[p].value);
          curves.test[k][p].push_back(loss.test);
          curves.train[k][p].push_back(loss.train);
          curves.unfinished += !loss.converged;
        }
      }
    }
    add_theory(session, job, data, test.get(), curves);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (m == 0 || session.progress != ProgressMode::none)
      session.say("mean Hamming distance {:g}: {} of {} realisations, about {} left for it", hamming, (m + 1) * plan.sets,
                  plan.realisations(), clock_time(seconds / static_cast<double>(m + 1) * static_cast<double>(plan.models - m - 1)));
  }
  return curves;
}

// Data sets of one J and U share its spectrum, its test set and its beta: the error of the mean comes from the scatter over J and U.
MeanError over_models(const Curves &curves, const std::vector<double> &losses) {
  const auto sets = static_cast<std::size_t>(curves.plan.sets);
  std::vector<double> means(losses.size() / sets);
  for (std::size_t k = 0; k < losses.size(); ++k) means[k / sets] += losses[k] / static_cast<double>(sets);
  return mean_error(means);
}

// Over the models whose equations were solved; NaN where there are none.
double mean_of_solved(const std::vector<double> &losses) {
  double sum = 0, count = 0;
  for (double x : losses) {
    if (!std::isfinite(x)) continue;
    sum += x;
    count += 1;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

int64_t unsolved(const Curves &curves) {
  int64_t count = 0;
  for (const auto &row : curves.theory)
    for (const std::vector<double> &losses : row)
      count += std::count_if(losses.begin(), losses.end(), [](double x) { return !std::isfinite(x); });
  return count;
}

// The row of the largest mean.
std::size_t peak_of(const std::vector<double> (&losses)[kN][kP], std::size_t p) {
  std::size_t peak = 0;
  for (std::size_t k = 1; k < kN; ++k)
    if (mean_of_solved(losses[k][p]) > mean_of_solved(losses[peak][p])) peak = k;
  return peak;
}

double alpha_of(std::size_t k) { return static_cast<double>(kCounts[k]) / (kPeakSites - 1); }

Table table_of(const Session &session, const std::vector<Curves> &all) {
  std::vector<std::string> columns = {"samples", "alpha"};
  for (const Curves &curves : all) {
    for (const PeakPenalty &penalty : kPenalties)
      for (const char *what : {"test_loss", "error", "train_loss"})
        columns.push_back(fmt::format("{}_{:g}_{}", what, curves.hamming, penalty.name));
    columns.push_back(fmt::format("optimal_loss_{:g}", curves.hamming));
    for (const PeakPenalty &penalty : kPenalties)
      for (const char *what : {"theory_loss", "theory_train_loss", "normal_loss"})
        if (curves.has_theory()) columns.push_back(fmt::format("{}_{:g}_{}", what, curves.hamming, penalty.name));
  }
  Table table(session, columns);
  const double nothing = std::log(static_cast<double>(kPeakColors));
  std::vector<std::string> none = {cell(int64_t{0}), cell(0.0)};
  for (const Curves &curves : all) {
    for (std::size_t p = 0; p < kP; ++p) none.insert(none.end(), {cell(nothing), cell(0.0), cell(nothing)});
    none.push_back(cell(mean_error(curves.optima).mean));
    if (curves.has_theory()) none.insert(none.end(), 3 * kP, cell(nothing));
  }
  table.row(none);
  for (std::size_t k = 0; k < kN; ++k) {
    std::vector<std::string> row = {cell(kCounts[k]), cell(alpha_of(k))};
    for (const Curves &curves : all) {
      for (std::size_t p = 0; p < kP; ++p) {
        const MeanError loss = over_models(curves, curves.test[k][p]);
        row.insert(row.end(), {cell(loss.mean), cell(loss.error), cell(mean_error(curves.train[k][p]).mean)});
      }
      row.push_back(cell(mean_error(curves.optima).mean));
      for (std::size_t p = 0; curves.has_theory() && p < kP; ++p)
        row.insert(row.end(), {cell(mean_of_solved(curves.theory[k][p])), cell(mean_of_solved(curves.theory_train[k][p])),
                               cell(mean_error(curves.normal[k][p]).mean)});
    }
    table.row(row);
  }
  return table;
}

std::string body_of(const FigureJob &job, const std::vector<Curves> &all) {
  std::string body = fmt::format(
      "set title \"Factored attention on Potts data, V fixed to U, {0} couplings, L = q = {1}\\n"
      "pseudo-likelihood by L-BFGS, means of {2} realisations, standard errors over J and U{3}\" font ',12'\n"
      "set logscale xy\n"
      "set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'\n"
      "set ylabel 'test loss (nats per site)'\n"
      "set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'\n"
      "set xrange [0.04:20]\n"
      "plot ",
      couplings_name(job.only_couplings()), kPeakSites, all.front().plan.realisations(), quick_note(job, "fewer models and data sets"));
  const char *const shades[] = {"#08306b", "#e6740b"};
  for (std::size_t h = 0; h < all.size(); ++h) {
    const Curves &curves = all[h];
    for (std::size_t p = 0; p < kP; ++p)
      body += fmt::format(
          "'{0}.csv' using 'alpha':'test_loss_{1:g}_{2}' with lines lc rgb '{3}' lw 1.5 dt {4} notitle, \\\n"
          "     '' using 'alpha':'test_loss_{1:g}_{2}':'error_{1:g}_{2}' with yerrorbars lc rgb '{3}' lw 1.5 pt {5} ps 0.9 title "
          "'distance {1:g}, penalty {6}', \\\n     ",
          job.name, curves.hamming, kPenalties[p].name, shades[h % 2], p == 0 ? 1 : 2, 4 + 2 * h + (p == 0 ? 1 : 0), kPenalties[p].label);
    for (std::size_t p = 0; curves.has_theory() && p < kP; ++p)
      body += fmt::format(
          "'{0}.csv' using 'alpha':'theory_loss_{1:g}_{2}' with lines lc rgb '#21918c' lw 2.5 dt {3} title 'theory, many sites, {4}', \\\n"
          "     '' using 'alpha':'normal_loss_{1:g}_{2}' with linespoints lc rgb '#5ec962' lw 1 dt {3} pt {5} ps 0.7 title 'its model at "
          "L = {6}, {4}', \\\n     ",
          job.name, curves.hamming, kPenalties[p].name, p == 0 ? 1 : 2, kPenalties[p].label, p == 0 ? 9 : 8, kPeakSites);
    body += fmt::format("{:.10g} with lines lc rgb '{}' lw 1.5 dt 3 title 'distance {:g}, optimal', \\\n     ",
                        mean_error(curves.optima).mean, shades[h % 2], curves.hamming);
  }
  return body +
         fmt::format("{:.10g} with lines lc rgb '#777777' dt 4 lw 1.5 title 'no data: ln q'\n", std::log(static_cast<double>(kPeakColors)));
}

std::string theory_text(const Curves &curves) {
  std::string text = fmt::format("\nD = {:g}, {} of the J and U: replica theory for L to infinity, and its model drawn at L = {}\n   alpha",
                                 curves.hamming, curves.normal[0][0].size(), kPeakSites);
  for (const PeakPenalty &penalty : kPenalties) text += fmt::format("  {:>20}", fmt::format("p = {}", penalty.name));
  for (std::size_t k = 0; k < kN; ++k) {
    text += fmt::format("\n{:>8.3f}", alpha_of(k));
    for (std::size_t p = 0; p < kP; ++p)
      text += fmt::format("  {:>9.4f}  {:>9.4f}", mean_of_solved(curves.theory[k][p]), mean_error(curves.normal[k][p]).mean);
  }
  return text;
}

void print_results(const Session &session, const std::vector<Curves> &all) {
  std::string text = "test loss in nats per site (D: mean Hamming distance, p: penalty)\n   alpha";
  for (const Curves &curves : all)
    for (const PeakPenalty &penalty : kPenalties)
      text += fmt::format("  {:>20}", fmt::format("D = {:g}, p = {}", curves.hamming, penalty.name));
  text += fmt::format("\n{:>8.3f}", 0.0);
  for (std::size_t c = 0; c < all.size() * kP; ++c)
    text += fmt::format("  {:>9.4f}           ", std::log(static_cast<double>(kPeakColors)));
  for (std::size_t k = 0; k < kN; ++k) {
    text += fmt::format("\n{:>8.3f}", alpha_of(k));
    for (const Curves &curves : all)
      for (std::size_t p = 0; p < kP; ++p) {
        const MeanError loss = over_models(curves, curves.test[k][p]);
        text += fmt::format("  {:>9.4f} +- {:<7.4f}", loss.mean, loss.error);
      }
  }
  text += "\n optimal";
  for (const Curves &curves : all)
    for (std::size_t p = 0; p < kP; ++p) text += fmt::format("  {:>9.4f}           ", mean_error(curves.optima).mean);
  for (const Curves &curves : all)
    if (curves.has_theory()) text += theory_text(curves);
  print_line(session, text);
}

// What the table says of one distance.
void add_peaks(Table &table, const Curves &curves) {
  table.note(fmt::format("distance {:g}: {} realisations, {} of J and U with {} data sets each", curves.hamming, curves.plan.realisations(),
                         curves.plan.models, curves.plan.sets));
  if (curves.has_theory())
    table.note(fmt::format("distance {:g}: theory of {} J and U; {} of its rows were not solved", curves.hamming,
                           curves.normal[0][0].size(), unsolved(curves)));
  for (std::size_t p = 0; p < kP; ++p) {
    const std::size_t peak = peak_of(curves.test, p);
    const MeanError loss = over_models(curves, curves.test[peak][p]);
    table.note(fmt::format("distance {:g}, penalty {}: largest mean test loss {:.4f} +- {:.4f} at alpha {:.3f}, training loss {:.4f} there",
                           curves.hamming, kPenalties[p].name, loss.mean, loss.error, alpha_of(peak),
                           mean_error(curves.train[peak][p]).mean));
    if (!curves.has_theory()) continue;
    const std::size_t expected = peak_of(curves.theory, p);
    table.note(fmt::format("distance {:g}, penalty {}, theory: largest mean test loss {:.4f} at alpha {:.3f}, training loss {:.4f} there",
                           curves.hamming, kPenalties[p].name, mean_of_solved(curves.theory[expected][p]), alpha_of(expected),
                           mean_of_solved(curves.theory_train[expected][p])));
  }
}

}  // namespace

int reproduce_fig3_right(const Session &session, const FigureJob &job) {
  std::vector<double> distances = {0.9, 0.3};
  if (job.hamming > 0 || !job.couplings.empty()) distances = {job.hamming_of(job.only_couplings())};
  std::vector<Curves> all;
  for (double hamming : distances) all.push_back(learn_all(session, job, hamming));
  Table table = table_of(session, all);
  table.note(fmt::format(
      "factored attention with V = U, pseudo-likelihood by L-BFGS, L = q = {}, {} couplings, {} test sequences for each J and U",
      kPeakSites, couplings_name(job.only_couplings()), kPeakTests));
  table.note(
      "what_distance_penalty: mean test loss, its standard error (scatter over J and U), mean training loss, nats per site; without data "
      "the loss is ln q");
  int64_t unfinished = 0;
  bool equilibrated = true;
  for (const Curves &curves : all) {
    add_peaks(table, curves);
    unfinished += curves.unfinished;
    equilibrated = equilibrated && curves.equilibrated;
  }
  table.note(fmt::format("trainings that did not converge: {}", unfinished));
  print_results(session, all);
  finish_figure(session, job, table, body_of(job, all), 1100, 560);
  if (unfinished > 0) session.say("warning: {} trainings did not converge in {} iterations", unfinished, kPeakIterations);
  if (!equilibrated) session.say("warning: not all data were equilibrated");
  return unfinished == 0 && equilibrated ? kDone : kNotConverged;
}

}  // namespace cli
