// SPDX-License-Identifier: MIT
// Samples of large systems against exact laws; once per SIMD target (ATP_SIMD). Couplings along a path that visits the sites in random
// order make every pair of neighbours on the path exactly known (transfer matrices), while for the kernels the couplings lie anywhere:
// within a block of 16 sites, between blocks, at the ends. Every method of the kernels must have its turn.
//
// Judged are the pairs of neighbours by chi-square, the smallest of the p-values times their number above 1e-5, and the mean energy over
// chains within 5 of its standard errors: with 8 sample sets (1e-5 and, for 128 chains or more, 1.3e-6 each), a right sampler fails for one
// choice of seeds in eleven thousand; targets with fused multiply-add give equal bits. Planted faults: one coupling left out of the law
// must fail the first test, couplings 10 per cent too large the second.
#include "support.h"
#include "simd_target.hpp"

#include "chi_square.hpp"
#include "exact_samples.hpp"

#include "base/arena.hpp"
#include "simd/gibbs.hpp"

#include <cmath>

using namespace atp;

namespace {

constexpr double kThreshold = 1e-5, kErrors = 5;
constexpr int64_t kBurnIn = 40, kReadOuts = 2, kThin = 20;

// The smallest p-value over pairs of neighbours, times their number.
double judge_pairs(const ExactModel &m, const std::vector<uint8_t> &s) {
  const std::vector<double> exact = m.path_pairs();
  const int64_t L = m.sites, q = m.colors, n = static_cast<int64_t>(s.size()) / L;
  double worst = 1;
  for (int64_t k = 0; k + 1 < L; ++k) {
    const std::vector<double> p(exact.begin() + k * q * q, exact.begin() + (k + 1) * q * q);
    std::vector<int64_t> counts(p.size());
    for (int64_t c = 0; c < n; ++c)
      ++counts[index_of(s[index_of(c * L + m.path[index_of(k)])] * q + s[index_of(c * L + m.path[index_of(k + 1)])])];
    worst = std::min(worst, chi_square(p, counts).p());
  }
  return worst * static_cast<double>(L - 1);
}

// Deviation of the mean energy from the exact one, in standard errors of the mean over chains.
double judge_energy(const ExactModel &m, const std::vector<uint8_t> &s) {
  const std::vector<double> exact = m.path_pairs();
  const int64_t L = m.sites, q = m.colors, n = static_cast<int64_t>(s.size()) / L, chains = n / kReadOuts;
  double expected = 0;
  for (int64_t k = 0; k + 1 < L; ++k)
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const double p = exact[index_of((k * q + a) * q + b)];
        const int64_t x = m.path[index_of(k)], y = m.path[index_of(k + 1)];
        expected -= p * (m.coupling(x, y, a, b) + m.field(x, a) + (k == L - 2 ? m.field(y, b) : 0));
      }
  double mean = 0, square = 0;
  for (int64_t c = 0; c < chains; ++c) {
    double e = 0;
    for (int64_t r = 0; r < kReadOuts; ++r) {
      const uint8_t *state = s.data() + (r * chains + c) * L;
      for (int64_t k = 0; k + 1 < L; ++k) {
        const int64_t x = m.path[index_of(k)], y = m.path[index_of(k + 1)];
        e -= (m.coupling(x, y, state[x], state[y]) + m.field(x, state[x]) + (k == L - 2 ? m.field(y, state[y]) : 0)) / kReadOuts;
      }
    }
    mean += e / static_cast<double>(chains);
    square += e * e / static_cast<double>(chains);
  }
  return (mean - expected) / std::sqrt((square - mean * mean) / static_cast<double>(chains - 1));
}

int method_used[3];

void check(int64_t sites, int64_t colors, int64_t heads, int64_t chains) {
  ++method_used[static_cast<int>(gibbs_method(sites, colors, heads))];
  ExactRecipe recipe{sites, colors, heads};
  recipe.path = true;
  recipe.scale = 1;
  recipe.seed = static_cast<uint64_t>(1000 * sites + 10 * colors + heads);
  const ExactModel m = make_exact(recipe);
  const std::vector<uint8_t> s = draw(m, {chains, kBurnIn, kThin, kReadOuts}, static_cast<int64_t>(recipe.seed)).sequences;
  const double p = judge_pairs(m, s), errors = judge_energy(m, s);
  if (!(p > kThreshold && std::fabs(errors) < kErrors))
    fail_msg("L = %d, q = %d, heads = %d: pairs p = %g, energy off by %g errors", static_cast<int>(sites), static_cast<int>(colors),
             static_cast<int>(heads), p, errors);

  // One coupling less: the strongest one.
  ExactModel wrong = m;
  const auto scale = [&](int64_t i, int64_t j, double factor) {
    for (int64_t h = 0; h < heads; ++h) wrong.maps[index_of((h * sites + i) * sites + j)] *= factor;
    for (int64_t x = 0; heads == 0 && x < colors * colors; ++x) wrong.dense[index_of((i * sites + j) * colors * colors + x)] *= factor;
  };
  int64_t strongest = 0;
  double largest = 0;
  for (int64_t k = 0; k + 1 < sites; ++k) {
    double sum = 0;
    for (int64_t a = 0; a < colors; ++a)
      for (int64_t b = 0; b < colors; ++b) sum += std::pow(m.coupling(m.path[index_of(k)], m.path[index_of(k + 1)], a, b), 2);
    if (sum > largest) {
      largest = sum;
      strongest = k;
    }
  }
  const int64_t x = m.path[index_of(strongest)], y = m.path[index_of(strongest + 1)];
  scale(x, y, 0);
  scale(y, x, 0);
  assert_true(judge_pairs(wrong, s) < kThreshold);
  wrong = m;
  for (double &v : heads == 0 ? wrong.dense : wrong.maps) v *= 1.1;
  assert_true(std::fabs(judge_energy(wrong, s)) > kErrors);
}

// Fewer chains under a sanitizer and for the scalar reference, which is not made to be fast.
int64_t chains(int64_t n) { return ATP_HAS_ASAN || tested_target() == Target::scalar ? n / 2 : n; }

void short_paths(void **) {
  check(20, 20, 1, chains(2048));
  check(9, 33, 2, chains(2048));
}

void long_paths(void **) {
  check(70, 21, 1, chains(512));
  check(64, 20, 2, chains(512));
  check(83, 5, 1, chains(512));
  if (!ATP_HAS_ASAN && tested_target() != Target::scalar) check(300, 21, 1, 256);
}

void dense_couplings(void **) {
  check(40, 21, 0, chains(512));
  check(61, 4, 0, chains(512));
}

void every_method_was_used(void **) {
  for (int used : method_used) assert_true(used >= 2);
}

}  // namespace

int main(void) {
  tested_target();
  const CMUnitTest tests[] = {cmocka_unit_test(short_paths), cmocka_unit_test(long_paths), cmocka_unit_test(dense_couplings),
                              cmocka_unit_test(every_method_was_used)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
