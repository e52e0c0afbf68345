// SPDX-License-Identifier: MIT
// Rungs of replica exchange against numbers that share no code with them: Kaufman's partition function of the Ising model on a torus, a
// transfer matrix and the self-dual point of the three-state Potts model, sums over all states of small spin glasses, and the
// Sherrington-Kirkpatrick model at high temperature.
//
// False alarms: distances in units of the stated errors are compared with kMost = 4.5, 7e-6 for a normal number; about 170 numbers that
// come with errors are compared so: a right library fails for one choice of seeds in 1000. Coverage over 40 seeds as in test_partition.cpp:
// rms in 0.6..1.5 but for 1e-4, mean in -0.65..0.65 but for 4e-5; 9 numbers. The seeds are fixed.
#include "support.h"

#include "exact_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace {

constexpr double kMost = 4.5;

using Rows = std::vector<std::array<double, ATP_RUNGS_COLUMNS>>;

struct Plan {
  std::vector<double> betas;
  int64_t chains, burn_in, reads, thin;
  int64_t seed = 1, swap_interval = 1;
  std::vector<uint8_t> reference = {};
};

class Bench {
 public:
  Bench() { MUST(atp_context_create(nullptr, nullptr, nullptr, &context)); }
  ~Bench() { atp_context_destroy(context); }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  static Rows rows_of(const atp_table *table) {
    Rows rows(index_of(atp_table_rows(table)));
    MUST(atp_table_values(table, rows[0].data(), static_cast<int64_t>(rows.size()) * ATP_RUNGS_COLUMNS));
    return rows;
  }

  Rows measure(const atp_model *model, const Plan &plan) const {
    atp_options *options = nullptr;
    atp_sampler *sampler = nullptr;
    atp_table *table = nullptr;
    const auto rungs = static_cast<int64_t>(plan.betas.size());
    MUST(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
    MUST(atp_options_set_i64(options, ATP_OPT_SEED, plan.seed));
    MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, plan.chains));
    MUST(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, rungs));
    MUST(atp_options_set_i64(options, ATP_OPT_SWAP_INTERVAL, plan.swap_interval));
    MUST(atp_sampler_create(context, model, options, &sampler));
    MUST(atp_sampler_set_betas(sampler, plan.betas.data(), rungs));
    if (!plan.reference.empty())
      MUST(atp_sampler_set_reference(sampler, plan.reference.data(), static_cast<int64_t>(plan.reference.size())));
    MUST(atp_sampler_sweep(sampler, plan.burn_in, nullptr, nullptr, nullptr));
    MUST(atp_table_create(context, ATP_TABLE_RUNGS, rungs, &table));
    MUST(atp_sampler_measure(sampler, plan.reads, plan.thin, table, nullptr, nullptr, nullptr));
    Rows rows = rows_of(table);
    atp_table_destroy(table);
    atp_sampler_destroy(sampler);
    atp_options_destroy(options);
    return rows;
  }

  Rows enumerate(const atp_model *model, const std::vector<double> &betas, const std::vector<uint8_t> &reference = {}) const {
    atp_table *table = nullptr;
    const auto n = static_cast<int64_t>(betas.size());
    MUST(atp_table_create(context, ATP_TABLE_RUNGS, n, &table));
    MUST(atp_model_enumerate_rungs(context, model, betas.data(), n, reference.empty() ? nullptr : reference.data(),
                                   static_cast<int64_t>(reference.size()), table));
    Rows rows = rows_of(table);
    atp_table_destroy(table);
    return rows;
  }

  atp_context *context = nullptr;
};

using Bonds = std::vector<double>;  // [L][L], symmetric

Bonds torus(int64_t width, int64_t height, const std::function<double()> &coupling) {
  const int64_t sites = width * height;
  Bonds bonds(index_of(sites * sites));
  const auto join = [&](int64_t i, int64_t j) {
    const double strength = coupling();
    bonds[index_of(i * sites + j)] += strength;
    bonds[index_of(j * sites + i)] += strength;
  };
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      join(y * width + x, y * width + (x + 1) % width);
      join(y * width + x, (y + 1) % height * width + x);
    }
  return bonds;
}

