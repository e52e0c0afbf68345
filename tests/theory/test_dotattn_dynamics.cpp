// SPDX-License-Identifier: MIT
// Online descent of dot-product attention in the limit of many dimensions: the right side of its equations against plain Monte Carlo, small
// students in closed form, symmetries, and solutions against simulation. Fixed seeds.
#include "theory/dotattn/dynamics.hpp"
#include "theory/dotattn/simulation/simulate.hpp"
#include "math/lattice.hpp"

#include "simd/targets.hpp"
#include "counting.h"
#include "support.h"

#include <cmath>
#include <random>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

using Reals = std::vector<double>;

const Reals kCode2 = {1, -1}, kTeacher2 = {0.6, 0.4, 0.4, 0.6}, kUneven2 = {0.3, 0.7, 0.8, 0.2};
const Reals kCode3 = {1, 0.5, 0, -1, -1, 0.5}, kTeacher3 = {0.5, 0.3, 0.2, 0.25, 0.5, 0.25, 0.2, 0.3, 0.5};

Task task_of(const Reals &teacher, double lambda) { return {0, 2, 1, 1, kCode2.data(), teacher.data(), 0.3, 0.5, lambda}; }
Task three_tokens() { return {0, 3, 2, 1, kCode3.data(), kTeacher3.data(), 0.4, 0.8, 0.02}; }

// Equations on the points of one shift.
struct Lattice {
  Lattice(const Task &given, int64_t points, double rate, bool noise, int64_t shift = 0)
      : task(given),
        normals(static_cast<std::size_t>(points * DynamicsEquations::dimensions(given))),
        numbers(static_cast<std::size_t>(points * sample_numbers(given.tokens))) {
    const int64_t dimensions = DynamicsEquations::dimensions(task);
    Reals work(static_cast<std::size_t>(points));
    const Span<double> all(normals.data(), points * dimensions);
    normal_points(points, dimensions, korobov_multiplier(points, dimensions, Span<double>(work.data(), points)), 1, shift, all);
    equations.emplace_back(task, rate, noise, Span<const double>(all), Span<double>(numbers.data(), points * sample_numbers(task.tokens)));
  }
  const DynamicsEquations &operator*() const { return equations[0]; }
  Task task;
  Reals normals, numbers;
  std::vector<DynamicsEquations> equations;
};

// |softmax(chi chi^T) - T|_F^2 rho / 2, the long way.
double plain_loss(const Task &task, const Reals &h, const Reals &chi) {
  const std::size_t L = h.size();
  double sum = 0;
  for (std::size_t a = 0; a < L; ++a) {
    double norm_s = 0, norm_t = 0;
    for (std::size_t b = 0; b < L; ++b) {
      norm_s += std::exp(chi[a] * chi[b]);
      norm_t += std::exp(h[a] * h[b]);
    }
    for (std::size_t b = 0; b < L; ++b) {
      const double target = (1 - task.omega) * std::exp(h[a] * h[b]) / norm_t + task.omega * task.teacher[a * L + b];
      const double off = std::exp(chi[a] * chi[b]) / norm_s - target;
      sum += off * off;
    }
  }
  return task.sigma * task.sigma / 2 * sum;
}

