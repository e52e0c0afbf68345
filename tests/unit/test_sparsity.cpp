// SPDX-License-Identifier: MIT
// Activation and decimation of couplings: gain and loss of one coupling against sums over all states, which couplings are chosen, decimated
// models in equilibrium, the same numbers however a run is made, and what is refused.
#include "dense_problem.hpp"
#include "small_potts.hpp"

#include "alignment/frequencies.hpp"
#include "learn/likelihood/sparsity.hpp"
#include "potts/enumerate.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

Options sparse(int rule, std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options = dense_options(pairs);
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_LIKELIHOOD});
  options.set(ATP_OPT_SPARSIFY, int64_t{rule});
  return options;
}

// Sums over all states of the distribution P exp(d) / Z.
struct Tilted {
  double log_z = 0, divergence = 0;  // log of the normalisation; KL(P | tilted)
};

template <class Change>
Tilted tilt(const Alignment &states, Change &&d) {
  double z = 0, mean = 0;
  for (int64_t n = 0; n < states.count(); ++n) {
    z += states.weights[n] * std::exp(d(states.sequence(n)));
    mean += states.weights[n] * d(states.sequence(n));
  }
  return {std::log(z), std::log(z) - mean};
}

double probability(const Alignment &states, int64_t i, int a, int64_t j, int b) {
  double sum = 0;
  for (int64_t n = 0; n < states.count(); ++n)
    if (states.sequence(n)[i] == a && states.sequence(n)[j] == b) sum += states.weights[n];
  return sum;
}

// The family is another distribution: its log-likelihood changes by f d - log Z where the coupling changes by d, and is highest at
// d = log [f (1 - p) / (p (1 - f))].
void gain_is_that_of_the_best_coupling(void **) {
  SmallPotts model(5, 3, 0.7, 3), family(5, 3, 1.1, 8);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = i + 1; j < 5; ++j)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          const double p = probability(*model.states, i, a, j, b), f = probability(*family.states, i, a, j, b);
          const double best = std::log(f * (1 - p) / (p * (1 - f)));
          const auto gain = [&](double d) {
            return f * d - tilt(*model.states, [&](const uint8_t *s) { return s[i] == a && s[j] == b ? d : 0.0; }).log_z;
          };
          assert_close(activation_gain(f, p), gain(best), 1e-12, 1e-14);
          assert_true(gain(best) > gain(best + 0.01) && gain(best) > gain(best - 0.01));
        }
  assert_close(activation_gain(0, 0.25), -std::log(0.75), 1e-15, 0);
  assert_true(activation_gain(0.3, 0.3) == 0);
}

// P without a coupling, at the same centred fields.
void loss_is_that_of_the_removal(void **) {
  SmallPotts model(5, 3, 0.7, 3), family(5, 3, 1.1, 8);
  double largest = 0;
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = i + 1; j < 5; ++j)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (const double J : {-1.5, -0.1, 0.2, 2.5}) {
            const Alignment &states = *model.states;
            const double f = probability(*family.states, i, a, i, a), g = probability(*family.states, j, b, j, b);
            const PairOfColors p = {probability(states, i, a, i, a), probability(states, j, b, j, b), probability(states, i, a, j, b)};
            const double exact = tilt(states, [&](const uint8_t *s) {
                                   const double u = s[i] == a ? 1 : 0, v = s[j] == b ? 1 : 0;
                                   return -J * (u * v - u * g - v * f);
                                 }).divergence;
            assert_close(decimation_loss(J, p, f, g), exact, 1e-11, 1e-13);
            largest = std::fmax(largest, exact);
          }
  assert_true(largest > 0.1);
}

