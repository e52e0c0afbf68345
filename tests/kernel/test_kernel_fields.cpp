// SPDX-License-Identifier: MIT
// Local fields of many sequences at once, on every target and in several threads, against those of one sequence at a time, bit for bit.
#include "model_problem.hpp"
#include "ordered_problem.hpp"
#include "simd_target.hpp"

#include "potts/evaluate.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Numbers = std::vector<double>;

// Rows of 8, 16 and 24 colours, of several strips, and so many colours that a strip is narrower; fewer and more sites than a panel has.
constexpr ModelRecipe kRecipes[] = {
    {9, 2, 0, true},  {17, 8, 0, true},       {6, 9, 0, false},        {5, 16, 0, true}, {20, 21, 0, true, false, 0.7},
    {7, 25, 0, true}, {4, 48, 0, true, true}, {3, 255, 0, true, true}, {6, 5, 2, true}};

struct Values {
  Numbers energies, logs, conditionals;
  Values(const Model &model, const std::vector<uint8_t> &s, int64_t n, bool together) {
    const auto L = static_cast<size_t>(model.sites()), each = L * static_cast<size_t>(model.colors());
    energies.resize(static_cast<size_t>(n));
    logs.resize(static_cast<size_t>(n));
    conditionals.resize(static_cast<size_t>(n) * each);
    const int64_t step = together ? n : 1;
    for (int64_t k = 0; k < n; k += step) {
      const auto at = static_cast<size_t>(k);
      atp::energies(model, s.data() + at * L, step, energies.data() + at);
      log_pseudolikelihoods(model, s.data() + at * L, step, logs.data() + at);
      atp::conditionals(model, s.data() + at * L, step, conditionals.data() + at * each);
    }
  }
};

void check(Model &model, const std::vector<uint8_t> &s, int64_t n) {
  const Values one(model, s, n, false);
  for (int threads : {1, 3}) {
    model.context->threads = threads;
    const Values all(model, s, n, true);
    assert_true(all.logs == one.logs);
    assert_true(all.conditionals == one.conditionals);
    assert_true(all.energies == one.energies);
  }
  model.context->threads = 1;
}

void together_as_alone(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    ModelProblem problem(recipe);
    Model &model = *problem.model;
    model.context->target = tested_target();
    for (int64_t n : {2, 5, 600}) {
      if (n * recipe.sites * recipe.colors > 300000) continue;
      std::vector<uint8_t> s = problem.sequences(n);
      check(model, s, n);
      for (size_t k = 0; k < s.size(); k += 7) s[k] = kMissing;
      check(model, s, n);
      // A coupling more is seen.
      const Values before(model, s, n, true);
      for (int64_t b = 0; recipe.heads == 0 && b < recipe.colors; ++b) model.room(1, 2)[b] += 0.5;
      const Values after(model, s, n, true);
      assert_true((before.conditionals == after.conditionals) == (recipe.heads != 0));
    }
  }
}

void lists_and_orders(void **) {
  for (const ModelRecipe &recipe : {ModelRecipe{12, 5, 0, true}, ModelRecipe{12, 21, 0, false}}) {
    ModelProblem problem(recipe);
    problem.model->context->target = tested_target();
    const std::vector<uint8_t> s = problem.sequences(300);
    const int64_t pairs[] = {0, 1, 0, 11, 3, 4, 4, 5, 4, 9, 6, 7, 1, 2};
    Model *listed = keep_pairs(*problem.model->context, *problem.model, pairs, 7);
    check(*listed, s, 300);
    destroy_block(problem.model->context->allocator, listed);
  }
  OrderedProblem ordered({10, 6, 0, true}, SiteOrder::shuffled);
  ordered.model->context->target = tested_target();
  check(*ordered.model, ordered.sequences(300), 300);
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest tests[] = {cmocka_unit_test(together_as_alone), cmocka_unit_test(lists_and_orders)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
