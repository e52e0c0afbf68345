// SPDX-License-Identifier: MIT
// Curvature of the risk of dot-product attention, its response, and flips: against differences, dense inverses, scans of a plane, and the
// risks of the minima that flips leave and find.
#include "theory/dotattn/simulation/flips.hpp"
#include "theory/dotattn/simulation/simulate.hpp"

#include "math/small_linear.hpp"
#include "math/small_newton.hpp"
#include "simd/targets.hpp"
#include "counting.h"
#include "support.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

using Reals = std::vector<double>;

const Reals kCode = {1, -1}, kTeacher = {0.6, 0.4, 0.4, 0.6};

Task task_of(int64_t d, double omega, double lambda) { return {d, 2, 1, 1, kCode.data(), kTeacher.data(), omega, 0.5, lambda}; }

Span<double> all_of(Reals &values) { return {values.data(), static_cast<int64_t>(values.size())}; }

// One in memory of its own.
template <class T>
struct InBlock {
  explicit InBlock(const T &given) : object(given) {
    Arena measure;
    object.lay_out(measure);
    bytes = measure.bytes();
    memory = counting_alloc(bytes, kAlignment, nullptr);
    Arena arena(memory, bytes);
    object.lay_out(arena);
  }
  ~InBlock() { counting_free(memory, bytes, nullptr); }
  T object;
  std::size_t bytes = 0;
  void *memory = nullptr;
};

// Random numbers of a sample, and a chi and a direction: Gram matrices of random tokens.
struct RandomSample {
  RandomSample(int64_t tokens, int64_t rank, uint64_t seed) : numbers(static_cast<std::size_t>(sample_numbers(tokens))) {
    const int64_t d = 7;
    Reals x(static_cast<std::size_t>(2 * tokens * d));
    chi.resize(static_cast<std::size_t>(tokens * rank));
    direction = chi;
    draw_normals(seed, 0, 0, all_of(x));
    draw_normals(seed, 0, 1, all_of(chi));
    draw_normals(seed, 0, 2, all_of(direction));
    const Span<double> first = all_of(x).sub(0, tokens * d), labels = all_of(x).sub(tokens * d, tokens * d);
    for (int64_t a = 0; a < tokens; ++a)
      for (int64_t b = 0; b < tokens; ++b)
        for (int64_t j = 0; j < d; ++j) {
          numbers[static_cast<std::size_t>(a * tokens + b)] += first[a * d + j] * first[b * d + j];
          numbers[static_cast<std::size_t>((tokens + a) * tokens + b)] += labels[a * d + j] * first[b * d + j];
        }
    numbers.back() = 30;
  }
  Reals numbers, chi, direction;
};

void sample_curvatures(void **) {
  for (int64_t tokens : {2, 3, 5})
    for (int64_t rank : {1, 2}) {
      const RandomSample sample(tokens, rank, static_cast<uint64_t>(10 * tokens + rank));
      const std::size_t n = sample.chi.size();
      Reals change(n), above(n), below(n), at = sample.chi;
      sample_curvature(tokens, rank, sample.numbers.data(), sample.chi.data(), sample.direction.data(), change.data());
      const double step = 1e-5;
      for (std::size_t e = 0; e < n; ++e) at[e] = sample.chi[e] + step * sample.direction[e];
      sample_loss(tokens, rank, sample.numbers.data(), at.data(), above.data());
      for (std::size_t e = 0; e < n; ++e) at[e] = sample.chi[e] - step * sample.direction[e];
      sample_loss(tokens, rank, sample.numbers.data(), at.data(), below.data());
      for (std::size_t e = 0; e < n; ++e) assert_close(change[e], (above[e] - below[e]) / (2 * step), 1e-6, 1e-5);
    }
}

// The risk of samples, at a random student.
struct Drawn {
  Drawn(const Task &task, int64_t n) : block(Risk(task, n, best_target(), true)), q(static_cast<std::size_t>(task.d)), g(q) {
    Reals u(q.size(), 1.0), teacher(q.size());
    draw_normals(3, 0, 0, all_of(teacher));
    draw_normals(3, 0, 1, all_of(q));
    block.object.draw(3, 0, {0, n}, all_of(u), all_of(teacher));
  }
  Risk &risk() { return block.object; }
  InBlock<Risk> block;
  Reals q, g;
};

