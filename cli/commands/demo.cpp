// SPDX-License-Identifier: MIT
// attopotts demo: the main steps at the sizes of [R24]. Samples a random model, learns it back with factored attention, and compares; then
// computes a learning curve in theory and simulation.
#include "commands/commands.hpp"

#include "figures/curve_picture.hpp"
#include "figures/plots.hpp"
#include "support/potts_data.hpp"
#include "report/demo_page.hpp"
#include "support/files.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"
#include "support/training.hpp"
#include "support/validators.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace cli {

namespace {

constexpr int64_t kDemoSites = 20, kDemoColors = 20;
constexpr int64_t kTestSamples = 3000;
constexpr int64_t kCurveSamples = 3000;  // of the loss curve, as in [R24]
constexpr int64_t kCurveEpochs = 200;
constexpr double kCurveRate = 0.1, kCurveMomentum = 0.9;
constexpr int64_t kDemoIterations = 1000;
constexpr double kHamming = 0.3;
constexpr int64_t kCurveSites = 150, kCurveRealisations = 20;  // of the learning curve of masked Gaussian modelling

struct DemoFlags {
  std::string directory = "attopotts-demo", report;
  std::vector<double> samples = {750, 1500, 3000, 6000, 12000};
};

struct Learned {
  Model model;
  EpochLog log;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  double loss = 0, optimal = 0, error = 0, seconds = 0;
};

Learned learn_back(const Session &session, const atp_alignment *train_data, const atp_alignment *test, const atp_model *truth,
                   atp_optimizer optimizer, int64_t epochs, bool curve) {
  const auto begin = std::chrono::steady_clock::now();
  Options options;
  check(atp_options_create(session.context.get(), ATP_OWNER_TRAINER, out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(options.get(), ATP_OPT_OPTIMIZER, optimizer));
  check(atp_options_set_i64(options.get(), ATP_OPT_EPOCHS, epochs));
  if (optimizer == ATP_OPTIMIZER_SGD) {
    check(atp_options_set_f64(options.get(), ATP_OPT_RATE, kCurveRate));
    check(atp_options_set_f64(options.get(), ATP_OPT_MOMENTUM, kCurveMomentum));
  }
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), train_data, options.get(), out(trainer)));
  if (curve) {
    check(atp_trainer_set_test(trainer.get(), test));
    check(atp_trainer_set_truth(trainer.get(), truth));
  }
  TrainingJob job;
  job.task = fmt::format("learn M={}", atp_alignment_count(train_data));
  Learned learned;
  if (optimizer == ATP_OPTIMIZER_LBFGS) {
    // With one head the loss has local minima on low-temperature data.
    Progress progress(session, job.task + " start", "epochs");
    const StopOnSignal stop(trainer.get());
    check(atp_trainer_start_wide(trainer.get(), 4, 100, Progress::callback, &progress, nullptr));
    stop_if_interrupted();
  }
  learned.outcome = train(session, trainer.get(), job, learned.log);
  stop_if_interrupted();
  check(atp_trainer_model(trainer.get(), out(learned.model)));
  learned.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  check(atp_model_loss(session.context.get(), learned.model.get(), test, &learned.loss));
  check(atp_model_loss(session.context.get(), truth, test, &learned.optimal));
  check(atp_model_coupling_error(session.context.get(), learned.model.get(), truth, &learned.error));
  return learned;
}

// Writes the couplings of both models; returns the largest |coupling|.
double write_maps(const Session &session, const std::string &directory, const atp_model *truth, const atp_model *learned,
                  DemoReport &report) {
  const auto [a, b] = compare_maps(session, truth, learned);
  double largest = 0;
  Table table(session, {"i", "j", "true", "learned"});
  for (int64_t i = 0; i < kDemoSites; ++i)
    for (int64_t j = 0; j < kDemoSites; ++j) {
      const auto at = static_cast<std::size_t>(i * kDemoSites + j);
      table.row({cell(i), cell(j), cell(a[at]), cell(b[at])});
      largest = std::fmax(largest, std::fmax(std::fabs(a[at]), std::fabs(b[at])));
    }
  table.write(session, directory + "/maps.csv");
  report.maps = parse_table(table.text());
  report.sites = kDemoSites;
  report.largest = largest;
  return largest;
}

std::string loss_picture(double beta) {
  return fmt::format(
      "set title \"Loss of factored attention by epoch, L = q = {}, M = {}, beta = {:.2f}\\n"
      "SGD: batch 100, rate {:g}, momentum {:g}; L-BFGS: start with 4 heads\"\n"
      "set xlabel 'epoch (SGD: pass over the data, L-BFGS: iteration)'\n"
      "set ylabel 'loss (nats per masked site)'\n"
      "set key top right\n"
      "set logscale xy\n"
      "set yrange [0.05:*]\n"
      "plot 'loss_sgd.csv' using 'epoch':'test_loss' with lines ls 1 title 'SGD, test', \\\n"
      "     'loss_lbfgs.csv' using 'epoch':'test_loss' with lines ls 2 dt 5 title 'L-BFGS, test', \\\n"
      "     '' using 'epoch':'train_loss' with lines ls 4 title 'L-BFGS, training', \\\n"
      "     'loss_sgd.csv' using 'epoch':'optimal_loss' with lines ls 3 title 'optimal (true conditionals)'\n",
      kDemoSites, kCurveSamples, beta, kCurveRate, kCurveMomentum);
}

