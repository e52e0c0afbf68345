// SPDX-License-Identifier: MIT
// Replica exchange against the sum over all states, for small glassy systems: J ~ N(0, 1/L), U ~ N(0, 1), no fields, at a beta at which
// sweeps alone do not leave a valley.
//
// States at the coldest, a middle and the hottest rung are judged by chi-square (p above 1e-5), exchange rates by their exact expectation
// (within 5 standard errors over 16 independent samplers: Student's t with 15 degrees of freedom leaves 1.6e-4). 2 systems * 3 rungs at
// 1e-5 and 3 rates: a right sampler fails for one choice of seeds in 1900; the seeds are fixed.
// Planted faults: a replica exchange of a few lines, here in the test, passes the same chi-square with the right sign in the exponent and
// fails it with the wrong one; chains without exchange fail it at the coldest rung; rates expected for a ladder with its betas 5 per cent
// further apart fail.
#include "support.h"

#include "chi_square.hpp"
#include "exact_model.hpp"

#include "base/arena.hpp"

#include <algorithm>
#include <cmath>

using namespace atp;

namespace {

constexpr double kThreshold = 1e-5;
constexpr int64_t kLadders = 512, kReadOuts = 12, kThin = 30, kBurnIn = 150;

ExactModel glass(int64_t sites, int64_t colors, double beta, uint64_t seed) {
  ExactRecipe recipe{sites, colors, 1};
  recipe.fields = false;
  recipe.scale = 1;
  recipe.beta = beta;
  recipe.seed = seed;
  return make_exact(recipe);
}

class Ladder {
 public:
  Ladder(const ExactModel &m, const std::vector<double> &betas, int64_t ladders, int64_t seed) : sites_(m.sites), ladders_(ladders) {
    MUST(atp_context_create(nullptr, nullptr, nullptr, &context_));
    atp_options *options = nullptr;
    MUST(atp_options_create(context_, ATP_OWNER_SAMPLER, &options));
    MUST(atp_options_set_i64(options, ATP_OPT_SEED, seed));
    MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, ladders));
    MUST(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, static_cast<int64_t>(betas.size())));
    model_ = m.create(context_);
    MUST(atp_sampler_create(context_, model_, options, &sampler_));
    if (betas.size() > 1) MUST(atp_sampler_set_betas(sampler_, betas.data(), static_cast<int64_t>(betas.size())));
    atp_options_destroy(options);
  }
  ~Ladder() {
    atp_sampler_destroy(sampler_);
    atp_model_destroy(model_);
    atp_context_destroy(context_);
  }
  Ladder(const Ladder &) = delete;
  Ladder &operator=(const Ladder &) = delete;
  void sweep(int64_t n) { MUST(atp_sampler_sweep(sampler_, n, nullptr, nullptr, nullptr)); }
  std::vector<uint8_t> states(int64_t rung) const {
    std::vector<uint8_t> s(index_of(ladders_ * sites_));
    MUST(atp_sampler_states(sampler_, rung, s.data(), static_cast<int64_t>(s.size())));
    return s;
  }
  std::vector<double> energies(int64_t rung) const {
    std::vector<double> e(index_of(ladders_));
    MUST(atp_sampler_energies(sampler_, rung, e.data(), ladders_));
    return e;
  }
  std::vector<double> swap_rates() const {
    std::vector<double> rates(index_of(atp_sampler_temperatures(sampler_) - 1));
    MUST(atp_sampler_swap_rates(sampler_, rates.data(), static_cast<int64_t>(rates.size())));
    return rates;
  }

 private:
  int64_t sites_, ladders_;
  atp_context *context_ = nullptr;
  atp_model *model_ = nullptr;
  atp_sampler *sampler_ = nullptr;
};

class StateCounts {
 public:
  explicit StateCounts(const ExactModel &m) : model_(m), counts_(index_of(m.states())) {}
  void add(const std::vector<uint8_t> &states) {
    for (std::size_t k = 0; k < states.size(); k += index_of(model_.sites)) {
      int64_t state = 0;
      for (std::size_t i = 0; i < index_of(model_.sites); ++i) state = state * model_.colors + states[k + i];
      ++counts_[index_of(state)];
    }
  }
  double p(double beta) const {
    ExactModel m = model_;
    m.beta = beta;
    return chi_square(m.probabilities(), counts_).p();
  }

 private:
  const ExactModel &model_;
  std::vector<int64_t> counts_;
};

void check(const ExactModel &m, const std::vector<double> &betas, int64_t seed) {
  const std::size_t rungs[] = {0, betas.size() / 2, betas.size() - 1};
  std::vector<StateCounts> counts(3, StateCounts(m));
  StateCounts unmixed(m);
  Ladder ladder(m, betas, kLadders, seed), single(m, {betas.back()}, kLadders, seed);
  ladder.sweep(kBurnIn);
  single.sweep(kBurnIn);
  for (int64_t r = 0; r < kReadOuts; ++r) {
    ladder.sweep(kThin);
    single.sweep(kThin);
    for (int k = 0; k < 3; ++k) counts[index_of(k)].add(ladder.states(static_cast<int64_t>(rungs[k])));
    unmixed.add(single.states(0));
  }
  for (int k = 0; k < 3; ++k) {
    const double p = counts[index_of(k)].p(betas[rungs[k]]);
    if (!(p > kThreshold)) fail_msg("rung %d at beta %g: p = %g", static_cast<int>(rungs[k]), betas[rungs[k]], p);
  }
  // The energies that are read out are those of the states that are read out.
  const std::vector<uint8_t> states = ladder.states(static_cast<int64_t>(rungs[1]));
  const std::vector<double> energies = ladder.energies(static_cast<int64_t>(rungs[1]));
  for (int64_t c = 0; c < kLadders; ++c) assert_close(energies[index_of(c)], m.energy(states.data() + c * m.sites), 1e-12, 1e-12);
  // Otherwise there would be nothing to show.
  assert_true(unmixed.p(betas.back()) < kThreshold);
}

