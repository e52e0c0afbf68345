// SPDX-License-Identifier: MIT
#include "commands/replica_flags.hpp"

#include "report/page.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "run/memory.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cli {

namespace {

const Words<ReplicaLoss> kReplicaLosses = {
    {"square", ReplicaLoss::square}, {"huber", ReplicaLoss::huber}, {"logistic", ReplicaLoss::logistic}, {"potts", ReplicaLoss::potts}};

void refuse_with(const ReplicaFlags &flags, const std::string &flag, const std::string &other) {
  if (const std::string value = given(flags.app, flag); !value.empty())
    wrong_use("{} is \"{}\" with {}, expected one of them", flag, value, other);
}

void add_system_flags(CLI::App *app, ReplicaFlags &flags) {
  app->add_option("--shift", flags.shift, "z > 2 of the precision P = z I - J, J Gaussian with variance 1/L")
      ->transform(number(2, 1e6))
      ->type_name("Z");
  app->add_option("--sites", flags.sites, "number of sites of a random J; default: the limit of many sites")
      ->transform(count(2, 32000))
      ->type_name("L");
  app->add_option("--site", flags.site, "number of the masked site, 0-based; default 0")->transform(count(0, 1000000))->type_name("I");
  app->add_option("--covariance", flags.covariance,
                  fmt::format("covariance of all sites, or with --teacher of the inputs: {}; replaces --shift and --sites", kNumbersText))
      ->check(input_file())
      ->type_name("FILE");
  app->add_option("--beta", flags.beta,
                  "inverse temperature of a spin glass with J_ij ~ N(0, 1/L), above its transition: the limit of many sites of an Ising "
                  "model (--loss logistic, below 1) or of a Potts model with colours that do not differ (--loss potts, w* = B J)")
      ->transform(number(1e-6, 1e6))
      ->type_name("B");
  const auto store = [&flags](const std::string &text) {
    double variance = 0;
    flags.teacher_variance.reset();
    if (is_number(text) && read_number(text, 0, 1e6, variance).empty())
      flags.teacher_variance = variance;
    else
      flags.teacher = text;
  };
  const auto check = [](std::string &text) {
    double unused = 0;
    return is_number(text) ? read_number(text, 0, 1e6, unused) : std::string();
  };
  add_checked(app, "--teacher",
              fmt::format("weights of the teacher, one for each input: {}; or of --loss potts with independent sites the number w* . S w*",
                          kNumbersText),
              CLI::Validator(check, ""), store)
      ->check(input_file({"0"}))
      ->type_name("FILE");
}

void add_learning_flags(CLI::App *app, ReplicaFlags &flags) {
  add_list(app, "--alpha", flags.alphas, 1e-12, 1e12, "numbers of samples per parameter, alpha = M / p with p = L - 1 inputs");
  app->add_option("--target", flags.target,
                  "instead of --alpha: find the smallest number M of samples whose test loss eg is at most R times the best possible loss. "
                  "In the limit of many sites: the smallest alpha. The search goes up in steps of 2 per cent (of a factor 2 with --lambda "
                  "optimal, where eg only falls) and halves the last step")
      ->transform(number(1, 1e12))
      ->type_name("R");
  add_or_word(app, "--lambda", flags.lambda.value, 0, 1e12, "optimal", flags.lambda.optimal,
              "L2 penalty per parameter; 0: the solution of smallest norm; optimal: for each alpha the one of smallest eg (square loss)")
      ->type_name("X")
      ->default_str("1e-8");
  add_choice(app, "--loss", flags.loss, kReplicaLosses,
             "square, huber (the table has twice the loss), logistic (labels +-1, nats) or potts (labels of q colours, nats)")
      ->type_name("LOSS");
}

void add_color_flags(CLI::App *app, ReplicaFlags &flags) {
  const auto check = [](const std::string &text) {
    int64_t unused = 0;
    return is_number(text) ? read_count(text, 2, 255, unused) : std::string();
  };
  const auto store = [&flags](const std::string &text) {
    int64_t colors = 0;
    if (is_number(text) && read_count(text, 2, 255, colors).empty())
      flags.colors = colors;
    else
      flags.color_covariance = text;
  };
  add_checked(app, "--colors",
              fmt::format("number q of colours of --loss potts, whose fields are independent, of variance w . S w each; or a file with the "
                          "covariance of the fields, q x q: {}",
                          kNumbersText),
              CLI::Validator(check, ""), store)
      ->check(input_file({"0"}))
      ->type_name("WHAT");
  app->add_option("--color-matrix", flags.color_matrix,
                  fmt::format("instead of --colors: V, q x q, whose rows are the colours of the masked site; the fields of uniform colours "
                              "have the covariance V_c V_c^T / q, V_c being V without the means of its rows: {}",
                              kNumbersText))
      ->check(input_file())
      ->type_name("FILE");
}

constexpr const char *kColorFlags[] = {"--colors", "--color-matrix"};

// Refuses flags that only --loss potts has, and those that it lacks.
void check_colors(const ReplicaFlags &flags) {
  if (flags.loss != ReplicaLoss::potts) {
    for (const char *flag : kColorFlags) refuse_with(flags, flag, "--loss " + loss_word(flags.loss));
    if (flags.teacher_variance) wrong_use("--teacher is the number {:g}, expected a file without --loss potts", *flags.teacher_variance);
    return;
  }
  std::string first;
  for (const char *flag : kColorFlags) {
    if (given(flags.app, flag).empty()) continue;
    if (!first.empty()) refuse_with(flags, flag, first);
    first = flag;
  }
  if (first.empty()) wrong_use("--colors is missing, expected it or --color-matrix with --loss potts");
  for (const char *flag : {"--target", "--shift", "--site"}) refuse_with(flags, flag, "--loss potts");
  if (flags.beta) {
    for (const char *flag : {"--covariance", "--teacher", "--sites"}) refuse_with(flags, flag, "--beta");
    return;
  }
  if (flags.teacher_variance) {
    refuse_with(flags, "--covariance", "a number as --teacher");
    if (flags.simulate && !flags.sites)
      wrong_use("--simulate is \"{}\" without --sites or --covariance, expected one of them", *flags.simulate);
    return;
  }
  if (flags.covariance.empty() || flags.teacher.empty())
    wrong_use("--teacher is missing, expected a number, --beta, or --covariance of the inputs and a file, with --loss potts");
  refuse_with(flags, "--sites", "--covariance");
}

// Refuses flags that need the square loss, or a finite system.
void check_loss(const ReplicaFlags &flags) {
  const std::string loss = loss_word(flags.loss);
  if (flags.loss == ReplicaLoss::square) return;
  if (flags.loss != ReplicaLoss::potts || flags.beta) refuse_with(flags, "--simulate", flags.beta ? "--beta" : "--loss " + loss);
  if (flags.saddle) wrong_use("--equations is \"saddle\" with --loss {}, expected no choice there", loss);
  if (flags.lambda.optimal) wrong_use("--lambda is \"optimal\" with --loss {}, expected a number", loss);
}

void check_limit(const ReplicaFlags &flags) {
  if (flags.simulate) wrong_use("--simulate is \"{}\" without --sites or --covariance, expected one of them", *flags.simulate);
  if (flags.site) wrong_use("--site is \"{}\" without --sites or --covariance, expected one of them", *flags.site);
  if (flags.loss != ReplicaLoss::square)
    wrong_use("--loss is \"{}\" without --sites or --covariance, expected one of them", loss_word(flags.loss));
  if (flags.saddle) wrong_use("--equations is \"saddle\" without --sites or --covariance, expected kappa in the limit");
}

void check_system(const Settings &settings, const ReplicaFlags &flags) {
  const bool labels = flags.loss == ReplicaLoss::logistic;
  if (flags.beta) {
    if (!labels) refuse_with(flags, "--beta", "--loss " + loss_word(flags.loss));
    if (!(*flags.beta < 1)) wrong_use("--beta is \"{}\" with --loss logistic, expected less than 1", given(flags.app, "--beta"));
    for (const char *flag : {"--covariance", "--teacher", "--shift", "--sites", "--site"}) refuse_with(flags, flag, "--beta");
    return;
  }
  if (labels && flags.teacher.empty())
    wrong_use("--teacher is missing, expected it and --covariance of the inputs, or --beta, with --loss logistic");
  if (flags.covariance.empty()) {
    refuse_with(flags, "--teacher", "no --covariance");
    if (!flags.shift) wrong_use("--shift is missing, expected it or --covariance");
    if (!flags.sites)
      check_limit(flags);
    else if (flags.site.value_or(0) >= *flags.sites)
      wrong_use("--site is \"{}\", expected a whole number in 0..{}", *flags.site, *flags.sites - 1);
    return;
  }
  refuse_with(flags, "--shift", "--covariance");
  refuse_with(flags, "--sites", "--covariance");
  if (flags.teacher.empty()) return;
  if (flags.site) wrong_use("--site is \"{}\" with --teacher, expected a covariance of the inputs alone", *flags.site);
  if (!labels && !settings.has(ATP_OPT_NOISE)) wrong_use("--set noise=X is missing, expected it with --teacher");
}

}  // namespace

