// SPDX-License-Identifier: MIT
// attopotts reproduce: a figure of the papers, as a table, a gnuplot script and pictures.
#include "commands/commands.hpp"

#include "figures/figures.hpp"
#include "figures/plots.hpp"
#include "support/files.hpp"

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