double one() { return 1; }

// H = -sum J_ij s_i s_j for Ising spins, or -sum J_ij [s_i = s_j] of q colours.
atp_model *model_of(const Bench &bench, const Bonds &bonds, int64_t colors, bool spins) {
  const auto sites = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(bonds.size()))));
  std::vector<double> values(index_of(colors * colors), spins ? -1 : 0);
  for (int64_t a = 0; a < colors; ++a) values[index_of(a * colors + a)] = 1;
  const int64_t shape[] = {sites, colors, 1};
  atp_model *model = nullptr;
  MUST(atp_model_create_heads(bench.context, shape, bonds.data(), values.data(), nullptr, &model));
  return model;
}

void compare(const Rows &rows, std::size_t rung, int column, double truth, const char *what) {
  const double value = rows[rung][index_of(column)], error = rows[rung][index_of(column + 1)];
  if (!(std::fabs(value - truth) <= kMost * error + 1e-9))
    fail_msg("%s at beta %g: %.8g +- %.3g, exact %.8g", what, rows[rung][ATP_RUNGS_BETA], value, error, truth);
}

// --- the Ising model on a torus ---

// Log Z of n columns and m rows. Source: B. Kaufman, Phys. Rev. 76, 1232 (1949), eq. 60.
long double kaufman(int n, int m, long double K) {
  const long double pi = std::acos(-1.0L);
  const auto gamma = [&](int r) {
    if (r == 0) return 2 * K + std::log(std::tanh(K));
    const long double c = std::cosh(2 * K) / std::tanh(2 * K) - std::cos(pi * r / n);
    return std::acosh(c);
  };
  long double sums[4] = {0, 0, 0, 0};  // logarithms of the products
  long double sign = 1;
  for (int r = 0; r < n; ++r) {
    const long double odd = m * gamma(2 * r + 1) / 2, even = m * gamma(2 * r) / 2;
    sums[0] += std::log(2 * std::cosh(odd));
    sums[1] += std::log(2 * std::sinh(odd));
    sums[2] += std::log(2 * std::cosh(even));
    sums[3] += std::log(2 * std::fabs(std::sinh(even)));
    if (even < 0) sign = -sign;
  }
  const long double most = *std::max_element(sums, sums + 4);
  const long double sum = std::exp(sums[0] - most) + std::exp(sums[1] - most) + std::exp(sums[2] - most) + sign * std::exp(sums[3] - most);
  return -std::log(2.0L) + m * n / 2.0L * std::log(2 * std::sinh(2 * K)) + most + std::log(sum);
}

struct Ising {
  double log_z, energy, specific_heat;
};

Ising ising(int size, double beta) {
  const long double h = 1e-4L, f = kaufman(size, size, beta), up = kaufman(size, size, beta + h), down = kaufman(size, size, beta - h);
  const long double second = (up - 2 * f + down) / (h * h);
  return {static_cast<double>(f), static_cast<double>(-(up - down) / (2 * h)), static_cast<double>(beta * beta * second / (size * size))};
}

void kaufman_is_right(void **) {
  const Bench bench;
  atp_model *model = model_of(bench, torus(4, 4, one), 2, true);
  const Rows rows = bench.enumerate(model, {0.2, 0.4406867935097715, 1});
  for (const auto &row : rows) {
    const Ising truth = ising(4, row[ATP_RUNGS_BETA]);
    assert_close(row[ATP_RUNGS_LOG_Z], truth.log_z, 1e-12, 0);
    assert_close(row[ATP_RUNGS_ENERGY], truth.energy, 1e-6, 0);
    assert_close(row[ATP_RUNGS_SPECIFIC_HEAT], truth.specific_heat, 1e-5, 0);
  }
  atp_model_destroy(model);
}