void hessian(void **) {
  const Task task = task_of(24, 0.3, 0.05);
  Drawn drawn(task, 40);
  Reals v(24), product(24), above(24), below(24), at = drawn.q;
  draw_normals(4, 0, 0, all_of(v));
  drawn.risk().expand(all_of(drawn.q));
  drawn.risk().product(all_of(v), all_of(product));
  const double step = 3e-3;
  for (std::size_t j = 0; j < v.size(); ++j) at[j] = drawn.q[j] + step * v[j];
  drawn.risk().evaluate(all_of(at), all_of(above));
  for (std::size_t j = 0; j < v.size(); ++j) at[j] = drawn.q[j] - step * v[j];
  drawn.risk().evaluate(all_of(at), all_of(below));
  double largest = 0;
  for (double value : product) largest = std::fmax(largest, std::fabs(value));
  for (std::size_t j = 0; j < v.size(); ++j) assert_close(product[j], (above[j] - below[j]) / (2 * step), 0, 1e-3 * largest);
  // Without its samples only the penalty is left.
  for (int64_t sample = 0; sample < 40; ++sample) drawn.risk().include(sample, false);
  drawn.risk().product(all_of(v), all_of(product));
  for (std::size_t j = 0; j < v.size(); ++j) assert_close(product[j], 0.05 * v[j], 1e-12, 0);
}

// Signs give tr H^-1 with a variance of 2 sum over i != j of (H^-1_ij)^2 a probe. Five standard errors: false alarm 6e-7.
void response(void **) {
  const Task task = task_of(40, 0.3, 0.5);
  const int64_t d = task.d, probes = 400;
  Drawn drawn(task, 60);
  drawn.risk().expand(all_of(drawn.q));
  Reals dense(1600), unit(40), inverse(1600);
  for (int64_t k = 0; k < d; ++k) {
    fill(all_of(unit), 0);
    unit[static_cast<std::size_t>(k)] = 1;
    drawn.risk().product(all_of(unit), all_of(dense).sub(k * d, d));
  }
  double trace = 0, square = 0;
  for (int64_t k = 0; k < d; ++k) {
    Reals copy_of = dense, column(40);
    column[static_cast<std::size_t>(k)] = 1;
    assert_true(solve_small(d, copy_of.data(), column.data(), 1e-12));
    trace += column[static_cast<std::size_t>(k)];
    for (int64_t j = 0; j < d; ++j) square += j == k ? 0 : column[static_cast<std::size_t>(j)] * column[static_cast<std::size_t>(j)];
  }
  InBlock<Response> found(Response(task, probes));
  const double v = found.object.measure(drawn.risk(), 5, 0), scale = task.sigma * task.sigma / static_cast<double>(d);
  const double error = scale * std::sqrt(2 * square / static_cast<double>(probes));
  assert_true(error > 0 && error < 0.02 * v);
  assert_close(v, scale * trace, 0, 5 * error + 1e-4 * v);

  // At a student where the risk is a saddle there is no response.
  const Task loose = task_of(40, 0.3, 0);
  Drawn saddle(loose, 60);
  saddle.risk().expand(all_of(saddle.q));
  InBlock<Response> none(Response(loose, 3));
  assert_true(std::isnan(none.object.measure(saddle.risk(), 5, 0)));
}

