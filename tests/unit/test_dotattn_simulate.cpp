// SPDX-License-Identifier: MIT
// The simulation of dot-product attention against the same data and the same descent in plain loops of float64, gradients against
// differences, and the same numbers for any number of threads and every SIMD target.
#include "theory/dotattn/simulation/run.hpp"
#include "theory/dotattn/simulation/simulate.hpp"

#include "base/philox.hpp"
#include "simd/targets.hpp"
#include "counting.h"
#include "support.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

using Reals = std::vector<double>;

constexpr double kPi = 3.14159265358979323846;

// Two tokens and rank one as in the paper, and three tokens with a code of two columns for a student of rank two.
const Reals kCode2 = {1, -1}, kTeacher2 = {0.6, 0.4, 0.3, 0.7};
const Reals kCode3 = {1, 0.5, -1, 0.25, 0.5, -1.5}, kTeacher3 = {0.5, 0.3, 0.2, 0.1, 0.8, 0.1, 0.25, 0.25, 0.5};

Task small_task(bool large) {
  return large ? Task{21, 3, 2, 2, kCode3.data(), kTeacher3.data(), 0.3, 0.8, 0.05}
               : Task{17, 2, 1, 1, kCode2.data(), kTeacher2.data(), 0.4, 0.5, 0.01};
}

// Everything again, the long way: matrices of d-dimensional tokens, no Gram matrices, no single precision.
struct Plain {
  Plain(const Task &task_, uint64_t seed_, int64_t run_) : task(task_), seed(seed_), run(run_) {
    teacher = normals(0, task.d);
    for (int64_t k = 0; k < task.code_columns; ++k)
      for (int64_t j = 0; j < task.d; ++j)
        u.push_back(k == 0 ? 1
                           : std::sqrt(2.0) *
                                 std::cos(kPi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) / static_cast<double>(task.d)));
  }
  Reals normals(uint64_t step, int64_t n) const {
    const RandomView random(seed, Stream::dotattn, static_cast<uint64_t>(run), step);
    Reals out;
    for (int64_t e = 0; e < n; ++e) out.push_back(random.normal(static_cast<uint64_t>(e)));
    return out;
  }
  // Row-wise softmax of the inner products of the rows of c [L][k].
  Reals soft(const Reals &c, int64_t k) const {
    const int64_t L = task.tokens;
    Reals s(static_cast<std::size_t>(L * L));
    for (int64_t a = 0; a < L; ++a) {
      double sum = 0;
      for (int64_t b = 0; b < L; ++b) {
        double logit = 0;
        for (int64_t e = 0; e < k; ++e) logit += c[static_cast<std::size_t>(a * k + e)] * c[static_cast<std::size_t>(b * k + e)];
        sum += s[static_cast<std::size_t>(a * L + b)] = std::exp(logit);
      }
      for (int64_t b = 0; b < L; ++b) s[static_cast<std::size_t>(a * L + b)] /= sum;
    }
    return s;
  }
  // |Y - Y^|^2 of a sample for a student q [rank][d].
  double loss(uint64_t sample, const Reals &q) const {
    const int64_t L = task.tokens, d = task.d, r = task.rank;
    const double root = std::sqrt(static_cast<double>(d));
    const auto at = [](const Reals &values, int64_t k) { return values[static_cast<std::size_t>(k)]; };
    Reals xi = normals(2 + sample, L * d), x, h, chi;
    for (double &value : xi) value *= task.sigma;
    for (int64_t l = 0; l < L; ++l) {
      double sum = 0;
      for (int64_t j = 0; j < d; ++j) {
        double shift = 0;
        for (int64_t k = 0; k < task.code_columns; ++k) shift += task.code[l * task.code_columns + k] * at(u, k * d + j);
        x.push_back(at(xi, l * d + j) + shift / root);
        sum += at(xi, l * d + j) * at(teacher, j);
      }
      h.push_back(sum / root);
      for (int64_t k = 0; k < r; ++k) {
        double projection = 0;
        for (int64_t j = 0; j < d; ++j) projection += at(x, l * d + j) * at(q, k * d + j);
        chi.push_back(projection / root);
      }
    }
    const Reals t = soft(h, 1), s = soft(chi, r);
    double total = 0;
    for (int64_t a = 0; a < L; ++a)
      for (int64_t j = 0; j < d; ++j) {
        double difference = 0;
        for (int64_t b = 0; b < L; ++b)
          difference += ((1 - task.omega) * at(t, a * L + b) + task.omega * task.teacher[a * L + b]) * at(xi, b * d + j) -
                        at(s, a * L + b) * at(x, b * d + j);
        total += difference * difference;
      }
    return total;
  }
  double risk(int64_t n, const Reals &q) const {
    double sum = 0, size = 0;
    for (int64_t sample = 0; sample < n; ++sample) sum += loss(static_cast<uint64_t>(sample), q);
    for (double value : q) size += value * value;
    return sum / (2 * static_cast<double>(task.d)) + task.lambda / 2 * size;
  }
  Reals slope(int64_t n, const Reals &q) const {
    return differences(q, [&](const Reals &at) { return risk(n, at); });
  }
  // Of |Y - Y^|^2 / 2d + (lambda / 2d) |Q|^2 of one sample.
  Reals fresh_slope(uint64_t sample, const Reals &q) const {
    const double d = static_cast<double>(task.d);
    return differences(q, [&](const Reals &at) {
      double size = 0;
      for (double value : at) size += value * value;
      return (loss(sample, at) + task.lambda * size) / (2 * d);
    });
  }
  template <class Function>
  static Reals differences(const Reals &q, Function &&function) {
    Reals out, at = q;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const double step = 1e-5;
      at[k] = q[k] + step;
      const double above = function(at);
      at[k] = q[k] - step;
      out.push_back((above - function(at)) / (2 * step));
      at[k] = q[k];
    }
    return out;
  }

  Task task;
  uint64_t seed;
  int64_t run;
  Reals teacher, u;
};

