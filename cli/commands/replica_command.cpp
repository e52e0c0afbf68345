// SPDX-License-Identifier: MIT
// attopotts replica: learning curves of masked Gaussian modelling, in theory and in simulation.
#include "commands/commands.hpp"

#include "commands/replica_flags.hpp"
#include "report/pages.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "run/signals.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace cli {

namespace {

std::vector<int> shown_columns(bool details) {
  std::vector<int> shown = {ATP_REPLICA_ALPHA, ATP_REPLICA_LAMBDA, ATP_REPLICA_EG, ATP_REPLICA_ET,         ATP_REPLICA_RHO,
                            ATP_REPLICA_Q,     ATP_REPLICA_M,      ATP_REPLICA_V,  ATP_REPLICA_ITERATIONS, ATP_REPLICA_RESIDUAL};
  if (details)
    shown.insert(shown.end(), {ATP_REPLICA_QHAT, ATP_REPLICA_MHAT, ATP_REPLICA_VHAT, ATP_REPLICA_KAPPA, ATP_REPLICA_NORM,
                               ATP_REPLICA_FREE_ENERGY, ATP_REPLICA_QUADRATURE});
  return shown;
}

std::vector<int> shown_simulated(const ReplicaFlags &flags) {
  if (!flags.simulate) return {};
  std::vector<int> shown = {ATP_REPLICA_SIM_EG, ATP_REPLICA_SIM_EG_SEM};
  if (flags.details) shown.insert(shown.end(), {ATP_REPLICA_SIM_ET, ATP_REPLICA_SIM_ET_SEM});
  return shown;
}

std::vector<std::string> names_of_columns(const ReplicaFlags &flags) {
  std::vector<std::string> names;
  for (int column : shown_columns(flags.details)) names.emplace_back(atp_column_name(ATP_TABLE_REPLICA_CURVE, column));
  if (flags.details) names.emplace_back("outcome");
  const char *const simulated_names[] = {"eg_sim", "eg_sim_sem", "et_sim", "et_sim_sem"};
  for (std::size_t k = 0; k < shown_simulated(flags).size(); ++k) names.emplace_back(simulated_names[k]);
  names.emplace_back("samples");
  return names;
}

// The inputs and the teacher, fields of --loss potts, and the curve.
struct ReplicaTheory {
  MaskedSystem system;
  PottsFields fields{};
  bool finite = false;  // false: the limit of many sites
  Curve curve{{0, ATP_REPLICA_COLUMNS}, 0};
  const CurveTable &rows() const { return curve.table; }
  double best() const { return curve.optimum; }
};

Curve solve(const Session &session, const ReplicaFlags &flags, const ReplicaTheory &theory) {
  const CurvePoints points{flags.alphas, flags.lambda.value, flags.lambda.optimal, flags.target.value_or(0),
                           theory.finite ? theory.system.parameters() : 0};
  if (flags.loss == ReplicaLoss::potts) return potts_curve(session, theory.system, theory.fields, points);
  if (!theory.finite && !flags.beta) return limit_curve(session, *flags.shift, points);
  if (flags.loss == ReplicaLoss::square) return square_curve(session, theory.system, points, flags.saddle);
  const atp_replica_loss loss = flags.loss == ReplicaLoss::huber ? ATP_REPLICA_LOSS_HUBER : ATP_REPLICA_LOSS_LOGISTIC;
  return convex_curve(session, theory.system, loss, points);
}

ReplicaTheory theory_of(const Session &session, const ReplicaFlags &flags) {
  ReplicaTheory theory;
  theory.finite = finite_system(session, flags, theory.system);
  if (flags.loss == ReplicaLoss::potts) {
    Matrix k = color_covariance(session, flags);
    theory.fields = {std::move(k.values), k.size};
  }
  theory.curve = solve(session, flags, theory);
  return theory;
}

// M of an alpha, as in simulations; "" in the limit of many sites.
std::string samples_cell(const ReplicaTheory &theory, double alpha) {
  if (!theory.finite) return "";
  return cell(static_cast<int64_t>(std::max(1.0, std::round(alpha * static_cast<double>(theory.system.parameters())))));
}

// Each alpha with the penalty of its row.
CurveTable simulate(const Session &session, const ReplicaFlags &flags, const ReplicaTheory &theory, const std::vector<double> &alphas,
                    const CurveTable &rows) {
  if (flags.loss == ReplicaLoss::potts)
    return simulated_potts(session, theory.system, theory.fields, alphas, flags.lambda.value, *flags.simulate);
  if (!flags.lambda.optimal) return simulated_curve(session, theory.system, alphas, flags.lambda.value, *flags.simulate);
  CurveTable all(alphas.size(), ATP_REPLICA_SIM_COLUMNS);
  std::fill(all.numbers.begin(), all.numbers.end(), std::nan(""));
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const CurveTable one = simulated_curve(session, theory.system, {alphas[k]}, rows.at(k, ATP_REPLICA_LAMBDA), *flags.simulate);
    std::copy(one.numbers.begin(), one.numbers.end(), all.numbers.begin() + static_cast<std::ptrdiff_t>(k * ATP_REPLICA_SIM_COLUMNS));
    if (all.outcome != ATP_OUTCOME_DIVERGED) all.outcome = one.outcome;
    if (one.outcome == ATP_OUTCOME_CANCELLED) return all;
  }
  return all;
}

