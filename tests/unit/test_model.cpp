// SPDX-License-Identifier: MIT
// Conditionals, energies and losses of models against the definitions; random models against their laws.
#include "support.h"

#include "model_problem.hpp"

#include "potts/evaluate.hpp"
#include "potts/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace atp;

namespace {

const ModelRecipe kRecipes[] = {
    {2, 2, 1},
    {2, 2, 0, true},
    {5, 3, 1, false, true, 0.7},
    {5, 3, 2, true, true, 1.3},
    {6, 4, 0, true},
    {4, 5, 0, false, false},
    {7, 3, 3, true, false},
    {40, 2, 1, true, true, 0.4},
    {3, 255, 1, true, false, 0.5},
    {3, 255, 0, true, true, 0.5},
};

void local_fields_and_conditionals(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    const ModelProblem problem(recipe);
    const int64_t L = recipe.sites, q = recipe.colors, n = 37;  // more than one block of sequences
    const std::vector<uint8_t> s = problem.sequences(n);
    std::vector<double> p(static_cast<size_t>(n * L * q)), logs(static_cast<size_t>(n));
    conditionals(*problem.model, s.data(), n, p.data());
    log_pseudolikelihoods(*problem.model, s.data(), n, logs.data());
    for (int64_t k = 0; k < n; ++k) {
      const uint8_t *row = s.data() + k * L;
      double log_sum = 0;
      for (int64_t i = 0; i < L; ++i) {
        for (int64_t a = 0; a<q; a += q> 9 ? 37 : 1)
          assert_close(p[static_cast<size_t>((k * L + i) * q + a)], problem.conditional(row, i, a), 1e-12, 0);
        log_sum += std::log(problem.conditional(row, i, row[i]));
      }
      assert_close(logs[static_cast<size_t>(k)], log_sum, 1e-12, 0);
    }
  }
}

// Symmetric couplings: the conditional is P(s) over the sum of P over the colours of one site.
void conditionals_belong_to_the_energy(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    if (!recipe.symmetric) continue;
    const ModelProblem problem(recipe);
    const int64_t L = recipe.sites, q = recipe.colors;
    std::vector<uint8_t> s = problem.sequences(1);
    std::vector<double> p(static_cast<size_t>(L * q)), weight(static_cast<size_t>(q));
    conditionals(*problem.model, s.data(), 1, p.data());
    for (int64_t i = 0; i < L; ++i) {
      const uint8_t kept = s[static_cast<size_t>(i)];
      double sum = 0;
      for (int64_t a = 0; a < q; ++a) {
        s[static_cast<size_t>(i)] = static_cast<uint8_t>(a);
        sum += weight[static_cast<size_t>(a)] = std::exp(-recipe.beta * problem.energy(s.data()));
      }
      s[static_cast<size_t>(i)] = kept;
      for (int64_t a = 0; a < q; ++a) assert_close(p[static_cast<size_t>(i * q + a)], weight[static_cast<size_t>(a)] / sum, 1e-11, 0);
    }
  }
}

void energies_by_definition(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    const ModelProblem problem(recipe);
    const int64_t n = 9;
    const std::vector<uint8_t> s = problem.sequences(n);
    std::vector<double> e(n);
    energies(*problem.model, s.data(), n, e.data());
    for (int64_t k = 0; k < n; ++k) assert_close(e[static_cast<size_t>(k)], problem.energy(s.data() + k * recipe.sites), 1e-12, 1e-12);
  }
}

void loss_and_threads(void **) {
  for (const ModelRecipe &recipe : {ModelRecipe{5, 3, 2, true, false, 1.3}, ModelRecipe{6, 4, 0, true, true}}) {
    ModelProblem problem(recipe);
    for (int64_t n : {1, 31, 33, 700, 20000}) {
      const std::vector<uint8_t> s = problem.sequences(n);
      std::vector<double> weights(static_cast<size_t>(n)), logs(static_cast<size_t>(n));
      double sum = 0, total = 0;
      log_pseudolikelihoods(*problem.model, s.data(), n, logs.data());
      for (size_t k = 0; k < weights.size(); ++k) {
        weights[k] = k % 4 == 1 ? 0 : 0.1 + static_cast<double>(k % 7);
        sum -= weights[k] * logs[k];
        total += weights[k];
      }
      const double one = mean_loss(*problem.model, s.data(), weights.data(), n);
      assert_close(one, sum / (static_cast<double>(recipe.sites) * total), 1e-12, 0);
      for (int threads : {2, 3, 7}) {
        problem.model->context->threads = threads;
        const double many = mean_loss(*problem.model, s.data(), weights.data(), n);
        assert_memory_equal(&one, &many, sizeof one);
      }
      problem.model->context->threads = 1;
    }
  }
}

