// SPDX-License-Identifier: MIT
// Exact enumeration against a plain loop over all states and against closed forms.
#include "support.h"

#include "model_problem.hpp"

#include "base/error.hpp"
#include "potts/enumerate.hpp"
#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>

using namespace atp;

namespace {

struct Result {
  double log_z = 0, energy = 0;
  std::vector<double> marginals, pairs, probabilities;
};

Result enumerate(const Model &model) {
  const size_t L = static_cast<size_t>(model.sites()), q = static_cast<size_t>(model.colors());
  Result r;
  r.marginals.assign(L * q, -1);
  r.pairs.assign(L * L * q * q, -1);
  r.probabilities.assign(static_cast<size_t>(count_states(model)), -1);
  enumerate_states(model, {&r.log_z, &r.energy, r.marginals.data(), r.pairs.data(), r.probabilities.data()});
  return r;
}

// The loop that anyone would write, in extended precision.
Result plain_loop(const ModelProblem &problem) {
  const size_t L = static_cast<size_t>(problem.recipe.sites), q = static_cast<size_t>(problem.recipe.colors);
  const size_t states = static_cast<size_t>(count_states(*problem.model));
  std::vector<long double> weight(states), marginals(L * q), pairs(L * L * q * q);
  std::vector<uint8_t> s(L);
  long double z = 0, energy = 0;
  for (size_t k = 0; k < states; ++k) {
    size_t rest = k;
    for (size_t i = L; i-- > 0; rest /= q) s[i] = static_cast<uint8_t>(rest % q);
    const long double e = problem.energy(s.data());
    weight[k] = std::exp(-problem.recipe.beta * e);
    z += weight[k];
    energy += weight[k] * e;
    for (size_t i = 0; i < L; ++i) {
      marginals[i * q + s[i]] += weight[k];
      for (size_t j = 0; j < L; ++j) pairs[((i * L + j) * q + s[i]) * q + s[j]] += weight[k];
    }
  }
  Result r;
  r.log_z = static_cast<double>(std::log(z));
  r.energy = static_cast<double>(energy / z);
  for (long double w : weight) r.probabilities.push_back(static_cast<double>(w / z));
  for (long double w : marginals) r.marginals.push_back(static_cast<double>(w / z));
  for (long double w : pairs) r.pairs.push_back(static_cast<double>(w / z));
  return r;
}

void assert_all_close(const std::vector<double> &a, const std::vector<double> &b, double tolerance) {
  assert_int_equal(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) assert_close(a[k], b[k], tolerance, 1e-300);
}

void against_a_plain_loop(void **) {
  const ModelRecipe recipes[] = {
      {2, 2, 1},
      {2, 255, 1, true, true, 0.5},
      {2, 255, 0, true, false, 0.5},
      {5, 3, 1, false, true, 0.7},
      {5, 3, 2, true, false, 1.3},
      {6, 4, 0, true},
      {4, 5, 0, false, false, 3},
      {12, 2, 1, true, true, 0.3},
      {3, 20, 1, false, true, 1},
      {3, 33, 0, true, true, 0},
  };
  for (const ModelRecipe &recipe : recipes) {
    const ModelProblem problem(recipe);
    const Result got = enumerate(*problem.model), expected = plain_loop(problem);
    assert_close(got.log_z, expected.log_z, 1e-12, 0);
    assert_close(got.energy, expected.energy, 1e-12, 1e-12);
    assert_all_close(got.probabilities, expected.probabilities, 1e-11);  // the loop's own energies carry that error at the tails
    assert_all_close(got.marginals, expected.marginals, 1e-12);
    assert_all_close(got.pairs, expected.pairs, 1e-12);
  }
}

// Each output alone has the same bits as all of them together.
void outputs_are_optional(void **) {
  const ModelProblem problem({4, 3, 2, true});
  const Result all = enumerate(*problem.model);
  double x = 0;
  enumerate_states(*problem.model, {});
  enumerate_states(*problem.model, {&x});
  assert_true(x == all.log_z);
  enumerate_states(*problem.model, {nullptr, &x});
  assert_true(x == all.energy);
  std::vector<double> some(all.pairs.size());
  enumerate_states(*problem.model, {nullptr, nullptr, nullptr, some.data()});
  assert_memory_equal(some.data(), all.pairs.data(), some.size() * sizeof(double));
  some.resize(all.marginals.size());
  enumerate_states(*problem.model, {nullptr, nullptr, some.data()});
  assert_memory_equal(some.data(), all.marginals.data(), some.size() * sizeof(double));
}

// A q-state Potts chain or ring with couplings J: the transfer matrix has the eigenvalues x + q - 1 (once) and x - 1 (q - 1 times),
// x = exp(beta J).
void potts_ring_and_chain(void **) {
  for (const auto &[L, q] : {std::pair<int64_t, int64_t>{3, 4}, {4, 20}, {9, 4}, {18, 2}})
    for (double j : {0.8, -0.6})
      for (bool ring : {false, true}) {
        ModelProblem problem({L, q, 1, false, true, 1.5});
        Model &m = *problem.model;
        std::fill(m.maps.begin(), m.maps.end(), 0.0);
        std::fill(m.values.begin(), m.values.end(), 0.0);
        for (int64_t a = 0; a < q; ++a) m.values[a * q + a] = 1;
        for (int64_t i = 0; i < (ring ? L : L - 1); ++i) m.maps[i * L + (i + 1) % L] = m.maps[(i + 1) % L * L + i] = j;
        const double x = std::exp(1.5 * j), big = x + static_cast<double>(q) - 1, small = x - 1, n = static_cast<double>(L),
                     c = static_cast<double>(q);
        double log_z = std::log(c) + (n - 1) * std::log(big), same = x / big;
        if (ring) {
          const double z = std::pow(big, n) + (c - 1) * std::pow(small, n);
          log_z = std::log(z);
          same = x * (std::pow(big, n - 1) + (c - 1) * std::pow(small, n - 1)) / z;  // (1/L) d log Z / d (beta J)
        }
        const Result r = enumerate(m);
        assert_close(r.log_z, log_z, 1e-13, 0);
        assert_close(r.energy, -j * same * (ring ? n : n - 1), 1e-12, 0);
        for (double p : r.marginals) assert_close(p, 1 / c, 1e-13, 0);
        double together = 0;
        for (int64_t a = 0; a < q; ++a) together += r.pairs[static_cast<size_t>(problem.place(1, 2, a, a))];
        assert_close(together, same, 1e-12, 0);
        // Correlations over two bonds of a chain: P(s_0 = s_2) = 1/q + (1 - 1/q) (small / big)^2.
        if (!ring) {
          double over_two = 0;
          for (int64_t a = 0; a < q; ++a) over_two += r.pairs[static_cast<size_t>(problem.place(0, 2, a, a))];
          assert_close(over_two, 1 / c + (1 - 1 / c) * std::pow(small / big, 2), 1e-12, 0);
        }
      }
}

void independent_sites(void **) {
  for (const auto &[L, q] : {std::pair<int64_t, int64_t>{2, 255}, {3, 90}, {18, 2}, {11, 3}}) {
    ModelProblem problem({L, q, 1, true, true, 0.9, 5});
    Model &m = *problem.model;
    std::fill(m.maps.begin(), m.maps.end(), 0.0);
    const Result r = enumerate(m);
    double log_z = 0;
    for (int64_t i = 0; i < L; ++i) {
      double z = 0;
      for (int64_t a = 0; a < q; ++a) z += std::exp(0.9 * m.fields[i * q + a]);
      for (int64_t a = 0; a < q; ++a)
        assert_close(r.marginals[static_cast<size_t>(i * q + a)], std::exp(0.9 * m.fields[i * q + a]) / z, 1e-12, 0);
      log_z += std::log(z);
    }
    assert_close(r.log_z, log_z, 1e-12, 0);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b)
        assert_close(r.pairs[static_cast<size_t>(problem.place(1, 0, a, b))],
                     r.marginals[static_cast<size_t>(q + a)] * r.marginals[static_cast<size_t>(b)], 1e-12, 0);
  }
}

