// SPDX-License-Identifier: MIT
// Mutants with several mutations and double mutants against energies and pseudo-likelihoods summed anew for the whole sequence; texts of
// mutations.
#include "support.h"

#include "known_sites.hpp"
#include "model_problem.hpp"

#include "potts/mutants.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

using namespace atp;

namespace {

const ModelRecipe kRecipes[] = {
    {2, 2, 0, true}, {5, 3, 2, true, false, 1.3}, {6, 4, 0, true, true, 2}, {7, 5, 0, false, false}, {9, 21, 3, true, false},
};

// Mutants of 0, 1, 2, ... random mutations; some of them change nothing.
std::vector<int64_t> random_changes(const ModelRecipe &recipe, int64_t mutants) {
  const RandomView random(7, Stream::start, 1, 0);
  std::vector<int64_t> changes;
  uint64_t drawn = 0;
  for (int64_t m = 1; m < mutants; ++m) {
    std::vector<int64_t> sites;
    for (int64_t k = 0; k < 1 + m % recipe.sites; ++k) {
      const auto site = static_cast<int64_t>(random.below(drawn++, static_cast<uint32_t>(recipe.sites)));
      if (std::find(sites.begin(), sites.end(), site) != sites.end()) continue;
      sites.push_back(site);
      changes.insert(changes.end(), {m, site, static_cast<int64_t>(random.below(drawn++, static_cast<uint32_t>(recipe.colors)))});
    }
  }
  return changes;
}

std::vector<uint8_t> mutated(const std::vector<uint8_t> &s, const std::vector<int64_t> &changes, int64_t mutant) {
  std::vector<uint8_t> made = s;
  for (size_t k = 0; k < changes.size(); k += 3)
    if (changes[k] == mutant) made[static_cast<size_t>(changes[k + 1])] = static_cast<uint8_t>(changes[k + 2]);
  return made;
}

void several_mutations(void **) {
  for (const ModelRecipe &recipe : kRecipes)
    for (const int64_t every : {1000, 3, 1}) {
      const ModelProblem problem(recipe);
      const int64_t mutants = 40;
      const std::vector<uint8_t> s = gapped(problem, 1, every);
      const std::vector<int64_t> changes = random_changes(recipe, mutants);
      std::vector<double> scratch(static_cast<size_t>(score_scratch(recipe.sites, recipe.colors, 3))), one(2 * mutants), three(one);
      const Span<const int64_t> rows(changes.data(), static_cast<int64_t>(changes.size()));
      const Span<double> work(scratch.data(), static_cast<int64_t>(scratch.size()));
      score_mutants(*problem.model, s.data(), rows, Team(1), work, {one.data(), 2 * mutants});
      score_mutants(*problem.model, s.data(), rows, Team(3), work, {three.data(), 2 * mutants});
      assert_true(one == three);
      assert_true(one[0] == 0 && one[1] == 0);
      const Known old{problem, s.data()};
      for (int64_t m = 0; m < mutants; ++m) {
        const std::vector<uint8_t> mutant = mutated(s, changes, m);
        const Known changed{problem, mutant.data()};
        assert_close(one[static_cast<size_t>(2 * m)], changed.energy() - old.energy(), 1e-11, 1e-11);
        assert_close(one[static_cast<size_t>(2 * m + 1)], changed.log_pl() - old.log_pl(), 1e-11, 1e-11);
      }
    }
}

// The energies of all double mutants of a pair, and those of the scan in ascending order.
void double_scans(void **) {
  for (const ModelRecipe &recipe : kRecipes)
    for (const int64_t every : {1000, 2}) {
      const ModelProblem problem(recipe);
      const int64_t L = recipe.sites, q = recipe.colors;
      const std::vector<uint8_t> s = gapped(problem, 1, every);
      std::vector<int64_t> pairs;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = i + 1; j < L; ++j) pairs.insert(pairs.end(), {i, j});
      const auto n = static_cast<int64_t>(pairs.size() / 2);
      std::vector<double> scratch(static_cast<size_t>(doubles_scratch(*problem.model, 3))), energies(static_cast<size_t>(n * q * q));
      const Span<double> work(scratch.data(), static_cast<int64_t>(scratch.size()));
      double_mutants(*problem.model, s.data(), {pairs.data(), 2 * n}, Team(2), work, energies.data());
      const double before = Known{problem, s.data()}.energy();
      std::vector<double> all;
      for (int64_t k = 0; k < n; ++k)
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            std::vector<uint8_t> mutant = s;
            const auto i = static_cast<size_t>(pairs[static_cast<size_t>(2 * k)]),
                       j = static_cast<size_t>(pairs[static_cast<size_t>(2 * k + 1)]);
            mutant[i] = static_cast<uint8_t>(a);
            mutant[j] = static_cast<uint8_t>(b);
            const double energy = Known{problem, mutant.data()}.energy() - before;
            assert_close(energies[static_cast<size_t>((k * q + a) * q + b)], energy, 1e-11, 1e-11);
            if (a != s[i] && b != s[j] && a != 0 && b != 0) all.push_back(energy);
          }
      assert_int_equal(count_doubles(*problem.model, s.data(), 0), static_cast<int64_t>(all.size()));
      if (all.empty()) continue;
      std::sort(all.begin(), all.end());
      const auto wanted = static_cast<int64_t>(std::min<size_t>(all.size(), 17));
      std::vector<int64_t> one(static_cast<size_t>(4 * wanted)), three(one);
      std::vector<double> lowest(static_cast<size_t>(wanted)), again(lowest);
      std::vector<DoubleMutant> heaps(static_cast<size_t>(3 * wanted));
      best_doubles(*problem.model, s.data(), 0, Team(1), work, {heaps.data(), wanted}, one.data(), {lowest.data(), wanted});
      best_doubles(*problem.model, s.data(), 0, Team(3), work, {heaps.data(), 3 * wanted}, three.data(), {again.data(), wanted});
      assert_true(one == three && lowest == again);
      for (size_t k = 0; k < lowest.size(); ++k) {
        assert_close(lowest[k], all[k], 1e-11, 1e-11);
        std::vector<uint8_t> mutant = s;
        mutant[static_cast<size_t>(one[4 * k])] = static_cast<uint8_t>(one[4 * k + 1]);
        mutant[static_cast<size_t>(one[4 * k + 2])] = static_cast<uint8_t>(one[4 * k + 3]);
        assert_true(one[4 * k] < one[4 * k + 2] && one[4 * k + 1] != 0 && one[4 * k + 3] != 0);
        const Known changed{problem, mutant.data()};
        assert_close(lowest[k], changed.energy() - before, 1e-11, 1e-11);
      }
    }
}

