// SPDX-License-Identifier: MIT
// Autoregressive models: their order, copies and states; probabilities, energies and losses against the definition, by all states.
#include "support.h"

#include "ordered_problem.hpp"

#include "potts/enumerate.hpp"
#include "potts/evaluate.hpp"
#include "potts/gauge.hpp"
#include "potts/model.hpp"
#include "potts/model_state.hpp"
#include "sample/sampling.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;

namespace {

struct Case {
  ModelRecipe recipe;
  SiteOrder order;
};
const Case kCases[] = {
    {{5, 3, 0, true}, SiteOrder::natural},
    {{6, 3, 0, true, false, 0.7, 2}, SiteOrder::shuffled},
    {{5, 3, 0, false, false, 1.3, 3}, SiteOrder::backward},
    {{5, 4, 2, true, false, 1, 4}, SiteOrder::shuffled},
    {{6, 2, 1, false, false, 1, 5}, SiteOrder::natural},
};

void probabilities_sum_to_one(void **) {
  for (const Case &at : kCases) {
    const OrderedProblem problem(at.recipe, at.order);
    const std::vector<uint8_t> s = problem.states();
    const int64_t L = at.recipe.sites, n = static_cast<int64_t>(s.size()) / L;
    std::vector<double> logs(static_cast<size_t>(n));
    log_pseudolikelihoods(*problem.model, s.data(), n, logs.data());
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      assert_close(logs[static_cast<size_t>(k)], problem.log_p(s.data() + k * L), 1e-12, 1e-12);
      sum += std::exp(logs[static_cast<size_t>(k)]);
    }
    assert_close(sum, 1, 1e-12, 0);
  }
}

// Whether set_order() refuses an order, with a status that says that a value is wrong.
bool refused(Model &model, std::vector<int64_t> order) {
  try {
    model.set_order(Span<const int64_t>(order.data(), static_cast<int64_t>(order.size())));
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_VALUE);
    return true;
  }
  return false;
}

void an_order_is_checked(void **) {
  for (const int64_t heads : {int64_t{0}, int64_t{2}}) {
    const OrderedProblem problem({4, 3, heads}, SiteOrder::natural);
    Model &model = *problem.model;
    assert_true(refused(model, {0, 1, 2, 4}));
    assert_true(refused(model, {0, 1, 2, -1}));
    assert_true(refused(model, {0, 1, 2, 1}));
    assert_true(refused(model, {0, 2, 1, 3}));  // site 2 has couplings to site 1
    assert_true(model.shape.ordered && model.order[1] == 1);
    assert_false(refused(model, {}));
    assert_true(!model.shape.ordered && model.order.empty());
    assert_false(refused(model, {0, 1, 2, 3}));
    const int64_t between = heads == 0 ? problem.place(2, 1, 0, 0) : 2 * 4 + 1, size = heads == 0 ? 9 : 1;
    double *couplings = (heads == 0 ? model.couplings : model.maps).data();
    for (int64_t h = 0; h < std::max<int64_t>(heads, 1); ++h) std::fill_n(couplings + h * 16 + between, size, 0.0);
    assert_false(refused(model, {0, 2, 1, 3}));
    assert_true(model.order[1] == 2);
  }
}

bool same_order(const Model &x, const Model &y) {
  return x.shape.ordered == y.shape.ordered && x.order.size() == y.order.size() &&
         std::equal(x.order.begin(), x.order.end(), y.order.begin());
}

void copies_and_states_keep_the_order(void **) {
  for (const Case &at : kCases) {
    OrderedProblem problem(at.recipe, at.order);
    Model *copy = copy_model(problem.context, *problem.model);
    assert_true(same_order(*copy, *problem.model));
    const int64_t pairs[] = {0, 1, 2, 4};
    Model *kept = keep_pairs(problem.context, *problem.model, pairs, 2);
    assert_true(same_order(*kept, *problem.model));
    for (const Model *model : {copy, kept}) {
      std::vector<char> state(static_cast<size_t>(model_state_bytes(*model)));
      save_model(*model, state.data(), static_cast<int64_t>(state.size()));
      Model *read = load_model(problem.context, state.data(), static_cast<int64_t>(state.size()));
      assert_true(same_order(*read, *problem.model));
      std::vector<char> again(state.size());
      save_model(*read, again.data(), static_cast<int64_t>(again.size()));
      assert_true(again == state);
      destroy_block(problem.context.allocator, read);
    }
    destroy_block(problem.context.allocator, kept);
    destroy_block(problem.context.allocator, copy);
  }
}