// Through the transition at beta = 0.4407.
void ising_on_a_torus(int size, const Plan &plan) {
  const Bench bench;
  atp_model *model = model_of(bench, torus(size, size, one), 2, true);
  const Rows rows = bench.measure(model, plan);
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const Ising truth = ising(size, plan.betas[k]);
    compare(rows, k, ATP_RUNGS_ENERGY, truth.energy, "energy");
    compare(rows, k, ATP_RUNGS_SPECIFIC_HEAT, truth.specific_heat, "specific heat");
    compare(rows, k, ATP_RUNGS_LOG_Z, truth.log_z, "log Z");
    compare(rows, k, ATP_RUNGS_LOG_Z_INTEGRAL, truth.log_z, "log Z by integration");
    compare(rows, k, ATP_RUNGS_ENTROPY, truth.log_z + plan.betas[k] * truth.energy, "entropy");
    assert_true(rows[k][ATP_RUNGS_LOG_Z_ERROR] < 0.5 && rows[k][ATP_RUNGS_ENERGY_ERROR] < 0.02 * size * size);
  }
  assert_true(rows[1][ATP_RUNGS_MAGNETISATION] < 0.3 && (plan.betas.back() < 0.45 || rows.back()[ATP_RUNGS_MAGNETISATION] > 0.8));
  atp_model_destroy(model);
}

void ising_16(void **) {
  ising_on_a_torus(16, {{0, 0.06, 0.12, 0.18, 0.235, 0.28, 0.32, 0.355, 0.38, 0.4, 0.42, 0.44, 0.46, 0.485}, 16, 300, 400, 2});
}

void ising_32(void **) {
  std::vector<double> betas = {0};
  for (const double beta : {0.035, 0.07, 0.105, 0.14, 0.17, 0.2, 0.225, 0.25, 0.275, 0.295, 0.315, 0.335, 0.35, 0.365})
    betas.push_back(beta);
  ising_on_a_torus(32, {betas, 8, 300, 100, 4});
}

// Below the transition and without exchanges chains stay in one of two phases. Their energies agree; overlaps tell.
void stuck_phases(void **) {
  const Bench bench;
  atp_model *model = model_of(bench, torus(6, 6, one), 2, true);
  Plan plan{{0.3, 1}, 16, 200, 200, 5};
  plan.swap_interval = 1000000000;
  Rows rows = bench.measure(model, plan);
  assert_true(rows[0][ATP_RUNGS_OUTCOME] == ATP_OUTCOME_CONVERGED && rows[1][ATP_RUNGS_OUTCOME] == ATP_OUTCOME_MAX_ITER);
  assert_true(rows[1][ATP_RUNGS_RHAT] > 2 && std::isnan(rows[1][ATP_RUNGS_LOG_Z]));
  plan.betas = {0.3, 0.4, 0.5, 0.7, 1};
  plan.swap_interval = 1;
  plan.reads = 1000;
  for (const auto &row : bench.measure(model, plan)) assert_true(row[ATP_RUNGS_OUTCOME] == ATP_OUTCOME_CONVERGED);
  atp_model_destroy(model);
}

// --- the three-state Potts model ---

// Log Z of a torus of `width` columns and `rows` rows by powers of the transfer matrix; trace by applying it to each state.
double potts_log_z(int width, int rows, double beta) {
  int states = 1;
  for (int i = 0; i < width; ++i) states *= 3;
  const auto color = [](int state, int site) {
    for (int i = 0; i < site; ++i) state /= 3;
    return state % 3;
  };
  std::vector<double> within(index_of(states));
  for (int s = 0; s < states; ++s) {
    int equal = 0;
    for (int i = 0; i < width; ++i) equal += color(s, i) == color(s, (i + 1) % width) ? 1 : 0;
    within[index_of(s)] = std::exp(beta * equal);
  }
  double trace = 0;
  std::vector<double> v(index_of(states)), next(v.size());
  for (int start = 0; start < states; ++start) {
    std::fill(v.begin(), v.end(), 0.0);
    v[index_of(start)] = 1;
    for (int row = 0; row < rows; ++row) {
      for (std::size_t s = 0; s < v.size(); ++s) v[s] *= within[s];
      for (int i = 0, stride = 1; i < width; ++i, stride *= 3) {  // the bonds between rows, site by site
        for (int s = 0; s < states; ++s) {
          const int base = s - s / stride % 3 * stride;
          double sum = 0;
          for (int a = 0; a < 3; ++a) sum += v[index_of(base + a * stride)] * (base + a * stride == s ? std::exp(beta) : 1);
          next[index_of(s)] = sum;
        }
        std::swap(v, next);
      }
    }
    trace += v[index_of(start)];
  }
  return std::log(trace);
}