struct Parsed {
  atp_status status;
  std::string text;  // of the error, or the changes
};

Parsed parsed(const Model &model, const uint8_t *s, const char *text) {
  int64_t changes[30];
  try {
    const int64_t n = parse_mutations(model, s, text, changes, 10);
    std::string shown;
    for (int64_t k = 0; k < 3 * n; ++k) shown += std::to_string(changes[k]) + (k % 3 == 2 ? ";" : ",");
    return {ATP_OK, shown};
  } catch (const Error &e) {
    return {e.status(), e.what()};
  }
}

void texts(void **) {
  const ModelProblem problem({5, 4, 1, true});
  Model &model = *problem.model;
  const uint8_t s[] = {1, 2, 3, ATP_MISSING, 0};
  assert_int_equal(parsed(model, s, "A1C").status, ATP_E_CONFLICT);
  set_alphabet(model.alphabet, "-ACD", 4, "alphabet");
  const int64_t numbers[] = {-3, 10, 110, 111, 112};
  model.labels.set(numbers, nullptr);
  const struct {
    const char *text, *expected;
  } good[] = {
      {"", ""},
      {"A-3D", "0,0,3;"},
      {"A-3-\n", "0,0,0;"},
      {"A-3del", "0,0,0;"},
      {"A-3A", "0,0,1;"},
      {"-112A/A-3C", "0,4,1;0,0,2;"},
      {"A-3D/C10A:D110C", "0,0,3;0,1,1;0,2,2;"},
      {" C10A , D110- \r\nD110A\nA-3C", "0,1,1;0,2,0;1,2,1;2,0,2;"},
  };
  for (const auto &[text, expected] : good) {
    const Parsed found = parsed(model, s, text);
    assert_int_equal(found.status, ATP_OK);
    assert_string_equal(found.text.c_str(), expected);
  }
  const struct {
    atp_status status;
    const char *text, *expected;
  } bad[] = {
      {ATP_E_MISMATCH, "A-3D\nA10D", "line 2: \"A10D\": site 10 is C in the sequence, not A"},
      {ATP_E_MISMATCH, "A111D", "line 1: \"A111D\": site 111 is missing in the sequence, the mutation has A"},
      {ATP_E_FORMAT, "A11D", "line 1: \"A11D\": the model has no site 11, its sites are within -3..112"},
      {ATP_E_FORMAT, "B10D", "line 1: \"B10D\": B is not a symbol of the alphabet -ACD"},
      {ATP_E_FORMAT, "C10Z", "line 1: \"C10Z\": Z is not a symbol of the alphabet -ACD"},
      {ATP_E_FORMAT, "C10*", "line 1: \"C10*\": * is not a symbol of the alphabet -ACD"},
      {ATP_E_FORMAT, "C10D/D110A/C10A", "line 1: \"C10A\": the mutant changes site 10 twice, must change each site once"},
      {ATP_E_FORMAT, "\n", "line 1: \"\" is not a mutation like A110D, with / : or , between several"},
      {ATP_E_FORMAT, "C10D/", "line 1: \"\" is not a mutation like A110D, with / : or , between several"},
      {ATP_E_FORMAT, "C10\x01", "line 1: \"C10?\": ? is not a symbol of the alphabet -ACD"},
      {ATP_E_FORMAT, "10D", "line 1: \"10D\": 1 is not a symbol of the alphabet -ACD"},
      {ATP_E_FORMAT, "Cdel", "line 1: \"Cdel\" is not a mutation like A110D, with / : or , between several"},
      {ATP_E_FORMAT, "C1234567890123456789D",
       "line 1: \"C1234567890123456789D\" is not a mutation like A110D, with / : or , between several"},
      {ATP_E_BUFFER, "C10D\nC10D\nC10D\nC10D\nC10D\nC10D\nC10D\nC10D\nC10D\nC10D\nC10D", "capacity is 10, must be at least 11"},
  };
  for (const auto &[status, text, expected] : bad) {
    const Parsed found = parsed(model, s, text);
    assert_string_equal(found.text.c_str(), expected);
    assert_int_equal(found.status, status);
  }
  set_alphabet(model.alphabet, "ACDE", 4, "alphabet");
  for (const char *text : {"C-3-", "C-3del"}) assert_int_equal(parsed(model, s, text).status, ATP_E_FORMAT);
  assert_non_null(strstr(parsed(model, s, "C-3del").text.c_str(), "\"C-3del\" is a deletion, but the model has no gap"));
}