void five_sites_eight_colors(void **) { check(glass(5, 8, 5, 3), {0, 0.8, 1.6, 2.6, 3.7, 5}, 1); }
void four_sites_ten_colors(void **) { check(glass(4, 10, 6, 4), {0.2, 1, 2, 3, 4.4, 6}, 2); }

// Mean of min(1, exp((beta_1 - beta_0) (E_1 - E_0))) over independent states at both betas: states in the order of their energies, sums
// from both ends.
double exact_swap_rate(const ExactModel &m, double beta_0, double beta_1) {
  std::vector<double> energies;
  ExactModel at = m;
  at.beta = beta_0;
  const std::vector<double> p0 = at.probabilities(&energies);
  at.beta = beta_1;
  const std::vector<double> p1 = at.probabilities();
  std::vector<std::size_t> order(energies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return energies[a] < energies[b]; });
  const double d = beta_1 - beta_0, lowest = energies[order[0]];
  double rate = 0, below = 0, above = 0;
  // E_0 <= E_1: accepted.
  for (std::size_t k : order) {
    below += p0[k];
    rate += p1[k] * below;
  }
  // E_0 > E_1: exp(d (E_1 - E_0)).
  for (std::size_t k : order) {
    rate += p0[k] * std::exp(-d * (energies[k] - lowest)) * above;
    above += p1[k] * std::exp(d * (energies[k] - lowest));
  }
  return rate;
}

void exchange_rates(void **) {
  const ExactModel m = glass(4, 8, 3, 5);
  const std::vector<double> betas{0.5, 1.1, 1.9, 3.0};
  constexpr int kSamplers = 16;
  constexpr int64_t kFirst = 60, kAll = 660;
  std::vector<double> mean(3), square(3);
  for (int n = 0; n < kSamplers; ++n) {
    // Rates are counted from the start: those of the burn-in, times its share of the attempts, are taken out.
    Ladder ladder(m, betas, 64, 100 + n);
    ladder.sweep(kFirst);
    const std::vector<double> burn_in = ladder.swap_rates();
    ladder.sweep(kAll - kFirst);
    const std::vector<double> all = ladder.swap_rates();
    for (std::size_t k = 0; k < 3; ++k) {
      const double rate = (all[k] * kAll - burn_in[k] * kFirst) / (kAll - kFirst);
      mean[k] += rate / kSamplers;
      square[k] += rate * rate / kSamplers;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double error = std::sqrt((square[k] - mean[k] * mean[k]) / (kSamplers - 1));
    const double exact = exact_swap_rate(m, betas[k], betas[k + 1]),
                 wrong = exact_swap_rate(m, betas[k], betas[k + 1] + 0.05 * (betas[k + 1] - betas[k]));
    assert_true(error < 0.004);
    assert_close(mean[k], exact, 0, 5 * error);
    assert_true(std::fabs(mean[k] - wrong) > 5 * error);
  }
}

// Replica exchange in a few lines, in float64, with either sign.
double p_of_reference(double sign) {
  const ExactModel m = glass(4, 6, 4, 6);
  const std::vector<double> betas{0.3, 1.2, 2.4, 4};
  const RandomView random(9, Stream::model, 3, 0);
  uint64_t next = 0;
  const int64_t K = static_cast<int64_t>(betas.size()), ladders = 200;
  StateCounts counts(m);
  std::vector<uint8_t> s(index_of(m.sites));
  for (int64_t c = 0; c < ladders; ++c) {
    std::vector<std::vector<uint8_t>> replica(index_of(K), std::vector<uint8_t>(index_of(m.sites), 0));
    for (int sweep = 0; sweep < 300; ++sweep) {
      for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < m.sites; ++i) {
          std::vector<uint8_t> &r = replica[index_of(k)];
          double weight[16], sum = 0;
          for (int64_t a = 0; a < m.colors; ++a) {
            double field = 0;
            for (int64_t j = 0; j < m.sites; ++j)
              if (j != i) field += m.coupling(i, j, a, r[index_of(j)]);
            sum += weight[a] = std::exp(betas[index_of(k)] * field);
          }
          double u = random.uniform(next++) * sum;
          int64_t a = 0;
          while (a < m.colors - 1 && u >= weight[a]) u -= weight[a++];
          r[index_of(i)] = static_cast<uint8_t>(a);
        }
      for (std::size_t k = index_of(sweep % 2); k + 1 < index_of(K); k += 2) {
        const double gain = sign * (betas[k + 1] - betas[k]) * (m.energy(replica[k + 1].data()) - m.energy(replica[k].data()));
        if (random.uniform(next++) < std::exp(gain)) replica[k].swap(replica[k + 1]);
      }
      if (sweep >= 60 && sweep % 20 == 0) counts.add(replica.back());
    }
  }
  return counts.p(betas.back());
}

void wrong_sign_is_seen(void **) {
  assert_true(p_of_reference(1) > kThreshold);
  assert_true(p_of_reference(-1) < kThreshold);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(five_sites_eight_colors), cmocka_unit_test(four_sites_ten_colors),
                              cmocka_unit_test(exchange_rates), cmocka_unit_test(wrong_sign_is_seen)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
