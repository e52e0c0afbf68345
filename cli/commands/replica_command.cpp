// SPDX-License-Identifier: MIT
// attopotts replica: learning curves of masked Gaussian modelling, in theory and in simulation.
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/learning_curve.hpp"
#include "support/memory.hpp"
#include "support/signals.hpp"
#include "support/csv_table.hpp"

#include <cmath>

namespace cli {

namespace {

struct ReplicaFlags {
  std::string shift, alpha, lambda = "1e-8", temperature = "0", loss = "square", huber_delta, sites, site = "0", covariance, teacher, noise,
                            simulate;
  std::string equations = "kappa", csv = "-";
  bool details = false;
};

void refuse_with(const std::string &flag, const std::string &value, const std::string &other) {
  if (!value.empty()) wrong_use("{} is \"{}\" with {}, expected one of them", flag, value, other);
}

// The inputs and the teacher that the flags describe; false: the limit of many sites.
bool finite_system(const Session &session, const ReplicaFlags &flags, bool labels, MaskedSystem &system) {
  if (labels && flags.teacher.empty()) wrong_use("--teacher is missing, expected it and --covariance of the inputs with --loss logistic");
  if (flags.covariance.empty()) {
    refuse_with("--teacher", flags.teacher, "no --covariance");
    refuse_with("--noise", flags.noise, "no --covariance");
    if (flags.shift.empty()) wrong_use("--shift is missing, expected it or --covariance");
    const double shift = parse_number("--shift", flags.shift, 2, 1e6);
    if (flags.sites.empty()) {
      if (!flags.simulate.empty()) wrong_use("--simulate is \"{}\" without --sites or --covariance, expected one of them", flags.simulate);
      if (flags.site != "0") wrong_use("--site is \"{}\" without --sites or --covariance, expected one of them", flags.site);
      return false;
    }
    const int64_t sites = parse_count("--sites", flags.sites, 2, 32000);
    // The matrix, the covariance of one site less, the work space of both.
    require_memory(session, 5 * 8.0 * static_cast<double>(sites) * static_cast<double>(sites), "the matrices of --sites");
    system = random_system(session, sites, shift, parse_count("--site", flags.site, 0, sites - 1), "--sites, --shift and --seed");
    return true;
  }
  refuse_with("--shift", flags.shift, "--covariance");
  refuse_with("--sites", flags.sites, "--covariance");
  const Matrix matrix = read_symmetric_matrix(session, "--covariance", flags.covariance, 0);
  if (flags.teacher.empty()) {
    refuse_with("--noise", flags.noise, "no --teacher");
    if (matrix.size < 2) wrong_use("--covariance {} is of 1 site, expected 2 or more", flags.covariance);
    const int64_t site = parse_count("--site", flags.site, 0, matrix.size - 1);
    system = masked_covariance(session, matrix.values, matrix.size, site, "--covariance " + flags.covariance);
    return true;
  }
  if (flags.site != "0") wrong_use("--site is \"{}\" with --teacher, expected a covariance of the inputs alone", flags.site);
  if (labels) refuse_with("--noise", flags.noise, "--loss logistic");
  if (!labels && flags.noise.empty()) wrong_use("--noise is missing, expected it with --teacher");
  const std::vector<double> teacher = read_numbers(session, "--teacher", flags.teacher);
  const double noise = labels ? 0 : parse_number("--noise", flags.noise, 0, 1e300);
  if (static_cast<int64_t>(teacher.size()) != matrix.size)
    wrong_use("--teacher {} has {} numbers, expected {} as --covariance has rows", flags.teacher, teacher.size(), matrix.size);
  check(atp_masked_create(session.context.get(), matrix.values.data(), teacher.data(), matrix.size, noise, out(system.handle)),
        "--covariance " + flags.covariance);
  return true;
}

int run_replica(Session &session, const ReplicaFlags &flags) {
  check_writable("--csv", flags.csv);
  const std::vector<double> alphas = parse_list("--alpha", flags.alpha, 1e-12, 1e12);
  const double lambda = parse_number("--lambda", flags.lambda, 0, 1e12),
               temperature = parse_number("--temperature", flags.temperature, 0, 1e12);
  constexpr atp_replica_loss kLosses[] = {ATP_REPLICA_LOSS_SQUARE, ATP_REPLICA_LOSS_HUBER, ATP_REPLICA_LOSS_LOGISTIC};
  const atp_replica_loss loss = kLosses[parse_word("--loss", flags.loss, {"square", "huber", "logistic"})];
  const bool square = loss == ATP_REPLICA_LOSS_SQUARE;
  const double delta = flags.huber_delta.empty() ? 1 : parse_number("--huber-delta", flags.huber_delta, 1e-12, 1e12);
  if (loss != ATP_REPLICA_LOSS_HUBER) refuse_with("--huber-delta", flags.huber_delta, "--loss " + flags.loss);
  const bool saddle = parse_word("--equations", flags.equations, {"kappa", "saddle"}) == 1;
  const int64_t realisations = flags.simulate.empty() ? 0 : parse_count("--simulate", flags.simulate, 1, 1000000);
  if (realisations > 0 && temperature > 0)
    wrong_use("--simulate is \"{}\" with --temperature {}, expected temperature 0: it learns the minimum", flags.simulate,
              flags.temperature);
  if (!square) {
    refuse_with("--simulate", flags.simulate, "--loss " + flags.loss);
    if (temperature > 0) wrong_use("--temperature is \"{}\" with --loss {}, expected 0", flags.temperature, flags.loss);
    if (saddle) wrong_use("--equations is \"saddle\" with --loss {}, expected no choice there", flags.loss);
  }
  MaskedSystem system;
  const bool finite = finite_system(session, flags, loss == ATP_REPLICA_LOSS_LOGISTIC, system);
  if (!finite && !square) wrong_use("--loss is \"{}\" without --sites or --covariance, expected one of them", flags.loss);
  if (!finite && saddle) wrong_use("--equations is \"saddle\" without --sites or --covariance, expected kappa in the limit");

  const ConvexCurve curve =
      !square  ? convex_curve(session, system, loss, delta, alphas, lambda)
      : finite ? ConvexCurve{square_curve(session, system, alphas, lambda, temperature, saddle), 0}
               : ConvexCurve{limit_curve(session, parse_number("--shift", flags.shift, 2, 1e6), alphas, lambda, temperature), 0};
  const CurveTable &theory = curve.table;
  CurveTable simulated(alphas.size(), ATP_REPLICA_SIM_COLUMNS);
  if (realisations > 0) {
    simulated = simulated_curve(session, system, alphas, lambda, realisations);
    if (simulated.outcome != ATP_OUTCOME_CANCELLED)
      session.say("simulation: {} of {} losses within 3 standard errors of theory", agreeing(theory, simulated, 3), alphas.size());
  }

  std::vector<int> shown = {ATP_REPLICA_ALPHA, ATP_REPLICA_LAMBDA, ATP_REPLICA_EG, ATP_REPLICA_ET,         ATP_REPLICA_RHO,
                            ATP_REPLICA_Q,     ATP_REPLICA_M,      ATP_REPLICA_V,  ATP_REPLICA_ITERATIONS, ATP_REPLICA_RESIDUAL};
  std::vector<int> shown_simulated = {ATP_REPLICA_SIM_EG, ATP_REPLICA_SIM_EG_SEM};
  if (flags.details) {
    shown.insert(shown.end(), {ATP_REPLICA_QHAT, ATP_REPLICA_MHAT, ATP_REPLICA_VHAT, ATP_REPLICA_KAPPA, ATP_REPLICA_NORM,
                               ATP_REPLICA_FREE_ENERGY, ATP_REPLICA_QUADRATURE});
    shown_simulated.insert(shown_simulated.end(), {ATP_REPLICA_SIM_ET, ATP_REPLICA_SIM_ET_SEM, ATP_REPLICA_SIM_SAMPLES});
  }
  std::vector<std::string> names;
  for (int column : shown) names.emplace_back(atp_column_name(ATP_TABLE_REPLICA_CURVE, column));
  if (flags.details) names.emplace_back("outcome");
  const char *const simulated_names[] = {"eg_sim", "eg_sim_sem", "et_sim", "et_sim_sem", "samples"};
  for (std::size_t k = 0; realisations > 0 && k < shown_simulated.size(); ++k) names.emplace_back(simulated_names[k]);

  Table table(session, names);
  if (finite) table.note(fmt::format("parameters: {}, noise {:.10g}", system.parameters(), system.noise()));
  if (!square) table.note(fmt::format("loss: {}, {:.10g} at the teacher", flags.loss, curve.optimum));
  std::string trouble;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const int outcome = static_cast<int>(theory.at(k, ATP_REPLICA_OUTCOME));
    if (outcome != ATP_OUTCOME_CONVERGED)
      trouble += fmt::format("{}{} at alpha {:g}", trouble.empty() ? "" : ", ", atp_outcome_name(outcome), alphas[k]);
    std::vector<std::string> cells;
    for (int column : shown) cells.push_back(cell(theory.at(k, column)));
    if (flags.details) cells.emplace_back(atp_outcome_name(outcome));
    for (int column : shown_simulated)
      if (realisations > 0) cells.push_back(cell(simulated.at(k, column)));
    table.row(cells);
  }
  if (simulated.outcome == ATP_OUTCOME_DIVERGED) trouble += std::string(trouble.empty() ? "" : ", ") + "diverged in simulation";
  table.note("outcome: " + (trouble.empty() ? "converged" : trouble));
  if (realisations > 0)
    table.note(
        fmt::format("simulation: {}, {} realisations of M = alpha p samples, rounded", atp_outcome_name(simulated.outcome), realisations));
  table.write(session, flags.csv);
  if (!trouble.empty()) session.say("not converged: {}", trouble);
  if (simulated.outcome == ATP_OUTCOME_CANCELLED) return interrupted() ? kInterrupted : kNotConverged;
  return trouble.empty() ? kDone : kNotConverged;
}

}  // namespace

