// SPDX-License-Identifier: MIT
// Samples of sparse models against laws that share no code with the library: the Ising model on 4 x 4 sites by the sum over its states, on
// 32 x 32 by Kaufman's partition function [B. Kaufman, Phys. Rev. 76, 1232 (1949)], and matrices between five colours by the sum over 5^7
// states.
//
// Energies are judged by their mean over chains, which must be within 5 standard errors of the scatter of the chains (128 and more): one
// choice of seeds in a million fails each of the six. The law of the pairs must have a chi-square with a p-value above 1e-5 divided by
// their number. Planted faults: couplings that are some per cent stronger fail each.
#include "support.h"

#include "chi_square.hpp"
#include "exact_model.hpp"

#include <cmath>
#include <vector>

namespace {

constexpr double kCritical = 0.44068679350977147;  // log(1 + sqrt 2) / 2
constexpr double kErrors = 5;

// log Z of the Ising model on a periodic lattice of m x n sites at K = beta J.
long double kaufman(int m, int n, long double K) {
  const auto gamma = [&](int l) {
    const long double x = std::cosh(2 * K) / std::tanh(2 * K) - std::cos(std::acos(-1.0L) * l / n);
    return l == 0 ? 2 * K + std::log(std::tanh(K)) : std::acosh(x);  // of l = 0 with its sign
  };
  // Logarithms of the four products, and the sign of each: cosh and sinh of m gamma / 2 over odd and even l.
  long double logs[4] = {}, signs[4] = {1, 1, 1, 1};
  for (int r = 0; r < n; ++r)
    for (int even : {0, 1}) {
      const long double x = m * gamma(2 * r + 1 - even) / 2, size = std::fabs(x);
      logs[2 * even] += size + std::log1p(std::exp(-2 * size));
      logs[2 * even + 1] += size + std::log1p(-std::exp(-2 * size));
      if (x < 0) signs[2 * even + 1] = -signs[2 * even + 1];
    }
  long double sum = 0;
  for (int k = 0; k < 4; ++k) sum += signs[k] * std::exp(logs[k] - logs[0]);
  return static_cast<long double>(m * n) / 2 * std::log(2 * std::sinh(2 * K)) - std::log(2.0L) + logs[0] + std::log(sum);
}

double exact_energy(int m, int n, double K) {  // in units of J
  const long double step = 1e-6L;
  return static_cast<double>(-(kaufman(m, n, K + step) - kaufman(m, n, K - step)) / (2 * step));
}

// The mean energy of the 2^16 states of 4 x 4 sites.
double summed_energy(double K) {
  double z = 0, sum = 0;
  for (unsigned state = 0; state < 1U << 16; ++state) {
    int bonds = 0;
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned right = i / 4 * 4 + (i + 1) % 4, below = (i + 4) % 16, own = state >> i & 1U;
      bonds += (own == (state >> right & 1U) ? 1 : -1) + (own == (state >> below & 1U) ? 1 : -1);
    }
    z += std::exp(K * bonds);
    sum -= bonds * std::exp(K * bonds);
  }
  return sum / z;
}

struct Library {
  Library() { MUST(atp_context_create(nullptr, nullptr, nullptr, &context)); }
  ~Library() {
    atp_sampler_destroy(sampler);
    atp_model_destroy(model);
    atp_context_destroy(context);
  }
  void ising(int64_t extent) {
    atp_options *options = nullptr;
    MUST(atp_options_create(context, ATP_OWNER_LATTICE, &options));
    MUST(atp_options_set_i64(options, ATP_OPT_SIZE_X, extent));
    MUST(atp_options_set_i64(options, ATP_OPT_COLOR_MATRIX, ATP_COLOR_MATRIX_ISING));
    MUST(atp_model_create_lattice(context, options, &model));
    atp_options_destroy(options);
  }
  void start(double beta, int64_t n) {
    atp_options *options = nullptr;
    chains = n;
    MUST(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
    MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, n));
    MUST(atp_options_set_f64(options, ATP_OPT_BETA, beta));
    MUST(atp_sampler_create(context, model, options, &sampler));
    atp_options_destroy(options);
  }
  void sweep(int64_t sweeps) const { MUST(atp_sampler_sweep(sampler, sweeps, nullptr, nullptr, nullptr)); }
  atp_context *context = nullptr;
  atp_model *model = nullptr;
  atp_sampler *sampler = nullptr;
  int64_t chains = 0;
};

struct Run {
  int64_t extent, chains, burn_in, thin, reads;
  double K;
  bool ordered;  // starts with all spins up
};

