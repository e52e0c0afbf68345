// SPDX-License-Identifier: MIT
// Scores of pairs against sums written down from the definitions, ranks against a full sort, precision by hand.
#include "support.h"

#include "model_problem.hpp"

#include "potts/scores.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <set>

using namespace atp;

namespace {

const ModelRecipe kRecipes[] = {
    {2, 2, 0, true},         {5, 3, 1, false, true, 0.7}, {5, 3, 2, true, false, 1.3},   {6, 4, 0, true, true, 2},
    {4, 5, 0, false, false}, {7, 21, 3, true, false},     {3, 255, 1, true, false, 0.5},
};

// From the definition, in arrays of the test: symmetric part, both means subtracted, squares without the gap.
double frobenius(const ModelProblem &p, int64_t i, int64_t j, bool zero_sum, int64_t gap) {
  const int64_t q = p.recipe.colors;
  const auto c = [&](int64_t a, int64_t b) { return 0.5 * (p.coupling(i, j, a, b) + p.coupling(j, i, b, a)); };
  std::vector<double> over_b(static_cast<size_t>(q)), over_a(static_cast<size_t>(q));
  double mean = 0, sum = 0;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      over_b[static_cast<size_t>(a)] += c(a, b) / static_cast<double>(q);
      over_a[static_cast<size_t>(b)] += c(a, b) / static_cast<double>(q);
      mean += c(a, b) / static_cast<double>(q * q);
    }
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      if (a == gap || b == gap) continue;
      const double x = c(a, b) - (zero_sum ? over_b[static_cast<size_t>(a)] + over_a[static_cast<size_t>(b)] - mean : 0);
      sum += x * x;
    }
  return p.recipe.beta * std::sqrt(sum);
}

std::vector<double> norms(const ModelProblem &p, atp_score_gauge gauge, int64_t gap, int threads) {
  const int64_t L = p.recipe.sites, n = frobenius_scratch(p.recipe.colors, threads);
  std::vector<double> scratch(static_cast<size_t>(n)), out(static_cast<size_t>(L * L), -1);
  frobenius_norms(*p.model, gauge, gap, Team(threads), {scratch.data(), n}, out.data());
  return out;
}

void frobenius_norms_by_definition(void **) {
  for (const ModelRecipe &recipe : kRecipes) {
    const ModelProblem problem(recipe);
    const int64_t L = recipe.sites;
    for (const atp_score_gauge gauge : {ATP_SCORE_ZERO_SUM, ATP_SCORE_RAW})
      for (const int64_t gap : {int64_t{-1}, int64_t{0}, recipe.colors - 1}) {
        const std::vector<double> s = norms(problem, gauge, gap, 1);
        for (int64_t i = 0; i < L; ++i)
          for (int64_t j = 0; j < L; ++j) {
            const double expected = i == j ? 0 : frobenius(problem, i, j, gauge == ATP_SCORE_ZERO_SUM, gap);
            assert_close(s[static_cast<size_t>(i * L + j)], expected, 1e-12, 0);
            assert_true(s[static_cast<size_t>(i * L + j)] == s[static_cast<size_t>(j * L + i)]);
          }
        assert_true(norms(problem, gauge, gap, 2) == s && norms(problem, gauge, gap, 3) == s);
      }
  }
}

// A gauge transformation changes raw norms and not those of zero sums over all colours.
void zero_sum_norms_do_not_depend_on_the_gauge(void **) {
  const ModelProblem problem({5, 4, 0, true});
  const std::vector<double> before = norms(problem, ATP_SCORE_ZERO_SUM, 0, 1), raw = norms(problem, ATP_SCORE_RAW, 0, 1);
  const RandomView random(9, Stream::start, 0, 0);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < i; ++j)
      for (int64_t a = 0; a < 4; ++a)
        for (int64_t b = 0; b < 4; ++b) {
          const double shift =
              random.normal(static_cast<uint64_t>((i * 5 + j) * 8 + a)) + random.normal(static_cast<uint64_t>((i * 5 + j) * 8 + 4 + b));
          problem.model->couplings[problem.place(i, j, a, b)] += shift;
          problem.model->couplings[problem.place(j, i, b, a)] += shift;
        }
  const std::vector<double> after = norms(problem, ATP_SCORE_ZERO_SUM, 0, 1), moved = norms(problem, ATP_SCORE_RAW, 0, 1);
  for (size_t k = 0; k < before.size(); ++k) {
    assert_close(before[k], after[k], 1e-12, 1e-14);
    assert_true(raw[k] == 0 || std::fabs(moved[k] / raw[k] - 1) > 1e-3);
  }
}