Simulation simulation_of(const Task &task, const Reals &alphas) {
  Simulation simulation{};
  simulation.task = task;
  simulation.alphas = alphas.data();
  simulation.n_alphas = static_cast<int64_t>(alphas.size());
  simulation.start = ATP_DOTATTN_START_SEMANTIC;
  simulation.optimizer = ATP_OPTIMIZER_SGD;
  simulation.steps = 40;
  simulation.fresh = 7;
  simulation.runs = 2;
  simulation.seed = 5;
  return simulation;
}

std::vector<SimRow> make(const Simulation &simulation, int threads, Target target, atp_outcome *outcome, atp_progress_fn progress = nullptr,
                         void *user = nullptr) {
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = threads;
  context.target = target;
  std::vector<SimRow> rows(static_cast<std::size_t>(simulation.n_alphas));
  StopFlag stop;
  Reporter reporter(progress, user, stop);
  *outcome = simulate(context, simulation, reporter, &rows[0].alpha);
  assert_int_equal(context.allocator.bytes(), 0);
  return rows;
}

std::vector<SimRow> make(const Simulation &simulation, int threads = 1) {
  atp_outcome outcome = ATP_OUTCOME_NONE;
  return make(simulation, threads, best_target(), &outcome);
}

void code_vectors(void **) {
  for (int64_t d : {2, 5, 16, 37}) {
    std::vector<Reals> u;
    for (int64_t k = 0; k < (d < 4 ? d : 4); ++k) {
      u.emplace_back(static_cast<std::size_t>(d));
      code_vector(d, k, Span<double>(u.back().data(), d));
    }
    for (std::size_t a = 0; a < u.size(); ++a)
      for (std::size_t b = 0; b < u.size(); ++b) {
        double sum = 0;
        for (std::size_t j = 0; j < u[a].size(); ++j) sum += u[a][j] * u[b][j];
        assert_close(sum, a == b ? static_cast<double>(d) : 0, 1e-13, 1e-12);
      }
  }
}

// The risk and its gradient against the plain ones, which differ from it by single precision and differences.
void gradient(void **) {
  for (bool large : {false, true}) {
    const Task task = small_task(large);
    const Plain plain(task, 5, 3);
    const int64_t n = 23;
    Risk risk(task, n, best_target());
    Arena measure;
    risk.lay_out(measure);
    void *memory = counting_alloc(measure.bytes(), kAlignment, nullptr);
    Arena arena(memory, measure.bytes());
    risk.lay_out(arena);
    Reals u(plain.u), teacher(plain.teacher), q = plain.normals(1, task.rank * task.d), g(q.size());
    risk.draw(5, 3, {0, n}, Span<const double>(u.data(), static_cast<int64_t>(u.size())), Span<const double>(teacher.data(), task.d));
    const double value = risk.evaluate(Span<const double>(q.data(), task.rank * task.d), Span<double>(g.data(), task.rank * task.d));
    assert_close(value, plain.risk(n, q), 1e-6, 0);
    const Reals slope = plain.slope(n, q);
    double largest = 0;
    for (double s : slope) largest = std::fmax(largest, std::fabs(s));
    assert_true(largest > 0.01);
    for (std::size_t k = 0; k < g.size(); ++k) assert_close(g[k], slope[k], 0, 1e-5 * largest);
    counting_free(memory, measure.bytes(), nullptr);
  }
}

