// SPDX-License-Identifier: MIT
// How long chains remember their starts: the fit on curves that are known, the overlap from sweep to sweep against the matrix of a sweep,
// and replica exchange near a start against the sum over the states there.
//
// Fixed seeds. Each mean is compared at 5 standard errors (6e-7); 31 comparisons: a right program fails for one choice of seeds in 50 000.
#include "support.h"

#include "exact_model.hpp"

#include "sample/forgetting.hpp"

#include <cmath>

using namespace atp;

namespace {

// Overlaps of chains that scatter around a stretched exponential.
Forgetting fit(double time, double exponent, double plateau, double scatter, int64_t chains, int64_t times, double step) {
  std::vector<double> overlaps(index_of(chains * times)), sweeps(index_of(times)), means(sweeps), errors(sweeps), curve(sweeps),
      left(sweeps);
  for (int64_t t = 0; t < times; ++t) {
    sweeps[index_of(t)] = step * static_cast<double>(t + 1);
    const double mean = plateau + (1 - plateau) * std::exp(-std::pow(sweeps[index_of(t)] / time, exponent));
    for (int64_t c = 0; c < chains; ++c) {
      const RandomView random(7, Stream::model, static_cast<uint64_t>(c), static_cast<uint64_t>(t));
      overlaps[index_of(c * times + t)] = mean + scatter * random.normal(0);
    }
  }
  ForgettingWork work;
  work.overlaps = {overlaps.data(), chains * times};
  work.means = {means.data(), times};
  work.errors = {errors.data(), times};
  work.fit = {curve.data(), times};
  work.left_out = {left.data(), times};
  const Forgetting found = fit_forgetting({sweeps.data(), times}, {plateau, 0}, work);
  if (std::isfinite(found.time.value) && scatter == 0)
    for (int64_t t = 0; t < times; ++t) assert_close(curve[index_of(t)], means[index_of(t)], 0, 1e-6);
  return found;
}

void known_curves(void **) {
  for (const double time : {3.0, 40.0})
    for (const double exponent : {0.5, 1.0, 1.7}) {
      const Forgetting exact = fit(time, exponent, 0.2, 0, 8, 60, time / 12);
      assert_close(exact.time.value, time, 1e-5, 0);
      assert_close(exact.exponent.value, exponent, 1e-5, 0);
      const Forgetting noisy = fit(time, exponent, 0.2, 0.05, 64, 60, time / 12);
      assert_true(std::fabs(noisy.time.value - time) < 5 * noisy.time.error && noisy.time.error < 0.05 * time);
      assert_true(std::fabs(noisy.exponent.value - exponent) < 5 * noisy.exponent.error && noisy.exponent.error < 0.1);
    }
  // Not forgotten at the last sweep: no time is claimed.
  assert_true(std::isinf(fit(40, 1, 0.2, 0, 8, 20, 1).time.value));
  assert_true(std::isinf(fit(40, 1, 1, 0, 8, 20, 1).time.value));
  // Forgotten before the first sweep that was read: an exponential, without an error of its exponent.
  const Forgetting fast = fit(2, 1, 0.2, 0, 8, 20, 3);
  assert_close(fast.time.value, 2, 1e-5, 0);
  assert_true(fast.exponent.value == 1 && std::isnan(fast.exponent.error));
}

// One sweep as a matrix [from][to] over all states: the product of the draws of the sites in their order.
std::vector<double> sweep_matrix(const ExactModel &m) {
  const int64_t n = m.states(), q = m.colors;
  std::vector<double> matrix(index_of(n * n));
  for (int64_t from = 0; from < n; ++from) {
    std::vector<double> p(index_of(n));
    p[index_of(from)] = 1;
    int64_t stride = n;
    for (int64_t i = 0; i < m.sites; ++i) {
      stride /= q;
      std::vector<double> next(index_of(n));
      for (int64_t s = 0; s < n; ++s) {
        if (p[index_of(s)] == 0) continue;
        std::vector<uint8_t> digits(index_of(m.sites));
        int64_t rest = s;
        for (int64_t j = m.sites - 1; j >= 0; --j, rest /= q) digits[index_of(j)] = static_cast<uint8_t>(rest % q);
        const int64_t base = s - digits[index_of(i)] * stride;
        std::vector<double> weight(index_of(q));
        double z = 0;
        for (int64_t a = 0; a < q; ++a) {
          digits[index_of(i)] = static_cast<uint8_t>(a);
          z += weight[index_of(a)] = std::exp(-m.beta * m.energy(digits.data()));
        }
        for (int64_t a = 0; a < q; ++a) next[index_of(base + a * stride)] += p[index_of(s)] * weight[index_of(a)] / z;
      }
      p.swap(next);
    }
    std::copy(p.begin(), p.end(), matrix.begin() + from * n);
  }
  return matrix;
}

double overlap(const ExactModel &m, int64_t s, int64_t t) {
  double equal = 0;
  for (int64_t i = 0; i < m.sites; ++i, s /= m.colors, t /= m.colors) equal += s % m.colors == t % m.colors;
  return equal / static_cast<double>(m.sites);
}

struct Run {
  Run(const ExactModel &m, int64_t n, std::initializer_list<std::pair<atp_option, int64_t>> values) {
    MUST(atp_context_create(nullptr, nullptr, nullptr, &context));
    atp_options *options = nullptr;
    MUST(atp_options_create(context, ATP_OWNER_SAMPLING, &options));
    for (const auto &[key, value] : values) MUST(atp_options_set_i64(options, key, value));
    atp_model *model = m.create(context);
    MUST(atp_sampling_create(context, model, options, n, &sampling));
    atp_model_destroy(model);
    atp_options_destroy(options);
  }
  ~Run() {
    atp_sampling_destroy(sampling);
    atp_context_destroy(context);
  }
  atp_context *context = nullptr;
  atp_sampling *sampling = nullptr;
};

void overlaps_against_the_matrix(void **) {
  ExactModel m = make_exact({4, 3, 0, true, 2.5, 3});
  constexpr int64_t kChains = 8192, kTimes = 12;
  const int64_t n = m.states(), start = 34;
  const std::vector<double> sweep = sweep_matrix(m), law = m.probabilities();
  uint8_t first[4];
  for (int64_t i = 3, rest = start; i >= 0; --i, rest /= 3) first[i] = static_cast<uint8_t>(rest % 3);
  Run run(m, kChains * kTimes,
          {{ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN}, {ATP_OPT_CHAINS, kChains}, {ATP_OPT_BURN_IN, 0}, {ATP_OPT_THIN, 1}});
  MUST(atp_sampling_start_from(run.sampling, first, 1, 4));
  MUST(atp_sampling_run(run.sampling, nullptr, nullptr, nullptr));
  // The independent sequences are the states as often as their probabilities say.
  std::vector<uint8_t> independent;
  for (int64_t s = 0; s < n; ++s)
    for (int64_t k = 0; k < std::llround(10000 * law[index_of(s)]); ++k)
      for (int64_t i = 3; i >= 0; --i) independent.push_back(static_cast<uint8_t>(s / static_cast<int64_t>(std::pow(3, i)) % 3));
  atp_table *table = nullptr;
  MUST(atp_table_create(run.context, ATP_TABLE_FORGETTING, kTimes, &table));
  MUST(atp_sampling_forgetting(run.sampling, independent.data(), static_cast<int64_t>(independent.size()) / 4, 4, table));
  std::vector<double> rows(index_of(kTimes * ATP_FORGETTING_COLUMNS)), p(index_of(n));
  MUST(atp_table_values(table, rows.data(), static_cast<int64_t>(rows.size())));
  double plateau = 0;
  for (int64_t s = 0; s < n; ++s) plateau += law[index_of(s)] * overlap(m, s, start);
  p[index_of(start)] = 1;
  for (int64_t t = 0; t < kTimes; ++t) {
    std::vector<double> next(index_of(n));
    for (int64_t s = 0; s < n; ++s)
      for (int64_t r = 0; r < n; ++r) next[index_of(r)] += p[index_of(s)] * sweep[index_of(s * n + r)];
    p.swap(next);
    double exact = 0;
    for (int64_t s = 0; s < n; ++s) exact += p[index_of(s)] * overlap(m, s, start);
    const double *row = rows.data() + t * ATP_FORGETTING_COLUMNS;
    assert_close(row[ATP_FORGETTING_SWEEP], static_cast<double>(t + 1), 0, 0);
    assert_close(row[ATP_FORGETTING_OVERLAP], exact, 0, 5 * row[ATP_FORGETTING_OVERLAP_ERROR]);
    assert_true(row[ATP_FORGETTING_OVERLAP_ERROR] < 0.005);
    assert_close(row[ATP_FORGETTING_PLATEAU], plateau, 0, 2e-3);
  }
  atp_table_destroy(table);
}

// The protocol with its ladder and tests, at most two mutations from a start that has the kept colour once.
void equilibrium_near_a_start(void **) {
  const ExactModel m = make_exact({5, 4, 0, true, 1.5, 4});
  const uint8_t start[5] = {1, 2, 3, 0, 1};
  std::vector<double> energies, law = m.probabilities(&energies);
  double z = 0, mean = 0, mutations = 0;
  for (int64_t s = 0; s < m.states(); ++s) {
    int64_t differ = 0, rest = s;
    bool inside = true;
    for (int64_t i = 4; i >= 0; --i, rest /= 4) {
      inside = inside && (rest % 4 == 0) == (start[i] == 0);
      differ += rest % 4 != start[i];
    }
    if (!inside || differ > 2) continue;
    z += law[index_of(s)];
    mean += law[index_of(s)] * energies[index_of(s)];
    mutations += law[index_of(s)] * static_cast<double>(differ);
  }
  constexpr int64_t kLadders = 64, kDrawn = 64 * 64;
  Run run(m, kDrawn, {{ATP_OPT_MAX_MUTATIONS, 2}, {ATP_OPT_KEPT_COLOR, 0}, {ATP_OPT_CHAINS, kLadders}});
  MUST(atp_sampling_start_from(run.sampling, start, 1, 5));
  atp_outcome outcome = ATP_OUTCOME_NONE;
  MUST(atp_sampling_run(run.sampling, nullptr, nullptr, &outcome));
  assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
  atp_table *table = nullptr;
  MUST(atp_table_create(run.context, ATP_TABLE_TRAJECTORY, kDrawn, &table));
  MUST(atp_sampling_trajectory(run.sampling, table));
  std::vector<double> rows(index_of(kDrawn * ATP_TRAJECTORY_COLUMNS));
  MUST(atp_table_values(table, rows.data(), static_cast<int64_t>(rows.size())));
  for (const auto &[column, exact] : {std::pair{ATP_TRAJECTORY_ENERGY, mean / z}, {ATP_TRAJECTORY_MUTATIONS, mutations / z}}) {
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < kLadders; ++c) {
      double own = 0;
      for (int64_t r = c; r < kDrawn; r += kLadders) own += rows[index_of(r * ATP_TRAJECTORY_COLUMNS + column)] * kLadders / kDrawn;
      sum += own, squares += own * own;
    }
    const double average = sum / kLadders, error = std::sqrt((squares / kLadders - average * average) / (kLadders - 1));
    assert_close(average, exact, 0, 5 * error);
    assert_true(error < 0.05);
  }
  atp_table_destroy(table);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(known_curves), cmocka_unit_test(overlaps_against_the_matrix),
                              cmocka_unit_test(equilibrium_near_a_start)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