std::vector<double> random_scores(int64_t sites, uint64_t seed) {
  std::vector<double> s(static_cast<size_t>(sites * sites));
  const RandomView random(seed, Stream::start, 0, 0);
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < i; ++j)
      s[static_cast<size_t>(i * sites + j)] = s[static_cast<size_t>(j * sites + i)] =
          1 + random.uniform(static_cast<uint64_t>(i * sites + j));
  return s;
}

void apc_by_definition(void **) {
  for (const int64_t L : {2, 3, 10, 33}) {
    std::vector<double> s = random_scores(L, 4), out(s.size());
    for (int64_t i = 0; i < L; ++i) s[static_cast<size_t>(i * L + i)] = 77;  // must not be read
    average_product_correction(s.data(), L, out.data());
    const auto at = [&](int64_t i, int64_t j) { return s[static_cast<size_t>(i * L + j)]; };
    double all = 0;
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) all += i == j ? 0 : at(i, j) / static_cast<double>(L * (L - 1));
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) {
        double mi = 0, mj = 0;
        for (int64_t k = 0; k < L; ++k) {
          if (k != i) mi += at(i, k) / static_cast<double>(L - 1);
          if (k != j) mj += at(j, k) / static_cast<double>(L - 1);
        }
        assert_close(out[static_cast<size_t>(i * L + j)], i == j ? 0 : at(i, j) - mi * mj / all, 1e-12, 1e-14);
      }
    average_product_correction(s.data(), L, s.data());
    assert_true(s == out);
  }
  // A product of one factor per site is what it takes out, but for the diagonal: L / (L - 1) at most; and zeros stay zeros.
  std::vector<double> zero(16), out(16, 5.0);
  average_product_correction(zero.data(), 4, out.data());
  assert_true(out == zero);
}

void ranks_as_a_full_sort(void **) {
  for (const int64_t L : {2, 3, 9, 24}) {
    std::vector<double> s = random_scores(L, 5);
    for (size_t k = 0; k < s.size(); k += 3) s[k] = 1.5;  // ties
    std::vector<int64_t> numbers(static_cast<size_t>(L));
    for (int64_t i = 0; i < L; ++i) numbers[static_cast<size_t>(i)] = 10 + i + (i > L / 2 ? 3 : 0);
    for (const bool own : {false, true})
      for (const int64_t separation : {0, 1, 4, 50})
        for (const int64_t capacity : {int64_t{1}, int64_t{5}, L * (L - 1) / 2, L * L}) {
          std::vector<std::array<int64_t, 2>> expected;
          for (int64_t i = 0; i < L; ++i)
            for (int64_t j = i + 1; j < L; ++j)
              if ((own ? numbers[static_cast<size_t>(j)] - numbers[static_cast<size_t>(i)] : j - i) >= separation)
                expected.push_back({i, j});
          std::stable_sort(expected.begin(), expected.end(), [&](const auto &x, const auto &y) {
            return s[static_cast<size_t>(x[0] * L + x[1])] > s[static_cast<size_t>(y[0] * L + y[1])];
          });
          if (static_cast<int64_t>(expected.size()) > capacity) expected.resize(static_cast<size_t>(capacity));
          std::vector<int64_t> pairs(static_cast<size_t>(2 * capacity), -9);
          const int64_t count = rank_pairs(s.data(), L, {own ? numbers.data() : nullptr, separation}, pairs.data(), capacity);
          assert_int_equal(count, expected.size());
          for (int64_t k = 0; k < count; ++k) {
            assert_int_equal(pairs[static_cast<size_t>(2 * k)], expected[static_cast<size_t>(k)][0]);
            assert_int_equal(pairs[static_cast<size_t>(2 * k + 1)], expected[static_cast<size_t>(k)][1]);
          }
        }
  }
}