void add_replica_flags(CLI::App *app, ReplicaFlags &flags) {
  flags.app = app;
  add_system_flags(app, flags);
  add_learning_flags(app, flags);
  add_color_flags(app, flags);
  static const Words<bool> forms = {{"kappa", false}, {"saddle", true}};
  app->add_option("--simulate", flags.simulate, "also simulate: draw data and learn, R times for each alpha")
      ->transform(count(1, 1000000))
      ->type_name("R");
  add_choice(app, "--equations", flags.saddle, forms, "kappa (one equation) or saddle (the saddle-point equations)")->type_name("FORM");
  app->add_flag("--details", flags.details, "more columns: conjugates, kappa, norm, free energy; training loss of simulations");
  add_picture(app, flags.picture, "the curves");
  add_report(app, flags.report);
  add_csv(app, flags.csv);
}

std::string loss_word(ReplicaLoss loss) { return word_of(kReplicaLosses, loss); }

namespace {

// Options of the tasks that the flags ask for.
void check_settings(const Settings &settings, const ReplicaFlags &flags) {
  const bool potts = flags.loss == ReplicaLoss::potts, labels = potts || flags.loss == ReplicaLoss::logistic;
  settings.needs(ATP_OPT_DELTA, flags.loss == ReplicaLoss::huber, "with --loss huber");
  settings.needs(ATP_OPT_INPUTS, labels, "with --loss logistic or potts");
  settings.needs(ATP_OPT_NOISE, !labels && !flags.teacher.empty(), "with --teacher and --loss square or huber");
  const int simulation = potts ? ATP_TASK_REPLICA_POTTS_SIMULATION : ATP_TASK_REPLICA_SIMULATION;
  const bool limit = flags.covariance.empty() && !flags.sites && !flags.beta;
  const int theory = potts                               ? ATP_TASK_REPLICA_POTTS
                     : flags.loss != ReplicaLoss::square ? ATP_TASK_REPLICA_CONVEX
                     : limit                             ? ATP_TASK_REPLICA_LIMIT
                     : flags.saddle                      ? ATP_TASK_REPLICA_SADDLE
                                                         : ATP_TASK_REPLICA_SQUARE;
  const std::string decides = flags.loss != ReplicaLoss::square ? "--loss " + loss_word(flags.loss)
                              : limit                           ? "without --covariance, --sites and --beta"
                                                                : fmt::format("--equations {}", flags.saddle ? "saddle" : "kappa");
  settings.require_owners({theory, flags.simulate ? simulation : theory},
                          fmt::format("replica {}{}", decides, flags.simulate || limit ? "" : " without --simulate"));
  if (flags.simulate) settings.needs(ATP_OPT_TEMPERATURE, false, "without --simulate, which learns the minimum");
}

}  // namespace