const double kPottsTransition = std::log(1 + std::sqrt(3.0));

void potts_by_transfer_matrix(void **) {
  const Bench bench;
  atp_model *small = model_of(bench, torus(3, 3, one), 3, false), *model = model_of(bench, torus(5, 5, one), 3, false);
  assert_close(bench.enumerate(small, {kPottsTransition})[0][ATP_RUNGS_LOG_Z], potts_log_z(3, 3, kPottsTransition), 1e-12, 0);
  const Plan plan{{0, 0.3, 0.6, 0.8, 0.95, kPottsTransition, 1.1, 1.3}, 16, 200, 500, 3};
  const Rows rows = bench.measure(model, plan);
  const double h = 1e-4;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double beta = plan.betas[k], up = potts_log_z(5, 5, beta + h), down = potts_log_z(5, 5, beta - h);
    compare(rows, k, ATP_RUNGS_LOG_Z, potts_log_z(5, 5, beta), "log Z");
    compare(rows, k, ATP_RUNGS_ENERGY, (down - up) / (2 * h), "energy");
  }
  atp_model_destroy(small);
  atp_model_destroy(model);
}

// Binder cumulants of two sizes cross at beta_c = log(1 + sqrt 3): three per cent below and above their order is that of a disordered and
// of an ordered phase, by four standard errors, which is no false alarm but for 6e-5.
void potts_transition(void **) {
  const Bench bench;
  const Plan plan{{0.7, 0.85, 0.93, 0.97 * kPottsTransition, kPottsTransition, 1.03 * kPottsTransition, 1.1}, 16, 300, 500, 3};
  atp_model *small = model_of(bench, torus(6, 6, one), 3, false), *large = model_of(bench, torus(14, 14, one), 3, false);
  const Rows of_small = bench.measure(small, plan), of_large = bench.measure(large, plan);
  const auto difference = [&](std::size_t k) {
    const double a = of_small[k][ATP_RUNGS_MAGNETISATION_BINDER], b = of_large[k][ATP_RUNGS_MAGNETISATION_BINDER];
    return (b - a) / std::hypot(of_small[k][ATP_RUNGS_MAGNETISATION_BINDER_ERROR], of_large[k][ATP_RUNGS_MAGNETISATION_BINDER_ERROR]);
  };
  assert_true(difference(3) < -4);
  assert_true(difference(5) > 4);
  atp_model_destroy(small);
  atp_model_destroy(large);
}

// --- spin glasses ---

// Moments of a small model by loops over states, and over pairs of states.
struct Exact {
  double energy = 0, variance = 0, m[3] = {0, 0, 0}, o[3] = {0, 0, 0}, log_z = 0;
};

Exact exact_of(const ExactModel &model) {
  std::vector<double> energies;
  const std::vector<double> p = model.probabilities(&energies);
  const double q = static_cast<double>(model.colors), sites = static_cast<double>(model.sites);
  const auto digits = [&](std::size_t state) {
    std::vector<int> s(index_of(model.sites));
    for (int64_t i = model.sites - 1; i >= 0; --i, state /= index_of(model.colors))
      s[index_of(i)] = static_cast<int>(state % index_of(model.colors));
    return s;
  };
  const auto add = [](double(&sums)[3], double weight, double x) {
    sums[0] += weight * x;
    sums[1] += weight * x * x;
    sums[2] += weight * x * x * x * x;
  };
  Exact out;
  std::vector<std::vector<int>> states;
  for (std::size_t k = 0; k < p.size(); ++k) {
    states.push_back(digits(k));
    std::vector<int> counts(index_of(model.colors));
    for (const int a : states.back()) ++counts[index_of(a)];
    add(out.m, p[k], (q * *std::max_element(counts.begin(), counts.end()) / sites - 1) / (q - 1));
    out.energy += p[k] * energies[k];
  }
  for (std::size_t k = 0; k < p.size(); ++k) out.variance += p[k] * (energies[k] - out.energy) * (energies[k] - out.energy);
  out.log_z = -model.beta * energies[0] - std::log(p[0]);
  for (std::size_t k = 0; k < p.size(); ++k)
    for (std::size_t l = 0; l < p.size(); ++l) {
      double equal = 0;
      for (std::size_t i = 0; i < index_of(model.sites); ++i) equal += states[k][i] == states[l][i] ? 1 : 0;
      add(out.o, p[k] * p[l], (q * equal / sites - 1) / (q - 1));
    }
  return out;
}

