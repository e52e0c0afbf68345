// SPDX-License-Identifier: MIT
// L-BFGS with inner products instead of vectors: the same steps as the two-loop recursion in float64, as good in float32, any team, saved
// states.
#include "placed.hpp"

#include "base/philox.hpp"
#include "math/optim/lbfgs.hpp"
#include "simd/targets.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

template <class Real>
Span<Real> span(std::vector<Real> &v) {
  return {v.data(), static_cast<int64_t>(v.size())};
}

// sum_k c_k (log cosh(x_k - t_k) + 0.1 (x_k - x_{k+1})^2): convex, not quadratic; c over `decades` decades.
struct Problem {
  explicit Problem(int64_t n, double decades) : target(static_cast<size_t>(n)), scale(target.size()) {
    const RandomView normal(3, Stream::parameters, 0, 0);
    for (size_t k = 0; k < target.size(); ++k) {
      target[k] = normal.normal(k);
      scale[k] = std::pow(10, decades * static_cast<double>(k % 97) / 96);
    }
  }
  template <class Real>
  double operator()(Span<const Real> x, Span<Real> g) const {
    double sum = 0;
    std::vector<double> d(target.size(), 0.0);
    for (size_t k = 0; k < target.size(); ++k) {
      const double at = static_cast<double>(x[static_cast<int64_t>(k)]) - target[k];
      sum += scale[k] * (std::fabs(at) + std::log1p(std::exp(-2 * std::fabs(at))));
      d[k] += scale[k] * std::tanh(at);
      if (k + 1 == target.size()) continue;
      const double step = static_cast<double>(x[static_cast<int64_t>(k)]) - static_cast<double>(x[static_cast<int64_t>(k) + 1]);
      sum += 0.1 * step * step;
      d[k] += 0.2 * step;
      d[k + 1] -= 0.2 * step;
    }
    for (size_t k = 0; k < d.size(); ++k) g[static_cast<int64_t>(k)] = static_cast<Real>(d[k]);
    return sum;
  }
  std::vector<double> target, scale;
};

template <class Real>
void ones(LeanLbfgs<Real> &optimizer) {
  for (Real &m : optimizer.history().metric) m = 1;
}

void same_steps_as_the_two_loops(void **) {
  constexpr int64_t n = 500;
  const Problem f(n, 2);
  for (int64_t history : {1, 2, 6}) {
    Placed<Lbfgs> plain(n, history, 1e-10, 0x1p-46);
    Placed<LeanLbfgs<double>> lean(n, history, 1e-10, 0x1p-46, best_target());
    ones(lean.object);
    std::vector<double> x(n, 0.5), y = x;
    bool moved = false;
    for (int k = 0; k < 25; ++k) {
      plain->iterate(
          span(x), [&](Span<const double> at, Span<double> g) { return f(at, g); }, &moved);
      assert_true(moved);
      lean->iterate(
          Team(1), span(y), [&](Span<const double> at, Span<double> g) { return f(at, g); }, &moved);
      assert_true(moved);
      // Rounding grows with every step; a wrong pair would show at once.
      for (size_t i = 0; i < x.size(); ++i) assert_close(x[i], y[i], 0, k < 12 ? 1e-7 : 1e-3);
    }
    assert_close(plain->value(), lean->value(), 1e-6, 0);
  }
}

// Iterations to |g| <= tolerance |x|, and the value there.
template <class Real>
int iterations(int64_t n, const Problem &f, double tolerance, bool metric, double *value) {
  Placed<LeanLbfgs<Real>> lean(n, int64_t{6}, tolerance, sizeof(Real) == 4 ? 0x1p-27 : 0x1p-46, best_target());
  for (int64_t k = 0; k < n; ++k) lean->history().metric[k] = static_cast<Real>(metric ? 1 / (f.scale[static_cast<size_t>(k)] + 0.4) : 1);
  std::vector<Real> x(static_cast<size_t>(n), Real(0.5));
  bool moved = false;
  int count = 0;
  Descent end = Descent::going;
  for (; end == Descent::going && count < 2000; ++count)
    end = lean->iterate(
        Team(1), span(x), [&](Span<const Real> at, Span<Real> g) { return f(at, g); }, &moved);
  assert_int_equal(static_cast<int>(end), static_cast<int>(Descent::converged));
  assert_true(lean->gradient_norm() > 0);
  *value = lean->value();
  return count;
}