void check_replica_flags(const Settings &settings, const ReplicaFlags &flags) {
  if (flags.alphas.empty() && !flags.target) wrong_use("--alpha is missing, expected a LIST, or --target");
  if (flags.target) refuse_with(flags, "--alpha", "--target");
  if (flags.target && !(*flags.target > 1)) wrong_use("--target is \"{}\", expected a number > 1", given(flags.app, "--target"));
  check_settings(settings, flags);
  check_loss(flags);
  check_colors(flags);
  if (flags.loss != ReplicaLoss::potts) check_system(settings, flags);
}

namespace {

// Independent sites; p = 1 stands for any number of them.
MaskedSystem independent_sites(const Session &session, const ReplicaFlags &flags) {
  const int64_t p = flags.sites.value_or(2) - 1;
  const auto n = static_cast<std::size_t>(p);
  require_memory(session, 8.0 * static_cast<double>(p) * static_cast<double>(p), "the covariance of --sites");
  MaskedSystem system;
  std::vector<double> covariance(n * n);
  for (std::size_t j = 0; j < n; ++j) covariance[j * n + j] = 1;
  system.eigenvalues.assign(n, 1);
  system.projections.assign(n, *flags.teacher_variance / static_cast<double>(p));
  const std::vector<double> teacher(n, std::sqrt(system.projections[0]));
  check(atp_masked_create(session.context.get(), covariance.data(), teacher.data(), p, 0, out(system.handle)), "--teacher");
  return system;
}

}  // namespace