std::string maps_picture(double beta, int64_t samples, double largest) {
  return fmt::format(
      "unset grid\n"
      "set border 15\n"
      "set cbrange [-{4:.3g}:{4:.3g}]\n"
      "set xrange [-0.5:{0}.5]\nset yrange [{0}.5:-0.5]\n"
      "set size ratio 1\n"
      "set xlabel 'site j'\nset ylabel 'site i'\n"
      "set cblabel 'coupling (units of k_BT)'\n"
      "set multiplot layout 1,2 title \"Couplings in the same gauge, L = q = {1}, beta = {2:.2f}\"\n"
      "set title 'true: beta J_{{ij}}'\n"
      "plot 'maps.csv' using 'j':'i':'true' with image notitle\n"
      "set title 'learned: A_{{ij}}, M = {3}'\n"
      "plot 'maps.csv' using 'j':'i':'learned' with image notitle\n"
      "unset multiplot\n",
      kDemoSites - 1, kDemoSites, beta, samples, largest);
}

std::string error_picture(double beta, const std::vector<int64_t> &counts, double last_error) {
  const auto first = static_cast<double>(counts.front()), last = static_cast<double>(counts.back());
  return fmt::format(
      "set title \"Coupling error of factored attention (L-BFGS)\\nL = q = {}, beta = {:.2f}\"\n"
      "set logscale xy\n"
      "set xlabel 'training sequences M'\n"
      "set ylabel 'sum_{{ij}} (beta J_{{ij}} - A_{{ij}})^2 / L^2'\n"
      "set key top right\n"
      "set xrange [{:g}:{:g}]\n"
      "plot 'error.csv' using 'samples':'coupling_error' with linespoints ls 1 title 'learned', \\\n"
      "     {:.8g} / x with lines ls 3 title 'slope -1'\n",
      kDemoSites, beta, first / 1.3, last * 1.3, last * last_error);
}

// Draws theory, the limit and a simulation of one random system; returns the text about them.
std::string learning_curves(const Session &session, const std::string &directory, bool &drawn, DemoReport &report) {
  GaussianCurve curve;
  curve.sites = kCurveSites;
  curve.realisations = kCurveRealisations;
  const GaussianCurveResult r = draw_gaussian_curve(session, directory, "theory", curve);
  drawn = r.drawn && drawn;
  report.theory = r.table;
  report.facts.push_back(
      {"Learning curve", fmt::format("{} of {} simulated losses within 3 standard errors of theory", r.agreeing, r.points)});
  return fmt::format(
      "\nHow many samples are needed? Masked Gaussian modelling, {} sites: {} of {} simulated losses lie within 3 standard errors of the\n"
      "replica theory; test loss {:.3f} without data, {:.1f} with as many samples as parameters, {:.3f} with four times as many, {:.3f} at "
      "best.",
      kCurveSites, r.agreeing, r.points, r.without_data, r.peak, r.end, r.best);
}

std::vector<int64_t> sample_counts(const DemoFlags &flags) {
  std::vector<int64_t> counts;
  for (double m : flags.samples) counts.push_back(std::llround(m));
  std::sort(counts.begin(), counts.end());
  return counts;
}

void print(const Session &session, const std::string &text) { write_text(session, "-", text + "\n"); }

// The models of growing training sets.
struct ErrorCurve {
  Model last;
  double last_error = 0;
  bool converged = true;
};

// Prints and writes the coupling error for each number of training sequences.
ErrorCurve error_curve(const Session &session, const PottsData &data, const atp_alignment *test, const std::vector<int64_t> &counts,
                       const std::string &directory, DemoReport &report) {
  print(session,
        "\nCoupling error for growing numbers of training sequences M (L-BFGS):\n       M  test loss   optimal  coupling error     time");
  Table errors(session, {"samples", "test_loss", "optimal_loss", "coupling_error", "epochs", "seconds", "outcome"});
  ErrorCurve curve;
  for (int64_t m : counts) {
    const Alignment selected = rows_of(session, data.all.get(), 0, m);
    Learned learned = learn_back(session, selected.get(), test, data.truth.get(), ATP_OPTIMIZER_LBFGS, kDemoIterations, false);
    const bool converged = learned.outcome == ATP_OUTCOME_CONVERGED;
    curve.converged = curve.converged && converged;
    curve.last_error = learned.error;
    print(session, fmt::format("{:>8}  {:>9.4f} {:>9.4f}  {:>14.5f}  {:>5.1f} s{}", m, learned.loss, learned.optimal, learned.error,
                               learned.seconds, converged ? "" : fmt::format("  ({})", atp_outcome_name(learned.outcome))));
    errors.row({cell(m), cell(learned.loss), cell(learned.optimal), cell(learned.error), cell(static_cast<int64_t>(learned.log.size())),
                fmt::format("{:.3f}", learned.seconds), atp_outcome_name(learned.outcome)});
    curve.last = std::move(learned.model);
  }
  errors.note(fmt::format("beta: {:.10g}", data.tuned.beta.value));
  errors.write(session, directory + "/error.csv");
  report.errors = parse_table(errors.text());
  report.samples = counts.back();
  return curve;
}