// Gradient descent from each start, step by step.
void descent(void **) {
  for (bool large : {false, true}) {
    const Task task = small_task(large);
    for (int start = ATP_DOTATTN_START_SEMANTIC; start <= ATP_DOTATTN_START_MIXED; ++start) {
      const Reals alphas = {1.2};
      Simulation simulation = simulation_of(task, alphas);
      simulation.runs = 1;
      simulation.start = static_cast<atp_dotattn_start>(start);
      simulation.rate = 0.1;
      const SimRow row = make(simulation)[0];
      const int64_t n = static_cast<int64_t>(row.samples), d = task.d;
      assert_int_equal(n, std::lround(1.2 * static_cast<double>(d)));
      const Plain plain(task, 5, 0);
      Reals q = plain.normals(1, task.rank * d);
      const auto put = [&](int64_t k, const double *values) { std::copy(values, values + d, q.begin() + k * d); };
      if (start == ATP_DOTATTN_START_SEMANTIC || start == ATP_DOTATTN_START_MIXED) put(0, plain.teacher.data());
      if (start == ATP_DOTATTN_START_MIXED && large) put(1, plain.u.data());
      if (start == ATP_DOTATTN_START_MIXED && !large)
        for (std::size_t k = 0; k < q.size(); ++k) q[k] = (q[k] + 1) / std::sqrt(2.0);
      if (start == ATP_DOTATTN_START_POSITIONAL)
        for (int64_t k = 0; k < task.rank; ++k) put(k, plain.u.data() + k * d);
      for (int step = 0; step < 40; ++step) {
        const Reals slope = plain.slope(n, q);
        for (std::size_t k = 0; k < q.size(); ++k) q[k] -= 0.1 * slope[k];
      }
      double size = 0, fresh = 0, m = 0, theta = 0, norm = 0;
      for (double value : q) size += value * value;
      for (double value : plain.slope(n, q)) norm += value * value;
      for (uint64_t sample = 0; sample < 7; ++sample) fresh += plain.loss((uint64_t{1} << 40) + sample, q);
      for (int64_t k = 0; k < task.rank; ++k) {
        double along = 0;
        for (int64_t j = 0; j < d; ++j) along += q[static_cast<std::size_t>(k * d + j)] * plain.teacher[static_cast<std::size_t>(j)];
        theta += along * along;
        for (int64_t c = 0; c < task.code_columns; ++c) {
          double with = 0;
          for (int64_t j = 0; j < d; ++j) with += q[static_cast<std::size_t>(k * d + j)] * plain.u[static_cast<std::size_t>(c * d + j)];
          m += with * with;
        }
      }
      const double dimension = static_cast<double>(d), variance = task.sigma * task.sigma;
      assert_close(row.q, variance * size / dimension, 1e-4, 0);
      assert_close(std::fabs(row.theta), variance * std::sqrt(theta) / dimension, 1e-4, 1e-5);
      assert_close(std::fabs(row.m), std::sqrt(m) / dimension, 1e-4, 1e-5);
      assert_close(row.et, plain.risk(n, q) / dimension, 1e-5, 0);
      assert_close(row.eg, fresh / (7 * 2 * dimension), 1e-4, 0);
      assert_close(row.gradient, std::sqrt(norm / dimension), 1e-2, 1e-5);
      assert_true(row.steps == 40 && row.outcome == ATP_OUTCOME_MAX_ITER && std::isnan(row.eg_sem));
      if (!large) assert_true(row.q_least == row.q);
      if (large) assert_true(row.q_least > 0 && row.q_least < row.q / 2);
    }
  }
}

void same_bits(const std::vector<SimRow> &x, const std::vector<SimRow> &y) {
  assert_memory_equal(x.data(), y.data(), x.size() * sizeof(SimRow));
}

void threads_and_targets(void **) {
  const Reals alphas = {0.5, 2.5};
  for (atp_optimizer optimizer : {ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_LBFGS}) {
    Simulation simulation = simulation_of(small_task(true), alphas);
    simulation.optimizer = optimizer;
    simulation.runs = 3;
    atp_outcome outcome = ATP_OUTCOME_NONE;
    const std::vector<SimRow> rows = make(simulation, 1, Target::scalar, &outcome);
    assert_int_equal(outcome, static_cast<int>(rows[0].outcome));
    same_bits(rows, make(simulation, 3, Target::scalar, &outcome));
    for (Target target : kTargets)
      if (target_available(target) && target != Target::sse4) same_bits(rows, make(simulation, 2, target, &outcome));
    simulation.seed = 6;
    assert_true(make(simulation)[0].eg != rows[0].eg);
  }
}