// Q, Q* and the u_k as vectors of 2 + columns dimensions with the asked overlaps; their fields are sums over normal numbers xi. One step
// changes each overlap by what is averaged here: no orthogonal components, no symmetries, slopes from differences.
struct MonteCarlo {
  Reals mean, error;  // q, theta, m_0, m_1, ..., loss
};
MonteCarlo monte_carlo(const Task &task, const Statistics &at, double rate, int64_t samples) {
  const std::size_t K = static_cast<std::size_t>(task.code_columns), L = static_cast<std::size_t>(task.tokens), n = 2 + K, count = n + 1;
  Reals q(n);
  double rest = at.q / (task.sigma * task.sigma);
  q[0] = at.theta / (task.sigma * task.sigma);
  for (std::size_t k = 0; k < K; ++k) q[1 + k] = at.m[k];
  for (std::size_t k = 0; k <= K; ++k) rest -= q[k] * q[k];
  q[1 + K] = std::sqrt(rest);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Reals sums(count), squares(count), sample(count), xi(L * n), h(L), chi(L);
  const double rho = task.sigma * task.sigma, step = 1e-5;
  for (int64_t s = 0; s < samples; ++s) {
    for (double &x : xi) x = task.sigma * normal(random);
    for (std::size_t l = 0; l < L; ++l) {
      h[l] = xi[l * n];
      chi[l] = 0;
      for (std::size_t e = 0; e < n; ++e) chi[l] += xi[l * n + e] * q[e];
      for (std::size_t k = 0; k < K; ++k) chi[l] += task.code[l * K + k] * at.m[k];
    }
    sample.assign(count, 0);
    sample[n] = plain_loss(task, h, chi);
    for (std::size_t l = 0; l < L; ++l) {
      const double chi_l = chi[l];
      chi[l] = chi_l + step;
      const double above = plain_loss(task, h, chi);
      chi[l] = chi_l - step;
      const double g = (above - plain_loss(task, h, chi)) / (2 * step);
      chi[l] = chi_l;
      sample[0] += -2 * rate * rho * g * chi_l + rate * rate * rho * rho * g * g;
      sample[1] -= rate * rho * g * h[l];
      for (std::size_t k = 0; k < K; ++k) sample[2 + k] -= rate * g * (task.code[l * K + k] + xi[l * n + 1 + k]);
    }
    sample[0] -= 2 * rate * task.lambda * at.q;
    sample[1] -= rate * task.lambda * at.theta;
    for (std::size_t k = 0; k < K; ++k) sample[2 + k] -= rate * task.lambda * at.m[k];
    for (std::size_t e = 0; e < count; ++e) {
      sums[e] += sample[e];
      squares[e] += sample[e] * sample[e];
    }
  }
  const double all = static_cast<double>(samples);
  MonteCarlo out{Reals(count), Reals(count)};
  for (std::size_t e = 0; e < count; ++e) {
    out.mean[e] = sums[e] / all;
    out.error[e] = std::sqrt((squares[e] / all - out.mean[e] * out.mean[e]) / all);
  }
  return out;
}

// Means and standard errors over the shifts of a lattice.
struct Shifted {
  template <class Number>
  Shifted(const Task &task, double rate, bool noise, Number &&number) {
    constexpr int kShifts = 16;
    Reals values;
    for (int shift = 0; shift < kShifts; ++shift) values.push_back(number(*Lattice(task, 2048, rate, noise, shift)));
    for (double value : values) mean += value / kShifts;
    for (double value : values) error += (value - mean) * (value - mean) / (kShifts * (kShifts - 1));
    error = std::sqrt(error);
  }
  double mean = 0, error = 0;
};

// 17 comparisons at 4.5 standard errors, mostly those of normal means: false alarms in 1.2e-4 of seeds.
void right_side(void **) {
  struct {
    Task task;
    Statistics at;
  } const cases[] = {{task_of(kTeacher2, 0.01), {0.2, 0.08, {0.4}}},
                     {task_of(kUneven2, 0), {0.3, -0.1, {-0.5}}},
                     {three_tokens(), {0.9, 0.3, {0.5, -0.3}}},
                     {task_of(kTeacher2, 0.3), {1.5, 0.5, {0.2}}}};
  for (const auto &c : cases) {
    const MonteCarlo expected = monte_carlo(c.task, c.at, 3, 200000);
    const auto near = [&](std::size_t e, auto &&number) {
      const Shifted found(c.task, 3, true, number);
      print_message("%zu: %.6g +- %.2g, Monte Carlo %.6g +- %.2g\n", e, found.mean, found.error, expected.mean[e], expected.error[e]);
      assert_true(found.error < expected.error[e]);
      assert_true(std::fabs(found.mean - expected.mean[e]) <= 4.5 * std::hypot(found.error, expected.error[e]));
    };
    near(0, [&](const DynamicsEquations &equations) { return equations.change(c.at).q; });
    for (int64_t j = 0; j <= c.task.code_columns; ++j)
      near(static_cast<std::size_t>(1 + j), [&](const DynamicsEquations &equations) {
        Statistics change = equations.change(c.at);
        return change.overlap(j);
      });
    near(static_cast<std::size_t>(2 + c.task.code_columns), [&](const DynamicsEquations &equations) { return equations.loss(c.at); });
  }
}

