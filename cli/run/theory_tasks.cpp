// SPDX-License-Identifier: MIT
#include "run/theory_tasks.hpp"

#include "run/progress_display.hpp"
#include "run/signals.hpp"
#include "run/memory.hpp"
#include "run/csv_table.hpp"
#include "run/training.hpp"

#include <cmath>
#include <utility>

namespace cli {

namespace {

int end_on_signal(const atp_progress *, void *) { return interrupted() ? 1 : 0; }

}  // namespace

TaskRun::TaskRun(const Session &session, atp_task_kind kind, const std::vector<Setting> &settings, std::string what)
    : session_(session), what_(std::move(what)) {
  labelled(what_, [&] {
    Options options(session.context, kind);
    if (atp_option_text(kind, ATP_OPT_SEED) != nullptr) options.set(ATP_OPT_SEED, session.seed);
    for (const Setting &setting : settings)
      if (setting.value) options.set(setting.key, *setting.value);
    session.settings.apply(options.get());
    task_ = Task(session.context, kind, options);
  });
}

TaskRun &TaskRun::array(atp_task_array which, const std::vector<double> &values, int64_t columns) {
  labelled(what_, [&] { task_.set(which, values, columns); });
  return *this;
}

CurveTable TaskRun::run(Progress *progress) {
  return labelled(what_, [&] {
    const ResultTable table(session_.context, task_.table_kind(), task_.rows());
    CurveTable curve(static_cast<std::size_t>(task_.rows()), table.columns());
    check(atp_task_run(task_.get(), table.get(), progress == nullptr ? end_on_signal : Progress::callback, progress, &curve.outcome),
          what_);
    if (progress == nullptr && curve.outcome == ATP_OUTCOME_CANCELLED) stop_if_interrupted();
    check(atp_table_values(table.get(), curve.numbers.data(), static_cast<int64_t>(curve.numbers.size())));
    return curve;
  });
}

MaskedSystem random_system(const Session &session, int64_t sites, double shift, int64_t site, const std::string &what) {
  std::vector<double> precision(static_cast<std::size_t>(sites * sites));
  check(atp_replica_goe(sites, shift, session.seed, precision.data(), sites * sites), what);
  MaskedSystem system;
  check(atp_masked_create_precision(session.context.get(), precision.data(), sites, site, out(system.handle)), what);
  return system;
}

MaskedSystem masked_covariance(const Session &session, const std::vector<double> &full, int64_t sites, int64_t site,
                               const std::string &what) {
  MaskedSystem system;
  check(atp_masked_create_covariance(session.context.get(), full.data(), sites, site, out(system.handle)), what);
  return system;
}

namespace {

void set_spectrum(TaskRun &task, const MaskedSystem &system) {
  if (system.eigenvalues.empty()) {
    const auto p = static_cast<std::size_t>(system.parameters());
    std::vector<double> values(p), projections(p);
    check(atp_masked_spectrum(system.handle.get(), values.data(), projections.data(), system.parameters()));
    system.eigenvalues = std::move(values);
    system.projections = std::move(projections);
  }
  task.array(ATP_ARRAY_EIGENVALUES, system.eigenvalues).array(ATP_ARRAY_PROJECTIONS, system.projections);
}

// With a target messages are about it.
std::string about(const CurvePoints &points, const char *otherwise = "") { return points.target > 0 ? "--target" : otherwise; }

std::optional<double> penalty_of(const CurvePoints &points) {
  return points.best_lambda ? std::nullopt : std::optional<double>(points.lambda);
}

Curve run_curve(TaskRun &task, const CurvePoints &points) {
  if (points.target > 0)
    task.array(ATP_ARRAY_TARGETS, {points.target});
  else
    task.array(ATP_ARRAY_ALPHAS, points.alphas);
  CurveTable table = task.run();
  return {std::move(table), task.get().value(ATP_TASK_OPTIMUM)};
}

}  // namespace

Curve limit_curve(const Session &session, double shift, const CurvePoints &points) {
  TaskRun task(session, ATP_TASK_REPLICA_LIMIT,
               {{ATP_OPT_DIAGONAL_SHIFT, shift},
                {ATP_OPT_LAMBDA, penalty_of(points)},
                {ATP_OPT_BEST_LAMBDA, points.best_lambda},
                {ATP_OPT_PARAMETERS, points.parameters}},
               about(points, "--shift"));
  return run_curve(task, points);
}

Curve square_curve(const Session &session, const MaskedSystem &system, const CurvePoints &points, bool saddle) {
  TaskRun task(session, saddle ? ATP_TASK_REPLICA_SADDLE : ATP_TASK_REPLICA_SQUARE,
               {{ATP_OPT_NOISE, system.noise()},
                {ATP_OPT_LAMBDA, penalty_of(points)},
                {ATP_OPT_BEST_LAMBDA, points.best_lambda},
                {ATP_OPT_PARAMETERS, points.parameters}},
               about(points));
  set_spectrum(task, system);
  return run_curve(task, points);
}

Curve convex_curve(const Session &session, const MaskedSystem &system, atp_replica_loss loss, const CurvePoints &points) {
  TaskRun task(
      session, ATP_TASK_REPLICA_CONVEX,
      {{ATP_OPT_NOISE, system.noise()}, {ATP_OPT_LAMBDA, points.lambda}, {ATP_OPT_LOSS, loss}, {ATP_OPT_PARAMETERS, points.parameters}},
      about(points));
  set_spectrum(task, system);
  return run_curve(task, points);
}

Curve potts_curve(const Session &session, const MaskedSystem &system, const PottsFields &fields, const CurvePoints &points) {
  TaskRun task(session, ATP_TASK_REPLICA_POTTS, {{ATP_OPT_LAMBDA, points.lambda}, {ATP_OPT_PARAMETERS, points.parameters}},
               about(points, "--loss potts"));
  set_spectrum(task, system);
  task.array(ATP_ARRAY_COLOR_COVARIANCE, fields.covariance, fields.colors);
  return run_curve(task, points);
}

namespace {

void set_system(TaskRun &task, const MaskedSystem &system) {
  const auto p = static_cast<std::size_t>(system.parameters());
  std::vector<double> covariance(p * p), weights(p);
  check(atp_masked_covariance(system.handle.get(), covariance.data(), static_cast<int64_t>(covariance.size())));
  check(atp_masked_weights(system.handle.get(), weights.data(), static_cast<int64_t>(p)));
  task.array(ATP_ARRAY_COVARIANCE, covariance, static_cast<int64_t>(p)).array(ATP_ARRAY_WEIGHTS, weights);
}

}  // namespace

CurveTable simulated_potts(const Session &session, const MaskedSystem &system, const PottsFields &fields, const std::vector<double> &alphas,
                           double lambda, int64_t realisations) {
  TaskRun task(session, ATP_TASK_REPLICA_POTTS_SIMULATION, {{ATP_OPT_LAMBDA, lambda}, {ATP_OPT_REALISATIONS, realisations}},
               "--loss potts");
  set_system(task, system);
  task.array(ATP_ARRAY_COLOR_COVARIANCE, fields.covariance, fields.colors);
  Progress progress(session, "simulate", "realisations");
  return task.array(ATP_ARRAY_ALPHAS, alphas).run(&progress);
}

CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations) {
  TaskRun task(session, ATP_TASK_REPLICA_SIMULATION,
               {{ATP_OPT_NOISE, system.noise()}, {ATP_OPT_LAMBDA, lambda}, {ATP_OPT_REALISATIONS, realisations}});
  set_system(task, system);
  Progress progress(session, "simulate", "realisations");
  return task.array(ATP_ARRAY_ALPHAS, alphas).run(&progress);
}