// The three optimisers find the same minimum; a run by itself and one among others have the same data.
void minimum(void **) {
  const Task task = small_task(false);
  const Reals alphas = {8.0};
  SimRow found[3];
  for (int k = 0; k < 3; ++k) {
    Simulation simulation = simulation_of(task, alphas);
    simulation.optimizer = k == 0 ? ATP_OPTIMIZER_SGD : k == 1 ? ATP_OPTIMIZER_ADAM : ATP_OPTIMIZER_LBFGS;
    simulation.steps = k == 0 ? 100000 : 20000;
    simulation.tolerance = 2e-6;
    simulation.runs = 3;
    found[k] = make(simulation)[0];
    assert_int_equal(static_cast<int>(found[k].outcome), ATP_OUTCOME_CONVERGED);
    assert_true(found[k].gradient <= 2e-6 && found[k].steps < static_cast<double>(simulation.steps) && found[k].runs == 3);
    assert_close(found[k].q, found[0].q, 1e-3, 0);
    assert_close(found[k].theta, found[0].theta, 1e-3, 0);
    assert_close(found[k].et, found[0].et, 1e-6, 0);
    assert_true(found[k].eg_sem > 0);
  }
  assert_true(found[2].steps < found[0].steps / 10);
}

// Of each run the lowest minimum of all descents counts. Small perturbations lead back to the first one, large ones also to others.
void restarts(void **) {
  const Reals alphas = {2.0};
  const Task task = {30, 2, 1, 1, kCode2.data(), kTeacher2.data(), 0.4, 0.5, 0.01};
  Simulation simulation = simulation_of(task, alphas);
  simulation.start = ATP_DOTATTN_START_POSITIONAL;
  simulation.optimizer = ATP_OPTIMIZER_LBFGS;
  simulation.steps = 200;
  simulation.tolerance = 1e-5;
  simulation.runs = 1;
  int lower = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    simulation.seed = seed;
    simulation.restarts = 0;
    const SimRow first = make(simulation)[0];
    simulation.restarts = 3;
    simulation.perturbation = 0.01;
    const std::vector<SimRow> near = make(simulation);
    assert_true(near[0].et <= first.et);
    assert_close(near[0].et, first.et, 1e-5, 0);
    assert_close(near[0].q, first.q, 2e-2, 0);
    assert_true(near[0].outcome == ATP_OUTCOME_CONVERGED && near[0].steps <= static_cast<double>(simulation.steps));
    atp_outcome outcome = ATP_OUTCOME_NONE;
    // SSE4 has no fused multiply-add: 32 bits have no better target on x86.
    if (seed == 1 && best_target() != Target::sse4) same_bits(near, make(simulation, 2, Target::scalar, &outcome));
    simulation.perturbation = 3;
    const SimRow far = make(simulation)[0];
    assert_true(far.et <= first.et);
    lower += far.et < first.et * (1 - 1e-3);
  }
  assert_true(lower >= 1 && lower < 6);
}

void start_scale(void **) {
  const Task task = small_task(false);
  const Reals alphas = {1.2};
  Simulation simulation = simulation_of(task, alphas);
  simulation.runs = 1;
  simulation.start_scale = 0.25;
  simulation.steps = 1;
  simulation.rate = 1e-9;  // where it starts
  const SimRow row = make(simulation)[0];
  const Plain plain(task, 5, 0);
  double size = 0;
  for (double value : plain.teacher) size += value * value;
  const double dimension = static_cast<double>(task.d), variance = task.sigma * task.sigma;
  assert_close(row.q, variance * size / 16 / dimension, 1e-6, 0);
  assert_close(std::fabs(row.theta), variance * size / 4 / dimension, 1e-6, 0);
}