void float32_converges_as_well(void **) {
  constexpr int64_t n = 5000;
  const Problem f(n, 2);
  double value64 = 0, value32 = 0, value_metric = 0;
  const int in64 = iterations<double>(n, f, 1e-3, false, &value64), in32 = iterations<float>(n, f, 1e-3, false, &value32);
  const int with_metric = iterations<float>(n, f, 1e-3, true, &value_metric);
  print_message("iterations: %d in float64, %d in float32, %d with a metric\n", in64, in32, with_metric);
  assert_close(value32, value64, 1e-5, 0);
  assert_close(value_metric, value64, 1e-5, 0);
  assert_true(in32 <= in64 + in64 / 5 + 2);
  assert_true(with_metric < in32 / 2);
}

// More unknowns than a piece of the sums has, and a part of one.
template <class Real>
void check_threads() {
  constexpr int64_t n = 70001;
  const Problem f(n, 1);
  std::vector<Real> first;
  for (int threads : {1, 2, 3}) {
    const Team team(threads);
    Placed<LeanLbfgs<Real>> lean(n, int64_t{3}, 0.0, 0x1p-27, best_target());
    ones(lean.object);
    std::vector<Real> x(static_cast<size_t>(n), Real(0.5));
    bool moved = false;
    for (int k = 0; k < 6; ++k)
      lean->iterate(
          team, span(x), [&](Span<const Real> at, Span<Real> g) { return f(at, g); }, &moved);
    if (threads == 1) first = x;
    assert_true(x == first);
  }
}

void threads_do_not_matter(void **) {
  check_threads<float>();
  check_threads<double>();
}

void targets_do_not_matter(void **) {
  for (int64_t n : {1, 7, 16, 33, 4097}) {
    std::vector<float> x(static_cast<size_t>(n)), y(x.size());
    const RandomView normal(3, Stream::parameters, 0, 0);
    for (size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<float>(normal.normal(k));
      y[k] = static_cast<float>(normal.normal(k + 100000));
    }
    double by_hand = 0;
    for (size_t k = 0; k < x.size(); ++k) by_hand += static_cast<double>(x[k]) * static_cast<double>(y[k]);
    assert_close(vector_scalar_kernels.dot(n, x.data(), y.data()), by_hand, 1e-12, 1e-12);
    std::vector<float> expected = y;
    vector_scalar_kernels.add_scaled(n, 0.3f, x.data(), expected.data());
    assert_true(expected[0] == std::fma(0.3f, x[0], y[0]));
    for (Target target : kTargets) {
      if (!target_available(target)) continue;
      const VectorKernels &kernels = vector_kernels(target);
      assert_true(kernels.dot(n, x.data(), y.data()) == vector_scalar_kernels.dot(n, x.data(), y.data()));
      std::vector<float> z = y;
      kernels.add_scaled(n, 0.3f, x.data(), z.data());
      for (size_t k = 0; k < z.size(); ++k)
        assert_close(z[k], expected[k], target == Target::sse4 ? 1e-6 : 0, target == Target::sse4 ? 1e-6 : 0);
    }
  }
}

template <class Real>
void check_states() {
  constexpr int64_t n = 300, history = 4;
  const Problem f(n, 2);
  const auto function = [&](Span<const Real> at, Span<Real> g) { return f(at, g); };
  for (int cut : {0, 1, 3, 9}) {
    Placed<LeanLbfgs<Real>> one(n, history, 0.0, 0x1p-27, best_target()), two(n, history, 0.0, 0x1p-27, best_target());
    ones(one.object);
    ones(two.object);
    std::vector<Real> x(n, Real(0.5)), y(n, Real(-1));
    bool moved = false;
    for (int k = 0; k < 7; ++k) two->iterate(Team(1), span(y), function, &moved);
    for (int k = 0; k < cut; ++k) one->iterate(Team(1), span(x), function, &moved);
    std::vector<char> buffer(static_cast<size_t>(state_bytes(one->payload())));
    StateWriter writer(buffer.data(), static_cast<int64_t>(buffer.size()), StateKind::trainer, 1, one->payload());
    one->save(writer);
    writer.finish();
    StateReader reader(buffer.data(), static_cast<int64_t>(buffer.size()), StateKind::trainer, 1, one->payload(), "test");
    two->load(reader);
    y = x;
    for (int k = 0; k < 12; ++k) {
      const Descent a = one->iterate(Team(1), span(x), function, &moved), b = two->iterate(Team(1), span(y), function, &moved);
      assert_true(a == b && x == y && one->value() == two->value());
    }
  }
}

