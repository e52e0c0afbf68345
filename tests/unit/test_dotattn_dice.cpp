// SPDX-License-Identifier: MIT
// Descents in the limit of many dimensions against descents on data in many dimensions, and against the equations of online descent.
#include "theory/dotattn/dynamics.hpp"
#include "theory/dotattn/simulation/simulate.hpp"

#include "math/mean_error.hpp"
#include "simd/targets.hpp"
#include "counting.h"
#include "support.h"

#include <cmath>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

using Reals = std::vector<double>;
using Rows = std::vector<TrajectoryRow>;

const Reals kCode = {1, -1}, kTeacher = {0.6, 0.4, 0.3, 0.7}, kCode3 = {1, 0.5, -1, 0.25, 0.5, -1.5},
            kTeacher3 = {0.5, 0.3, 0.2, 0.1, 0.8, 0.1, 0.25, 0.25, 0.5};

Trajectory trajectory_of(const Task &task, const Reals &times, bool limit) {
  Trajectory trajectory{};
  trajectory.descent.task = task;
  trajectory.descent.start = ATP_DOTATTN_START_RANDOM;
  trajectory.descent.start_m = 0.6;
  trajectory.descent.start_theta = 0.3;
  trajectory.descent.rate = 0.5;
  trajectory.descent.fresh = 400;
  trajectory.descent.runs = 10;
  trajectory.descent.seed = 3;
  trajectory.alpha = 1.5;
  trajectory.times = times.data();
  trajectory.n_times = static_cast<int64_t>(times.size());
  trajectory.limit = limit;
  return trajectory;
}

Rows rows_of(const Trajectory &trajectory, int threads, atp_outcome expected = ATP_OUTCOME_CONVERGED) {
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = threads;
  context.target = best_target();
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  Rows rows(static_cast<std::size_t>(trajectory.descent.runs * trajectory.n_times));
  assert_int_equal(follow_descents(context, trajectory, reporter, &rows[0].run), expected);
  assert_int_equal(context.allocator.bytes(), 0);
  return rows;
}

template <class Number>
MeanError mean_at(const Rows &rows, std::size_t times, std::size_t k, Number number) {
  std::vector<TrajectoryRow> of_time;
  for (std::size_t j = k; j < rows.size(); j += times) of_time.push_back(rows[j]);
  return mean_error(Span<const TrajectoryRow>(of_time.data(), static_cast<int64_t>(of_time.size())), number);
}

// 10 runs of each kind, the simulation at 300 dimensions. Four standard errors and 1.5 per cent for corrections of order 1/d; 32
// comparisons, Student's t with 18 degrees of freedom: false alarm 2 per cent without those 1.5 per cent.
void simulation(void **) {
  for (bool large : {false, true}) {
    const Task task = large ? Task{300, 3, 2, 1, kCode3.data(), kTeacher3.data(), 0.3, 0.6, 0.05}
                            : Task{300, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, 0.01};
    const Reals times = {0, 1.5, 6, 30};
    Trajectory drawn = trajectory_of(task, times, false), limit = trajectory_of(task, times, true);
    const Rows found = rows_of(drawn, 2), theory = rows_of(limit, 2);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto compare = [&](double TrajectoryRow::*number, double known) {
        const auto at = [&](const TrajectoryRow &row) { return row.*number; };
        const MeanError x = mean_at(found, times.size(), k, at), y = mean_at(theory, times.size(), k, at);
        assert_close(x.mean - known, y.mean, 0, 4 * std::hypot(x.error, y.error) + 0.015 * std::fabs(y.mean));
      };
      compare(&TrajectoryRow::q, 0);
      compare(&TrajectoryRow::m, 0);
      compare(&TrajectoryRow::theta, 0);
      compare(&TrajectoryRow::gradient, 0);
    }
  }
}

// Many samples and small steps: the equations of online descent in the limit of small rates, with the penalty of one sample's share. What
// is left are 1 / alpha, the step, and a share of 1 / sqrt(n) = 0.012.
void many_samples(void **) {
  const double alpha = 100, rate = 0.002, lambda = 0.5;
  const Reals times = {0, 500, 1500, 4000};
  const Task task = {70, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, lambda};
  Trajectory limit = trajectory_of(task, times, true);
  limit.alpha = alpha;
  limit.descent.rate = rate;
  limit.descent.runs = 1;
  const Rows rows = rows_of(limit, 1);

  Dynamics dynamics{};
  dynamics.task = task;
  dynamics.task.lambda = lambda / alpha;
  dynamics.times = times.data();
  dynamics.n_times = 4;
  dynamics.rate = rate;
  dynamics.start_m = 0.6;
  dynamics.start_theta = 0.3;
  dynamics.start_scale = 1;
  dynamics.flow = true;
  dynamics.points = 1024;
  dynamics.shifts = 2;
  dynamics.max_iter = 10000;
  dynamics.tolerance = 1e-6;
  dynamics.seed = 1;
  Context context(counting_alloc, counting_free, nullptr);
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  std::vector<DynamicsRow> known(4);
  assert_int_equal(solve_dynamics(context, dynamics, reporter, &known[0].time), ATP_OUTCOME_CONVERGED);
  assert_true(known[3].q < 0.6 * known[0].q && known[3].m < 0.6 * known[0].m);
  for (std::size_t k = 0; k < 4; ++k) {
    assert_close(rows[k].q, known[k].q, 0.04, 0);
    assert_close(rows[k].m, known[k].m, 0.04, 0.003);
    assert_close(rows[k].theta, known[k].theta, 0.04, 0.003);
    assert_close(rows[k].eg, known[k].eg, 0.08, 0);
  }
}

