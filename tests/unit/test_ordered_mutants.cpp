// SPDX-License-Identifier: MIT
// Mutants, epistasis and scores of pairs of autoregressive models against differences of log P of whole sequences.
#include "support.h"

#include "ordered_problem.hpp"

#include "potts/epistasis.hpp"
#include "potts/mutants.hpp"
#include "potts/scores.hpp"

#include <algorithm>
#include <array>
#include <vector>

using namespace atp;

namespace {

struct Case {
  ModelRecipe recipe;
  SiteOrder order;
  bool missing;  // sites 1 and 3 of the sequence
};
const Case kCases[] = {
    {{5, 3, 0, true, false, 1, 1}, SiteOrder::natural, false},
    {{6, 4, 0, true, false, 0.7, 2}, SiteOrder::shuffled, false},
    {{6, 3, 0, true, false, 1.3, 3}, SiteOrder::shuffled, true},
    {{5, 4, 2, true, false, 1, 4}, SiteOrder::backward, false},
    {{6, 3, 1, false, false, 1, 5}, SiteOrder::shuffled, true},
    {{5, 3, 0, true, false, 1, 6, 400}, SiteOrder::shuffled, false},  // colours whose probabilities underflow
};

size_t at(int64_t k) { return static_cast<size_t>(k); }

std::vector<uint8_t> wild_type(const OrderedProblem &problem, bool missing) {
  std::vector<uint8_t> s = problem.sequences(1);
  if (missing) s[1] = s[3] = kMissing;
  return s;
}

// log P of the sites that are there, from the definition.
double log_p(const OrderedProblem &problem, std::vector<uint8_t> s, std::initializer_list<std::array<int64_t, 2>> changes = {}) {
  for (const auto &change : changes) s[at(change[0])] = static_cast<uint8_t>(change[1]);
  double sum = 0;
  for (int64_t i = 0; i < problem.recipe.sites; ++i) {
    if (s[at(i)] == kMissing) continue;
    std::vector<double> field;
    for (int64_t a = 0; a < problem.recipe.colors; ++a) {
      double f = problem.field(i, a);
      for (int64_t j = 0; j < problem.recipe.sites; ++j)
        if (problem.before(j, i) && s[at(j)] != kMissing) f += problem.coupling(i, j, a, s[at(j)]);
      field.push_back(problem.recipe.beta * f);
    }
    const double top = *std::max_element(field.begin(), field.end());
    double others = 0;
    for (const double f : field) others += std::exp(f - top);
    sum += field[s[at(i)]] - top - std::log(others);
  }
  return sum;
}

// Absolute tolerance: rounding of sums of numbers as large as the couplings.
double tolerance(const Case &c) { return 1e-11 * std::max(1.0, c.recipe.scale * c.recipe.scale); }

void single_and_multiple_mutants(void **) {
  for (const Case &c : kCases) {
    const OrderedProblem problem(c.recipe, c.order);
    const int64_t L = c.recipe.sites, q = c.recipe.colors;
    const std::vector<uint8_t> s = wild_type(problem, c.missing);
    const double before = log_p(problem, s);
    std::vector<double> scratch(at(mutants_scratch(L, q, 3))), energy(at(L * q)), logs(energy), alone(energy);
    const Span<double> work(scratch.data(), mutants_scratch(L, q, 3));
    single_mutants(*problem.model, s.data(), Team(3), work, energy.data(), logs.data());
    single_mutants(*problem.model, s.data(), Team(1), work, alone.data(), nullptr);
    assert_true(alone == energy);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t a = 0; a < q; ++a) {
        assert_close(logs[at(i * q + a)], log_p(problem, s, {{i, a}}) - before, 1e-11, tolerance(c));
        assert_true(energy[at(i * q + a)] == -logs[at(i * q + a)]);
      }
    const int64_t changes[] = {0, 0, 1, 1, 2, 0, 1, 4, 2, 2, 0, 2, 2, 1, 1, 2, 4, 0};
    std::vector<double> room(at(score_scratch(L, q, 2))), scores(2 * 3);
    score_mutants(*problem.model, s.data(), {changes, 18}, Team(2), {room.data(), score_scratch(L, q, 2)}, {scores.data(), 6});
    const double expected[] = {log_p(problem, s, {{0, 1}}) - before, log_p(problem, s, {{2, 0}, {4, 2}}) - before,
                               log_p(problem, s, {{0, 2}, {1, 1}, {4, 0}}) - before};
    for (size_t k = 0; k < 3; ++k) {
      assert_close(scores[2 * k + ATP_MUTANT_LOG_PSEUDOLIKELIHOOD], expected[k], 1e-11, tolerance(c));
      assert_close(scores[2 * k + ATP_MUTANT_ENERGY], -expected[k], 1e-11, tolerance(c));
    }
  }
}