// Small students: softmax is linear in chi chi^T, and g is linear in chi. With t_l = T_ll - 1/2 and t = E (t_1 + t_2) / 2 m grows by
// rate ((4 rho + 2 rho^2) t - lambda), of q 2 rate (2 rho^2 t - lambda), of theta rate (rho E [t_1 h_1^2 + t_2 h_2^2 - (t_1 + t_2) h_1 h_2]
// - lambda).
void small_students(void **) {
  const double rate = 2, lambda = 0.013, rho = 0.25;
  const Task task = task_of(kTeacher2, lambda);
  double t = 0, along = 0, weights = 0;
  for (int i = -240; i <= 240; ++i)
    for (int j = -240; j <= 240; ++j) {
      const double y1 = i / 30.0, y2 = j / 30.0, h1 = 0.5 * y1, h2 = 0.5 * y2, weight = std::exp(-(y1 * y1 + y2 * y2) / 2);
      const double t1 = 0.7 / (1 + std::exp(h1 * h2 - h1 * h1)) + 0.3 * 0.6 - 0.5,
                   t2 = 0.7 / (1 + std::exp(h1 * h2 - h2 * h2)) + 0.3 * 0.6 - 0.5;
      t += weight * (t1 + t2) / 2;
      along += weight * (t1 * h1 * h1 + t2 * h2 * h2 - (t1 + t2) * h1 * h2);
      weights += weight;
    }
  t /= weights;
  along /= weights;
  const double q = 1e-6;  // corrections are of the order of q
  const auto near = [&](double expected, auto &&number) {
    const Shifted found(task, rate, false, number);
    print_message("%.6g +- %.2g, closed form %.6g\n", found.mean, found.error, expected);
    assert_true(found.error < 0.02 * std::fabs(expected));
    assert_true(std::fabs(found.mean - expected) <= 4.5 * found.error + 1e-5 * std::fabs(expected));
  };
  near(rate * ((4 * rho + 2 * rho * rho) * t - lambda),
       [&](const DynamicsEquations &equations) { return equations.linear(q).growth[1][1]; });
  near(rate * (rho * along - lambda), [&](const DynamicsEquations &equations) { return equations.linear(q).growth[0][0]; });
  near(2 * rate * (2 * rho * rho * t - lambda), [&](const DynamicsEquations &equations) { return equations.change({q, 0, {}}).q / q; });
  const Linear linear = (*Lattice(task, 256, rate, false)).linear(q);
  assert_close(linear.growth[0][1], 0, 0, 1e-12);
  assert_true(linear.kicks[0][0] == 0 && linear.kicks[1][1] == 0);
}

// theta and m change their signs alone, and the overlap that is 0 stays so.
void symmetries(void **) {
  const Lattice lattice(task_of(kUneven2, 0.01), 256, 3, true);
  const DynamicsEquations &equations = *lattice;
  const Statistics at = {0.4, 0.1, {0.3}}, by = equations.change(at);
  for (double s : {-1.0, 1.0})
    for (double r : {-1.0, 1.0}) {
      const Statistics other = equations.change({at.q, s * at.theta, {r * at.m[0]}});
      assert_close(other.q, by.q, 1e-12, 0);
      assert_close(other.theta, s * by.theta, 1e-11, 0);
      assert_close(other.m[0], r * by.m[0], 1e-11, 0);
    }
  assert_true(equations.change({0.4, 0, {0.3}}).theta == 0 && equations.change({0.4, 0.1, {}}).m[0] == 0);
  // The rate is a unit of time without noise.
  const Lattice slow(task_of(kUneven2, 0.01), 256, 1, false), fast(task_of(kUneven2, 0.01), 256, 5, false);
  assert_close((*fast).change(at).q, 5 * (*slow).change(at).q, 1e-12, 0);
}

