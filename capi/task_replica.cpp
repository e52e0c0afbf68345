// SPDX-License-Identifier: MIT
// The tasks of masked Gaussian modelling.
#include "task_handle.hpp"

#include "math/linalg/lapack.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/options.hpp"
#include "theory/replica/potts_curve.hpp"
#include "theory/replica/simulate.hpp"
#include "theory/replica/square.hpp"

namespace atp::replica {

namespace {

constexpr double kHuge = 1e300;

void check_array(atp_task_array which, const TaskArray &array) {
  switch (which) {
    case ATP_ARRAY_ALPHAS: return require_vector(which, array, 1e-12, 1e12);
    case ATP_ARRAY_TARGETS:
      require_vector(which, array, 1, 1e12);
      for (int64_t k = 0; k < array.rows; ++k)
        if (!(array.values[k] > 1)) fail(ATP_E_VALUE, "targets" ATP_AT " is %g, must be > 1", llong{k}, array.values[k]);
      return;
    case ATP_ARRAY_PROJECTIONS: return require_vector(which, array, 0, kHuge);
    case ATP_ARRAY_WEIGHTS: return require_vector(which, array, -kHuge, kHuge);
    case ATP_ARRAY_EIGENVALUES: require_vector(which, array, 0, kHuge); return require_definite(array.values, array.rows);
    case ATP_ARRAY_COVARIANCE:
      require_range(array.rows, 1, kLargestOrder, "rows of covariance");
      require_size(array.columns, array.rows, "columns of covariance");
      return require_symmetric(array.values, array.rows, "covariance", Symmetric::covariance);
    case ATP_ARRAY_COLOR_COVARIANCE:
      require_range(array.rows, 2, kMostColors, "rows of color-covariance");
      require_size(array.columns, array.rows, "columns of color-covariance");
      return require_symmetric(array.values, array.rows, "color-covariance", Symmetric::covariance);
    default: return;
  }
}

void require_penalty(const AnyTask &task) {
  const TaskArray alphas = task.array(ATP_ARRAY_ALPHAS);
  if (task.real(ATP_OPT_LAMBDA) == 0 && task.has_targets())
    fail(ATP_E_VALUE, "lambda is 0 with targets, must be > 0: V is infinite where alpha is <= 1");
  require_finite_response(alphas.values, alphas.rows, task.real(ATP_OPT_LAMBDA));
}

Spectrum spectrum_of(const AnyTask &task) {
  const TaskArray &s = task.require_array(ATP_ARRAY_EIGENVALUES), &t = task.require_array(ATP_ARRAY_PROJECTIONS);
  require_size(t.rows, s.rows, "the number of projections");
  return {s.values, t.values, s.rows, task.real(ATP_OPT_NOISE, 0)};
}

// The rows of one call; a search fills some at a time.
int64_t count_of_alphas(const AnyTask &task) { return task.has_targets() ? kAlphasAtOnce : task.require_array(ATP_ARRAY_ALPHAS).rows; }

std::size_t no_bytes(const AnyTask &task) {
  count_of_alphas(task);
  return 0;
}

std::size_t square_bytes(const AnyTask &task) {
  spectrum_of(task);
  return no_bytes(task);
}

std::size_t saddle_bytes(const AnyTask &task) {
  square_bytes(task);
  require_penalty(task);
  return 0;
}

bool cavity(const AnyTask &task) { return task.integer(ATP_OPT_INPUTS) == ATP_REPLICA_INPUTS_CAVITY; }

ConvexLoss loss_of(const AnyTask &task) {
  switch (static_cast<atp_replica_loss>(task.integer(ATP_OPT_LOSS))) {
    case ATP_REPLICA_LOSS_HUBER: return {LossKind::huber, task.real(ATP_OPT_DELTA), false};
    case ATP_REPLICA_LOSS_LOGISTIC: return {LossKind::logistic, 1, cavity(task)};
    default: return {LossKind::square, 1, false};
  }
}

std::size_t convex_bytes(const AnyTask &task) {
  square_bytes(task);
  if (!loss_of(task).classifies()) require_penalty(task);
  return Scratch::piece<double>(convex_workspace());
}

bool best_lambda(const AnyTask &task) { return task.integer(ATP_OPT_BEST_LAMBDA, 0) != 0; }

// Rows for the targets or for the alphas of a task.
atp_outcome run_rows(AnyTask &task, const TaskRun &run, LearningCurve &curve) {
  const TaskArray &targets = task.array(ATP_ARRAY_TARGETS), &alphas = task.array(ATP_ARRAY_ALPHAS);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  if (task.has_targets()) {
    Reporter quiet(nullptr, nullptr, task.stop, nullptr, &task.context->ranks);
    const Targets wanted{targets.values, targets.rows, task.integer(ATP_OPT_PARAMETERS), best_lambda(task)};
    outcome = fill_targets(curve, wanted, quiet, run.reporter, run.rows);
  } else {
    outcome = curve.fill(alphas.values, alphas.rows, run.reporter, run.rows);
  }
  task.optimum = curve.optimum();
  task.has_optimum = true;
  return outcome;
}

SquareSettings settings_of(const AnyTask &task) { return {task.real(ATP_OPT_LAMBDA), best_lambda(task), task.real(ATP_OPT_TEMPERATURE)}; }

atp_outcome run_square(AnyTask &task, const TaskRun &run) {
  SpectrumCurve curve(*task.context, spectrum_of(task), settings_of(task));
  return run_rows(task, run, curve);
}

atp_outcome run_saddle(AnyTask &task, const TaskRun &run) {
  SpectrumCurve curve(*task.context, spectrum_of(task), settings_of(task), task.integer(ATP_OPT_MAX_ITER));
  return run_rows(task, run, curve);
}

atp_outcome run_limit(AnyTask &task, const TaskRun &run) {
  LimitCurve curve(*task.context, task.real(ATP_OPT_DIAGONAL_SHIFT), settings_of(task));
  return run_rows(task, run, curve);
}

atp_outcome run_convex(AnyTask &task, const TaskRun &run) {
  const Scratch scratch(task.context->allocator, convex_bytes(task));
  ConvexCurve curve(*task.context, spectrum_of(task), loss_of(task), task.real(ATP_OPT_LAMBDA), task.integer(ATP_OPT_MAX_ITER),
                    scratch.arena().take<double>(convex_workspace()));
  return run_rows(task, run, curve);
}

Simulation simulation_of(const AnyTask &task) {
  const TaskArray &s = task.require_array(ATP_ARRAY_COVARIANCE), &w = task.require_array(ATP_ARRAY_WEIGHTS),
                  &alphas = task.require_array(ATP_ARRAY_ALPHAS);
  require_size(w.rows, s.rows, "the number of weights");
  return {s.values,
          w.values,
          s.rows,
          task.real(ATP_OPT_NOISE, 0),
          alphas.values,
          alphas.rows,
          task.real(ATP_OPT_LAMBDA),
          task.integer(ATP_OPT_REALISATIONS),
          task.seed()};
}

std::size_t bytes_of_simulation(const AnyTask &task) { return simulation_bytes(*task.context, simulation_of(task)); }

atp_outcome run_simulation(AnyTask &task, const TaskRun &run) {
  return simulate(*task.context, simulation_of(task), run.reporter, run.rows);
}

PottsProblem potts_of(const AnyTask &task) {
  const TaskArray &colors = task.require_array(ATP_ARRAY_COLOR_COVARIANCE);
  count_of_alphas(task);
  return {spectrum_of(task),
          colors.values,
          colors.rows,
          task.real(ATP_OPT_LAMBDA),
          task.integer(ATP_OPT_MAX_ITER),
          task.integer(ATP_OPT_POINTS),
          task.integer(ATP_OPT_SHIFTS),
          task.seed(),
          cavity(task)};
}

std::size_t bytes_of_potts(const AnyTask &task) { return PottsCurve::bytes(*task.context, potts_of(task), count_of_alphas(task)); }

atp_outcome run_potts(AnyTask &task, const TaskRun &run) {
  PottsCurve curve(*task.context, potts_of(task));
  return run_rows(task, run, curve);
}

Simulation potts_simulation_of(const AnyTask &task) {
  const TaskArray &colors = task.require_array(ATP_ARRAY_COLOR_COVARIANCE);
  Simulation simulation = simulation_of(task);
  simulation.fields = colors.values;
  simulation.colors = colors.rows;
  simulation.tests = task.integer(ATP_OPT_TEST_SAMPLES);
  simulation.cavity = cavity(task);
  return simulation;
}

std::size_t bytes_of_potts_simulation(const AnyTask &task) { return simulation_bytes(*task.context, potts_simulation_of(task)); }

atp_outcome run_potts_simulation(AnyTask &task, const TaskRun &run) {
  return simulate(*task.context, potts_simulation_of(task), run.reporter, run.rows);
}

constexpr unsigned kAlphas = 1u << ATP_ARRAY_ALPHAS, kCurve = kAlphas | 1u << ATP_ARRAY_TARGETS, kColors = 1u << ATP_ARRAY_COLOR_COVARIANCE,
                   kSpectrum = kCurve | 1u << ATP_ARRAY_EIGENVALUES | 1u << ATP_ARRAY_PROJECTIONS,
                   kSystem = kAlphas | 1u << ATP_ARRAY_COVARIANCE | 1u << ATP_ARRAY_WEIGHTS;

}  // namespace

const TaskKind kTaskKinds[7] = {
    {ATP_TASK_REPLICA_SQUARE, ATP_TABLE_REPLICA_CURVE, kSpectrum, ATP_ARRAY_ALPHAS, &kSquareOptions, settle_square, check_array,
     square_bytes, run_square},
    {ATP_TASK_REPLICA_SADDLE, ATP_TABLE_REPLICA_CURVE, kSpectrum, ATP_ARRAY_ALPHAS, &kSaddleOptions, settle_square, check_array,
     saddle_bytes, run_saddle},
    {ATP_TASK_REPLICA_LIMIT, ATP_TABLE_REPLICA_CURVE, kCurve, ATP_ARRAY_ALPHAS, &kLimitOptions, settle_limit, check_array, no_bytes,
     run_limit},
    {ATP_TASK_REPLICA_CONVEX, ATP_TABLE_REPLICA_CURVE, kSpectrum, ATP_ARRAY_ALPHAS, &kConvexOptions, settle_convex, check_array,
     convex_bytes, run_convex},
    {ATP_TASK_REPLICA_SIMULATION, ATP_TABLE_REPLICA_SIMULATION, kSystem, ATP_ARRAY_ALPHAS, &kSimulationOptions, nullptr, check_array,
     bytes_of_simulation, run_simulation},
    {ATP_TASK_REPLICA_POTTS, ATP_TABLE_REPLICA_CURVE, kSpectrum | kColors, ATP_ARRAY_ALPHAS, &kPottsOptions, settle_potts, check_array,
     bytes_of_potts, run_potts},
    {ATP_TASK_REPLICA_POTTS_SIMULATION, ATP_TABLE_REPLICA_SIMULATION, kSystem | kColors, ATP_ARRAY_ALPHAS, &kPottsSimulationOptions,
     nullptr, check_array, bytes_of_potts_simulation, run_potts_simulation},
};

}  // namespace atp::replica
