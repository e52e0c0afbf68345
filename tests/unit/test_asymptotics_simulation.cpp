// SPDX-License-Identifier: MIT
// Predicted excess losses and coupling errors against those of models that were learned from samples.
#include "small_potts.hpp"

#include "learn/asymptotics/asymptotics.hpp"
#include "potts/coupling_error.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Pairs = std::vector<std::pair<atp_option, double>>;

Options bag(const OptionTable &owner, const Pairs &pairs) {
  Options options(owner);
  for (const auto &p : pairs) options.set(p.first, p.second);
  return options;
}

struct Learner {
  const char *name;
  Pairs trained, predicted;
  bool ordered;
};

std::vector<Learner> learners() {
  const Pairs dense = {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}, {ATP_OPT_L2_COUPLINGS, 0}, {ATP_OPT_L2_FIELDS, 0}};
  const auto with = [](Pairs pairs, const Pairs &more) {
    pairs.insert(pairs.end(), more.begin(), more.end());
    return pairs;
  };
  const std::pair<atp_option, double> ordered = {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE};
  return {{"dense", dense, dense, false},
          {"asymmetric", with(dense, {{ATP_OPT_ASYMMETRIC, 1}}), with(dense, {{ATP_OPT_ASYMMETRIC, 1}}), false},
          {"V known", {{ATP_OPT_COLORS_FIXED, 1}}, {{ATP_OPT_COLORS_FIXED, 1}}, false},
          {"V learned", {}, {}, false},
          {"V learned, fields", {{ATP_OPT_FIELDS, 1}}, {{ATP_OPT_FIELDS, 1}}, false},
          {"V learned, autoregressive", {ordered, {ATP_OPT_ORDER, ATP_ORDER_NATURAL}}, {ordered}, true},
          {"autoregressive", with(dense, {ordered, {ATP_OPT_ORDER, ATP_ORDER_NATURAL}}), with(dense, {ordered}), true}};
}

// A model learned from data without penalties, to the minimum.
Owner<Model> learned(SmallPotts &potts, const Learner &learner, const Alignment &data) {
  Pairs options = learner.trained;
  for (const auto &more : Pairs{{ATP_OPT_PRECISION, 64}, {ATP_OPT_TOLERANCE, 1e-7}, {ATP_OPT_EPOCHS, 3000}}) options.push_back(more);
  Trainer *t = potts.trainer(data, bag(kTrainerOptions, options));
  assert_int_equal(run(*t, 3000), ATP_OUTCOME_CONVERGED);
  return Owner<Model>(t->make_model());
}

struct Sums {
  double sum = 0, squares = 0;
  int64_t count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double error() const { return std::sqrt((squares / static_cast<double>(count) - mean() * mean()) / static_cast<double>(count - 1)); }
};

// 60 data sets of 4000 sequences each. The mean of M times the excess is within 4.5 of its standard errors and 3 per cent, for terms of
// 1/M^2: with Student's t of 59 degrees of freedom that fails below 4e-5 of the time for each of 11 numbers.
void excess_is_predicted(void **) {
  const int64_t runs = 60, samples = 4000;
  for (const Learner &learner : learners()) {
    SmallPotts potts(4, 3, 0.7, 21);
    Context &context = potts.context;
    Owner<Model> limit(copy_model(context, *potts.truth));
    if (learner.ordered) limit = learned(potts, learner, *potts.states);
    const double least = mean_loss(*limit, potts.states->sequences.data(), potts.states->weights.data(), potts.states->count());
    const Owner<Table> table(create_in_block<Table>(context.allocator, &context, &kAsymptoticsTable, int64_t{1}));
    asymptotics(context, *limit, learner.ordered ? potts.states : nullptr,
                asymptotics_settings(*limit, bag(kAsymptoticsOptions, learner.predicted)), {table.get(), nullptr});
    Sums excess, distance;
    for (int64_t r = 0; r < runs; ++r) {
      const Owner<Model> model = learned(potts, learner, *potts.counted_sample(samples, static_cast<uint64_t>(100 + r)));
      const double loss = mean_loss(*model, potts.states->sequences.data(), potts.states->weights.data(), potts.states->count());
      std::vector<double> scratch(static_cast<size_t>(coupling_error_scratch(3)));
      excess.add(static_cast<double>(samples) * (loss - least));
      distance.add(static_cast<double>(samples) * coupling_error(couplings_of(*model), couplings_of(*limit), {scratch.data(), 18}));
    }
    const int64_t M = table->find("samples");
    const double scale = learner.ordered ? table->value(0, M) : 1;  // samples are 1 by default in both cases: the weights of all states
    assert_close(scale, 1, 1e-9, 0);
    const double wanted = table->value(0, learner.ordered ? ATP_ASYMPTOTICS_EXCESS : ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD),
                 wanted_distance = table->value(0, ATP_ASYMPTOTICS_COUPLING_ERROR);
    print_message("%s: excess %.4f(%.4f), predicted %.4f; coupling error %.4f(%.4f), predicted %.4f\n", learner.name, excess.mean(),
                  excess.error(), wanted, distance.mean(), distance.error(), wanted_distance);
    assert_close(excess.mean(), wanted, 0.03, 4.5 * excess.error());
    assert_close(distance.mean(), wanted_distance, 0.03, 4.5 * distance.error());
  }
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(excess_is_predicted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
