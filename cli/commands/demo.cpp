// SPDX-License-Identifier: MIT
// attopotts demo: the main steps at the sizes of [R24]. It samples a random model, learns it back with factored attention, compares both,
// and computes a learning curve in theory and simulation.
#include "commands/commands.hpp"

#include "run/sampling.hpp"
#include "report/heat_map.hpp"
#include "report/page.hpp"
#include "run/files.hpp"
#include "run/theory_tasks.hpp"
#include "run/named_files.hpp"
#include "run/progress_display.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"
#include "run/training.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cerrno>
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
// The learning curve of masked Gaussian modelling [R24 fig. 3 left]: theory in steps of 0.05 in alpha, simulation at every fifth step.
constexpr int64_t kCurveSites = 150, kCurveRealisations = 20;
constexpr double kCurveShift = 2.5, kCurvePenalty = 1e-4;
constexpr std::size_t kCurvePoints = 80, kCurveEach = 5;

struct DemoFlags {
  std::string directory = "attopotts-demo", report;
  std::vector<double> samples = {750, 1500, 3000, 6000, 12000};
};

// Results of the run, for pictures and page.
struct DemoReport {
  std::vector<Fact> facts;
  StoredTable sgd, lbfgs;        // losses by epoch
  StoredTable errors;            // by number of training sequences
  StoredTable maps, theory;      // couplings; learning curve
  int64_t samples = 0;           // of the maps
  double beta = 0, largest = 1;  // the largest coupling in them
};

struct Learned {
  Model model;
  EpochLog log;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  double loss = 0, optimal = 0, error = 0, seconds = 0;
};

Learned learn_back(const Session &session, const Alignment &train_data, const Alignment &test, const Model &truth, atp_optimizer optimizer,
                   int64_t epochs, bool curve) {
  const auto begin = std::chrono::steady_clock::now();
  Options options(session.context, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_SEED, session.seed).set(ATP_OPT_OPTIMIZER, optimizer).set(ATP_OPT_EPOCHS, epochs);
  if (optimizer == ATP_OPTIMIZER_SGD) options.set(ATP_OPT_RATE, kCurveRate).set(ATP_OPT_MOMENTUM, kCurveMomentum);
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), train_data.get(), options.get(), out(trainer)));
  if (curve) {
    check(atp_trainer_set_test(trainer.get(), test.get()));
    check(atp_trainer_set_truth(trainer.get(), truth.get()));
  }
  TrainingJob job;
  job.task = fmt::format("learn M={}", train_data.count());
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
  learned.loss = learned.model.loss(session.context, test);
  learned.optimal = truth.loss(session.context, test);
  learned.error = learned.model.coupling_error(session.context, truth);
  return learned;
}

// Writes the couplings of both models.
void write_maps(const Session &session, const std::string &directory, const atp_model *truth, const atp_model *learned,
                DemoReport &report) {
  const std::vector<double> a = map_like(session, truth, truth), b = map_like(session, learned, truth);
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
  report.largest = largest;
}