// Deviation of the mean energy of a run from an exact one, in standard errors.
class Measured {
 public:
  explicit Measured(const Run &run) {
    Library library;
    library.ising(run.extent);
    library.start(run.K, run.chains);
    if (run.ordered) {
      const std::vector<uint8_t> up(index_of(run.extent * run.extent));
      MUST(atp_sampler_start_from(library.sampler, up.data(), 1, run.extent * run.extent));
    }
    library.sweep(run.burn_in);
    std::vector<double> now(index_of(run.chains)), means(now);
    for (int64_t r = 0; r < run.reads; ++r) {
      library.sweep(run.thin);
      MUST(atp_sampler_energies(library.sampler, 0, now.data(), run.chains));
      for (std::size_t c = 0; c < now.size(); ++c) means[c] += now[c] / static_cast<double>(run.reads);
    }
    double square = 0;
    for (const double m : means) mean_ += m / static_cast<double>(run.chains);
    for (const double m : means) square += (m - mean_) * (m - mean_);
    error_ = std::sqrt(square / static_cast<double>(run.chains * (run.chains - 1)));
  }
  double errors_from(double exact) const { return std::fabs(mean_ - exact) / error_; }

 private:
  double mean_ = 0, error_ = 0;
};

void kaufman_is_the_sum(void **) {
  for (const double K : {0.1, 0.3, kCritical, 0.5, 0.8}) assert_close(exact_energy(4, 4, K), summed_energy(K), 1e-9, 0);
}

void ising_4_by_4(void **) {
  for (const double K : {0.2, 0.4}) {
    const Measured measured({4, 4096, 200, 20, 10, K, false});
    assert_true(measured.errors_from(summed_energy(K)) < kErrors);
    assert_true(measured.errors_from(summed_energy(1.03 * K)) > kErrors);
  }
}

// At the critical point a chain forgets in about 32^2.17 = 1800 sweeps.
void ising_32_by_32(void **) {
  const Run runs[] = {{32, 128, 300, 10, 30, 0.3, false},
                      {32, 128, 1000, 20, 30, 0.4, false},
                      {32, 128, 8000, 100, 40, kCritical, false},
                      {32, 128, 300, 10, 30, 0.6, true}};
  for (const Run &run : runs) {
    const Measured measured(run);
    const double off = measured.errors_from(exact_energy(32, 32, run.K));
    if (!(off < kErrors)) fail_msg("K = %g: the energy is off by %g errors", run.K, off);
    assert_true(measured.errors_from(exact_energy(32, 32, 1.02 * run.K)) > kErrors);
  }
}

// A ring of seven sites with three chords.
void five_colors(void **) {
  constexpr int64_t kSites = 7, kColors = 5, kPairs = 10, kChains = 4096, kBlock = kColors * kColors;
  const int64_t shape[] = {kSites, kColors, kPairs},
                pairs[kPairs][2] = {{0, 1}, {2, 1}, {2, 3}, {3, 4}, {5, 4}, {5, 6}, {6, 0}, {0, 3}, {4, 1}, {2, 6}};
  const atp::RandomView random(7, atp::Stream::model, 0, 0);
  std::vector<double> couplings(index_of(kPairs * kBlock)), fields(index_of(kSites * kColors));
  for (std::size_t k = 0; k < couplings.size(); ++k) couplings[k] = 0.6 * random.normal(k);
  for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = 0.3 * random.normal(1000 + k);
  Library library;
  MUST(atp_model_create_pairs(library.context, shape, &pairs[0][0], couplings.data(), nullptr, fields.data(), &library.model));
  library.start(1, kChains);
  library.sweep(60);
  std::vector<uint8_t> states(index_of(kChains * kSites));
  std::vector<std::vector<int64_t>> counts(index_of(kPairs), std::vector<int64_t>(index_of(kBlock)));
  for (int read = 0; read < 8; ++read) {
    library.sweep(20);
    MUST(atp_sampler_states(library.sampler, 0, states.data(), kChains * kSites));
    for (int64_t c = 0; c < kChains; ++c)
      for (int64_t k = 0; k < kPairs; ++k)
        ++counts[index_of(k)][index_of(states[index_of(c * kSites + pairs[k][0])] * kColors + states[index_of(c * kSites + pairs[k][1])])];
  }
  const auto worst = [&](double strength) {
    std::vector<std::vector<double>> law(index_of(kPairs), std::vector<double>(index_of(kBlock)));
    double z = 0;
    for (int64_t state = 0; state < 78125; ++state) {
      int64_t s[kSites], rest = state;
      double log_weight = 0;
      for (int64_t i = 0; i < kSites; ++i, rest /= kColors) log_weight += fields[index_of(i * kColors + (s[i] = rest % kColors))];
      for (int64_t k = 0; k < kPairs; ++k)
        log_weight += strength * couplings[index_of(k * kBlock + s[pairs[k][0]] * kColors + s[pairs[k][1]])];
      const double weight = std::exp(log_weight);
      z += weight;
      for (int64_t k = 0; k < kPairs; ++k) law[index_of(k)][index_of(s[pairs[k][0]] * kColors + s[pairs[k][1]])] += weight;
    }
    double p = 1;
    for (int64_t k = 0; k < kPairs; ++k) {
      for (double &x : law[index_of(k)]) x /= z;
      p = std::min(p, chi_square(law[index_of(k)], counts[index_of(k)]).p());
    }
    return p * kPairs;
  };
  assert_true(worst(1) > 1e-5);
  assert_true(worst(1.1) < 1e-5);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(kaufman_is_the_sum), cmocka_unit_test(ising_4_by_4), cmocka_unit_test(ising_32_by_32),
                              cmocka_unit_test(five_colors)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