// Strong couplings: probabilities next to 1 keep their small complement, far colours underflow to 0 and not to NaN.
void extreme_fields(void **) {
  ModelProblem problem({2, 3, 1, true});
  Model &m = *problem.model;
  const double fields[] = {40, 0, -2000, 1e5, 0, 0};
  std::fill(m.maps.begin(), m.maps.end(), 0.0);
  std::copy_n(fields, 6, m.fields.data());
  const uint8_t s[] = {0, 0};
  double p[6], log;
  conditionals(m, s, 1, p);
  assert_close(p[1], std::exp(-40.0), 1e-12, 0);
  assert_true(p[2] == 0 && p[3] == 1 && p[4] == 0);
  log_pseudolikelihoods(m, s, 1, &log);
  assert_close(log, -std::exp(-40.0), 1e-12, 0);
  const uint8_t far[] = {2, 1};
  log_pseudolikelihoods(m, far, 1, &log);
  assert_close(log, -(2040.0 + 1e5), 1e-12, 0);
}

void symmetry(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    const ModelProblem problem(recipe);
    assert_int_equal(problem.model->symmetric(1e-12), recipe.symmetric);
    if (!recipe.symmetric) continue;
    // A change of one coupling is seen, and forgiven below the tolerance.
    Model &m = *problem.model;
    double &x = m.shape.dense() ? m.couplings[problem.place(0, 1, 0, 1)] : m.maps[1];
    const double kept = x, largest = *std::max_element(problem.c.begin(), problem.c.end(),
                                                       [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    x = kept + 1e-3 * std::fabs(largest);
    assert_false(m.symmetric(1e-12));
    x = kept * (1 + 4e-16);
    assert_true(m.symmetric(1e-12));
  }
  // Both matrices antisymmetric: the couplings are symmetric although no factor is.
  ModelProblem problem({4, 3, 1});
  Model &m = *problem.model;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j <= i; ++j) m.maps[i * 4 + j] = i == j ? 0 : -m.maps[j * 4 + i];
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t b = 0; b <= a; ++b) m.values[a * 3 + b] = a == b ? 0 : -m.values[b * 3 + a];
  assert_true(m.symmetric(1e-12));
}

void copies_and_couplings(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    ModelProblem problem(recipe);
    problem.model->alphabet[0] = 'x';
    std::vector<double> c(problem.c.size());
    std::vector<float> single(problem.c.size());
    Model *copy = copy_model(problem.context, *problem.model);
    write_couplings(*copy, c.data());
    write_couplings(*copy, single.data());
    for (size_t k = 0; k < c.size(); ++k) {
      assert_close(c[k], problem.c[k], 1e-15, 0);
      assert_true(single[k] == static_cast<float>(c[k]));
    }
    assert_true(copy->beta == recipe.beta);
    assert_string_equal(copy->alphabet, "x");
    assert_int_equal(copy->fields.size(), problem.model->fields.size());
    destroy_block(problem.context.allocator, copy);
  }
}

void symmetric_parts(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    ModelProblem problem(recipe);
    Model *part = symmetric_part(problem.context, *problem.model);
    assert_true(part->symmetric() && part->beta == recipe.beta && part->shape.heads == 2 * recipe.heads);
    for (int64_t i = 0; i < recipe.sites; ++i)
      for (int64_t j = 0; j < recipe.sites; ++j)
        for (int64_t a = 0; a < recipe.colors; ++a)
          for (int64_t b = 0; i != j && b < recipe.colors; ++b)
            assert_close(part->coupling(i, j, a, b), (problem.coupling(i, j, a, b) + problem.coupling(j, i, b, a)) / 2, 1e-14, 1e-14);
    for (int64_t k = 0; k < part->fields.size(); ++k) assert_true(part->fields[k] == problem.model->fields[k]);
    assert_int_equal(part->fields.size(), problem.model->fields.size());
    destroy_block(problem.context.allocator, part);
  }
}