void all_doubles(void **) {
  for (const Case &c : kCases) {
    const OrderedProblem problem(c.recipe, c.order);
    const int64_t L = c.recipe.sites, q = c.recipe.colors, size = doubles_scratch(*problem.model, 3);
    const std::vector<uint8_t> s = wild_type(problem, c.missing);
    const double before = log_p(problem, s);
    std::vector<double> scratch(at(size)), energies, lowest;
    std::vector<int64_t> pairs;
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j)
        if (i != j) pairs.insert(pairs.end(), {i, j});  // in both orders
    energies.resize(pairs.size() / 2 * at(q * q));
    double_mutants(*problem.model, s.data(), {pairs.data(), static_cast<int64_t>(pairs.size())}, Team(3), {scratch.data(), size},
                   energies.data());
    for (size_t k = 0; k < pairs.size() / 2; ++k)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const double expected = before - log_p(problem, s, {{pairs[2 * k], a}, {pairs[2 * k + 1], b}});
          assert_close(energies[(k * at(q) + at(a)) * at(q) + at(b)], expected, 1e-11, tolerance(c));
          if (pairs[2 * k] < pairs[2 * k + 1] && a != s[at(pairs[2 * k])] && b != s[at(pairs[2 * k + 1])]) lowest.push_back(expected);
        }
    const int64_t some[] = {0, 1, 3, 2, 0, 2, 3, 1, 3, 1, 0, 1};
    double listed[3], together[3];
    epistasis_of_doubles(*problem.model, s.data(), {some, 12}, Team(3), {scratch.data(), size}, listed, together);
    for (int64_t k = 0; k < 3; ++k) {
      const int64_t i = some[4 * k], a = some[4 * k + 1], j = some[4 * k + 2], b = some[4 * k + 3];
      const double both = before - log_p(problem, s, {{i, a}, {j, b}});
      assert_close(listed[k], both, 1e-11, tolerance(c));
      assert_close(together[k], both + log_p(problem, s, {{i, a}}) + log_p(problem, s, {{j, b}}) - 2 * before, 1e-11, 4 * tolerance(c));
    }
    std::sort(lowest.begin(), lowest.end());
    std::vector<int64_t> doubles(4 * 9);
    std::vector<double> found(9);
    std::vector<DoubleMutant> heaps(3 * 9);
    best_doubles(*problem.model, s.data(), -1, Team(3), {scratch.data(), size}, {heaps.data(), 27}, doubles.data(), {found.data(), 9});
    for (size_t k = 0; k < 9; ++k) assert_close(found[k], lowest[k], 1e-11, tolerance(c));
  }
}

// D of all colours from whole sequences, its mean over sequences, then the gauge and the norm by their definitions.
void scores_by_epistasis(void **) {
  for (const Case &c : kCases) {
    const OrderedProblem problem(c.recipe, c.order);
    const int64_t L = c.recipe.sites, q = c.recipe.colors, n = 3, size = epistatic_scratch(*problem.model, n, 3);
    std::vector<uint8_t> sequences = problem.sequences(n);
    if (c.missing) sequences[2] = sequences[at(L + 1)] = kMissing;
    std::vector<double> scratch(at(size)), scores(at(L * L)), again(scores);
    const Span<const uint8_t> all(sequences.data(), n * L);
    epistatic_scores(*problem.model, all, 0, Team(3), {scratch.data(), size}, scores.data());
    epistatic_scores(*problem.model, all, 0, Team(1), {scratch.data(), size}, again.data());
    assert_true(scores == again);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = i + 1; j < L; ++j) {
        std::vector<double> d(at(q * q)), rows(at(q)), columns(at(q));
        double whole = 0, sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          const std::vector<uint8_t> s(sequences.begin() + k * L, sequences.begin() + (k + 1) * L);
          for (int64_t a = 0; a < q; ++a)
            for (int64_t b = 0; b < q; ++b)
              d[at(a * q + b)] +=
                  (log_p(problem, s, {{i, a}, {j, b}}) - log_p(problem, s, {{i, a}}) - log_p(problem, s, {{j, b}}) + log_p(problem, s)) /
                  static_cast<double>(n);
        }
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            rows[at(a)] += d[at(a * q + b)] / static_cast<double>(q);
            columns[at(b)] += d[at(a * q + b)] / static_cast<double>(q);
            whole += d[at(a * q + b)] / static_cast<double>(q * q);
          }
        for (int64_t a = 1; a < q; ++a)
          for (int64_t b = 1; b < q; ++b) {
            const double x = d[at(a * q + b)] - rows[at(a)] - columns[at(b)] + whole;
            sum += x * x;
          }
        assert_close(scores[at(i * L + j)], std::sqrt(sum), 1e-10, 10 * tolerance(c));
        assert_true(scores[at(j * L + i)] == scores[at(i * L + j)]);
      }
  }
}

// Of a Potts model epistasis is the coupling, whatever the sequence. Norms of couplings of an autoregressive model are those of the one
// block of a pair.
void norms_of_couplings(void **) {
  for (const int64_t heads : {int64_t{0}, int64_t{2}}) {
    const ModelProblem potts({6, 4, heads, true, true, 1.4, 7});
    OrderedProblem ordered({6, 4, heads, true, false, 1.4, 7}, SiteOrder::shuffled);
    const int64_t L = 6, q = 4;
    std::vector<double> scratch(at(epistatic_scratch(*potts.model, 2, 2))), scores(36), norms(36);
    const std::vector<uint8_t> s = potts.sequences(2);
    epistatic_scores(*potts.model, {s.data(), 12}, -1, Team(2), {scratch.data(), static_cast<int64_t>(scratch.size())}, scores.data());
    const Span<double> work(scratch.data(), static_cast<int64_t>(scratch.size()));
    frobenius_norms(*potts.model, ATP_SCORE_ZERO_SUM, -1, Team(2), work, norms.data());
    for (size_t k = 0; k < 36; ++k) assert_close(scores[k], norms[k], 1e-12, 1e-13);
    frobenius_norms(*ordered.model, ATP_SCORE_RAW, -1, Team(1), work, norms.data());
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) {
        double sum = 0;
        for (int64_t a = 0; i != j && a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            const double x = ordered.before(j, i) ? ordered.coupling(i, j, a, b) : ordered.coupling(j, i, b, a);
            sum += x * x;
          }
        assert_close(norms[at(i * L + j)], 1.4 * std::sqrt(sum), 1e-12, 0);
      }
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(single_and_multiple_mutants),
      cmocka_unit_test(all_doubles),
      cmocka_unit_test(scores_by_epistasis),
      cmocka_unit_test(norms_of_couplings),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