// The zero-sum gauge keeps the order and every probability; so does the gauge of colours, of heads.
void gauges_keep_probabilities(void **) {
  for (const Case &at : kCases) {
    OrderedProblem problem(at.recipe, at.order);
    const std::vector<uint8_t> s = problem.states();
    const int64_t n = static_cast<int64_t>(s.size()) / at.recipe.sites;
    Model *made[] = {zero_sum_gauge(problem.context, *problem.model), color_gauge(problem.context, *problem.model)};
    for (Model *model : made) {
      assert_true(same_order(*model, *problem.model));
      std::vector<double> logs(static_cast<size_t>(n));
      log_pseudolikelihoods(*model, s.data(), n, logs.data());
      for (int64_t k = 0; k < n; ++k)
        assert_close(logs[static_cast<size_t>(k)], problem.log_p(s.data() + k * at.recipe.sites), 1e-12, 1e-12);
      destroy_block(problem.context.allocator, model);
    }
  }
}

// Sums over states: Z = 1, entropy, probabilities, marginals of sites and pairs.
void enumeration(void **) {
  for (const Case &at : kCases) {
    const OrderedProblem problem(at.recipe, at.order);
    const int64_t L = at.recipe.sites, q = at.recipe.colors;
    const std::vector<uint8_t> s = problem.states();
    const int64_t n = static_cast<int64_t>(s.size()) / L;
    double log_z = 1, energy = 0, entropy = 0;
    std::vector<double> p(static_cast<size_t>(n)), sites(static_cast<size_t>(L * q)), pairs(static_cast<size_t>(L * L * q * q)),
        again(pairs), alone(sites), energies_of_states(p);
    enumerate_states(*problem.model, {&log_z, &energy, alone.data(), again.data(), p.data()});
    energies(*problem.model, s.data(), n, energies_of_states.data());
    for (int64_t k = 0; k < n; ++k) {
      const uint8_t *row = s.data() + k * L;
      const double log_p = problem.log_p(row), probability = std::exp(log_p);
      assert_close(p[static_cast<size_t>(k)], probability, 1e-12, 0);
      assert_close(energies_of_states[static_cast<size_t>(k)], -log_p, 1e-12, 1e-12);
      entropy -= probability * log_p;
      for (int64_t i = 0; i < L; ++i) sites[static_cast<size_t>(i * q + row[i])] += probability;
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < L; ++j) pairs[static_cast<size_t>(problem.place(i, j, row[i], row[j]))] += probability;
    }
    assert_close(log_z, 0, 0, 1e-12);
    assert_close(energy, entropy, 1e-12, 0);
    for (size_t k = 0; k < sites.size(); ++k) assert_close(alone[k], sites[k], 1e-12, 1e-15);
    for (size_t k = 0; k < pairs.size(); ++k) assert_close(again[k], pairs[k], 1e-12, 1e-15);
  }
}

// The mean of -log P over exact samples is the entropy, within 5 standard errors: false alarms of 6e-7 for each of 5 models.
void entropy_of_samples(void **) {
  for (const Case &at : kCases) {
    OrderedProblem problem(at.recipe, at.order);
    double entropy = 0;
    enumerate_states(*problem.model, {nullptr, &entropy, nullptr, nullptr, nullptr});
    const Options options(kSamplingOptions);
    Sampling *run = create_in_block<Sampling>(problem.context.allocator, &problem.context, problem.model->shape,
                                              SamplingOptions(options, problem.model->beta, true), int64_t{20000});
    run->init(*problem.model);
    {
      Reporter reporter(nullptr, nullptr, run->stop);
      assert_int_equal(run->run(reporter), ATP_OUTCOME_CONVERGED);
    }
    assert_true(run->burn_in() == 0 && run->thin() == 1);
    const Estimate found = run->result().entropy;
    assert_true(found.error > 0 && found.error < 0.02);
    assert_close(found.value, entropy, 0, 5 * found.error);
    run->end();
    destroy_block(problem.context.allocator, run);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(probabilities_sum_to_one),
      cmocka_unit_test(an_order_is_checked),
      cmocka_unit_test(enumeration),
      cmocka_unit_test(entropy_of_samples),
      cmocka_unit_test(gauges_keep_probabilities),
      cmocka_unit_test(copies_and_states_keep_the_order),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
