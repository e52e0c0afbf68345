// SPDX-License-Identifier: MIT
// R-hat of overlaps where the energy's R-hat is blind: a ferromagnet with two basins of unequal weight.
//
// L sites with couplings 1/L between all pairs of equal colours, q = 2, and a small field h on colour 0. The energy depends only on the
// number n of sites with colour 0, so that P(n) = (L choose n) exp(-beta E(n)) / Z is a sum of L + 1 terms: it gives the weights of the
// basins n > L/2 and n < L/2 and their mean energies. Single chains stay in the basin in which they start; the mean energies of the basins
// differ by much less than the energy fluctuates.
//
// With fixed seeds. Right code fails by chance: the weight of a basin within 4 standard errors over 64 ladders (Student's t with 63 degrees
// of freedom) once in 6000 choices of seeds; R-hat of mixed chains is judged with a margin of about ten times its spread.
#include "support.h"

#include "exact_model.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr int64_t kSites = 64;
constexpr double kBeta = 4, kField = 0.003;

struct Basins {
  double weight;         // of n > L/2, in the sum of both
  double energy[2];      // means in n < L/2 and n > L/2
  double energy_spread;  // standard deviation in n > L/2
};

Basins exact() {
  double z[2] = {0, 0}, e[2] = {0, 0}, square = 0;
  const auto sites = static_cast<double>(kSites);
  for (int64_t n = 0; n <= kSites; ++n) {
    if (2 * n == kSites) continue;
    const auto k = static_cast<double>(n);
    const double energy = -(k * (k - 1) + (sites - k) * (sites - k - 1)) / (2 * sites) - kField * k;
    const double p = std::exp(std::lgamma(sites + 1) - std::lgamma(k + 1) - std::lgamma(sites - k + 1) - kBeta * energy - 140);
    const int side = 2 * n > kSites;
    z[side] += p;
    e[side] += p * energy;
    if (side == 1) square += p * energy * energy;
  }
  const double mean = e[1] / z[1];
  return {z[1] / (z[0] + z[1]), {e[0] / z[0], mean}, std::sqrt(square / z[1] - mean * mean)};
}

struct Drawn {
  double energy_rhat, overlap_rhat, weight, weight_error;
  int64_t chains_in_first;  // with more than half of their states in n > L/2
};

// 64 chains, or ladders with several temperatures.
Drawn draw(const ExactModel &m, int64_t temperatures, int64_t seed) {
  constexpr int64_t kChains = 64, kTimes = 200, kThin = 5, kBurnIn = 500;
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_sampler *sampler = nullptr;
  MUST(atp_context_create(nullptr, nullptr, nullptr, &context));
  MUST(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  MUST(atp_options_set_i64(options, ATP_OPT_SEED, seed));
  MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, kChains));
  MUST(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, temperatures));
  MUST(atp_options_set_f64(options, ATP_OPT_BETA_HOT, 1));
  atp_model *model = m.create(context);
  MUST(atp_sampler_create(context, model, options, &sampler));
  MUST(atp_sampler_sweep(sampler, kBurnIn, nullptr, nullptr, nullptr));
  std::vector<uint8_t> s(index_of(kChains * kTimes * m.sites));
  std::vector<double> energies(index_of(kChains * kTimes)), series(energies.size());
  MUST(atp_sampler_sample(sampler, kThin, s.data(), static_cast<int64_t>(s.size()), nullptr, nullptr, nullptr));
  MUST(atp_sampler_sequence_energies(sampler, s.data(), kChains * kTimes, energies.data(), kChains * kTimes));
  Drawn d{};
  double squares = 0;
  for (int64_t c = 0; c < kChains; ++c) {
    double first = 0;
    for (int64_t t = 0; t < kTimes; ++t) {
      const int64_t at = t * kChains + c;
      series[index_of(c * kTimes + t)] = energies[index_of(at)];
      const auto begin = s.begin() + static_cast<std::ptrdiff_t>(at * m.sites);
      first += 2 * std::count(begin, begin + static_cast<std::ptrdiff_t>(m.sites), 0) > m.sites ? 1.0 / kTimes : 0.0;
    }
    d.weight += first / kChains;
    squares += first * first / kChains;
    d.chains_in_first += first > 0.5;
  }
  d.weight_error = std::sqrt((squares - d.weight * d.weight) / (kChains - 1));
  MUST(atp_split_rhat(series.data(), kChains, kTimes, &d.energy_rhat));
  MUST(atp_overlap_rhat(context, s.data(), kChains * kTimes, m.sites, kChains, &d.overlap_rhat));
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
  atp_options_destroy(options);
  atp_context_destroy(context);
  return d;
}

ExactModel ferromagnet() {
  ExactModel m{};
  m.sites = kSites;
  m.colors = 2;
  m.heads = 1;
  m.beta = kBeta;
  m.maps.assign(index_of(kSites * kSites), 1.0 / static_cast<double>(kSites));
  for (int64_t i = 0; i < kSites; ++i) m.maps[index_of(i * kSites + i)] = 0;
  m.values = {1, 0, 0, 1};
  m.fields.assign(index_of(kSites * 2), 0);
  for (int64_t i = 0; i < kSites; ++i) m.fields[index_of(i * 2)] = kField;
  return m;
}

void two_basins(void **) {
  const Basins basins = exact();
  assert_true(basins.weight > 0.6 && basins.weight < 0.8);
  assert_true(std::fabs(basins.energy[0] - basins.energy[1]) < 0.3 * basins.energy_spread);
  const ExactModel m = ferromagnet();
  const Drawn stuck = draw(m, 1, 1);
  print_message("stuck: R-hat %.4f of the energy, %.3f of overlaps; weight %.3f, exactly %.3f\n", stuck.energy_rhat, stuck.overlap_rhat,
                stuck.weight, basins.weight);
  assert_in_range(stuck.chains_in_first, 16, 48);
  assert_true(stuck.energy_rhat < 1.02 && stuck.overlap_rhat > 1.5);
  const Drawn mixed = draw(m, 12, 2);
  print_message("mixed: R-hat %.4f of the energy, %.3f of overlaps; weight %.3f +- %.3f\n", mixed.energy_rhat, mixed.overlap_rhat,
                mixed.weight, mixed.weight_error);
  assert_true(mixed.energy_rhat < 1.02 && mixed.overlap_rhat < 1.05);
  assert_close(mixed.weight, basins.weight, 0, 4 * mixed.weight_error);
}

// A small system at a beta at which sweeps mix: both are near 1, and the marginal of a site is the exact one.
void a_small_system(void **) {
  ExactRecipe recipe{4, 4, 1};
  recipe.fields = true;
  recipe.seed = 3;
  ExactModel m = make_exact(recipe);
  m.beta = 0.5;
  const std::vector<double> p = m.probabilities();
  double exact = 0;  // P(more than half of the sites have colour 0)
  for (std::size_t k = 0; k < p.size(); ++k) {
    int64_t zeros = 0;
    for (std::size_t rest = k, i = 0; i < 4; ++i, rest /= 4) zeros += rest % 4 == 0;
    exact += zeros > 2 ? p[k] : 0;
  }
  const Drawn d = draw(m, 1, 3);
  assert_true(d.energy_rhat < 1.02 && d.overlap_rhat < 1.03);
  assert_close(d.weight, exact, 0, 4 * d.weight_error);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(two_basins),
      cmocka_unit_test(a_small_system),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