Dynamics dynamics_of(const Task &task, const Reals &times) {
  Dynamics dynamics{};
  dynamics.task = task;
  dynamics.times = times.data();
  dynamics.n_times = static_cast<int64_t>(times.size());
  dynamics.rate = 10;
  dynamics.start_scale = 1;
  dynamics.points = 256;
  dynamics.shifts = 4;
  dynamics.max_iter = 10000;
  dynamics.tolerance = 1e-6;
  dynamics.seed = 1;
  return dynamics;
}

std::vector<DynamicsRow> solve(const Dynamics &dynamics, int threads, atp_outcome expected = ATP_OUTCOME_CONVERGED) {
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = threads;
  std::vector<DynamicsRow> rows(static_cast<std::size_t>(dynamics.n_times));
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  assert_int_equal(solve_dynamics(context, dynamics, reporter, &rows[0].time), expected);
  assert_int_equal(context.allocator.bytes(), 0);
  return rows;
}

std::vector<TrajectoryRow> follow(const Dynamics &dynamics, int64_t d, int64_t runs, uint64_t seed) {
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = 2;
  Trajectory trajectory{};
  trajectory.descent.task = dynamics.task;
  trajectory.descent.task.d = d;
  trajectory.descent.start = ATP_DOTATTN_START_RANDOM;
  trajectory.descent.start_theta = dynamics.start_theta;
  trajectory.descent.start_m = dynamics.start_m;
  trajectory.descent.rate = dynamics.rate;
  trajectory.descent.fresh = 20;
  trajectory.descent.runs = runs;
  trajectory.descent.seed = seed;
  trajectory.times = dynamics.times;
  trajectory.n_times = dynamics.n_times;
  std::vector<TrajectoryRow> rows(static_cast<std::size_t>(runs * dynamics.n_times));
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  assert_int_equal(follow_descents(context, trajectory, reporter, &rows[0].run), ATP_OUTCOME_CONVERGED);
  assert_int_equal(context.allocator.bytes(), 0);
  return rows;
}

struct Mean {
  double value = 0, error = 0;
};
Mean mean_of(const std::vector<TrajectoryRow> &rows, std::size_t times, std::size_t k, double TrajectoryRow::*number) {
  const double runs = static_cast<double>(rows.size() / times);
  Mean mean;
  for (std::size_t r = k; r < rows.size(); r += times) mean.value += rows[r].*number / runs;
  for (std::size_t r = k; r < rows.size(); r += times) mean.error += std::pow(rows[r].*number - mean.value, 2) / (runs * (runs - 1));
  mean.error = std::sqrt(mean.error);
  return mean;
}

// From given overlaps. Means deviate by 1 / d, so twice those of 64 runs in 300 dimensions less those in 150 are within 4.5 standard errors
// of theory: 12 numbers, false alarms in 3e-4 of seeds (Student's t with about 100 degrees of freedom).
void simulation(void **) {
  skip_where_quick();
  const Reals times = {0, 0.5, 2, 6};
  Dynamics dynamics = dynamics_of(task_of(kTeacher2, 0), times);
  dynamics.start_theta = 0.4;
  dynamics.start_m = 0.5;
  const std::vector<DynamicsRow> theory = solve(dynamics, 2);
  assert_close(theory[0].q, 0.25, 1e-12, 0);
  assert_close(theory[0].theta, 0.1, 1e-12, 0);
  assert_close(theory[0].m, 0.5, 1e-12, 0);
  assert_true(std::isnan(theory[1].spread_m) && theory[3].theta > 0.12 && theory[3].m < 0.05);
  const std::vector<TrajectoryRow> coarse = follow(dynamics, 150, 64, 3), fine = follow(dynamics, 300, 64, 4);
  double worst = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto near = [&](const char *name, double TrajectoryRow::*number, double expected, double error) {
      const Mean low = mean_of(coarse, times.size(), k, number), high = mean_of(fine, times.size(), k, number);
      const double mean = 2 * high.value - low.value;
      error = std::hypot(error, std::hypot(2 * high.error, low.error));
      print_message("t %g, %s: %.5f +- %.5f, theory %.5f\n", times[k], name, mean, error, expected);
      assert_true(std::fabs(mean - expected) <= 4.5 * error);
      worst = std::fmax(worst, std::fabs(low.value - expected) / low.error);
    };
    near("q", &TrajectoryRow::q, theory[k].q, theory[k].q_sem);
    near("theta", &TrajectoryRow::theta, theory[k].theta, theory[k].theta_sem);
    near("m", &TrajectoryRow::m, theory[k].m, theory[k].m_sem);
    assert_close(fine[k].time, times[k], 0, 1e-12);
  }
  assert_true(worst > 4.5);  // it sees the term of 1 / d
}

