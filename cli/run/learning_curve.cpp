// SPDX-License-Identifier: MIT
#include "run/learning_curve.hpp"

#include "run/progress_display.hpp"

#include <cmath>
#include <utility>

namespace cli {

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
  Curve curve{task.run(), 0};
  check(atp_task_value(task.get(), ATP_TASK_OPTIMUM, &curve.optimum));
  return curve;
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

int64_t agreeing(const CurveTable &theory, const CurveTable &simulated, double errors) {
  int64_t count = 0;
  for (std::size_t k = 0; k < theory.numbers.size() / ATP_REPLICA_COLUMNS; ++k)
    count +=
        std::fabs(simulated.at(k, ATP_REPLICA_SIM_EG) - theory.at(k, ATP_REPLICA_EG)) <= errors * simulated.at(k, ATP_REPLICA_SIM_EG_SEM);
  return count;
}

}  // namespace cli