Chart demo_losses(const DemoReport &report) {
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

Chart demo_errors(const DemoReport &report) {
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

Chart demo_theory(const DemoReport &report) {
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

Drawing couplings_map(const DemoReport &report, const std::string &column, const std::string &title) {
  HeatMap map{title,
              fmt::format("Couplings of {0} x {0} pairs of sites.", kDemoSites),
              "site j",
              "site i",
              "coupling",
              "",
              Palette::diverging,
              report.largest,
              {}};
  HeatBlock block{kDemoSites, kDemoSites};
  const auto place =
      static_cast<std::size_t>(std::find(report.maps.columns.begin(), report.maps.columns.end(), column) - report.maps.columns.begin());
  for (const std::vector<std::string> &row : report.maps.rows) {
    block.values.push_back(number_in(row[place]));
    block.texts.push_back(fmt::format("sites {} and {}: {:.4g}", row[0], row[1], block.values.back()));
  }
  for (int64_t k = 0; k < kDemoSites; k += 5)
    for (std::vector<HeatTick> *ticks : {&block.column_ticks, &block.row_ticks})
      ticks->push_back({static_cast<double>(k), fmt::format("{}", k)});
  map.blocks.push_back(std::move(block));
  return heat_drawing(map);
}

// The maps beside each other, true and learned.
std::vector<Drawing> demo_maps(const DemoReport &report) {
  return {couplings_map(report, "true", "True couplings"),
          couplings_map(report, "learned", fmt::format("Learned couplings, M = {}", report.samples))};
}

void write_demo_page(const Session &session, const std::string &path, const DemoReport &report) {
  if (!is_first_rank()) return;
  ReportPage page(
      "Demonstration",
      "A random Potts model is sampled, learned back with factored attention, and compared; a learning curve has its theory beside it.");
  page.add_facts(report.facts);
  page.begin_section("Learned back");
  page.add_charts({demo_losses(report), demo_errors(report)});
  page.add_table({"Models of growing numbers of training sequences.", report.errors.columns, report.errors.rows, 0, ""});
  page.begin_section("Couplings");
  page.add_html("<div class=\"figures\">\n");
  for (const Drawing &map : demo_maps(report)) page.add_drawing(map);
  page.add_html("</div>\n");
  page.begin_section("How many samples");
  page.add_chart(demo_theory(report));
  page.write(session, path);
}

// Writes the learning curve in theory, in the limit of many sites and in simulation; returns the text about them.
std::string learning_curves(const Session &session, const std::string &directory, DemoReport &report) {
  std::vector<double> alphas, few;
  for (std::size_t k = 1; k <= kCurvePoints; ++k) {
    alphas.push_back(0.05 * static_cast<double>(k));
    if (k % kCurveEach == 0) few.push_back(alphas.back());
  }
  const MaskedSystem system = random_system(session, kCurveSites, kCurveShift, 0, "learning curve");
  const CurveTable limit = limit_curve(session, kCurveShift, {alphas, kCurvePenalty}).table,
                   theory = square_curve(session, system, {alphas, kCurvePenalty}, false).table;
  const CurveTable simulated = simulated_curve(session, system, few, kCurvePenalty, kCurveRealisations);
  stop_if_interrupted();
  Table table(session, {"alpha", "eg_limit", "eg", "eg_sim", "eg_sim_sem"});
  table.note(
      fmt::format("masked Gaussian modelling: z {:g}, lambda {:g}, L {}, {} realisations, best loss {:.10g} (limit), {:.10g} (L = {})",
                  kCurveShift, kCurvePenalty, kCurveSites, kCurveRealisations, 1 / kCurveShift, system.noise(), kCurveSites));
  std::vector<double> expected;  // where there is a simulation
  double peak = 0;
  for (std::size_t k = 0; k < kCurvePoints; ++k) {
    const double eg = theory.at(k, ATP_REPLICA_EG);
    double mean = std::nan(""), error = std::nan("");
    if ((k + 1) % kCurveEach == 0) {
      mean = simulated.at(k / kCurveEach, ATP_REPLICA_SIM_EG);
      error = simulated.at(k / kCurveEach, ATP_REPLICA_SIM_EG_SEM);
      expected.push_back(eg);
    }
    peak = std::fmax(peak, eg);
    table.row({cell(alphas[k]), cell(limit.at(k, ATP_REPLICA_EG)), cell(eg), cell(mean), cell(error)});
  }
  table.write(session, directory + "/theory.csv");
  report.theory = parse_table(table.text());
  const int64_t agreeing =
      attopotts::count_within_errors(expected, simulated.column(ATP_REPLICA_SIM_EG), simulated.column(ATP_REPLICA_SIM_EG_SEM), 3);
  report.facts.push_back(
      {"Learning curve", fmt::format("{} of {} simulated losses within 3 standard errors of theory", agreeing, few.size())});
  return fmt::format(
      "\nHow many samples are needed? Masked Gaussian modelling, {} sites: {} of {} simulated losses lie within 3 standard errors of the\n"
      "replica theory; test loss {:.3f} without data, {:.1f} with as many samples as parameters, {:.3f} with four times as many, {:.3f} at "
      "best.",
      kCurveSites, agreeing, few.size(), theory.at(0, ATP_REPLICA_RHO), peak, theory.at(kCurvePoints - 1, ATP_REPLICA_EG), system.noise());
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
  bool converged = true;
};

// Prints and writes the coupling error for each number of training sequences.
ErrorCurve error_curve(const Session &session, const PottsData &data, const Alignment &test, const std::vector<int64_t> &counts,
                       const std::string &directory, DemoReport &report) {
  print(session,
        "\nCoupling error for growing numbers of training sequences M (L-BFGS):\n       M  test loss   optimal  coupling error     time");
  Table errors(session, {"samples", "test_loss", "optimal_loss", "coupling_error", "epochs", "seconds", "outcome"});
  ErrorCurve curve;
  for (int64_t m : counts) {
    const Alignment selected = data.all.select(session.context, 0, m);
    Learned learned = learn_back(session, selected, test, data.truth, ATP_OPTIMIZER_LBFGS, kDemoIterations, false);
    const bool converged = learned.outcome == ATP_OUTCOME_CONVERGED;
    curve.converged = curve.converged && converged;
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

void draw_demo(const Session &session, const std::string &directory, const DemoReport &report) {
  const std::string model = fmt::format("Factored attention, L = q = {}, beta = {:.2f}", kDemoSites, report.beta);
  const auto draw_as = [&](const char *name, const std::vector<std::string> &heading, const std::vector<Drawing> &drawings) {
    write_picture(session, directory + "/" + name + ".svg", heading, drawings);
  };
  draw_as("loss",
          {model, fmt::format("M = {}. SGD: batch 100, rate {:g}, momentum {:g}. L-BFGS: start with 4 heads.", kCurveSamples, kCurveRate,
                              kCurveMomentum)},
          {chart_drawing(demo_losses(report))});
  draw_as("maps", {model, "Both in the same gauge, in units of k_B T: true beta J_ij, learned A_ij."}, demo_maps(report));
  draw_as("error", {model, "L-BFGS; the error is sum_ij (beta J_ij - A_ij)^2 / L^2."}, {chart_drawing(demo_errors(report))});
  draw_as("theory",
          {fmt::format("z = {:g}, lambda = {:g}, L = {}, {} realisations", kCurveShift, kCurvePenalty, kCurveSites, kCurveRealisations)},
          {chart_drawing(demo_theory(report))});
}

// Fails before the run where a file cannot be written.
void prepare_folder(const std::string &directory) {
  if (is_first_rank() && make_folder(directory) != 0 && errno != EEXIST)
    wrong_use("--output is \"{}\", expected a folder that can be created: {}", directory, std::strerror(errno));
  for (const char *name :
       {"loss_sgd.csv", "loss_lbfgs.csv", "maps.csv", "error.csv", "theory.csv", "loss.svg", "maps.svg", "error.svg", "theory.svg"})
    check_writable("--output", directory + "/" + name);
}

int run_demo(Session &session, const DemoFlags &flags) {
  const std::vector<int64_t> counts = sample_counts(flags);
  const std::string &directory = flags.directory;
  check_report(flags.report);
  prepare_folder(directory);
  const auto begin = std::chrono::steady_clock::now();
  int status = kDone;

  Model random = Model::random(session.context, kDemoSites, kDemoColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, session.seed);
  print(session, fmt::format("A random Potts model: {} sites, {} colours, J_ij ~ N(0, 1/L), U_ab ~ N(0, 1), seed {}.", kDemoSites,
                             kDemoColors, session.seed));
  const int64_t most = std::max(counts.back(), kCurveSamples);
  const PottsData data = draw_potts_data(session, std::move(random), kHamming, most + kTestSamples);
  const Model &truth = data.truth;
  const double beta = data.tuned.beta.value;
  if (!data.equilibrated()) status = kNotConverged;
  print(session, data.tuning_text());
  print(session, data.sampling_text());
  const Alignment test = data.all.select(session.context, most, kTestSamples);
  const Alignment curve_data = data.all.select(session.context, 0, kCurveSamples);
  print(session, fmt::format("\nFactored attention learned from {} of the samples, tested on {} others:", kCurveSamples, kTestSamples));
  DemoReport report;
  report.beta = beta;
  report.facts = {{"Model", fmt::format("{} sites, {} colours, beta {:.4g}", kDemoSites, kDemoColors, beta)},
                  {"Sequences", fmt::format("{} to learn from, {} to test", kCurveSamples, kTestSamples)}};
  const auto curve_of = [&](atp_optimizer optimizer, const char *name, const char *title, int64_t epochs) {
    const Learned curve = learn_back(session, curve_data, test, truth, optimizer, epochs, true);
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

  const ErrorCurve curve = error_curve(session, data, test, counts, directory, report);
  if (!curve.converged) status = kNotConverged;
  write_maps(session, directory, truth.get(), curve.last.get(), report);
  print(session, learning_curves(session, directory, report));
  draw_demo(session, directory, report);
  print(session, fmt::format("\nTables and pictures in {}: loss, maps, error, theory (.csv, .svg).", directory));
  print(session, fmt::format("{:.1f} s in total.", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  if (!flags.report.empty()) write_demo_page(session, flags.report, report);
  return status;
}

void add_demo(CLI::App *app, DemoFlags *flags) {
  app->add_option("-o,--output", flags->directory, "output folder of the tables and pictures")
      ->check(output_folder())
      ->type_name("DIR")
      ->capture_default_str();
  add_report(app, flags->report);
  add_list(app, "--samples", flags->samples, 100, 1e6, "numbers of training sequences in the last table")
      ->default_str("750,1500,3000,6000,12000");
}

}  // namespace

const Command kDemoCommand = {"demo",     "run the main steps in half a minute: sample a random model, learn it back, compare",
                              kOfProgram, "attopotts demo --output demo",
                              nullptr,    with_flags<DemoFlags, add_demo, run_demo>};

}  // namespace cli