int run_demo(Session &session, const DemoFlags &flags) {
  const std::vector<int64_t> counts = sample_counts(flags);
  const std::string &directory = flags.directory;
  check_report(flags.report);
  prepare_pictures("--out", directory, {"theory", "loss", "maps", "error"}, {"loss_sgd"});
  const auto begin = std::chrono::steady_clock::now();
  int status = kDone;

  Model random;
  check(atp_model_create_random(session.context.get(), kDemoSites, kDemoColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN,
                                session.seed, out(random)));
  print(session, fmt::format("A random Potts model: {} sites, {} colours, J_ij ~ N(0, 1/L), U_ab ~ N(0, 1), seed {}.", kDemoSites,
                             kDemoColors, session.seed));
  const int64_t most = std::max(counts.back(), kCurveSamples);
  const PottsData data = draw_potts_data(session, std::move(random), kHamming, most + kTestSamples);
  const atp_model *truth = data.truth.get();
  const double beta = data.tuned.beta.value;
  if (!data.equilibrated()) status = kNotConverged;
  print(session, data.tuning_text());
  print(session, data.sampling_text());
  const Alignment test = rows_of(session, data.all.get(), most, kTestSamples);
  const Alignment curve_data = rows_of(session, data.all.get(), 0, kCurveSamples);
  print(session, fmt::format("\nFactored attention learned from {} of the samples, tested on {} others:", kCurveSamples, kTestSamples));
  DemoReport report;
  report.facts = {{"Model", fmt::format("{} sites, {} colours, beta {:.4g}", kDemoSites, kDemoColors, beta)},
                  {"Sequences", fmt::format("{} to learn from, {} to test", kCurveSamples, kTestSamples)}};
  const auto curve_of = [&](atp_optimizer optimizer, const char *name, const char *title, int64_t epochs) {
    const Learned curve = learn_back(session, curve_data.get(), test.get(), truth, optimizer, epochs, true);
    const Table log = log_table(session, curve.log, atp_outcome_name(curve.outcome));
    log.write(session, directory + "/loss_" + name + ".csv");
    report.facts.push_back(
        {fmt::format("Test loss, {}", name), fmt::format("{:.4f} nats per site, optimal {:.4f}", curve.loss, curve.optimal)});
    print(session, fmt::format("  {:<28} test loss {:.4f} nats per site, optimal {:.4f}, difference {:.4f} ({} epochs, {:.1f} s)", title,
                               curve.loss, curve.optimal, curve.loss - curve.optimal, curve.log.size(), curve.seconds));
    return parse_table(log.text());
  };
  report.sgd = curve_of(ATP_OPTIMIZER_SGD, "sgd", "SGD, batches of 100 [R24]:", kCurveEpochs);
  report.lbfgs = curve_of(ATP_OPTIMIZER_LBFGS, "lbfgs", "L-BFGS, start with 4 heads:", kDemoIterations);

  const ErrorCurve curve = error_curve(session, data, test.get(), counts, directory, report);
  if (!curve.converged) status = kNotConverged;
  const double largest = write_maps(session, directory, truth, curve.last.get(), report);

  bool drawn = true;
  print(session, learning_curves(session, directory, drawn, report));
  drawn = draw_picture(session, directory, "loss", loss_picture(beta), 900, 520) && drawn;
  drawn = draw_picture(session, directory, "maps", maps_picture(beta, counts.back(), largest), 1100, 520) && drawn;
  drawn = draw_picture(session, directory, "error", error_picture(beta, counts, curve.last_error), 900, 520) && drawn;
  const std::string end = drawn ? " (.csv, .svg, .png)." : fmt::format(".csv; no pictures: {}.", kNoPictures);
  print(session,
        fmt::format("\nTables{} in {}: loss, maps, error, theory{}", drawn ? " and pictures" : " and gnuplot scripts", directory, end));
  print(session, fmt::format("{:.1f} s in total.", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  if (!flags.report.empty()) write_demo_page(session, flags.report, report);
  return status;
}

void add_demo(CLI::App *app, DemoFlags *flags) {
  app->add_option("--out", flags->directory, "output folder of the tables and pictures")
      ->check(output_folder())
      ->type_name("DIR")
      ->capture_default_str();
  add_report(app, flags->report);
  add_list(app, "--samples", flags->samples, 100, 1e6, "numbers of training sequences in the last table")
      ->default_str("750,1500,3000,6000,12000");
}

}  // namespace

const Command kDemoCommand = {"demo",     "run the main steps in half a minute: sample a random model, learn it back, compare",
                              kOfProgram, "attopotts demo --out demo",
                              nullptr,    with_flags<DemoFlags, add_demo, run_demo>};

}  // namespace cli
