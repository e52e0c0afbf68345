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
    {"fig2b", "couplings next to the attention maps that factored attention and encoders learn", true, true, "1 min", reproduce_fig2b},
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
  std::string figure, directory;
  std::optional<atp_couplings> couplings;
  std::optional<double> hamming, rate;
  const CLI::App *app = nullptr;
  bool quick = false;
};

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const Figure &figure : kFigures) names.emplace_back(figure.name);
  return names;
}

const Figure &find_figure(const std::string &name) {
  for (const Figure &figure : kFigures)
    if (name == figure.name) return figure;
  wrong_use("FIGURE {}", not_one_of(name, figure_names()));
}

FigureJob make_job(const Figure &figure, const ReproduceFlags &flags) {
  FigureJob job;
  job.name = figure.name;
  job.directory = flags.directory;
  job.quick = flags.quick;
  for (const char *flag : {"--couplings", "--hamming"})
    if (const std::string value = given(flags.app, flag); !value.empty() && !figure.data)
      wrong_use("{} is \"{}\" with {}, which has no Potts data", flag, value, figure.name);
  if (flags.rate && !figure.sgd) wrong_use("--rate is \"{}\" with {}, which has no stochastic gradient descent", *flags.rate, figure.name);
  if (flags.couplings) job.couplings = {*flags.couplings};
  job.hamming = flags.hamming.value_or(job.hamming);
  job.rate = flags.rate.value_or(job.rate);
  return job;
}

int run_reproduce(const Session &session, const ReproduceFlags &flags) {
  const Figure &figure = find_figure(flags.figure);
  const FigureJob job = make_job(figure, flags);
  make_directory("--out", job.directory);
  check_writable("--out", job.directory + "/" + job.name + ".csv");
  if (!job.quick) session.say("{}: {}; takes about {} on two cores, less with --quick", figure.name, figure.shows, figure.times);
  return figure.run(session, job);
}

}  // namespace

void add_reproduce(Program &program) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App *app = program.add("reproduce", "reproduce a figure of the papers: table, gnuplot script, SVG and PNG",
                              "attopotts reproduce fig3-left --out figures --quick",
                              [flags](Session &session) { return run_reproduce(session, *flags); });
  flags->app = app;
  static const Words<atp_couplings> kinds = {{"gaussian", ATP_COUPLINGS_GAUSSIAN}, {"contacts", ATP_COUPLINGS_CONTACTS}};
  std::string list = "name of the figure:";
  for (const Figure &figure : kFigures) list += fmt::format("\n{} ({})", figure.name, figure.shows);
  app->add_option("FIGURE", flags->figure, list)->check(one_of(figure_names()))->required();
  app->add_option("--out", flags->directory, "output folder of the table and the pictures")->type_name("DIR")->required();
  app->add_flag("--quick", flags->quick, "make a smaller version in less than a minute on two cores");
  add_choice(app, "--couplings", flags->couplings, kinds,
             "couplings of the Potts data: gaussian (of either sign) or contacts (few pairs, never negative)")
      ->type_name("WHAT");
  app->add_option("--hamming", flags->hamming, "mean Hamming distance of the data; default 0.3 with gaussian, 0.8 with contacts")
      ->transform(number(0.01, 0.99))
      ->type_name("D");
  app->add_option("--rate", flags->rate, "initial learning rate of stochastic gradient descent")
      ->transform(number(1e-9, 1e6))
      ->type_name("X");
}

}  // namespace cli