// The other well against a scan of the half plane behind x_1 = x_2, from a minimum in this one.
void wells(void **) {
  const double d = 400, rho = 0.25, v = 40;
  int64_t both = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    double h[2], t[4], numbers[9] = {rho * d, 0, 0, rho * d};
    draw_normals(seed, 0, 0, {h, 2});
    h[0] *= 0.5;
    h[1] *= 0.5;
    const Task task = task_of(400, 0.3, 0.01);
    teacher_matrix(task, h, t);
    for (int e = 0; e < 4; ++e) {
      numbers[4 + e] = rho * d * t[e];
      numbers[8] += rho * d * t[e] * t[e];
    }
    Reals noise(2);
    draw_normals(seed, 0, 1, all_of(noise));
    SampleProblem problem{d, v, numbers, {0.25 + 0.22 * noise[0], -0.25 + 0.22 * noise[1]}};
    double chi[2] = {problem.w[0], problem.w[1]}, other[2] = {}, lowest = HUGE_VAL;
    descend_newton<2>(problem, 1, chi);
    const int side = chi[0] > chi[1] ? 1 : -1;
    const double found = problem.other_well(chi, other);
    bool inside = false;
    for (int i = -45; i <= 45; ++i)
      for (int j = i + 1; j <= 45; ++j) {
        const double x[2] = {0.04 * (side > 0 ? i : j), 0.04 * (side > 0 ? j : i)}, value = problem.value(x);
        if (value < lowest) inside = j > i + 2;
        lowest = std::fmin(lowest, value);
      }
    if (!std::isfinite(found)) {
      assert_false(inside);
      continue;
    }
    ++both;
    double gradient[2], hessian[4];
    problem.derivatives(other, gradient, hessian);
    assert_true(side * (other[0] - other[1]) < 0 && std::fabs(gradient[0]) + std::fabs(gradient[1]) < 1e-8);
    assert_true(hessian[0] * hessian[3] > hessian[1] * hessian[2] && hessian[0] > 0);
    assert_true(!inside || found <= lowest + 1e-9);
    // At a minimum of the risk chi solves the problem of its sample.
    const SampleProblem same = SampleProblem::at(d, v, numbers, other);
    same.derivatives(other, gradient, hessian);
    assert_close(gradient[0], 0, 0, 1e-12);
    assert_close(gradient[1], 0, 0, 1e-12);
  }
  assert_true(both >= 10);
}

SimRow simulated(const Task &task, uint64_t seed, int threads = 1, Target target = best_target(), int64_t runs = 1, int64_t flips = 40) {
  static const double alphas[] = {1.5};
  Simulation simulation{};
  simulation.task = task;
  simulation.alphas = alphas;
  simulation.n_alphas = 1;
  simulation.start = ATP_DOTATTN_START_POSITIONAL;
  simulation.optimizer = ATP_OPTIMIZER_LBFGS;
  simulation.steps = 1000;
  simulation.tolerance = 1e-5;
  simulation.fresh = 20;
  simulation.runs = runs;
  simulation.seed = seed;
  simulation.flips = flips;
  simulation.probes = 4;
  simulation.flip_margin = 10;
  Context context(counting_alloc, counting_free, nullptr);
  context.threads = threads;
  context.target = target;
  StopFlag stop;
  Reporter reporter(nullptr, nullptr, stop);
  SimRow row;
  simulate(context, simulation, reporter, &row.alpha);
  assert_int_equal(context.allocator.bytes(), 0);
  return row;
}

// Flips never raise the risk; on the positional branch they lower that of most data sets, and where jumps are rare of few. What they leave
// is what a run without them finds.
void flips(void **) {
  int64_t lower = 0, controls = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Task task = task_of(200, 0.3, 0.01);
    const SimRow row = simulated(task, seed), plain = simulated(task, seed, 1, best_target(), 1, 0);
    assert_true(row.outcome == ATP_OUTCOME_CONVERGED && row.et_excess >= 0 && row.trials <= 40);
    assert_true((row.flips > 0) == (row.et_excess > 0));
    assert_close(row.et + row.et_excess, plain.et, 1e-12, 0);
    assert_close(row.m + row.m_excess, plain.m, 1e-10, 0);
    assert_close(row.v + row.v_excess, plain.v, 1e-10, 0);
    assert_true(row.v > 5 && row.v < 30 && std::isnan(plain.flips));
    lower += row.flips > 0;
    controls += simulated(task_of(200, 0.6, 0.03), seed).flips > 0;
  }
  assert_true(lower >= 5 && controls <= 2);
}

void threads_and_targets(void **) {
  const Task task = task_of(90, 0.3, 0.01);
  const SimRow one = simulated(task, 2, 1, Target::scalar, 3);
  assert_true(one.flips > 0);
  for (Target target : kTargets) {
    if (!target_available(target) || target == Target::sse4) continue;
    const SimRow other = simulated(task, 2, 3, target, 3);
    assert_memory_equal(&one, &other, sizeof one);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(sample_curvatures),
                              cmocka_unit_test(hessian),
                              cmocka_unit_test(response),
                              cmocka_unit_test(wells),
                              cmocka_unit_test(flips),
                              cmocka_unit_test(threads_and_targets)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