void threads_and_times(void **) {
  const Task task = {60, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, 0.01};
  const Reals times = {3, 12, 30}, last = {30};
  Trajectory limit = trajectory_of(task, times, true);
  limit.descent.runs = 5;
  const Rows one = rows_of(limit, 1), other = rows_of(limit, 3);
  assert_memory_equal(one.data(), other.data(), one.size() * sizeof one[0]);
  assert_true(one[0].m != one[3].m);
  Trajectory once = trajectory_of(task, last, true);
  once.descent.runs = 5;
  assert_close(rows_of(once, 1)[4].m, one[14].m, 1e-9, 0);
}

// The response of converged descents, from the Hessians of single samples, and that of the Hessian of the risk on data, by random vectors;
// a strong penalty, where no sample has two wells. Four standard errors of two means over 10 runs: false alarm 0.1 per cent.
void response(void **) {
  const Task task = {150, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, 0.1};
  const Reals times = {900}, alphas = {1.5};  // 600 steps
  Trajectory limit = trajectory_of(task, times, true);
  limit.descent.start_m = 1;
  limit.descent.start_theta = 0;
  const Rows rows = rows_of(limit, 2);
  Simulation simulation = limit.descent;
  simulation.alphas = alphas.data();
  simulation.n_alphas = 1;
  simulation.optimizer = ATP_OPTIMIZER_LBFGS;
  simulation.steps = 500;
  simulation.tolerance = 1e-5;
  simulation.probes = 6;
  Context context(counting_alloc, counting_free, nullptr);
  context.target = best_target();
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  SimRow row;
  assert_int_equal(simulate(context, simulation, reporter, &row.alpha), ATP_OUTCOME_CONVERGED);
  const MeanError v = mean_at(rows, 1, 0, [](const TrajectoryRow &r) { return r.v; });
  assert_true(rows[0].gradient < 1e-4 && v.error < 0.02 * v.mean && row.v_sem < 0.02 * row.v);
  assert_close(v.mean, row.v, 0, 4 * std::hypot(v.error, row.v_sem) + 0.01 * row.v);
}

// Without theta: it stays as it starts, and other numbers are those of runs whose theta is of order 1/sqrt(n). Four standard errors and two
// per cent for corrections of order 1/n; eight comparisons: false alarm 1 per cent without these.
void held_overlap(void **) {
  const Task task = {300, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, 0.01};
  const Reals times = {6, 60};
  Trajectory free = trajectory_of(task, times, true);
  free.descent.start_m = 1;
  free.descent.start_theta = 0;
  Trajectory held = free;
  held.hold_theta = true;
  const Rows one = rows_of(free, 2), other = rows_of(held, 2);
  for (std::size_t k = 0; k < times.size(); ++k)
    for (double TrajectoryRow::*number : {&TrajectoryRow::q, &TrajectoryRow::m, &TrajectoryRow::et, &TrajectoryRow::v}) {
      const auto at = [&](const TrajectoryRow &row) { return row.*number; };
      const MeanError x = mean_at(one, times.size(), k, at), y = mean_at(other, times.size(), k, at);
      assert_close(x.mean, y.mean, 0, 4 * std::hypot(x.error, y.error) + 0.02 * std::fabs(y.mean));
    }
  for (const TrajectoryRow &row : other) assert_true(row.theta == 0);
  for (const TrajectoryRow &row : one) assert_true(row.theta != 0);
  held.descent.start_theta = 0.3;
  held.descent.start_m = 0.6;
  for (const TrajectoryRow &row : rows_of(held, 2)) assert_close(row.theta, 0.25 * held.descent.start_scale * 0.3, 1e-14, 0);
}

void divergence(void **) {
  const Task task = {60, 2, 1, 1, kCode.data(), kTeacher.data(), 0.3, 0.5, 1};
  const Reals times = {0, 3000};
  Trajectory limit = trajectory_of(task, times, true);
  limit.descent.rate = 1e3;
  limit.descent.runs = 1;
  const Rows rows = rows_of(limit, 1, ATP_OUTCOME_DIVERGED);
  assert_true(rows[0].outcome == ATP_OUTCOME_CONVERGED && rows[1].outcome == ATP_OUTCOME_DIVERGED && std::isnan(rows[1].m));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(simulation), cmocka_unit_test(many_samples), cmocka_unit_test(threads_and_times),
                              cmocka_unit_test(response),   cmocka_unit_test(held_overlap), cmocka_unit_test(divergence)};
  where_races_are_sought("threads_and_times");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
