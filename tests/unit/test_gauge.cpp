// SPDX-License-Identifier: MIT
// Gauges leave every conditional as it is; what each of them promises besides; and the coupling error, which must not see them.
#include "support.h"

#include "model_problem.hpp"

#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"
#include "potts/gauge.hpp"

#include <algorithm>
#include <cmath>

using namespace atp;

namespace {

const ModelRecipe kRecipes[] = {
    {2, 2, 1},       {5, 3, 1, false, true, 0.7}, {5, 3, 2, true, false, 1.3},
    {6, 4, 0, true}, {4, 5, 0, false, false},     {3, 40, 1, true, false, 0.5},
};

void assert_same_conditionals(const Model &x, const Model &y, const std::vector<uint8_t> &s) {
  const int64_t n = static_cast<int64_t>(s.size()) / x.sites();
  std::vector<double> p(s.size() * static_cast<size_t>(x.colors())), r(p.size());
  conditionals(x, s.data(), n, p.data());
  conditionals(y, s.data(), n, r.data());
  for (size_t k = 0; k < p.size(); ++k) assert_close(p[k], r[k], 0, 1e-12);
}

// Largest minus smallest difference of the energies of two models.
double energy_spread(const Model &x, const Model &y, const std::vector<uint8_t> &s) {
  const size_t n = s.size() / static_cast<size_t>(x.sites());
  std::vector<double> e(n), f(n);
  energies(x, s.data(), static_cast<int64_t>(n), e.data());
  energies(y, s.data(), static_cast<int64_t>(n), f.data());
  for (size_t k = 0; k < n; ++k) e[k] -= f[k];
  return *std::max_element(e.begin(), e.end()) - *std::min_element(e.begin(), e.end());
}

void zero_sum(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    ModelProblem problem(recipe);
    const int64_t L = recipe.sites, q = recipe.colors;
    Model *g = zero_sum_gauge(problem.context, *problem.model);
    assert_true(g->shape.dense() && g->shape.fields && g->beta == recipe.beta);
    const std::vector<uint8_t> s = problem.sequences(50);
    assert_same_conditionals(*problem.model, *g, s);
    if (recipe.symmetric) {
      assert_close(energy_spread(*problem.model, *g, s), 0, 0, 1e-11);
      assert_true(g->symmetric(1e-12));
    } else {
      assert_true(energy_spread(*problem.model, *g, s) > 1e-3);  // the statement in the header is sharp
    }
    for (int64_t i = 0; i < L; ++i) {
      double sum = 0;
      for (int64_t a = 0; a < q; ++a) sum += g->fields[i * q + a];
      assert_close(sum, 0, 0, 1e-11);
      for (int64_t j = 0; j < L; ++j)
        for (int64_t a = 0; a < q; ++a) {
          double over_b = 0, over_a = 0;
          for (int64_t b = 0; b < q; ++b) {
            over_b += g->coupling(i, j, a, b);
            over_a += g->coupling(i, j, b, a);
            if (i == j) assert_true(g->coupling(i, j, a, b) == 0);
          }
          assert_close(over_a, 0, 0, 1e-11);
          assert_close(over_b, 0, 0, 1e-11);
        }
    }
    destroy_block(problem.context.allocator, g);
  }
}

void colors(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    if (recipe.heads == 0) continue;
    ModelProblem problem(recipe);
    const int64_t L = recipe.sites, q = recipe.colors;
    Model *g = color_gauge(problem.context, *problem.model);
    const std::vector<uint8_t> s = problem.sequences(50);
    assert_same_conditionals(*problem.model, *g, s);
    assert_int_equal(g->shape.heads, recipe.heads);
    for (int64_t h = 0; h < recipe.heads; ++h) {
      const double *v = g->value(h), *map = g->map(h);
      double norm2 = 0, largest = 0;
      for (int64_t b = 0; b < q; ++b) {
        double sum = 0;
        for (int64_t a = 0; a < q; ++a) {
          sum += v[a * q + b];
          norm2 += v[a * q + b] * v[a * q + b];
        }
        assert_close(sum, 0, 0, 1e-12);
      }
      assert_close(norm2, static_cast<double>(q), 1e-12, 0);
      for (int64_t k = 0; k < L * L; ++k)
        if (std::fabs(map[k]) > std::fabs(largest)) largest = map[k];
      assert_true(largest > 0);
    }
    destroy_block(problem.context.allocator, g);
  }
}

void colors_of_nothing(void **) {
  ModelProblem problem({3, 2, 1});
  for (int64_t k = 0; k < 4; ++k) problem.model->values[k] = static_cast<double>(k % 2);  // depends on b alone: no couplings at all
  Model *g = color_gauge(problem.context, *problem.model);
  for (int64_t k = 0; k < 4; ++k) assert_true(g->values[k] == 0);
  for (int64_t k = 0; k < 9; ++k) assert_close(std::fabs(g->maps[k]), std::fabs(problem.model->maps[k]), 0, 0);
  destroy_block(problem.context.allocator, g);
}