// Of two proteins with a third of the scores missing, against all pairs.
void ranks_of_two_proteins(void **) {
  const int64_t L = 14;
  std::vector<double> s = random_scores(L, 6);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < i; ++j)
      if ((i + j) % 3 == 0) s[static_cast<size_t>(i * L + j)] = s[static_cast<size_t>(j * L + i)] = std::nan("");
  for (const int64_t border : {0, 1, 5, 13})
    for (const int64_t separation : {0, 3, 20}) {
      std::vector<std::array<int64_t, 2>> expected;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = i + 1; j < L; ++j) {
          const bool between = (i < border) != (j < border);
          if ((i + j) % 3 != 0 && (between || j - i >= separation)) expected.push_back({i, j});
        }
      std::stable_sort(expected.begin(), expected.end(), [&](const auto &x, const auto &y) {
        return s[static_cast<size_t>(x[0] * L + x[1])] > s[static_cast<size_t>(y[0] * L + y[1])];
      });
      std::vector<int64_t> pairs(static_cast<size_t>(L * L));
      const int64_t count = rank_pairs(s.data(), L, {nullptr, separation, border}, pairs.data(), L * (L - 1) / 2);
      assert_int_equal(count, expected.size());
      for (size_t k = 0; k < expected.size(); ++k) assert_true(pairs[2 * k] == expected[k][0] && pairs[2 * k + 1] == expected[k][1]);
    }
}

void overlap_as_of_sets(void **) {
  const RandomView random(8, Stream::start, 0, 0);
  for (uint64_t set = 0; set < 20; ++set) {
    std::array<std::vector<int64_t>, 2> lists;
    std::array<std::set<std::pair<int64_t, int64_t>>, 2> sets;
    for (uint64_t k = 0; k < 60; ++k) {
      const int64_t i = random.below(200 * set + 3 * k, 9), j = random.below(200 * set + 3 * k + 1, 9);
      const size_t to = random.below(200 * set + 3 * k + 2, 2);
      if (!sets[to].insert(std::minmax(i, j)).second) continue;
      lists[to].insert(lists[to].end(), {i, j});
    }
    double common = 0;
    for (const auto &pair : sets[0]) common += sets[1].count(pair) > 0 ? 1 : 0;
    std::vector<SitePair> work(lists[1].size() / 2);
    const double found =
        overlap_of_pairs({lists[0].data(), static_cast<int64_t>(lists[0].size())}, {lists[1].data(), static_cast<int64_t>(lists[1].size())},
                         {work.data(), static_cast<int64_t>(work.size())});
    assert_close(found, common / static_cast<double>(sets[0].size()), 1e-15, 0);
  }
}

void precision_by_hand(void **) {
  const double unknown = std::nan("");
  // Sites 0..3; pairs ranked 01, 02, 03, 12, 13.
  const double d[16] = {0, 3, unknown, 8, 3, 0, 7.9, 20, unknown, 7.9, 0, unknown, 8, 20, unknown, 0};
  const int64_t pairs[10] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3};
  double curve[5];
  assert_int_equal(precision_curve(pairs, 5, d, 4, 8, ATP_ABSENT_EXCLUDED, curve), 4);
  const double excluded[4] = {1, 1. / 2, 2. / 3, 2. / 4}, counted[5] = {1, 1. / 2, 1. / 3, 2. / 4, 2. / 5};
  for (int k = 0; k < 4; ++k) assert_true(curve[k] == excluded[k]);
  assert_true(std::isnan(curve[4]));
  assert_int_equal(precision_curve(pairs, 5, d, 4, 8, ATP_ABSENT_COUNTED, curve), 5);
  for (int k = 0; k < 5; ++k) assert_true(curve[k] == counted[k]);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(frobenius_norms_by_definition),
    cmocka_unit_test(zero_sum_norms_do_not_depend_on_the_gauge),
    cmocka_unit_test(apc_by_definition),
    cmocka_unit_test(ranks_as_a_full_sort),
    cmocka_unit_test(ranks_of_two_proteins),
    cmocka_unit_test(overlap_as_of_sets),
    cmocka_unit_test(precision_by_hand),
};

}  // namespace

ATP_TEST_MAIN(tests)