double binder(const double (&moments)[3]) { return 1 - moments[2] / (3 * moments[1] * moments[1]); }

const ExactRecipe kSmall = {6, 3, 0, true, 0.5, 1, 0.7};

// Exact rows, and measured ones over seeds: numbers and errors.
void coverage(void **) {
  const Bench bench;
  const ExactModel m = make_exact(kSmall);
  const Exact truth = exact_of(m);
  atp_model *model = m.create(bench.context);
  const struct {
    int column;
    double value;
  } numbers[] = {{ATP_RUNGS_ENERGY, truth.energy},
                 {ATP_RUNGS_SPECIFIC_HEAT, m.beta * m.beta * truth.variance / static_cast<double>(m.sites)},
                 {ATP_RUNGS_MAGNETISATION, truth.m[0]},
                 {ATP_RUNGS_MAGNETISATION_BINDER, binder(truth.m)},
                 {ATP_RUNGS_OVERLAP, truth.o[0]},
                 {ATP_RUNGS_OVERLAP_SQUARE, truth.o[1]},
                 {ATP_RUNGS_OVERLAP_BINDER, binder(truth.o)},
                 {ATP_RUNGS_LOG_Z, truth.log_z},
                 {ATP_RUNGS_ENTROPY, truth.log_z + m.beta * truth.energy}};
  const Rows exact = bench.enumerate(model, {m.beta});
  std::vector<std::vector<double>> distances(std::size(numbers));
  for (int64_t seed = 1; seed <= 40; ++seed) {
    Plan plan{{0, 0.4 * m.beta, 0.8 * m.beta, m.beta}, 8, 50, 300, 1};
    plan.seed = seed;
    const auto row = bench.measure(model, plan).back();
    for (std::size_t k = 0; k < std::size(numbers); ++k)
      distances[k].push_back((row[index_of(numbers[k].column)] - numbers[k].value) / row[index_of(numbers[k].column + 1)]);
  }
  const auto covered = [](const std::vector<double> &x) {
    const auto n = static_cast<double>(x.size());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    const double rms = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / n);
    return std::fabs(mean) < 0.65 && rms > 0.6 && rms < 1.5;
  };
  for (std::size_t k = 0; k < std::size(numbers); ++k) {
    const int column = numbers[k].column;
    if (column != ATP_RUNGS_OVERLAP_BINDER) assert_close(exact[0][index_of(column)], numbers[k].value, 1e-10, 1e-12);
    std::vector<double> tripled = distances[k];
    for (double &d : tripled) d *= 3;
    if (!covered(distances[k]) || covered(tripled)) {
      for (const double d : distances[k]) std::fprintf(stderr, " %.2f", d);
      fail_msg("%s: errors do not cover the distances", atp_column_name(ATP_TABLE_RUNGS, column));
    }
  }
  atp_model_destroy(model);
}

// --- magnetisation by a reference ---

// A ferromagnet of three colours whose colour 0 has a field, and the Mattis model: the same with the colours of each site renamed, so that
// its pattern takes the place of colour 0. D. Mattis, Phys. Lett. A 56, 421 (1976), of two colours.
struct Patterned {
  static constexpr int64_t kSites = 9, kColors = 3;
  std::vector<uint8_t> pattern = std::vector<uint8_t>(kSites);
  std::vector<double> couplings = std::vector<double>(kSites * kSites * kColors * kColors), fields = std::vector<double>(kSites * kColors);