// Random starts: sqrt(d) times an overlap is normal, so that the mean square of 200 runs is chi-squared of 200 degrees of freedom over
// 200: beyond 1.45 or below 0.65 times theory in 3e-5 of seeds for each of 6 numbers; corrections of 1 / d are below 0.1 of theory.
void search(void **) {
  const Reals times = {0, 2, 5};
  const Dynamics dynamics = dynamics_of(task_of(kTeacher2, 0.01), times);
  const std::vector<DynamicsRow> theory = solve(dynamics, 2);
  const int64_t runs = 200, d = 200;
  const std::vector<TrajectoryRow> rows = follow(dynamics, d, runs, 3);
  for (std::size_t k = 0; k < times.size(); ++k) {
    double m = 0, theta = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(runs); ++r) {
      m += std::pow(rows[r * times.size() + k].m, 2) * static_cast<double>(d) / static_cast<double>(runs);
      theta += std::pow(rows[r * times.size() + k].theta, 2) * static_cast<double>(d) / static_cast<double>(runs);
    }
    const DynamicsRow &at = theory[k];
    print_message("t %g: m %.4f, theory %.4f; theta %.4f, theory %.4f\n", times[k], m, at.spread_m * at.spread_m, theta,
                  at.spread_theta * at.spread_theta);
    assert_true(m > 0.6 * at.spread_m * at.spread_m && m < 1.5 * at.spread_m * at.spread_m);
    assert_true(theta > 0.6 * at.spread_theta * at.spread_theta && theta < 1.5 * at.spread_theta * at.spread_theta);
    assert_true(at.m == 0 && at.theta == 0);
  }
  assert_close(theory[0].spread_m, 1, 1e-12, 0);
  assert_close(theory[0].spread_theta, 0.25, 1e-12, 0);
}

// The same bits for any number of threads; finer points and steps change little; a limit of steps is an outcome.
void settings(void **) {
  const Reals times = {1, 4};
  Dynamics dynamics = dynamics_of(three_tokens(), times);
  dynamics.start_theta = 0.3;
  dynamics.start_m = 0.4;
  dynamics.rate = 1;
  const std::vector<DynamicsRow> rows = solve(dynamics, 1), again = solve(dynamics, 3);
  assert_memory_equal(rows.data(), again.data(), rows.size() * sizeof(DynamicsRow));
  if (left_out("settings (finer points and steps)")) return;
  dynamics.tolerance = 1e-9;
  dynamics.points = 2048;
  const std::vector<DynamicsRow> fine = solve(dynamics, 2);
  for (std::size_t k = 0; k < times.size(); ++k) {
    assert_true(std::fabs(fine[k].q - rows[k].q) <= 6 * std::hypot(rows[k].q_sem, fine[k].q_sem));
    assert_true(std::fabs(fine[k].m - rows[k].m) <= 6 * std::hypot(rows[k].m_sem, fine[k].m_sem));
    assert_true(rows[k].q_sem > 0 && fine[k].q_sem < rows[k].q_sem);
  }
  assert_true(fine[1].iterations > rows[1].iterations);
  dynamics.max_iter = 2;
  const std::vector<DynamicsRow> cut = solve(dynamics, 2, ATP_OUTCOME_MAX_ITER);
  assert_true(std::isnan(cut[1].q) && cut[1].outcome == ATP_OUTCOME_MAX_ITER && cut[1].iterations == 2);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(right_side), cmocka_unit_test(small_students), cmocka_unit_test(symmetries),
                              cmocka_unit_test(simulation), cmocka_unit_test(search),         cmocka_unit_test(settings)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