// Few sites and colours, so that most mutants are there several times, against a map of sets.
void repeated_measurements(void **) {
  const RandomView random(31, Stream::start, 0, 0);
  const int64_t mutants = 200;
  std::vector<int64_t> changes;
  std::vector<double> measured;
  std::vector<std::set<std::pair<int64_t, int64_t>>> sets;
  uint64_t drawn = 0;
  for (int64_t m = 0; m < mutants; ++m) {
    std::map<int64_t, int64_t> mutant;  // colour by site
    for (uint32_t n = random.below(drawn++, 4); n > 0; --n) {
      const int64_t site = random.below(drawn++, 3), color = random.below(drawn++, 2);
      if (mutant.emplace(site, color).second) changes.insert(changes.end(), {m, site, color});
    }
    sets.emplace_back(mutant.begin(), mutant.end());
    measured.push_back(random.below(drawn++, 5) == 0 ? std::nan("") : random.normal(drawn));
    ++drawn;
  }
  const int64_t m = static_cast<int64_t>(changes.size() / 3);
  std::vector<std::array<int64_t, 2>> sorted(static_cast<size_t>(m));
  std::vector<int64_t> ends(sets.size()), order(sets.size()), first(sets.size());
  std::vector<double> average(sets.size());
  average_repeated({changes.data(), 3 * m}, measured.data(), {{sorted.data(), m}, {ends.data(), mutants}, {order.data(), mutants}},
                   first.data(), average.data());
  for (size_t k = 0; k < sets.size(); ++k) {
    assert_int_equal(first[k], std::find(sets.begin(), sets.end(), sets[k]) - sets.begin());
    double sum = 0, known = 0;
    for (size_t other = 0; other < sets.size(); ++other)
      if (sets[other] == sets[k] && !std::isnan(measured[other])) {
        sum += measured[other];
        ++known;
      }
    if (known == 0)
      assert_true(std::isnan(average[k]));
    else
      assert_close(average[k], sum / known, 1e-13, 1e-15);
  }
}

const CMUnitTest tests[] = {
    cmocka_unit_test(several_mutations),
    cmocka_unit_test(double_scans),
    cmocka_unit_test(repeated_measurements),
    cmocka_unit_test(texts),
};

}  // namespace

ATP_TEST_MAIN(tests)
