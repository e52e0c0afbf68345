// SPDX-License-Identifier: MIT
// Sequences with missing sites and single mutants, each against the definition summed anew for the whole sequence.
#include "support.h"

#include "known_sites.hpp"
#include "model_problem.hpp"

#include "potts/evaluate.hpp"
#include "potts/mutants.hpp"

using namespace atp;

namespace {

const ModelRecipe kRecipes[] = {
    {2, 2, 0, true},         {5, 3, 1, false, true, 0.7}, {5, 3, 2, true, false, 1.3},   {6, 4, 0, true, true, 2},
    {4, 5, 0, false, false}, {9, 21, 3, true, false},     {3, 255, 1, true, false, 0.5},
};

void missing_sites(void **) {
  for (const ModelRecipe &recipe : kRecipes)
    for (const int64_t every : {1000, 3, 2, 1}) {
      const ModelProblem problem(recipe);
      const int64_t L = recipe.sites, q = recipe.colors, n = 35;
      std::vector<uint8_t> s = gapped(problem, n, every);
      std::vector<double> p(static_cast<size_t>(n * L * q)), h(static_cast<size_t>(n)), logs(static_cast<size_t>(n));
      conditionals(*problem.model, s.data(), n, p.data());
      energies(*problem.model, s.data(), n, h.data());
      log_pseudolikelihoods(*problem.model, s.data(), n, logs.data());
      for (int64_t k = 0; k < n; ++k) {
        const Known known{problem, s.data() + k * L};
        assert_close(h[static_cast<size_t>(k)], known.energy(), 1e-12, 1e-12);
        assert_close(logs[static_cast<size_t>(k)], known.log_pl(), 1e-12, 1e-13);
        for (int64_t i = 0; i < L; ++i)
          for (int64_t a = 0; a<q; a += q> 30 ? 50 : 1)
            assert_close(p[static_cast<size_t>((k * L + i) * q + a)], known.conditional(i, a), 1e-12, 0);
      }
    }
}

void mutants_by_recomputation(void **) {
  for (const ModelRecipe &recipe : kRecipes)
    for (const int64_t every : {1000, 3, 1}) {
      const ModelProblem problem(recipe);
      const int64_t L = recipe.sites, q = recipe.colors, size = mutants_scratch(L, q, 3);
      std::vector<uint8_t> s = gapped(problem, 1, every);
      std::vector<double> de(static_cast<size_t>(L * q)), dl(de), de2(de), dl2(de), scratch(static_cast<size_t>(size));
      single_mutants(*problem.model, s.data(), Team(1), {scratch.data(), size}, de.data(), dl.data());
      single_mutants(*problem.model, s.data(), Team(3), {scratch.data(), size}, de2.data(), dl2.data());
      assert_true(de == de2 && dl == dl2);
      single_mutants(*problem.model, s.data(), Team(1), {}, de2.data(), nullptr);
      assert_true(de == de2);
      const Known old{problem, s.data()};
      const double energy = old.energy(), logs = old.log_pl();
      for (int64_t i = 0; i < L; ++i)
        for (int64_t a = 0; a<q; a += q> 30 ? 50 : 1) {
          std::vector<uint8_t> mutant = s;
          mutant[static_cast<size_t>(i)] = static_cast<uint8_t>(a);
          const Known changed{problem, mutant.data()};
          const size_t at = static_cast<size_t>(i * q + a);
          assert_close(de[at], changed.energy() - energy, 1e-11, 1e-11);
          assert_close(dl[at], changed.log_pl() - logs, 1e-11, 1e-11);
          if (s[static_cast<size_t>(i)] == a) assert_true(de[at] == 0 && dl[at] == 0);
        }
    }
}

const CMUnitTest tests[] = {
    cmocka_unit_test(missing_sites),
    cmocka_unit_test(mutants_by_recomputation),
};

}  // namespace

ATP_TEST_MAIN(tests)