namespace {

constexpr int64_t kRecordSamples = 500;  // of a trajectory, at each time

// The columns that a table shows, in their order, less the outcome.
std::vector<int> shown_columns(const Session &session) {
  std::vector<int> columns;
  for (int column : {ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_ET, ATP_DOTATTN_SIM_Q, ATP_DOTATTN_SIM_M, ATP_DOTATTN_SIM_THETA})
    columns.insert(columns.end(), {column, column + 1});
  columns.insert(columns.end(), {ATP_DOTATTN_SIM_Q_LEAST, ATP_DOTATTN_SIM_SEMANTIC, ATP_DOTATTN_SIM_GRADIENT, ATP_DOTATTN_SIM_STEPS});
  const bool flips = session.settings.value(ATP_OPT_FLIPS).value_or(0) > 0;
  if (flips || session.settings.value(ATP_OPT_PROBES).value_or(0) > 0)
    columns.insert(columns.end(), {ATP_DOTATTN_SIM_V, ATP_DOTATTN_SIM_V_SEM});
  for (int column = ATP_DOTATTN_SIM_FLIPS; flips && column <= ATP_DOTATTN_SIM_V_EXCESS_SEM; ++column) columns.push_back(column);
  return columns;
}

// "eg_sim", "eg_sim_sem"
std::string shown_name(int column) {
  const std::string name = atp_column_name(ATP_TABLE_DOTATTN_SIMULATION, column), error = "_sem";
  const bool is_error = name.size() > error.size() && name.compare(name.size() - error.size(), error.size(), error) == 0;
  return is_error ? name.substr(0, name.size() - error.size()) + "_sim_sem" : name + "_sim";
}

}  // namespace

std::vector<std::string> simulation_names(const Session &session) {
  std::vector<std::string> names;
  for (int column : shown_columns(session)) names.push_back(shown_name(column));
  names.emplace_back("outcome_sim");
  return names;
}

std::vector<std::string> simulation_cells(const Session &session, const CurveTable &simulated, std::size_t row) {
  std::vector<std::string> cells;
  for (int column : shown_columns(session)) cells.push_back(cell(simulated.at(row, column)));
  cells.emplace_back(atp_outcome_name(static_cast<int>(simulated.at(row, ATP_DOTATTN_SIM_OUTCOME))));
  return cells;
}