double distance(const Model &model, const Model &truth) {
  std::vector<double> scratch(static_cast<size_t>(coupling_error_scratch(model.colors())));
  return coupling_error(couplings_of(model), couplings_of(truth), {scratch.data(), static_cast<int64_t>(scratch.size())});
}

// Any (A, V) that differs from (J + D, U) by the exact gauges scores sum (beta* J - beta (J + D))^2 / L^2.
void one_head_error(void **) {
  for (int64_t q : {2, 5, 20}) {
    const int64_t L = 7;
    ModelProblem truth({L, q, 1, false, true, 1.7}), learned({L, q, 1, false, false, 0.6, 2});
    Model &t = *truth.model, &m = *learned.model;
    assert_true(distance(t, t) == 0);
    for (double c : {1.0, -3.5, 0.02}) {
      double expected = 0;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j) {
          if (i == j) continue;
          const double a = t.maps[i * L + j] + 0.3 * std::sin(static_cast<double>(3 * i + j));
          m.maps[i * L + j] = a / c;
          expected += std::pow(1.7 * t.maps[i * L + j] - 0.6 * a, 2) / static_cast<double>(L * L);
        }
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) m.values[a * q + b] = c * t.values[a * q + b] + static_cast<double>(b * b);
      assert_close(distance(m, t), expected, 1e-11, 0);
      // The same through the second formula, by two heads of which one is 0, and by dense couplings; it does not see the gauge either.
      Model *two = make_model(learned.context, {L, q, 2, false}), *dense = zero_sum_gauge(learned.context, m);
      two->beta = m.beta;
      std::copy(m.maps.begin(), m.maps.end(), two->maps.begin() + L * L);
      std::copy(m.values.begin(), m.values.end(), two->values.begin() + q * q);
      assert_close(distance(*two, t), expected, 1e-11, 0);
      assert_close(distance(*dense, t), expected, 1e-11, 0);
      destroy_block(learned.context.allocator, two);
      destroy_block(learned.context.allocator, dense);
    }
    // No couplings at all: V is 0 up to the gauge.
    double all = 0;
    for (double j : t.maps) all += 1.7 * 1.7 * j * j / static_cast<double>(L * L);
    std::fill(m.values.begin(), m.values.end(), 2.5);
    assert_close(distance(m, t), all, 1e-12, 0);
    // A truth without couplings, up to rounding, is no division by zero: the second formula with u^2 = q.
    std::fill(m.values.begin(), m.values.end(), 0.1);
    assert_close(distance(m, m), 0, 0, 1e-20);
    double u2 = 0;
    std::vector<double> u(t.values.begin(), t.values.end());
    center_columns(u.data(), q);
    center_rows(u.data(), q, nullptr);
    for (double x : u) u2 += x * x;
    assert_close(distance(t, m), all * u2 / static_cast<double>(q), 1e-12, 0);
  }
}

// Several heads and dense couplings, against zero-sum couplings formed by the formula C - C_.b - C_a. + C_.. .
void dense_error(void **) {
  const ModelRecipe recipes[] = {
      {5, 4, 3, true, false, 0.8, 1}, {5, 4, 0, true, true, 1.2, 2}, {5, 4, 0, false, false, 0.5, 3}, {5, 4, 2, false, true, 1, 4}};
  for (const ModelRecipe &x : recipes)
    for (const ModelRecipe &y : recipes) {
      const ModelProblem model(x), truth(y);
      const int64_t L = 5, q = 4;
      double sum = 0;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j) {
          if (i == j) continue;
          const auto d = [&](int64_t a, int64_t b) { return x.beta * model.coupling(i, j, a, b) - y.beta * truth.coupling(i, j, a, b); };
          for (int64_t a = 0; a < q; ++a)
            for (int64_t b = 0; b < q; ++b) {
              double row = 0, column = 0, all = 0;
              for (int64_t c = 0; c < q; ++c) {
                row += d(a, c) / q;
                column += d(c, b) / q;
                for (int64_t e = 0; e < q; ++e) all += d(c, e) / (q * q);
              }
              const double z = d(a, b) - row - column + all;
              sum += z * z;
            }
        }
      assert_close(distance(*model.model, *truth.model), sum / (L * L * q), 1e-12, 1e-25);
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(zero_sum),       cmocka_unit_test(colors),      cmocka_unit_test(colors_of_nothing),
      cmocka_unit_test(one_head_error), cmocka_unit_test(dense_error),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