void add_replica(Program &program) {
  auto flags = std::make_shared<ReplicaFlags>();
  CLI::App *app = program.add("replica", "compute learning curves of masked Gaussian modelling, in theory and simulation",
                              "attopotts replica --shift 2.5 --alpha 0.1:4:40 --lambda 1e-8 --sites 400 --simulate 30",
                              [flags](Session &session) { return run_replica(session, *flags); });
  app->add_option("--shift", flags->shift, "z > 2 of the precision P = z I - J, J Gaussian with variance 1/L")->type_name("Z");
  app->add_option("--alpha", flags->alpha, "number of samples per parameter")->type_name("LIST")->required();
  app->add_option("--lambda", flags->lambda, "L2 penalty per parameter; 0: the solution of smallest norm")
      ->type_name("X")
      ->capture_default_str();
  app->add_option("--sites", flags->sites, "number of sites of a random J; default: the limit of many sites")->type_name("L");
  app->add_option("--site", flags->site, "number of the masked site, 0-based")->type_name("I")->capture_default_str();
  app->add_option("--covariance", flags->covariance,
                  "covariance of all sites, or with --teacher of the inputs; replaces --shift and --sites")
      ->type_name("FILE");
  app->add_option("--teacher", flags->teacher, "weights of the teacher, one for each input")->type_name("FILE");
  app->add_option("--noise", flags->noise, "variance of the masked value given the inputs; with --teacher")->type_name("X");
  app->add_option("--temperature", flags->temperature, "temperature of the student's Gibbs measure; 0: the minimum of the loss")
      ->type_name("T")
      ->capture_default_str();
  app->add_option("--loss", flags->loss, "square, huber (the table has twice the loss) or logistic (labels +-1, nats)")
      ->type_name("LOSS")
      ->capture_default_str();
  app->add_option("--huber-delta", flags->huber_delta, "residual from which Huber's loss is linear; default: 1")->type_name("X");
  app->add_option("--simulate", flags->simulate, "also simulate: draw data and learn, R times for each alpha")->type_name("R");
  app->add_option("--equations", flags->equations, "kappa (one equation) or saddle (the saddle-point equations)")
      ->type_name("FORM")
      ->capture_default_str();
  app->add_flag("--details", flags->details, "more columns: conjugates, kappa, norm, free energy; training loss and M of simulations");
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
}

}  // namespace cli
