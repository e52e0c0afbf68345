// SPDX-License-Identifier: MIT
// The tasks of dot-product attention.
#include "task_handle.hpp"

#include "theory/dotattn/two_tokens/curve.hpp"
#include "theory/dotattn/dynamics.hpp"
#include "theory/dotattn/options.hpp"
#include "theory/dotattn/simulation/simulate.hpp"
#include "theory/dotattn/tokens/tokens.hpp"

#include <cstring>

namespace atp::dotattn {

namespace {

void check_of_two(atp_task_array which, const TaskArray &array) {
  if (which == ATP_ARRAY_ALPHAS) return require_vector(which, array, 1e-6, 1e6);
  if (which == ATP_ARRAY_OMEGAS) return require_vector(which, array, 0, 1);
  require_size(array.rows, 2, "rows of teacher");
  require_size(array.columns, 2, "columns of teacher");
  require_reals(array.values, 4, -1e3, 1e3, "teacher", {2});
}

void check_of_many(atp_task_array which, const TaskArray &array) {
  if (which == ATP_ARRAY_ALPHAS) return require_vector(which, array, 1e-12, 1e12);
  require_range(array.rows, 2, kMostTokens, which == ATP_ARRAY_TEACHER ? "rows of teacher" : "rows of code");
  if (which == ATP_ARRAY_TEACHER) {
    require_size(array.columns, array.rows, "columns of teacher");
    return require_finite(array.values, array.size(), "teacher", {array.columns});
  }
  require_range(array.columns, 1, kMostCode, "columns of code");
  require_reals(array.values, array.size(), -1e6, 1e6, "code", {array.columns});
}

void check_of_times(atp_task_array which, const TaskArray &array) {
  if (which != ATP_ARRAY_TIMES) return check_of_many(which, array);
  require_vector(which, array, 0, 1e9);
  require_rising(array.values, array.rows);
}

void warn_of_rows(const AnyTask &task) {
  const TaskArray &teacher = task.array(ATP_ARRAY_TEACHER);
  warn_of_teacher(*task.context, teacher.values, teacher.rows);
}

Problem problem_of(const AnyTask &task) {
  Problem problem;
  problem.omega = task.real(ATP_OPT_OMEGA, 0);
  problem.sigma = task.real(ATP_OPT_SIGMA);
  problem.lambda = task.real(ATP_OPT_LAMBDA);
  std::memcpy(problem.map, task.array(ATP_ARRAY_TEACHER).values, sizeof problem.map);
  return problem;
}

std::size_t bytes_of_curve(const AnyTask &task) {
  return scratch_bytes(*task.context, task.require_array(ATP_ARRAY_ALPHAS).rows, task.integer(ATP_OPT_BREAKING) != 0);
}

atp_outcome run_curve(AnyTask &task, const TaskRun &run) {
  const TaskArray &alphas = task.array(ATP_ARRAY_ALPHAS);
  warn_of_rows(task);
  const CurveRequest request{problem_of(task),
                             static_cast<Kind>(task.integer(ATP_OPT_BRANCH)),
                             alphas.values,
                             alphas.rows,
                             task.real(ATP_OPT_ACCURACY),
                             task.integer(ATP_OPT_MAX_ITER),
                             task.integer(ATP_OPT_BREAKING) != 0,
                             task.integer(ATP_OPT_BREAKING) == 2};
  return curve(*task.context, request, run.reporter, run.rows);
}

std::size_t bytes_of_transition(const AnyTask &task) {
  task.require_array(ATP_ARRAY_OMEGAS);
  return scratch_bytes(*task.context, 0);
}

atp_outcome run_transition(AnyTask &task, const TaskRun &run) {
  const TaskArray &omegas = task.array(ATP_ARRAY_OMEGAS);
  warn_of_rows(task);
  const TransitionRequest request{problem_of(task), omegas.values, omegas.rows, task.real(ATP_OPT_ACCURACY),
                                  task.integer(ATP_OPT_MAX_ITER)};
  return transition(*task.context, request, run.reporter, run.rows);
}

// Tokens, code, teacher and student; the arrays must fit together.
Task task_of(const AnyTask &task) {
  const TaskArray &code = task.array(ATP_ARRAY_CODE), &teacher = task.array(ATP_ARRAY_TEACHER);
  if (teacher.rows != code.rows)
    fail(ATP_E_SHAPE, "teacher is of %lld tokens, must be of %lld as code is", llong{teacher.rows}, llong{code.rows});
  Task out{};
  out.tokens = code.rows;
  out.code_columns = code.columns;
  out.rank = static_cast<int64_t>(task.real(ATP_OPT_STUDENT_RANK, 1));
  out.code = code.values;
  out.teacher = teacher.values;
  out.omega = task.real(ATP_OPT_OMEGA);
  out.sigma = task.real(ATP_OPT_SIGMA);
  out.lambda = task.real(ATP_OPT_LAMBDA);
  return out;
}

Evolution evolution_of(const AnyTask &task) {
  const TaskArray &alphas = task.require_array(ATP_ARRAY_ALPHAS);
  Evolution evolution{};
  evolution.task = task_of(task);
  if (evolution.task.rank > 1) require_range(evolution.task.code_columns, 1, 1, "columns of the code of a student of rank 2");
  evolution.alphas = alphas.values;
  evolution.n_alphas = alphas.rows;
  evolution.solution = static_cast<atp_dotattn_start>(task.integer(ATP_OPT_START));
  evolution.points = task.integer(ATP_OPT_POINTS);
  evolution.shifts = task.integer(ATP_OPT_SHIFTS);
  evolution.max_iter = task.integer(ATP_OPT_MAX_ITER);
  evolution.tolerance = task.real(ATP_OPT_TOLERANCE);
  evolution.seed = task.seed();
  return evolution;
}

Simulation simulation_of(const AnyTask &task) {
  const TaskArray &alphas = task.require_array(ATP_ARRAY_ALPHAS);
  Simulation simulation{};
  simulation.task = task_of(task);
  simulation.task.d = task.integer(ATP_OPT_DIMENSION);
  require_range(simulation.task.code_columns, 1, simulation.task.d, "columns of the code");
  simulation.alphas = alphas.values;
  simulation.n_alphas = alphas.rows;
  simulation.start = static_cast<atp_dotattn_start>(task.integer(ATP_OPT_START));
  simulation.optimizer = static_cast<atp_optimizer>(task.integer(ATP_OPT_OPTIMIZER));
  simulation.steps = task.integer(ATP_OPT_STEPS);
  simulation.rate = task.real(ATP_OPT_RATE);
  simulation.tolerance = task.real(ATP_OPT_TOLERANCE);
  simulation.fresh = task.integer(ATP_OPT_TEST_SAMPLES);
  simulation.runs = task.integer(ATP_OPT_RUNS);
  simulation.restarts = task.integer(ATP_OPT_RESTARTS);
  simulation.perturbation = task.real(ATP_OPT_PERTURBATION);
  simulation.start_scale = task.real(ATP_OPT_START_SCALE);
  simulation.start_theta = task.real(ATP_OPT_START_THETA);
  simulation.start_m = task.real(ATP_OPT_START_M);
  simulation.probes = task.integer(ATP_OPT_PROBES);
  simulation.flips = task.integer(ATP_OPT_FLIPS);
  simulation.flip_margin = task.real(ATP_OPT_FLIP_MARGIN);
  if (simulation.flips > 0) require_size(simulation.task.tokens, 2, "tokens of a simulation with flips");
  simulation.seed = task.seed();
  return simulation;
}

Dynamics dynamics_of(const AnyTask &task) {
  const TaskArray &times = task.require_array(ATP_ARRAY_TIMES);
  Dynamics dynamics{};
  dynamics.task = task_of(task);
  dynamics.times = times.values;
  dynamics.n_times = times.rows;
  dynamics.rate = task.real(ATP_OPT_RATE);
  dynamics.start_theta = task.real(ATP_OPT_START_THETA);
  dynamics.start_m = task.real(ATP_OPT_START_M);
  dynamics.start_scale = task.real(ATP_OPT_START_SCALE);
  dynamics.flow = task.options.flag(ATP_OPT_FLOW);
  dynamics.points = task.integer(ATP_OPT_POINTS);
  dynamics.shifts = task.integer(ATP_OPT_SHIFTS);
  dynamics.max_iter = task.integer(ATP_OPT_MAX_ITER);
  dynamics.tolerance = task.real(ATP_OPT_TOLERANCE);
  dynamics.seed = task.seed();
  return dynamics;
}

Trajectory trajectory_of(const AnyTask &task) {
  const TaskArray &times = task.require_array(ATP_ARRAY_TIMES);
  Trajectory trajectory{};
  trajectory.descent.task = task_of(task);
  trajectory.descent.task.d = task.integer(ATP_OPT_DIMENSION);
  require_range(trajectory.descent.task.code_columns, 1, trajectory.descent.task.d, "columns of the code");
  trajectory.descent.start = ATP_DOTATTN_START_RANDOM;
  trajectory.descent.start_theta = task.real(ATP_OPT_START_THETA);
  trajectory.descent.start_m = task.real(ATP_OPT_START_M);
  trajectory.descent.start_scale = task.real(ATP_OPT_START_SCALE);
  trajectory.descent.rate = task.real(ATP_OPT_RATE);
  trajectory.descent.fresh = task.integer(ATP_OPT_TEST_SAMPLES);
  trajectory.descent.runs = task.integer(ATP_OPT_RUNS);
  trajectory.descent.seed = task.seed();
  trajectory.alpha = task.real(ATP_OPT_ALPHA);
  trajectory.limit = task.integer(ATP_OPT_LIMIT) != 0;
  trajectory.hold_theta = task.integer(ATP_OPT_LIMIT) == 2;
  trajectory.times = times.values;
  trajectory.n_times = times.rows;
  return trajectory;
}

int64_t runs_of_trajectory(const AnyTask &task) { return task.integer(ATP_OPT_RUNS); }

// The bytes and the run of a kind, from the arguments of its tasks.
template <auto Given, auto Bytes>
std::size_t bytes_with(const AnyTask &task) {
  return Bytes(*task.context, Given(task));
}

template <auto Given, auto Run>
atp_outcome run_with(AnyTask &task, const TaskRun &run) {
  warn_of_rows(task);
  return Run(*task.context, Given(task), run.reporter, run.rows);
}

constexpr unsigned kOfAlphas = 1u << ATP_ARRAY_ALPHAS | 1u << ATP_ARRAY_TEACHER,
                   kOfOmegas = 1u << ATP_ARRAY_OMEGAS | 1u << ATP_ARRAY_TEACHER, kOfTokens = kOfAlphas | 1u << ATP_ARRAY_CODE,
                   kOfTimes = 1u << ATP_ARRAY_TIMES | 1u << ATP_ARRAY_TEACHER | 1u << ATP_ARRAY_CODE;

}  // namespace

const TaskKind kTaskKinds[6] = {
    {ATP_TASK_DOTATTN_CURVE, ATP_TABLE_DOTATTN_CURVE, kOfAlphas, ATP_ARRAY_ALPHAS, &kCurveOptions, nullptr, check_of_two, bytes_of_curve,
     run_curve},
    {ATP_TASK_DOTATTN_TRANSITION, ATP_TABLE_DOTATTN_TRANSITION, kOfOmegas, ATP_ARRAY_OMEGAS, &kTransitionOptions, nullptr, check_of_two,
     bytes_of_transition, run_transition},
    {ATP_TASK_DOTATTN_TOKENS, ATP_TABLE_DOTATTN_TOKENS, kOfTokens, ATP_ARRAY_ALPHAS, &kTokensOptions, settle_tokens, check_of_many,
     bytes_with<evolution_of, evolution_bytes>, run_with<evolution_of, evolve>},
    {ATP_TASK_DOTATTN_SIMULATION, ATP_TABLE_DOTATTN_SIMULATION, kOfTokens, ATP_ARRAY_ALPHAS, &kSimulationOptions, settle_simulation,
     check_of_many, bytes_with<simulation_of, simulation_bytes>, run_with<simulation_of, simulate>},
    {ATP_TASK_DOTATTN_DYNAMICS, ATP_TABLE_DOTATTN_DYNAMICS, kOfTimes, ATP_ARRAY_TIMES, &kDynamicsOptions, settle_dynamics, check_of_times,
     bytes_with<dynamics_of, dynamics_bytes>, run_with<dynamics_of, solve_dynamics>},
    {ATP_TASK_DOTATTN_TRAJECTORY, ATP_TABLE_DOTATTN_TRAJECTORY, kOfTimes, ATP_ARRAY_TIMES, &kTrajectoryOptions, settle_trajectory,
     check_of_times, bytes_with<trajectory_of, trajectory_bytes>, run_with<trajectory_of, follow_descents>, runs_of_trajectory},
};

}  // namespace atp::dotattn
