// SPDX-License-Identifier: MIT
// The tasks of masked Gaussian modelling.
#include "task_handle.hpp"

#include "math/linalg/lapack.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/curve.hpp"
#include "theory/replica/limit.hpp"
#include "theory/replica/options.hpp"
#include "theory/replica/potts_curve.hpp"
#include "theory/replica/simulate.hpp"
#include "theory/replica/square.hpp"

#include <cmath>
#include <cstring>
#include <utility>

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
  const TaskArray alphas = task.shown_array(ATP_ARRAY_ALPHAS);
  if (task.real(ATP_OPT_LAMBDA) == 0 && task.has_targets())
    fail(ATP_E_VALUE, "lambda is 0 with targets, must be > 0: V is infinite where alpha is <= 1");
  require_finite_response(alphas.values, alphas.rows, task.real(ATP_OPT_LAMBDA));
}

Spectrum spectrum_of(const AnyTask &task) {
  const TaskArray &s = task.require_array(ATP_ARRAY_EIGENVALUES), &t = task.require_array(ATP_ARRAY_PROJECTIONS);
  require_size(t.rows, s.rows, "the number of projections");
  return {s.values, t.values, s.rows, task.real(ATP_OPT_NOISE, 0)};
}

std::size_t no_bytes(const AnyTask &task) {
  task.require_array(ATP_ARRAY_ALPHAS);
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

// NaN where each row finds its own.
double penalty_of(const AnyTask &task) { return best_lambda(task) ? std::nan("") : task.real(ATP_OPT_LAMBDA); }

template <class Solve>
atp_outcome fill_curve(const AnyTask &task, const TaskRun &run, Rows how, Solve &&solve) {
  const TaskArray &alphas = task.array(ATP_ARRAY_ALPHAS);
  const CurveRequest request{alphas.values, alphas.rows, penalty_of(task), how};
  return curve_of_rows(*task.context, request, std::forward<Solve>(solve), run.reporter, run.rows, run.columns);
}

void set_optimum(AnyTask &task, double eg) {
  task.optimum = eg;
  task.has_optimum = true;
}

// Rows of the square loss: solve(alpha, lambda) with the task's penalty, or with the best one around `scale`.
template <class Solve>
atp_outcome fill_square(AnyTask &task, const TaskRun &run, double scale, Solve &&solve) {
  const double lambda = task.real(ATP_OPT_LAMBDA);
  const bool best = best_lambda(task);
  return fill_curve(task, run, Rows::of_every_rank, [&](double alpha) {
    return best ? best_penalty(scale, [&](double x) { return solve(alpha, x); }) : solve(alpha, lambda);
  });
}

atp_outcome run_square(AnyTask &task, const TaskRun &run) {
  const Spectrum spectrum = spectrum_of(task);
  const SpectrumMoments known = moments(spectrum);
  const double temperature = task.real(ATP_OPT_TEMPERATURE);
  set_optimum(task, spectrum.noise);
  return fill_square(task, run, penalty_scale(spectrum),
                     [&](double alpha, double lambda) { return solve_square(spectrum, known, alpha, lambda, temperature); });
}

atp_outcome run_saddle(AnyTask &task, const TaskRun &run) {
  const Spectrum spectrum = spectrum_of(task);
  const SpectrumMoments known = moments(spectrum);
  const double temperature = task.real(ATP_OPT_TEMPERATURE);
  const int64_t most = task.integer(ATP_OPT_MAX_ITER);
  set_optimum(task, spectrum.noise);
  return fill_square(task, run, penalty_scale(spectrum),
                     [&](double alpha, double lambda) { return solve_square_saddle(spectrum, known, alpha, lambda, temperature, most); });
}

atp_outcome run_limit(AnyTask &task, const TaskRun &run) {
  const double shift = task.real(ATP_OPT_DIAGONAL_SHIFT), temperature = task.real(ATP_OPT_TEMPERATURE);
  const Limit limit(shift);
  set_optimum(task, 1 / shift);
  // |w*|^2 = 1 / z^2
  return fill_square(task, run, shift, [&](double alpha, double lambda) { return limit.solve(alpha, lambda, temperature); });
}

atp_outcome run_convex(AnyTask &task, const TaskRun &run) {
  const Spectrum spectrum = spectrum_of(task);
  const ConvexLoss loss = loss_of(task);
  const Scratch scratch(task.context->allocator, convex_bytes(task));
  const Span<double> space = scratch.arena().take<double>(convex_workspace());
  const double lambda = task.real(ATP_OPT_LAMBDA);
  const int64_t most = task.integer(ATP_OPT_MAX_ITER);
  const double best = optimal_convex(spectrum, loss, space);
  const atp_outcome ended =
      fill_curve(task, run, Rows::shared, [&](double alpha) { return solve_convex(spectrum, loss, alpha, lambda, most, space); });
  set_optimum(task, best);
  return ended;
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
  return simulate(*task.context, simulation_of(task), run.reporter, run.rows, run.columns);
}

PottsCurve potts_of(const AnyTask &task) {
  const TaskArray &colors = task.require_array(ATP_ARRAY_COLOR_COVARIANCE), &alphas = task.require_array(ATP_ARRAY_ALPHAS);
  return {spectrum_of(task),
          colors.values,
          colors.rows,
          alphas.values,
          alphas.rows,
          task.real(ATP_OPT_LAMBDA),
          task.integer(ATP_OPT_MAX_ITER),
          task.integer(ATP_OPT_POINTS),
          task.integer(ATP_OPT_SHIFTS),
          task.seed(),
          cavity(task)};
}

std::size_t bytes_of_potts(const AnyTask &task) { return potts_bytes(*task.context, potts_of(task)); }

atp_outcome run_potts(AnyTask &task, const TaskRun &run) {
  double best = 0;
  const atp_outcome ended = potts_curve(*task.context, potts_of(task), run.reporter, run.rows, run.columns, best);
  set_optimum(task, best);
  return ended;
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
  return simulate(*task.context, potts_simulation_of(task), run.reporter, run.rows, run.columns);
}

// The loss of w = 0; infinity of Huber's, which is not known here.
double loss_without_samples(const AnyTask &task, double rho) {
  if (task.kind->kind == ATP_TASK_REPLICA_POTTS) return std::log(static_cast<double>(task.array(ATP_ARRAY_COLOR_COVARIANCE).rows));
  if (task.kind->kind != ATP_TASK_REPLICA_CONVEX) return rho;
  const int64_t loss = task.integer(ATP_OPT_LOSS);
  return loss == ATP_REPLICA_LOSS_LOGISTIC ? std::log(2.0) : loss == ATP_REPLICA_LOSS_HUBER ? HUGE_VAL : rho;
}

// A target above the loss of a student without samples needs none.
void require_samples(const AnyTask &task, const TaskRun &run, int64_t k) {
  const double target = task.array(ATP_ARRAY_TARGETS).values[k];
  const double nothing = loss_without_samples(task, run.rows[ATP_REPLICA_RHO]);
  if (!(nothing > target * task.optimum))
    fail(ATP_E_VALUE, "targets" ATP_AT " is %g, must be less than %.6g: without samples the loss is that many times the best possible one",
         llong{k}, target, nothing / task.optimum);
}

constexpr unsigned kAlphas = 1u << ATP_ARRAY_ALPHAS, kCurve = kAlphas | 1u << ATP_ARRAY_TARGETS, kColors = 1u << ATP_ARRAY_COLOR_COVARIANCE,
                   kSpectrum = kCurve | 1u << ATP_ARRAY_EIGENVALUES | 1u << ATP_ARRAY_PROJECTIONS,
                   kSystem = kAlphas | 1u << ATP_ARRAY_COVARIANCE | 1u << ATP_ARRAY_WEIGHTS;

}  // namespace