// Sequences of a Markov chain along the sites: only couplings (i, i + 1, a, a) have a gain, of 0.026; noise gives others 0.0005 and less.
// So these 28 of 448 are what becomes active, 10 at a time, and all others stay 0.
void couplings_of_a_chain_are_found(void **) {
  DenseProblem p(3000, 8, 4);
  Trainer &t = p.trainer(sparse(ATP_SPARSIFY_ACTIVATE, {{ATP_OPT_DENSITY, 28.5 / 448},
                                                        {ATP_OPT_SPARSIFY_FRACTION, 10.0 / 448},
                                                        {ATP_OPT_TARGET, 1},
                                                        {ATP_OPT_CHAINS, 4000},
                                                        {ATP_OPT_EPOCHS, 60}}));
  assert_int_equal(run_all(t, 60), ATP_OUTCOME_MAX_ITER);
  const Vector x = parameters_of(t);
  int64_t active = 0, at = 8 * 4;
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = i + 1; j < 8; ++j)
      for (int64_t n = 0; n < 16; ++n, ++at) {
        const double J = x[static_cast<size_t>(at)];
        active += J != 0 ? 1 : 0;
        assert_true((J != 0) == (j == i + 1 && n / 4 == n % 4));
        assert_true(J >= 0);
      }
  assert_int_equal(active, 28);
}

// A decimated model of the family agrees with it in equilibrium, by a sum over all states, and has no more couplings than asked for.
void decimation_keeps_the_statistics(void **) {
  SmallPotts potts(6, 3, 0.8, 3);
  const Alignment *data = potts.sample(3000, 7);
  Trainer &t = *potts.trainer(
      *data, sparse(ATP_SPARSIFY_DECIMATE,
                    {{ATP_OPT_DENSITY, 0.3}, {ATP_OPT_SPARSIFY_FRACTION, 0.1}, {ATP_OPT_PSEUDOCOUNT, 0.01}, {ATP_OPT_EPOCHS, 400}}));
  assert_int_equal(run(t, 400), ATP_OUTCOME_CONVERGED);
  const Span<const double> x = parameters_in(t);
  int64_t active = 0;
  for (int64_t k = 6 * 3; k < x.size(); ++k) active += x[k] != 0 ? 1 : 0;
  assert_int_equal(active, 40);  // of 135
  Model *model = t.make_model();
  Vector p(6 * 6 * 9), f(6 * 6 * 9);
  StateSums sums;
  sums.pairs = p.data();
  enumerate_states(*model, sums);
  destroy_block(potts.context.allocator, model);
  pair_frequencies(*data, 0.01, f.data());
  CovarianceMoments all;
  const auto covariance = [](const Vector &pairs, size_t i, size_t j, size_t a, size_t b) {
    const auto at = [&](size_t u, size_t v, size_t c, size_t d) { return pairs[((u * 6 + v) * 3 + c) * 3 + d]; };
    return at(i, j, a, b) - at(i, i, a, a) * at(j, j, b, b);
  };
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = i + 1; j < 6; ++j)
      for (size_t n = 0; n < 9; ++n, ++all.n) all.add(covariance(f, i, j, n / 3, n % 3), covariance(p, i, j, n / 3, n % 3));
  print_message("%lld epochs: %.4f, slope %.3f\n", static_cast<long long>(t.epochs()), all.pearson(), all.slope());
  assert_true(all.pearson() > 0.94);
  assert_close(all.slope(), 1, 0, 0.07);
}

