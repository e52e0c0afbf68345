// SPDX-License-Identifier: MIT
// Models that store the couplings of a list of pairs: everything that a model is asked for, against the dense model with zeros for the
// other pairs; chains, ladders and annealed chains bit for bit; sizes that a dense model could not have.
#include "support.h"

#include "base/context.hpp"
#include "base/philox.hpp"
#include "potts/evaluate.hpp"
#include "potts/gauge.hpp"
#include "potts/listed.hpp"
#include "potts/model_state.hpp"
#include "sample/tables.hpp"

#include <attopotts.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

using namespace atp;

namespace {

constexpr int64_t kSites = 23;
using Numbers = std::vector<double>;

size_t at(int64_t k) { return static_cast<size_t>(k); }

struct World {
  World(int64_t q, bool scaled) : colors(q) {
    assert_int_equal(atp_context_create(nullptr, nullptr, nullptr, &context), ATP_OK);
    const RandomView random(q * 2 + (scaled ? 1 : 0), Stream::model, 0, 0);
    uint64_t next = 0;
    Numbers couplings, matrix, fields(at(kSites * q));
    for (int64_t i = 0; i < kSites; ++i)
      for (int64_t j = 0; j < i; ++j)
        if (i == j + 1 || (i * j) % 7 == 3) pairs.insert(pairs.end(), {i % 2 == 0 ? i : j, i % 2 == 0 ? j : i});
    count = static_cast<int64_t>(pairs.size()) / 2;
    for (int64_t k = 0; k < count * (scaled ? 1 : q * q); ++k) couplings.push_back(random.normal(next++));
    for (double &h : fields) h = 0.3 * random.normal(next++);
    for (int64_t x = 0; x < q * q; ++x) matrix.push_back(x / q == x % q ? 1 : x % 2 == 0 && (x / q + x % q) % 3 == 0 ? -1 : 0);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < a; ++b) matrix[at(a * q + b)] = matrix[at(b * q + a)];
    const int64_t shape[] = {kSites, q, count};
    assert_int_equal(
        atp_model_create_pairs(context, shape, pairs.data(), couplings.data(), scaled ? matrix.data() : nullptr, fields.data(), &listed),
        ATP_OK);
    // The dense model, from the definition.
    Numbers all(at(kSites * kSites * q * q));
    for (int64_t k = 0; k < count; ++k)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const int64_t i = pairs[at(2 * k)], j = pairs[at(2 * k + 1)];
          const double c = scaled ? couplings[at(k)] * matrix[at(a * q + b)] : couplings[at((k * q + a) * q + b)];
          all[at(((i * kSites + j) * q + a) * q + b)] = all[at(((j * kSites + i) * q + b) * q + a)] = c;
        }
    assert_int_equal(atp_model_create_dense_f64(context, kSites, q, all.data(), fields.data(), &dense), ATP_OK);
    for (int64_t k = 0; k < 40 * kSites; ++k) sequences.push_back(static_cast<uint8_t>((k * k + k / 5) % (q + 1)));
    for (uint8_t &s : sequences)
      if (s == q) s = ATP_MISSING;
  }
  ~World() {
    atp_model_destroy(listed);
    atp_model_destroy(dense);
    atp_context_destroy(context);
  }
  int64_t colors, count = 0;
  std::vector<int64_t> pairs;
  std::vector<uint8_t> sequences;
  atp_context *context = nullptr;
  atp_model *listed = nullptr, *dense = nullptr;
};

template <class Body>
void for_worlds(Body &&body) {
  for (const int64_t q : {2, 3, 5, 9})
    for (const bool scaled : {false, true}) {
      World w(q, scaled);
      body(w, scaled);
    }
}

// What a function of the C API writes for both models.
template <class Call>
void same_numbers(const World &w, int64_t n, Call &&call) {
  Numbers x(at(n), -1), y(at(n), -2);
  assert_int_equal(call(w.listed, x.data(), n), ATP_OK);
  assert_int_equal(call(w.dense, y.data(), n), ATP_OK);
  assert_memory_equal(x.data(), y.data(), at(n) * sizeof(double));
}