struct Stopped {};

// f throws in the middle of line searches; the state goes to another descent, which goes on. The history is full after three steps.
template <class Real>
void check_interruptions() {
  constexpr int64_t n = 300, history = 3;
  const Problem f(n, 2);
  const auto function = [&](Span<const Real> at, Span<Real> g) { return f(at, g); };
  Placed<LeanLbfgs<Real>> whole(n, history, 0.0, 0x1p-27, best_target());
  ones(whole.object);
  std::vector<Real> x(n, Real(0.5)), y = x;
  bool moved = false;
  for (int k = 0; k < 14; ++k) whole->iterate(Team(1), span(x), function, &moved);
  auto part = std::make_unique<Placed<LeanLbfgs<Real>>>(n, history, 0.0, 0x1p-27, best_target());
  ones(part->object);
  int interruptions = 0;
  for (int step = 0; step < 14;) {
    int left = step % 2;  // evaluations before the interruption
    const auto stops = [&](Span<const Real> at, Span<Real> g) {
      const double value = f(at, g);
      if (left-- == 0) throw Stopped();
      return value;
    };
    const std::vector<Real> before = y;
    try {
      (*part)->iterate(Team(1), span(y), stops, &moved);
      ++step;
      continue;  // the search took one evaluation
    } catch (const Stopped &) {
      ++interruptions;
    }
    assert_true(y == before);
    std::vector<char> buffer(static_cast<size_t>(state_bytes((*part)->payload())));
    StateWriter writer(buffer.data(), static_cast<int64_t>(buffer.size()), StateKind::trainer, 1, (*part)->payload());
    (*part)->save(writer);
    writer.finish();
    auto other = std::make_unique<Placed<LeanLbfgs<Real>>>(n, history, 0.0, 0x1p-27, best_target());
    ones(other->object);
    StateReader reader(buffer.data(), static_cast<int64_t>(buffer.size()), StateKind::trainer, 1, (*part)->payload(), "test");
    StateReader checked = reader;
    (*other)->check(checked);
    (*other)->load(reader);
    part = std::move(other);
    (*part)->iterate(Team(1), span(y), function, &moved);
    ++step;
  }
  assert_true(interruptions >= 7);
  assert_true(x == y && (*part)->value() == whole->value());
}

void interrupted_searches(void **) {
  check_interruptions<float>();
  check_interruptions<double>();
}

void states_are_exact(void **) {
  check_states<float>();
  check_states<double>();
}

void honest_ends(void **) {
  bool moved = false;
  std::vector<float> x(3, 1.0f);
  const auto optimizer = [] {
    auto lean = std::make_unique<Placed<LeanLbfgs<float>>>(int64_t{3}, int64_t{2}, 1e-6, 0x1p-27, best_target());
    ones(lean->object);
    return lean;
  };
  const auto not_a_number = [](Span<const float>, Span<float> g) {
    for (float &v : g) v = NAN;
    return 1.0;
  };
  assert_true(optimizer()->object.iterate(Team(1), span(x), not_a_number, &moved) == Descent::diverged && !moved);
  // A gradient of the wrong sign: x stays within the noise of the values, and that is not called converged.
  const auto uphill = [](Span<const float> at, Span<float> g) {
    double sum = 0;
    for (int64_t k = 0; k < 3; ++k) {
      g[k] = -2 * at[k];
      sum += static_cast<double>(at[k]) * static_cast<double>(at[k]);
    }
    return sum;
  };
  auto climbing = optimizer();
  Descent end = Descent::going;
  for (int k = 0; k < 100 && end == Descent::going; ++k) end = climbing->object.iterate(Team(1), span(x), uphill, &moved);
  assert_true(end == Descent::stalled);
  for (float v : x) assert_close(v, 1, 1e-3, 0);
  const auto flat = [](Span<const float>, Span<float> g) {
    for (float &v : g) v = 0;
    return 2.0;
  };
  assert_true(optimizer()->object.iterate(Team(1), span(x), flat, &moved) == Descent::converged && !moved);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(same_steps_as_the_two_loops),
      cmocka_unit_test(float32_converges_as_well),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(targets_do_not_matter),
      cmocka_unit_test(states_are_exact),
      cmocka_unit_test(interrupted_searches),
      cmocka_unit_test(honest_ends),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