namespace {

// Task, noise, penalty, and more.
std::vector<TaskRun::Setting> attention_settings(const AttentionTask &task, const std::vector<TaskRun::Setting> &more) {
  std::vector<TaskRun::Setting> settings = {{ATP_OPT_OMEGA, task.omega}, {ATP_OPT_SIGMA, task.sigma}, {ATP_OPT_LAMBDA, task.lambda}};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// With the maps of teacher and code.
TaskRun attention_run(const Session &session, atp_task_kind kind, const AttentionTask &task, const std::vector<TaskRun::Setting> &more) {
  TaskRun run(session, kind, attention_settings(task, more));
  run.array(ATP_ARRAY_TEACHER, task.teacher, task.tokens).array(ATP_ARRAY_CODE, task.code, task.code_columns);
  return run;
}

}  // namespace

CurveTable attention_branch(const Session &session, const AttentionTask &task, atp_dotattn_branch branch, const std::vector<double> &alphas,
                            Progress &progress) {
  TaskRun run(session, ATP_TASK_DOTATTN_CURVE, attention_settings(task, {{ATP_OPT_BRANCH, branch}}), "dotattn");
  return run.array(ATP_ARRAY_TEACHER, task.teacher, 2).array(ATP_ARRAY_ALPHAS, alphas).run(&progress);
}

CurveTable attention_transition(const Session &session, const AttentionTask &task, Progress *progress) {
  TaskRun run(session, ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_SIGMA, task.sigma}, {ATP_OPT_LAMBDA, task.lambda}}, "dotattn");
  return run.array(ATP_ARRAY_TEACHER, task.teacher, 2).array(ATP_ARRAY_OMEGAS, {task.omega}).run(progress);
}

CurveTable simulated_attention(const Session &session, const AttentionTask &task, const AttentionSimulation &simulation,
                               atp_dotattn_start start, const std::vector<double> &alphas) {
  const bool by_cosines = session.settings.value(ATP_OPT_START_THETA).has_value() || session.settings.value(ATP_OPT_START_M).has_value();
  TaskRun run = attention_run(session, ATP_TASK_DOTATTN_SIMULATION, task,
                              {{ATP_OPT_DIMENSION, simulation.dimension},
                               {ATP_OPT_STUDENT_RANK, task.rank},
                               {ATP_OPT_START, by_cosines ? ATP_DOTATTN_START_RANDOM : start},
                               {ATP_OPT_OPTIMIZER, simulation.optimizer},
                               {ATP_OPT_RATE, simulation.rate},
                               {ATP_OPT_RUNS, simulation.runs}});
  run.array(ATP_ARRAY_ALPHAS, alphas);
  require_memory(session, static_cast<double>(run.get().bytes()), "the runs of --simulate (fewer with --threads 1)");
  Progress progress(session, "simulate", "steps");
  return run.run(&progress);
}

CurveTable evolved_attention(const Session &session, const AttentionTask &task, atp_dotattn_start solution,
                             const std::vector<double> &alphas) {
  TaskRun run = attention_run(session, ATP_TASK_DOTATTN_TOKENS, task, {{ATP_OPT_STUDENT_RANK, task.rank}, {ATP_OPT_START, solution}});
  run.array(ATP_ARRAY_ALPHAS, alphas);
  Progress progress(session, "solve", "fixed points");
  return run.run(&progress);
}

CurveTable attention_dynamics(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics) {
  TaskRun run = attention_run(session, ATP_TASK_DOTATTN_DYNAMICS, task, {{ATP_OPT_RATE, dynamics.rate}});
  run.array(ATP_ARRAY_TIMES, dynamics.times);
  Progress progress(session, "solve", "times");
  return run.run(&progress);
}

CurveTable attention_trajectories(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics) {
  TaskRun run = attention_run(session, ATP_TASK_DOTATTN_TRAJECTORY, task,
                              {{ATP_OPT_RATE, dynamics.rate},
                               {ATP_OPT_ALPHA, dynamics.alpha},
                               {ATP_OPT_DIMENSION, dynamics.dimension},
                               {ATP_OPT_TEST_SAMPLES, kRecordSamples},
                               {ATP_OPT_RUNS, dynamics.runs}});
  run.array(ATP_ARRAY_TIMES, dynamics.times);
  require_memory(session, static_cast<double>(run.get().bytes()), "the runs of --simulate (fewer with --threads 1)");
  Progress progress(session, "simulate", "steps");
  return run.run(&progress);
}

const char *solution_name(atp_dotattn_start solution) {
  switch (solution) {
    case ATP_DOTATTN_START_SEMANTIC: return "semantic";
    case ATP_DOTATTN_START_POSITIONAL: return "positional";
    case ATP_DOTATTN_START_RANDOM: return "random";
    default: return "mixed";
  }
}

}  // namespace cli
