// SPDX-License-Identifier: MIT
// attopotts reproduce: a figure of the papers, as a table, a gnuplot script and pictures.
#include "figures/figures.hpp"
#include "figures/plots.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr Figure kFigures[] = {
    {"fig2a", "test loss against epoch: factored attention and encoders", true, true, "2 min", reproduce_fig2a},
    {"fig2b", "couplings beside the maps that factored attention and encoders learn", true, true, "1 min", reproduce_fig2b},
    {"fig2c", "coupling error of factored attention against epoch", true, true, "1 min", reproduce_fig2c},
    {"fig2d", "final test loss against the dial a between factored and plain attention", true, true, "2 min", reproduce_fig2d},
    {"fig3-left", "learning curve of masked Gaussian modelling, theory and simulation", false, false, "10 s", reproduce_fig3_left},
    {"fig3-right", "interpolation peak of factored attention on Potts data", true, false, "1 min", reproduce_fig3_right},
    {"dotattn-overlaps", "dot-product attention: overlaps and losses of both solutions, theory and simulation", false, false, "5 min",
     reproduce_dotattn_overlaps},
    {"dotattn-phase", "dot-product attention: which solution has the smaller training loss", false, false, "4 min",
     reproduce_dotattn_phase},
};

struct ReproduceFlags {
  std::string figure, directory, couplings, hamming, rate;
  bool quick = false;
};

std::string figure_names() {
  std::string text;
  for (const Figure &figure : kFigures) text += (text.empty() ? "" : ", ") + std::string(figure.name);
  return text;
}

const Figure &find_figure(const std::string &name) {
  for (const Figure &figure : kFigures)
    if (name == figure.name) return figure;
  wrong_use("FIGURE is \"{}\", expected one of {}", name, figure_names());
}

FigureJob make_job(const Figure &figure, const ReproduceFlags &flags) {
  FigureJob job;
  job.name = figure.name;
  job.directory = flags.directory;
  job.quick = flags.quick;
  if (!flags.couplings.empty()) {
    if (!figure.data) wrong_use("--couplings is \"{}\" with {}, which has no Potts data", flags.couplings, figure.name);
    const bool contacts = parse_word("--couplings", flags.couplings, {"gaussian", "contacts"}) == 1;
    job.couplings = {contacts ? ATP_COUPLINGS_CONTACTS : ATP_COUPLINGS_GAUSSIAN};
  }
  if (!flags.hamming.empty()) {
    if (!figure.data) wrong_use("--hamming is \"{}\" with {}, which has no Potts data", flags.hamming, figure.name);
    job.hamming = parse_number("--hamming", flags.hamming, 0.01, 0.99);
  }
  if (!flags.rate.empty()) {
    if (!figure.sgd) wrong_use("--rate is \"{}\" with {}, which has no stochastic gradient descent", flags.rate, figure.name);
    job.rate = parse_number("--rate", flags.rate, 1e-9, 1e6);
  }
  return job;
}

int run_reproduce(const Session &session, const ReproduceFlags &flags) {
  const Figure &figure = find_figure(flags.figure);
  const FigureJob job = make_job(figure, flags);
  make_directory("--out", job.directory);
  check_writable("--out", job.directory + "/" + job.name + ".csv");
  if (!job.quick) session.say("{}: {}; about {} on two cores, --quick for less", figure.name, figure.shows, figure.times);
  return figure.run(session, job);
}

}  // namespace

double FigureJob::hamming_of(atp_couplings law) const {
  if (hamming > 0) return hamming;
  // [R24]; contacts have too few states of low energy for it at any temperature where they move.
  return law == ATP_COUPLINGS_CONTACTS ? 0.8 : 0.3;
}

void finish_figure(const Session &session, const FigureJob &job, const Table &table, const std::string &body, int width, int height) {
  table.write(session, job.directory + "/" + job.name + ".csv");
  say_written(session, job, draw_picture(session, job.directory, job.name, body, width, height));
}

void say_written(const Session &session, const FigureJob &job, bool drawn) {
  session.say("{}/{}{}", job.directory, job.name,
              drawn ? ".csv, .gp, .svg, .png" : ".csv, .gp; no picture was drawn, as gnuplot is not there");
}

void print_line(const Session &session, const std::string &text) { write_text(session, "-", text + "\n"); }

const char *couplings_name(atp_couplings law) { return law == ATP_COUPLINGS_CONTACTS ? "contacts" : "gaussian"; }

int64_t seed_of_run(const Session &session, int64_t run) {
  const uint64_t other = static_cast<uint64_t>(run) * 0x9e3779b97f4a7c15;
  return static_cast<int64_t>((static_cast<uint64_t>(session.seed) ^ other) & 0x7fffffffffffffff);
}

std::string quick_note(const FigureJob &job, const std::string &what) { return job.quick ? "\\n--quick: " + what : ""; }

MeanError mean_error(const std::vector<double> &values) {
  MeanError result;
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (double x : values) result.mean += x / n;
  for (double x : values) squares += (x - result.mean) * (x - result.mean);
  if (n > 1) result.error = std::sqrt(squares / (n * (n - 1)));
  result.lowest = *std::min_element(values.begin(), values.end());
  result.highest = *std::max_element(values.begin(), values.end());
  return result;
}

void add_reproduce(Program &program) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App *app = program.add("reproduce", "a figure of the papers: table, gnuplot script, SVG and PNG",
                              "attopotts reproduce fig3-left --out figures --quick",
                              [flags](Session &session) { return run_reproduce(session, *flags); });
  std::string list = "which figure:";
  for (const Figure &figure : kFigures) list += fmt::format("\n{} ({})", figure.name, figure.shows);
  app->add_option("FIGURE", flags->figure, list)->required();
  app->add_option("--out", flags->directory, "folder of the table and the pictures")->type_name("DIR")->required();
  app->add_flag("--quick", flags->quick, "a smaller version, below a minute on two cores");
  app->add_option("--couplings", flags->couplings, "of the data: gaussian (either sign) or contacts (sparse, not negative)")
      ->type_name("WHAT");
  app->add_option("--hamming", flags->hamming, "mean Hamming distance of the data (gaussian 0.3, contacts 0.8)")->type_name("D");
  app->add_option("--rate", flags->rate, "initial rate of stochastic gradient descent")->type_name("X");
}

}  // namespace cli