std::size_t target_bytes() { return Scratch::piece<double>(kAlphasAtOnce * ATP_REPLICA_COLUMNS); }

atp_outcome run_targets(AnyTask &task, const TaskRun &run) {
  const TaskArray &targets = task.array(ATP_ARRAY_TARGETS);
  const Scratch scratch(task.context->allocator, target_bytes());
  Reporter quiet(nullptr, nullptr, task.stop, nullptr, &task.context->ranks);
  const TaskRun found{quiet, scratch.arena().take<double>(kAlphasAtOnce, ATP_REPLICA_COLUMNS).data(), run.columns};
  const AlphaSearch search{task.integer(ATP_OPT_PARAMETERS), best_lambda(task)};
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < targets.rows; ++k) {
    bool first = true;
    const auto fill = [&](const double *alphas, int64_t n) {
      if (outcome == ATP_OUTCOME_CANCELLED) return false;
      std::copy(alphas, alphas + n, task.search_alphas);
      task.search_at(n);
      if (task.kind->run(task, found) == ATP_OUTCOME_CANCELLED) outcome = ATP_OUTCOME_CANCELLED;
      if (!(task.optimum > 0)) fail(ATP_E_VALUE, "the best possible loss is 0, must be > 0 with targets");
      if (first && outcome != ATP_OUTCOME_CANCELLED) require_samples(task, found, k);
      first = false;
      return outcome != ATP_OUTCOME_CANCELLED;
    };
    const double alpha = smallest_alpha(
        search, fill, [&](int64_t row) { return found.rows[row * run.columns + ATP_REPLICA_EG] <= targets.values[k] * task.optimum; });
    if (std::isnan(alpha) && outcome != ATP_OUTCOME_CANCELLED)
      fail(ATP_E_VALUE, "targets" ATP_AT " is %g, must be one that a smaller alpha than %g reaches", llong{k}, targets.values[k],
           kLastAlpha);
    if (std::isnan(alpha) || !fill(&alpha, 1)) {
      const Row row = cancelled_row(std::nan(""), penalty_of(task));
      std::memcpy(run.rows + k * run.columns, &row, sizeof row);
      continue;
    }
    std::copy(found.rows, found.rows + run.columns, run.rows + k * run.columns);
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(found.rows[ATP_REPLICA_OUTCOME]);
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(k + 1));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(targets.rows));
    if (run.reporter.report(progress)) outcome = ATP_OUTCOME_CANCELLED;
  }
  task.search_at(kAlphasAtOnce);
  return outcome;
}

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
