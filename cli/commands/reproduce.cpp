// SPDX-License-Identifier: MIT
// attopotts reproduce: a figure of the papers, as a table, a gnuplot script and pictures.
#include "commands/commands.hpp"

#include "figures/figures.hpp"
#include "figures/plots.hpp"
#include "support/files.hpp"

namespace cli {

namespace {

constexpr Figure kFigures[] = {
    {"fig2a", "test loss against epoch: factored attention and encoders", kTakesData | kTakesRate, "2 min", reproduce_fig2a},
    {"fig2b", "couplings next to the attention maps that factored attention and encoders learn", kTakesData | kTakesRate, "1 min",
     reproduce_fig2b},
    {"fig2c", "coupling error of factored attention against epoch", kTakesData | kTakesRate, "1 min", reproduce_fig2c},
    {"fig2d", "final test loss against the dial a between factored and plain attention", kTakesData | kTakesRate, "2 min", reproduce_fig2d},
    {"fig3-left", "learning curve of masked Gaussian modelling, theory and simulation", kTakesGaussian, "10 s", reproduce_fig3_left},
    {"fig3-right", "interpolation peak of factored attention on Potts data", kTakesData, "2 min", reproduce_fig3_right},
    {"dotattn-overlaps", "dot-product attention: overlaps and losses of both solutions, theory and simulation",
     kTakesOmega | kTakesAttention, "5 min", reproduce_dotattn_overlaps},
    {"dotattn-phase", "dot-product attention: which solution has the smaller training loss", kTakesAttention, "4 min",
     reproduce_dotattn_phase},
};

struct ReproduceFlags {
  std::string figure, directory;
  std::optional<atp_couplings> couplings;
  std::optional<double> hamming, rate, omega, sigma, lambda, shift;
  std::optional<int64_t> sites, realisations;
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

// Refuses a flag that the figure does not take.
void check_taken(const Figure &figure, const ReproduceFlags &flags) {
  struct Taken {
    const char *flag;
    unsigned by;
    const char *lacks;
  };
  static constexpr Taken kTaken[] = {
      {"--couplings", kTakesData, "has no Potts data"},
      {"--hamming", kTakesData, "has no Potts data"},
      {"--rate", kTakesRate, "has no stochastic gradient descent"},
      {"--omega", kTakesOmega, "has no single omega"},
      {"--sigma", kTakesAttention, "has no dot-product attention of this kind"},
      {"--lambda", kTakesAttention | kTakesGaussian, "has no such penalty"},
      {"--shift", kTakesGaussian, "has no masked Gaussian modelling"},
      {"--sites", kTakesGaussian, "has no masked Gaussian modelling"},
      {"--realisations", kTakesGaussian, "has no masked Gaussian modelling"},
  };
  for (const Taken &taken : kTaken)
    if (const std::string value = given(flags.app, taken.flag); !value.empty() && (figure.takes & taken.by) == 0)
      wrong_use("{} is \"{}\" with {}, which {}", taken.flag, value, figure.name, taken.lacks);
}

FigureJob make_job(const Figure &figure, const ReproduceFlags &flags) {
  FigureJob job;
  job.name = figure.name;
  job.directory = flags.directory;
  job.quick = flags.quick;
  check_taken(figure, flags);
  if (flags.couplings) job.couplings = {*flags.couplings};
  job.hamming = flags.hamming.value_or(job.hamming);
  job.rate = flags.rate.value_or(job.rate);
  job.omega = flags.omega;
  job.sigma = flags.sigma;
  job.lambda = flags.lambda;
  job.shift = flags.shift;
  job.sites = flags.sites;
  job.realisations = flags.realisations;
  return job;
}

int run_reproduce(const Session &session, const ReproduceFlags &flags) {
  const Figure &figure = find_figure(flags.figure);
  const FigureJob job = make_job(figure, flags);
  prepare_pictures("--out", job.directory, {job.name});
  if (!job.quick) session.say("{}: {}; takes about {} on two cores, less with --quick", figure.name, figure.shows, figure.times);
  return figure.run(session, job);
}

void add_problem_flags(CLI::App *app, ReproduceFlags &flags) {
  app->add_option("--omega", flags.omega, "dotattn-overlaps: weight of the positional part in the teacher; default 0.3")
      ->transform(number(0, 1))
      ->type_name("W");
  app->add_option("--sigma", flags.sigma, "dotattn-overlaps, dotattn-phase: standard deviation of the tokens; default 0.5")
      ->transform(number(1e-3, 1e3))
      ->type_name("S");
  app->add_option("--lambda", flags.lambda, "penalty of dotattn-overlaps and dotattn-phase (default 0.01) and of fig3-left (1e-4)")
      ->transform(number(0, 1e12))
      ->type_name("X");
  app->add_option("--shift", flags.shift, "fig3-left: z > 2 of the precision P = z I - J; default 2.5")
      ->transform(number(2, 1e6))
      ->type_name("Z");
  app->add_option("--sites", flags.sites, "fig3-left: number of sites; default 400")->transform(count(2, 32000))->type_name("L");
  app->add_option("--realisations", flags.realisations, "fig3-left: data sets for each simulated point; default 30")
      ->transform(count(2, 1000000))
      ->type_name("R");
}

void add_reproduce(CLI::App *app, ReproduceFlags *flags) {
  flags->app = app;
  static const Words<atp_couplings> kinds = {{"gaussian", ATP_COUPLINGS_GAUSSIAN}, {"contacts", ATP_COUPLINGS_CONTACTS}};
  std::string list = "name of the figure:";
  for (const Figure &figure : kFigures) list += fmt::format("\n{} ({})", figure.name, figure.shows);
  app->add_option("FIGURE", flags->figure, list)->check(one_of(figure_names()))->required();
  app->add_option("--out", flags->directory, "output folder of the table and the pictures")
      ->check(output_folder())
      ->type_name("DIR")
      ->required();
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
  add_problem_flags(app, *flags);
}

}  // namespace

const Command kReproduceCommand = {"reproduce", "reproduce a figure of the papers: table, gnuplot script, SVG and PNG",
                                   kOfTheory,   "attopotts reproduce fig3-left --out figures --quick",
                                   nullptr,     with_flags<ReproduceFlags, add_reproduce, run_reproduce>};

}  // namespace cli