Matrix color_covariance(const Session &session, const ReplicaFlags &flags) {
  if (!flags.color_covariance.empty()) return read_symmetric_matrix(session, "--colors", flags.color_covariance, 0);
  Matrix k;
  if (flags.colors) {
    k.size = *flags.colors;
    k.values.resize(static_cast<std::size_t>(k.size * k.size));
    for (int64_t a = 0; a < k.size; ++a) k.values[static_cast<std::size_t>(a * (k.size + 1))] = 1;
    return k;
  }
  const std::vector<double> v = read_numbers(session, "--color-matrix", flags.color_matrix);
  while (k.size * k.size < static_cast<int64_t>(v.size())) ++k.size;
  if (k.size < 2 || k.size * k.size != static_cast<int64_t>(v.size()))
    wrong_use("--color-matrix {} has {} numbers, expected q x q", flags.color_matrix, v.size());
  k.values.resize(v.size());
  check(atp_replica_color_covariance(v.data(), k.size, k.values.data(), k.size * k.size), "--color-matrix " + flags.color_matrix);
  return k;
}

namespace {

// Each eigenvalue stands for so many equal parts of the spectrum of infinitely many sites.
constexpr int64_t kEigenvalues = 1000;

MaskedSystem spin_glass(const Session &session, const ReplicaFlags &flags) {
  // An Ising model is one of two colours at twice its inverse temperature.
  Matrix colors{2, {0.25, -0.25, -0.25, 0.25}};
  const bool potts = flags.loss == ReplicaLoss::potts;
  if (potts) colors = color_covariance(session, flags);
  MaskedSystem system;
  check(atp_masked_create_spin_glass(
            session.context.get(), potts ? *flags.beta : 2 * *flags.beta, colors.values.data(), colors.size, kEigenvalues,
            static_cast<atp_replica_inputs>(session.settings.value_in(ATP_TASK_REPLICA_CONVEX, ATP_OPT_INPUTS)), out(system.handle)),
        "--beta");
  return system;
}

}  // namespace

bool finite_system(const Session &session, const ReplicaFlags &flags, MaskedSystem &system) {
  if (flags.beta) {
    system = spin_glass(session, flags);
    return false;
  }
  if (flags.teacher_variance) {
    system = independent_sites(session, flags);
    return flags.sites.has_value();
  }
  if (flags.covariance.empty()) {
    if (!flags.sites) return false;
    // The matrix, the covariance of one site less, the work space of both.
    require_memory(session, 5 * 8.0 * static_cast<double>(*flags.sites) * static_cast<double>(*flags.sites), "the matrices of --sites");
    system = random_system(session, *flags.sites, *flags.shift, flags.site.value_or(0), "--sites, --shift and --seed");
    return true;
  }
  const Matrix matrix = read_symmetric_matrix(session, "--covariance", flags.covariance, 0);
  if (flags.teacher.empty()) {
    if (matrix.size < 2) wrong_use("--covariance {} is of 1 site, expected 2 or more", flags.covariance);
    if (flags.site.value_or(0) >= matrix.size)
      wrong_use("--site is \"{}\", expected a whole number in 0..{}", *flags.site, matrix.size - 1);
    system = masked_covariance(session, matrix.values, matrix.size, flags.site.value_or(0), "--covariance " + flags.covariance);
    return true;
  }
  const std::vector<double> teacher = read_numbers(session, "--teacher", flags.teacher);
  if (static_cast<int64_t>(teacher.size()) != matrix.size)
    wrong_use("--teacher {} has {} numbers, expected {} as --covariance has rows", flags.teacher, teacher.size(), matrix.size);
  check(atp_masked_create(session.context.get(), matrix.values.data(), teacher.data(), matrix.size,
                          session.settings.value(ATP_OPT_NOISE).value_or(0), out(system.handle)),
        "--covariance " + flags.covariance);
  return true;
}

}  // namespace cli