  explicit Patterned(bool renamed) {
    for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<uint8_t>(renamed ? (i * i + i / 3) % 3 : 0);
    const Bonds bonds = torus(3, 3, one);
    for (int64_t i = 0; i < kSites; ++i) {
      fields[index_of(i * kColors + name(i, 0))] = 0.3;
      for (int64_t j = 0; j < kSites; ++j)
        for (int64_t a = 0; a < kColors; ++a)
          couplings[index_of(((i * kSites + j) * kColors + name(i, a)) * kColors + name(j, a))] = bonds[index_of(i * kSites + j)];
    }
  }
  int64_t name(int64_t site, int64_t color) const { return (color + pattern[index_of(site)]) % kColors; }
  atp_model *create(const Bench &bench) const {
    atp_model *model = nullptr;
    MUST(atp_model_create_dense_f64(bench.context, kSites, kColors, couplings.data(), fields.data(), &model));
    return model;
  }
  // <r> at an inverse temperature, by a sum over all states.
  std::array<double, 3> moments(double beta) const {
    std::array<double, 3> sums = {0, 0, 0};
    double z = 0;
    std::array<int64_t, kSites> s = {};
    for (int64_t state = 0, states = 19683; state < states; ++state) {
      int64_t rest = state, agree = 0;
      double energy = 0;
      for (int64_t i = 0; i < kSites; ++i, rest /= kColors) {
        s[index_of(i)] = rest % kColors;
        agree += s[index_of(i)] == pattern[index_of(i)] ? 1 : 0;
        energy -= fields[index_of(i * kColors + s[index_of(i)])];
        for (int64_t j = 0; j < i; ++j)
          energy -= couplings[index_of(((i * kSites + j) * kColors + s[index_of(i)]) * kColors + s[index_of(j)])];
      }
      const double w = std::exp(-beta * energy), r = (3.0 * static_cast<double>(agree) / kSites - 1) / 2;
      z += w;
      for (std::size_t k = 0; k < 3; ++k) sums[k] += w * std::pow(r, k == 2 ? 4 : static_cast<double>(k + 1));
    }
    for (double &sum : sums) sum /= z;
    return sums;
  }
};

void reference_of_a_ferromagnet_and_its_renaming(void **) {
  const Bench bench;
  const Patterned plain(false), renamed(true);
  Plan plan{{0, 0.3, 0.6, 0.8, 1}, 16, 100, 500, 2};
  Rows exact[2];
  const Patterned *both[] = {&plain, &renamed};
  for (std::size_t which = 0; which < 2; ++which) {
    const Patterned &of = *both[which];
    atp_model *model = of.create(bench);
    plan.reference = of.pattern;
    const Rows rows = bench.measure(model, plan);
    exact[which] = bench.enumerate(model, plan.betas, of.pattern);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::array<double, 3> r = of.moments(plan.betas[k]);
      const double cumulant = 1 - r[2] / (3 * r[1] * r[1]);
      assert_close(exact[which][k][ATP_RUNGS_REFERENCE], r[0], 1e-11, 1e-12);
      assert_close(exact[which][k][ATP_RUNGS_REFERENCE_BINDER], cumulant, 1e-11, 1e-12);
      compare(rows, k, ATP_RUNGS_REFERENCE, r[0], "magnetisation by the reference");
      compare(rows, k, ATP_RUNGS_REFERENCE_BINDER, cumulant, "its Binder cumulant");
      assert_true(rows[k][ATP_RUNGS_OUTCOME] == ATP_OUTCOME_CONVERGED);
    }
    atp_model_destroy(model);
  }
  // The same by its pattern, and another thing by its most frequent colour.
  const auto &plain_last = exact[0].back(), &renamed_last = exact[1].back();
  assert_close(renamed_last[ATP_RUNGS_REFERENCE], plain_last[ATP_RUNGS_REFERENCE], 1e-11, 0);
  assert_true(plain_last[ATP_RUNGS_MAGNETISATION] > renamed_last[ATP_RUNGS_MAGNETISATION] + 0.3);
  assert_true(plain_last[ATP_RUNGS_REFERENCE] > 0.3);
}