double variance(const std::vector<double> &x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return sum / static_cast<double>(x.size());
}

// Mean squares of n independent normal numbers scatter by sqrt(2 / n): five standard errors, twice, are a false alarm for one
// choice of seeds in 800 000; the seeds are fixed.
void gaussian_models(void **) {
  ModelProblem sites({200, 3, 1}), colors({3, 100, 1});
  const int64_t L = 200, q = 100;
  fill_random(*sites.model, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 7);
  fill_random(*colors.model, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 7);
  assert_true(sites.model->symmetric(0) && colors.model->symmetric(0));
  const Span<double> maps = sites.model->maps, values = colors.model->values;
  std::vector<double> j, u;
  for (int64_t i = 0; i < L; ++i) {
    assert_true(maps[i * L + i] == 0);
    for (int64_t k = i + 1; k < L; ++k) j.push_back(maps[i * L + k]);
  }
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = a; b < q; ++b) u.push_back(values[a * q + b]);
  assert_close(variance(j) * static_cast<double>(L), 1, 5 * std::sqrt(2.0 / static_cast<double>(j.size())), 0);
  assert_close(variance(u), 1, 5 * std::sqrt(2.0 / static_cast<double>(u.size())), 0);
  // The numbers are a function of the seed and of the place.
  const RandomView view(7, Stream::model, 0, 0), view_u(7, Stream::model, 0, 1);
  assert_true(maps[3 * L + 11] == view.normal(3 * 200 + 11) * (1 / std::sqrt(200.0)));
  assert_true(values[4 * q + 2] == view_u.normal(2 * 100 + 4));
  const std::vector<double> first(maps.begin(), maps.end());
  fill_random(*sites.model, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 8);
  assert_false(std::equal(first.begin(), first.end(), maps.begin()));
}

void contact_models(void **) {
  for (int64_t L : {2, 3, 6, 7, 8, 20, 100, 333})
    for (uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
      ModelProblem problem({L, 3, 1});
      Model &m = *problem.model;
      std::fill(m.maps.begin(), m.maps.end(), 0.0);
      std::fill(m.values.begin(), m.values.end(), 0.0);
      fill_random(m, ATP_COUPLINGS_CONTACTS, ATP_COLOR_MATRIX_IDENTITY, seed);
      int64_t far = 0;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j) {
          const double x = m.maps[i * L + j];
          assert_true(x == m.maps[j * L + i]);
          if (i == j)
            assert_true(x == 0);
          else if (i - j == 1 || j - i == 1)
            assert_true(x > 0.5 && x < 1.5);
          else if (x != 0) {
            assert_true(x > 0.5 && x < 1.5);
            assert_true(std::llabs(i - j) >= 4 && (i - j) % 2 == 0);  // hairpins leave a loop of three sites; arms step by two
            ++far;
          }
        }
      const int64_t hairpins = L < 7 ? 0 : std::max<int64_t>(1, L / 20);
      assert_true(far / 2 <= 8 * hairpins && (L < 7 ? far == 0 : far / 2 >= 2));
      for (int64_t a = 0; a < 3; ++a)
        for (int64_t b = 0; b < 3; ++b) assert_true(m.values[a * 3 + b] == (a == b ? 1 : 0));
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(local_fields_and_conditionals),
      cmocka_unit_test(conditionals_belong_to_the_energy),
      cmocka_unit_test(energies_by_definition),
      cmocka_unit_test(loss_and_threads),
      cmocka_unit_test(extreme_fields),
      cmocka_unit_test(symmetry),
      cmocka_unit_test(copies_and_couplings),
      cmocka_unit_test(symmetric_parts),
      cmocka_unit_test(gaussian_models),
      cmocka_unit_test(contact_models),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