// A fresh sample in each step, or all in each, from cosines of a start; records between steps, threads.
void trajectories(void **) {
  const Task task = small_task(false);
  const double d = static_cast<double>(task.d), rate = 0.8;
  for (double alpha : {0.0, 1.2}) {
    const int64_t n = alpha > 0 ? std::lround(alpha * d) : 1;
    const double unit = static_cast<double>(n) / d;
    const Reals times = {0, 3 * unit, 3.2 * unit, 9 * unit};
    const int64_t steps[] = {0, 3, 3, 9};
    Trajectory trajectory{simulation_of(task, times), alpha, times.data(), 4};
    trajectory.descent.start = ATP_DOTATTN_START_RANDOM;
    trajectory.descent.start_theta = 0.6;
    trajectory.descent.start_m = -0.3;
    trajectory.descent.rate = rate;
    std::vector<TrajectoryRow> rows(8), others(8);
    for (int threads : {1, 3}) {
      Context context(counting_alloc, counting_free, nullptr);
      context.threads = threads;
      StopFlag stop;
      Reporter reporter(nullptr, nullptr, stop);
      double *out = threads == 1 ? &rows[0].run : &others[0].run;
      assert_int_equal(follow_descents(context, trajectory, reporter, out), ATP_OUTCOME_CONVERGED);
      assert_int_equal(context.allocator.bytes(), 0);
    }
    assert_memory_equal(rows.data(), others.data(), rows.size() * sizeof(TrajectoryRow));
    const Plain plain(task, 5, 1);
    Reals q = plain.normals(1, task.d);
    for (std::size_t j = 0; j < q.size(); ++j) q[j] = std::sqrt(1 - 0.45) * q[j] + 0.6 * plain.teacher[j] - 0.3;
    int64_t step = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      for (; step < steps[k]; ++step) {
        const Reals slope = alpha > 0 ? plain.slope(n, q) : plain.fresh_slope(static_cast<uint64_t>(step), q);
        for (std::size_t j = 0; j < q.size(); ++j) q[j] -= rate * slope[j];
      }
      double size = 0, m = 0, theta = 0;
      for (std::size_t j = 0; j < q.size(); ++j) {
        size += q[j] * q[j] / d;
        m += q[j] / d;
        theta += q[j] * plain.teacher[j] / d;
      }
      const TrajectoryRow &row = rows[4 + k];
      assert_true(row.run == 1 && row.steps == static_cast<double>(steps[k]) && row.outcome == ATP_OUTCOME_CONVERGED);
      assert_close(row.time, static_cast<double>(steps[k]) * unit, 1e-12, 0);
      assert_close(row.q, task.sigma * task.sigma * size, 1e-4, 0);
      assert_close(std::fabs(row.m), std::fabs(m), 1e-3, 1e-5);
      assert_close(std::fabs(row.theta), task.sigma * task.sigma * std::fabs(theta), 1e-3, 1e-5);
      if (alpha > 0) assert_close(row.et, plain.risk(n, q) / d, 1e-5, 0);
      if (alpha == 0) assert_true(std::isnan(row.et));
    }
  }
}

int stop_at_once(const atp_progress *, void *user) {
  ++*static_cast<int *>(user);
  return 1;
}
int count_calls(const atp_progress *progress, void *user) {
  ++*static_cast<int *>(user);
  assert_true(progress->values[ATP_PROGRESS_STEP] <= progress->values[ATP_PROGRESS_TOTAL]);
  return 0;
}

void endings(void **) {
  const Reals alphas = {1, 2};
  Simulation simulation = simulation_of(small_task(false), alphas);
  simulation.rate = 1e4;
  simulation.steps = 1000;
  simulation.task.lambda = 1;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  std::vector<SimRow> rows = make(simulation, 2, best_target(), &outcome);
  assert_int_equal(outcome, ATP_OUTCOME_DIVERGED);
  assert_true(rows[0].outcome == ATP_OUTCOME_DIVERGED && std::isnan(rows[0].eg) && std::isnan(rows[1].q) && rows[0].runs == 2);

  simulation = simulation_of(small_task(false), alphas);
  int calls = 0;
  rows = make(simulation, 1, best_target(), &outcome, stop_at_once, &calls);
  assert_int_equal(outcome, ATP_OUTCOME_CANCELLED);
  assert_true(rows[1].outcome == ATP_OUTCOME_CANCELLED && rows[1].runs == 0 && std::isnan(rows[1].eg) && rows[1].samples == 34);
  assert_true(calls >= 1 && calls < 4);
  calls = 0;
  rows = make(simulation, 1, best_target(), &outcome, count_calls, &calls);
  assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
  assert_true(calls >= 5);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(code_vectors), cmocka_unit_test(gradient), cmocka_unit_test(descent),  cmocka_unit_test(threads_and_targets),
      cmocka_unit_test(minimum),      cmocka_unit_test(endings),  cmocka_unit_test(restarts), cmocka_unit_test(start_scale),
      cmocka_unit_test(trajectories)};
  where_races_are_sought("threads_and_targets");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