std::vector<unsigned char> state_of(const Trainer &t) {
  std::vector<unsigned char> state(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(state.data(), static_cast<int64_t>(state.size()));
  return state;
}

// In one piece, interrupted and resumed by another trainer, with three threads, with the best SIMD target; with a list of pairs, too.
void same_numbers_however_it_is_run(void **) {
  for (const int rule : {ATP_SPARSIFY_ACTIVATE, ATP_SPARSIFY_DECIMATE})
    for (const int optimizer : {ATP_OPTIMIZER_SCALED, ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM}) {
      const double target = rule == ATP_SPARSIFY_ACTIVATE ? 0.99 : 1;
      const Options options = sparse(rule, {{ATP_OPT_CHAINS, 100},
                                            {ATP_OPT_OPTIMIZER, optimizer},
                                            {ATP_OPT_TARGET, target},
                                            {ATP_OPT_SPARSIFY_FRACTION, 0.1},
                                            {ATP_OPT_SPARSIFY_STEPS, 3},
                                            {ATP_OPT_EPOCHS, 12}});
      std::vector<unsigned char> states[4];
      double density = 0;
      for (int k = 0; k < 4; ++k) {
        DenseProblem p(60, 7, 5, k == 3 ? best_target() : Target::scalar);
        p.context.threads = k == 2 ? 3 : 1;
        Trainer &t = optimizer == ATP_OPTIMIZER_ADAM ? p.trainer(options, p.some_pairs(2)) : p.trainer(options);
        run_all(t, k == 1 ? 7 : 12);
        Trainer &other = optimizer == ATP_OPTIMIZER_ADAM ? p.trainer(options, p.some_pairs(2)) : p.trainer(options);
        if (k == 1) {
          const std::vector<unsigned char> saved = state_of(t);
          other.load(saved.data(), static_cast<int64_t>(saved.size()));
          run_all(other, 5);
        }
        states[k] = state_of(k == 1 ? other : t);
        assert_true(states[k] == states[0]);
        const Vector x = parameters_of(t);
        const auto zeros = static_cast<double>(std::count(x.begin() + 35, x.end(), 0.0));
        density = 1 - zeros / static_cast<double>(x.size() - 35);
      }
      assert_true(density > 0.05 && density < 0.95);
    }
}

// A start decides which couplings are active: here those of two pairs.
void couplings_of_the_start_are_active(void **) {
  DenseProblem p(200, 6, 3);
  Trainer &t = p.trainer(sparse(ATP_SPARSIFY_ACTIVATE, {{ATP_OPT_DENSITY, 0.01}, {ATP_OPT_TARGET, 1}, {ATP_OPT_EPOCHS, 30}}));
  Vector x = parameters_of(t);
  for (size_t k = 18; k < 36; ++k) x[k] = 0.1;
  set(t, x);
  run_all(t, 30);
  x = parameters_of(t);
  for (size_t k = 18; k < x.size(); ++k) assert_true(k < 36 ? x[k] != 0 && x[k] != 0.1 : x[k] == 0);
}

void what_makes_no_sense_is_refused(void **) {
  DenseProblem p(30, 6, 4);
  Options factored = options_of({{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}, {ATP_OPT_SPARSIFY, ATP_SPARSIFY_ACTIVATE}});
  const std::pair<Options, const char *> bad[] = {
      {sparse(ATP_SPARSIFY_NONE, {{ATP_OPT_DENSITY, 0.1}}), "option density is 0.1 and sparsify is none"},
      {sparse(ATP_SPARSIFY_NONE, {{ATP_OPT_SPARSIFY_STEPS, 4}}), "option sparsify-steps is 4 and sparsify is none"},
      {factored, "option sparsify is activate: it means nothing to family factored"},
      {dense_options({{ATP_OPT_SPARSIFY, ATP_SPARSIFY_DECIMATE}}), "option sparsify is decimate: it means nothing to family dense"},
  };
  for (const auto &row : bad) {
    try {
      p.trainer(row.first);
      fail_msg("no error, expected %s", row.second);
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_CONFLICT);
      if (std::strstr(e.what(), row.second) == nullptr) fail_msg("%s, expected %s", e.what(), row.second);
    }
  }
  const std::vector<unsigned char> state = state_of(p.trainer(sparse(ATP_SPARSIFY_ACTIVATE, {})));
  try {
    p.trainer(sparse(ATP_SPARSIFY_DECIMATE, {})).load(state.data(), static_cast<int64_t>(state.size()));
    fail_msg("no error");
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_MISMATCH);
    assert_non_null(std::strstr(e.what(), "the state has sparsify activate, the trainer has decimate"));
  }
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(gain_is_that_of_the_best_coupling), cmocka_unit_test(loss_is_that_of_the_removal),
    cmocka_unit_test(couplings_of_a_chain_are_found),    cmocka_unit_test(decimation_keeps_the_statistics),
    cmocka_unit_test(same_numbers_however_it_is_run),    cmocka_unit_test(couplings_of_the_start_are_active),
    cmocka_unit_test(what_makes_no_sense_is_refused),
};

int main() {
  where_races_are_sought("same_numbers_however_it_is_run");
  return cmocka_run_group_tests(kTests, nullptr, nullptr) != 0;
}