void numbers_of_a_model(void **) {
  for_worlds([](World &w, bool) {
    const int64_t q = w.colors, L = kSites, n = 40;
    same_numbers(w, L * L * q * q, atp_model_couplings_f64);
    same_numbers(w, n, [&](const atp_model *m, double *x, int64_t size) { return atp_model_energies(m, w.sequences.data(), n, x, size); });
    same_numbers(w, n * L * q,
                 [&](const atp_model *m, double *x, int64_t size) { return atp_model_conditionals(m, w.sequences.data(), n, x, size); });
    same_numbers(w, n, [&](const atp_model *m, double *x, int64_t size) {
      return atp_model_log_pseudolikelihoods(m, w.sequences.data(), n, x, size);
    });
    assert_int_equal(atp_model_is_symmetric(w.listed), 1);
    assert_int_equal(atp_model_pair_count(w.listed), w.count);
    assert_int_equal(atp_model_pair_count(w.dense), 0);
    double error = -1;
    assert_int_equal(atp_model_coupling_error(w.context, w.listed, w.dense, &error), ATP_OK);
    assert_true(error == 0);
  });
}

// The k lowest double mutants, the distance of couplings from those of half of the list, and the ranking of the list's pairs.
void sums_over_pairs(void **) {
  for_worlds([](World &w, bool) {
    const int64_t q = w.colors, L = kSites;
    for (const uint8_t *sequence : {w.sequences.data(), w.sequences.data() + 3 * L}) {  // with and without missing sites
      int64_t all = 0;
      assert_int_equal(atp_model_count_doubles(w.dense, sequence, 1, &all), ATP_OK);
      for (const int64_t k : {int64_t{1}, int64_t{40}, all}) {
        std::vector<int64_t> of_list(at(4 * k)), of_dense(at(4 * k));
        Numbers x(at(k)), y(at(k));
        assert_int_equal(atp_model_best_doubles(w.context, w.listed, sequence, 1, of_list.data(), x.data(), k), ATP_OK);
        assert_int_equal(atp_model_best_doubles(w.context, w.dense, sequence, 1, of_dense.data(), y.data(), k), ATP_OK);
        assert_true(of_list == of_dense && x == y);
      }
    }
    atp_model *half = nullptr, *dense_half = nullptr;
    assert_int_equal(atp_model_keep_pairs(w.context, w.listed, w.pairs.data(), w.count / 2, &half), ATP_OK);
    Numbers couplings(at(L * L * q * q)), fields(at(L * q));
    assert_int_equal(atp_model_couplings_f64(half, couplings.data(), L * L * q * q), ATP_OK);
    assert_int_equal(atp_model_create_dense_f64(w.context, L, q, couplings.data(), nullptr, &dense_half), ATP_OK);
    const auto error = [&](const atp_model *one, const atp_model *other) {
      double found = 0;
      assert_int_equal(atp_model_coupling_error(w.context, one, other, &found), ATP_OK);
      return found;
    };
    assert_true(error(w.listed, half) == error(w.dense, dense_half) && error(half, w.listed) == error(dense_half, w.dense));
    assert_true(error(w.listed, half) == error(w.listed, dense_half) && error(w.listed, half) > 1e-3);
    atp_model_destroy(half);
    atp_model_destroy(dense_half);
    Numbers norms(at(L * L)), rows(at(w.count * ATP_CONTACTS_COLUMNS));
    assert_int_equal(atp_model_frobenius(w.context, w.dense, ATP_SCORE_ZERO_SUM, 0, norms.data(), L * L), ATP_OK);
    atp_table *table = nullptr;
    assert_int_equal(atp_table_create(w.context, ATP_TABLE_CONTACTS, w.count, &table), ATP_OK);
    assert_int_equal(atp_model_contacts(w.context, w.listed, ATP_SCORE_ZERO_SUM, 0, 2, table), ATP_OK);
    int64_t near = 0;
    for (int64_t k = 0; k < w.count; ++k) near += std::abs(w.pairs[at(2 * k)] - w.pairs[at(2 * k + 1)]) < 2 ? 1 : 0;
    assert_int_equal(atp_table_rows(table), w.count - near);
    assert_int_equal(atp_table_values(table, rows.data(), (w.count - near) * ATP_CONTACTS_COLUMNS), ATP_OK);
    for (int64_t k = 0; k < w.count - near; ++k) {
      const double *row = rows.data() + k * ATP_CONTACTS_COLUMNS;
      const auto i = static_cast<int64_t>(row[ATP_CONTACTS_SITE_I]), j = static_cast<int64_t>(row[ATP_CONTACTS_SITE_J]);
      assert_true(j >= i + 2 && row[ATP_CONTACTS_FN] == norms[at(i * L + j)] && row[ATP_CONTACTS_APC] == row[ATP_CONTACTS_FN]);
      if (k > 0) assert_true(row[ATP_CONTACTS_FN] <= row[ATP_CONTACTS_FN - ATP_CONTACTS_COLUMNS]);
    }
    atp_table_destroy(table);
  });
}