void add_notes(Table &table, const ReplicaFlags &flags, const ReplicaTheory &theory) {
  if (theory.finite)
    table.note(fmt::format("parameters: {}, best possible loss {:.10g}; samples: M = alpha p, rounded", theory.system.parameters(),
                           theory.best()));
  else
    table.note(fmt::format("limit of many sites, best possible loss {:.10g}", theory.best()));
  if (flags.loss != ReplicaLoss::square) table.note(fmt::format("loss: {}, {:.10g} at the teacher", loss_word(flags.loss), theory.best()));
}

// Adds the rows; returns what did not converge.
std::string add_curve_rows(Table &table, const ReplicaFlags &flags, const ReplicaTheory &theory, const CurveTable &rows,
                           const CurveTable &simulated, const std::vector<double> &alphas) {
  std::string trouble;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const int outcome = static_cast<int>(rows.at(k, ATP_REPLICA_OUTCOME));
    if (outcome != ATP_OUTCOME_CONVERGED)
      trouble += fmt::format("{}{} at alpha {:g}", trouble.empty() ? "" : ", ", atp_outcome_name(outcome), alphas[k]);
    std::vector<std::string> cells;
    for (int column : shown_columns(flags.details)) cells.push_back(cell(rows.at(k, column)));
    if (flags.details) cells.emplace_back(atp_outcome_name(outcome));
    for (int column : shown_simulated(flags)) cells.push_back(cell(simulated.at(k, column)));
    cells.push_back(samples_cell(theory, alphas[k]));
    table.row(cells);
  }
  if (simulated.outcome == ATP_OUTCOME_DIVERGED) trouble += std::string(trouble.empty() ? "" : ", ") + "diverged in simulation";
  return trouble;
}

void say_target(const Session &session, const ReplicaTheory &theory, const CurveTable &rows) {
  const double alpha = rows.at(0, ATP_REPLICA_ALPHA), loss = rows.at(0, ATP_REPLICA_EG);
  const std::string samples = samples_cell(theory, alpha);
  session.say("{}alpha {:.6g}: test loss {:.6g}, {:.6g} times the best possible loss {:.6g}",
              samples.empty() ? "" : "M = " + samples + ", ", alpha, loss, loss / theory.best(), theory.best());
}

// Picture and page.
void report_curve(const Session &session, const ReplicaFlags &flags, const ReplicaTheory &theory, const Table &table,
                  const std::string &outcome) {
  if (flags.picture.empty() && flags.report.empty()) return;
  LearningCurveReport report{loss_word(flags.loss), {}, parse_table(table.text()), theory.best()};
  if (!flags.picture.empty())
    write_picture(session, flags.picture, {fmt::format("Learning curve, loss {}: no student is below {:.4g}", report.loss, report.best)},
                  learning_curve_charts(report));
  if (flags.report.empty()) return;
  report.facts = {{"Parameters", theory.finite ? fmt::format("{}", theory.system.parameters()) : "limit of many sites"},
                  {"Best possible loss", cell(theory.best())},
                  {"Outcome", outcome}};
  if (flags.simulate) report.facts.push_back({"Simulation", fmt::format("{} realisations, bars: standard errors", *flags.simulate)});
  write_learning_curve_page(session, flags.report, report);
}