// The +-J model of Edwards and Anderson.
void edwards_anderson(void **) {
  const Bench bench;
  std::mt19937 random(5);
  atp_model *model = model_of(bench, torus(4, 4, [&] { return random() % 2 == 0 ? 1.0 : -1.0; }), 2, true);
  const Plan plan{{0, 0.2, 0.4, 0.6, 0.8, 1, 1.3, 1.6}, 16, 200, 600, 2};
  const Rows rows = bench.measure(model, plan), exact = bench.enumerate(model, plan.betas);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const int column : {ATP_RUNGS_ENERGY, ATP_RUNGS_SPECIFIC_HEAT, ATP_RUNGS_MAGNETISATION, ATP_RUNGS_MAGNETISATION_BINDER,
                             ATP_RUNGS_OVERLAP, ATP_RUNGS_OVERLAP_SQUARE, ATP_RUNGS_LOG_Z, ATP_RUNGS_LOG_Z_INTEGRAL, ATP_RUNGS_ENTROPY})
      // The integral has an error of order h^4, here below 0.01.
      if (column != ATP_RUNGS_LOG_Z_INTEGRAL || std::fabs(rows[k][index_of(column)] - exact[k][index_of(column)]) > 0.01)
        compare(rows, k, column, exact[k][index_of(column)], atp_column_name(ATP_TABLE_RUNGS, column));
  for (const auto &row : rows) assert_true(row[ATP_RUNGS_OUTCOME] == ATP_OUTCOME_CONVERGED);
  atp_model_destroy(model);
}

// J_ij ~ N(0, 1 / N). Below beta = 1, log Z = N log 2 + (N - 1) beta^2 / 4 + X with X normal, variance s^2 = -(log(1 - beta^2) + beta^2) /
// 2 and mean -s^2 / 2, up to corrections of order 1 / N: M. Aizenman, J. Lebowitz, D. Ruelle, Commun. Math. Phys. 112, 3 (1987). Four
// instances within 4.5 s; with log 2 + beta^2 / 2 they are not.
void sherrington_kirkpatrick(void **) {
  const Bench bench;
  constexpr int64_t kSites = 96;
  const double beta = 0.6, s = std::sqrt(-(std::log(1 - beta * beta) + beta * beta) / 2);
  for (uint64_t instance = 1; instance <= 4; ++instance) {
    const atp::RandomView random(instance, atp::Stream::parameters, 0, 0);
    Bonds bonds(index_of(kSites * kSites));
    for (int64_t i = 0; i < kSites; ++i)
      for (int64_t j = 0; j < i; ++j)
        bonds[index_of(i * kSites + j)] = bonds[index_of(j * kSites + i)] =
            random.normal(static_cast<uint64_t>(i * kSites + j)) / std::sqrt(static_cast<double>(kSites));
    atp_model *model = model_of(bench, bonds, 2, true);
    const Rows rows = bench.measure(model, {{0, 0.15, 0.3, 0.45, beta}, 8, 100, 200, 2});
    const double found = rows.back()[ATP_RUNGS_LOG_Z] - static_cast<double>(kSites) * std::log(2.0);
    const double expected = static_cast<double>(kSites - 1) * beta * beta / 4 - s * s / 2;
    const double allowed = kMost * std::hypot(s, rows.back()[ATP_RUNGS_LOG_Z_ERROR]) + 0.05;
    if (!(std::fabs(found - expected) < allowed)) fail_msg("instance %d: %g, expected %g", static_cast<int>(instance), found, expected);
    assert_true(std::fabs(found - 2 * expected) > allowed);
    atp_model_destroy(model);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(kaufman_is_right),
      cmocka_unit_test(ising_16),
      cmocka_unit_test(ising_32),
      cmocka_unit_test(stuck_phases),
      cmocka_unit_test(potts_transition),
      cmocka_unit_test(potts_by_transfer_matrix),
      cmocka_unit_test(coverage),
      cmocka_unit_test(edwards_anderson),
      cmocka_unit_test(sherrington_kirkpatrick),
      cmocka_unit_test(reference_of_a_ferromagnet_and_its_renaming),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