// Gauges, symmetric parts, saved states and copies of the list are those of the dense model.
void other_models(void **) {
  for_worlds([](World &w, bool scaled) {
    const int64_t size = kSites * kSites * w.colors * w.colors;
    const auto couplings = [&](atp_model *m) {
      Numbers c(at(size));
      assert_int_equal(atp_model_couplings_f64(m, c.data(), size), ATP_OK);
      atp_model_destroy(m);
      return c;
    };
    atp_model *x = nullptr, *y = nullptr;
    assert_int_equal(atp_model_gauge(w.context, w.listed, ATP_GAUGE_ZERO_SUM, &x), ATP_OK);
    assert_int_equal(atp_model_gauge(w.context, w.dense, ATP_GAUGE_ZERO_SUM, &y), ATP_OK);
    assert_true(couplings(x) == couplings(y));
    assert_int_equal(atp_model_keep_pairs(w.context, w.dense, w.pairs.data(), w.count, &x), ATP_OK);
    assert_int_equal(atp_model_copy(w.context, w.listed, &y), ATP_OK);
    assert_true(couplings(x) == couplings(y));
    std::vector<char> saved(at(atp_model_state_bytes(w.listed)));
    assert_int_equal(atp_model_save_state(w.listed, saved.data(), atp_model_state_bytes(w.listed)), ATP_OK);
    assert_int_equal(atp_model_from_state(w.context, saved.data(), atp_model_state_bytes(w.listed), &x), ATP_OK);
    assert_int_equal(atp_model_copy(w.context, w.dense, &y), ATP_OK);
    assert_int_equal(reinterpret_cast<Model *>(x)->shape.scaled, scaled);  // the kernel does not depend on how a model came here
    assert_true(couplings(x) == couplings(y));
  });
}

// The samples and energies of a run, with or without a ladder.
struct Run {
  std::vector<uint8_t> sequences;
  Numbers energies;
  bool operator==(const Run &o) const { return sequences == o.sequences && energies == o.energies; }
};

Run run_of(const World &w, const atp_model *model, int64_t rungs, int64_t sweeps) {
  atp_options *options = nullptr;
  atp_sampler *sampler = nullptr;
  assert_int_equal(atp_options_create(w.context, ATP_OWNER_SAMPLER, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_CHAINS, 19), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, rungs), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA, 0.7), ATP_OK);
  assert_int_equal(atp_sampler_create(w.context, model, options, &sampler), ATP_OK);
  assert_int_equal(atp_sampler_sweep(sampler, sweeps, nullptr, nullptr, nullptr), ATP_OK);
  Run run{std::vector<uint8_t>(at(19 * kSites)), Numbers(19)};
  assert_int_equal(atp_sampler_states(sampler, rungs - 1, run.sequences.data(), 19 * kSites), ATP_OK);
  assert_int_equal(atp_sampler_energies(sampler, rungs - 1, run.energies.data(), 19), ATP_OK);
  atp_sampler_destroy(sampler);
  atp_options_destroy(options);
  return run;
}

// The row of annealed importance sampling.
Numbers log_z_of(const World &w, const atp_model *model, int64_t seed) {
  atp_options *options = nullptr;
  atp_table *table = nullptr;
  assert_int_equal(atp_options_create(w.context, ATP_OWNER_PARTITION, &options), ATP_OK);
  for (const auto &[key, value] : {std::pair(ATP_OPT_METHOD, int64_t{ATP_METHOD_ANNEALING}), std::pair(ATP_OPT_CHAINS, int64_t{32}),
                                   std::pair(ATP_OPT_STEPS, int64_t{64}), std::pair(ATP_OPT_SEED, seed)})
    assert_int_equal(atp_options_set_i64(options, key, value), ATP_OK);
  assert_int_equal(atp_table_create(w.context, ATP_TABLE_PARTITION, 1, &table), ATP_OK);
  atp_estimate_log_z(w.context, model, options, table, nullptr, nullptr);
  const int64_t columns = atp_table_columns(table);
  assert_int_equal(atp_table_rows(table), 1);
  Numbers row(at(columns));
  assert_int_equal(atp_table_values(table, row.data(), columns), ATP_OK);
  atp_table_destroy(table);
  atp_options_destroy(options);
  return row;
}