int run_replica(Session &session, const ReplicaFlags &flags) {
  check_report(flags.report);
  check_picture(flags.picture);
  check_replica_flags(session.settings, flags);
  // A signal ends theory at once; only a simulation keeps the rows that it has.
  auto before = std::make_unique<EndAtOnce>("interrupted");
  const ReplicaTheory theory = theory_of(session, flags);
  before.reset();
  const CurveTable &rows = theory.rows();
  const std::vector<double> alphas = flags.target ? std::vector<double>{rows.at(0, ATP_REPLICA_ALPHA)} : flags.alphas;
  if (flags.target) say_target(session, theory, rows);
  CurveTable simulated(alphas.size(), ATP_REPLICA_SIM_COLUMNS);
  if (flags.simulate) {
    simulated = simulate(session, flags, theory, alphas, rows);
    if (simulated.outcome != ATP_OUTCOME_CANCELLED)
      session.say("simulation: {} of {} losses within 3 standard errors of theory",
                  attopotts::count_within_errors(rows.column(ATP_REPLICA_EG), simulated.column(ATP_REPLICA_SIM_EG),
                                                 simulated.column(ATP_REPLICA_SIM_EG_SEM), 3),
                  alphas.size());
  }
  Table table(session, names_of_columns(flags));
  add_notes(table, flags, theory);
  const std::string trouble = add_curve_rows(table, flags, theory, rows, simulated, alphas);
  table.note("outcome: " + (trouble.empty() ? "converged" : trouble));
  if (flags.simulate)
    table.note(fmt::format("simulation: {}, {} realisations of M = alpha p samples, rounded", atp_outcome_name(simulated.outcome),
                           *flags.simulate));
  table.write(session, flags.csv);
  if (!trouble.empty())
    session.say("not converged: {}{}", trouble,
                ways_out(trouble, {{ATP_OUTCOME_MAX_ITER, "raise --lambda, or try --equations kappa"},
                                   {ATP_OUTCOME_STALLED, "raise --lambda, or try --equations kappa"},
                                   {ATP_OUTCOME_DIVERGED, "raise --lambda"}}));
  if (simulated.outcome == ATP_OUTCOME_CANCELLED) return interrupted_anywhere() ? kInterrupted : kNotConverged;
  report_curve(session, flags, theory, table, trouble.empty() ? "converged" : trouble);
  return trouble.empty() ? kDone : kNotConverged;
}

void add_replica(CLI::App *app, ReplicaFlags *flags) { add_replica_flags(app, *flags); }

}  // namespace

const Command kReplicaCommand = {
    "replica",
    "compute learning curves of masked Gaussian modelling, and how many samples a loss needs",
    kOfTheory,
    "attopotts replica --shift 2.5 --alpha 0.1:4:40 --lambda 1e-8 --sites 400 --simulate 30\n"
    "  attopotts replica --shift 2.5 --sites 400 --lambda optimal --target 1.05\n"
    "  attopotts replica --loss potts --colors 3 --teacher 2 --lambda 0.1 --alpha 0.5:4:8 --sites 100 --simulate 30",
    "--shift --sites --alpha --target --lambda --loss --colors --covariance --teacher --simulate --details --picture --report --csv",
    with_flags<ReplicaFlags, add_replica, run_replica>,
    {{ATP_TASK_REPLICA_SQUARE, ATP_TASK_REPLICA_SADDLE, ATP_TASK_REPLICA_LIMIT, ATP_TASK_REPLICA_CONVEX, ATP_TASK_REPLICA_POTTS,
      ATP_TASK_REPLICA_SIMULATION, ATP_TASK_REPLICA_POTTS_SIMULATION},
     "best-lambda parameters diagonal-shift realisations"},
    Keeps::state};

}  // namespace cli