// Energies of thousands: Z itself has no double.
void strong_couplings(void **) {
  ModelProblem problem({2, 3, 1, true, true, 1000});
  Model &m = *problem.model;
  std::fill(m.maps.begin(), m.maps.end(), 0.0);
  const double fields[] = {3, 1, 0, -5, -5, -6};
  std::copy_n(fields, 6, m.fields.data());
  const Result r = enumerate(m);
  assert_close(r.log_z, 3000 - 5000 + std::log(2.0), 1e-14, 0);
  assert_close(r.energy, 2, 1e-14, 0);
  assert_close(r.marginals[3], 0.5, 1e-14, 0);
}

// Sums over 2^20 states to the last digits: plain sums of that length are off by more than 1e-14.
void no_digits_lost(void **) {
  CompensatedSum tenths;
  for (int k = 0; k < 1000000; ++k) tenths.add(0.1);
  assert_close(tenths.value(), 0.1 * 1000000, 2e-16, 0);
  const ModelProblem problem({20, 2, 1, true, true, 0.2});
  const Result r = enumerate(*problem.model);
  double worst = 0;
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 20; ++j)
      for (int64_t a = 0; a < 2; ++a) {
        const double sum =
            r.pairs[static_cast<size_t>(problem.place(i, j, a, 0))] + r.pairs[static_cast<size_t>(problem.place(i, j, a, 1))];
        worst = std::fmax(worst, std::fabs(sum / r.marginals[static_cast<size_t>(i * 2 + a)] - 1));
      }
  assert_close(worst, 0, 0, 2e-15);
}

void too_many_states(void **) {
  const auto states = [](int64_t L, int64_t q) { return count_states(*ModelProblem({L, q, 1}).model); };
  assert_int_equal(states(26, 2), kMaxStates);
  assert_int_equal(states(3, 255), 255 * 255 * 255);
  for (const auto &[L, q] : {std::pair<int64_t, int64_t>{27, 2}, {4, 91}, {400, 4}}) {
    atp_status status = ATP_OK;
    try {
      states(L, q);
    } catch (const Error &e) {
      status = e.status();
    }
    assert_int_equal(status, ATP_E_TOO_LARGE);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(against_a_plain_loop), cmocka_unit_test(outputs_are_optional), cmocka_unit_test(potts_ring_and_chain),
      cmocka_unit_test(independent_sites),    cmocka_unit_test(strong_couplings),     cmocka_unit_test(too_many_states),
      cmocka_unit_test(no_digits_lost),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