void same_chains_as_dense(void **) {
  for_worlds([](World &w, bool scaled) {
    assert_int_equal(GibbsModel(reinterpret_cast<Model *>(w.listed)->shape, Target::scalar).shape.method,
                     scaled ? GibbsMethod::scaled : GibbsMethod::listed);
    for (const int64_t rungs : {1, 5}) {
      const Run run = run_of(w, w.listed, rungs, 20);
      assert_true(run == run_of(w, w.dense, rungs, 20));
      assert_false(run == run_of(w, w.dense, rungs, 21));
    }
    const Numbers annealed = log_z_of(w, w.listed, 1);
    assert_true(annealed == log_z_of(w, w.dense, 1));
    assert_false(annealed == log_z_of(w, w.dense, 2));
  });
}

// A ring of 2^18 sites: nothing has the size L^2, or even L q^2 for each neighbour of no use.
void many_sites(void **) {
  constexpr int64_t L = 1 << 18;
  atp_context *context = nullptr;
  assert_int_equal(atp_context_create(nullptr, nullptr, nullptr, &context), ATP_OK);
  std::vector<int64_t> ring;
  for (int64_t i = 0; i < L; ++i) ring.insert(ring.end(), {i, (i + 1) % L});
  const Numbers strengths(at(L), 1);
  const double ising[] = {1, -1, -1, 1};
  const int64_t shape[] = {L, 2, L};
  atp_model *model = nullptr;
  atp_sampler *sampler = nullptr;
  assert_int_equal(atp_model_create_pairs(context, shape, ring.data(), strengths.data(), ising, nullptr, &model), ATP_OK);
  assert_int_equal(atp_model_set_beta(model, 0.5), ATP_OK);
  assert_int_equal(atp_sampler_create(context, model, nullptr, &sampler), ATP_OK);
  assert_int_equal(atp_sampler_sweep(sampler, 30, nullptr, nullptr, nullptr), ATP_OK);
  Numbers energies(16);
  assert_int_equal(atp_sampler_energies(sampler, 0, energies.data(), 16), ATP_OK);
  // A ring forgets in 1 / (1 - tanh(2 beta)) = 4.2 sweeps: <E> / L = -tanh(beta) within 2e-3, five times the error of 16 chains (4e-4).
  double mean = 0;
  for (const double e : energies) mean += e / (16 * static_cast<double>(L));
  assert_true(std::fabs(mean + std::tanh(0.5)) < 2e-3);
  atp_sampler_destroy(sampler);
  // Calls that would take minutes, or 80 GB, if they went over all pairs of sites.
  double error = -1, delta[3];
  assert_int_equal(atp_model_coupling_error(context, model, model, &error), ATP_OK);
  assert_true(error == 0);
  const std::vector<uint8_t> up(at(2 * L));
  int64_t doubles[12];
  assert_int_equal(atp_model_best_doubles(context, model, up.data(), -1, doubles, delta, 3), ATP_OK);
  assert_true(delta[0] == 4 && doubles[0] == 0 && doubles[2] == 1);  // two neighbours turn: two bonds are broken, not four
  atp_table *table = nullptr;
  assert_int_equal(atp_table_create(context, ATP_TABLE_CONTACTS, 10, &table), ATP_OK);
  assert_int_equal(atp_model_contacts(context, model, ATP_SCORE_ZERO_SUM, -1, 0, table), ATP_OK);
  assert_int_equal(atp_table_rows(table), 10);
  atp_alignment *data = nullptr;
  atp_model *independent = nullptr;
  assert_int_equal(atp_alignment_create(context, up.data(), 2, L, 2, nullptr, &data), ATP_OK);
  assert_int_equal(atp_model_create_independent(context, data, ATP_GAPS_STATE, -1, &independent), ATP_OK);
  double energy = 0;  // log(3 / 4) at each site
  assert_int_equal(atp_model_energies(independent, up.data(), 1, &energy, 1), ATP_OK);
  assert_close(energy, -static_cast<double>(L) * std::log(0.75), 1e-10, 0);
  assert_int_equal(atp_model_pair_count(independent), 1);
  atp_model_destroy(independent);
  atp_alignment_destroy(data);
  atp_table_destroy(table);
  atp_model_destroy(model);
  atp_context_destroy(context);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(numbers_of_a_model), cmocka_unit_test(sums_over_pairs), cmocka_unit_test(other_models),
                              cmocka_unit_test(same_chains_as_dense), cmocka_unit_test(many_sites)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
