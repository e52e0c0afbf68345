// SPDX-License-Identifier: MIT
// The C++ header: sampling runs, against exact enumeration and themselves.
#include <attopotts.hpp>

#include "support.h"

#include <algorithm>
#include <cmath>

namespace {

using attopotts::Alignment;
using attopotts::Context;
using attopotts::Model;
using attopotts::Options;
using attopotts::Samples;
using attopotts::Sampling;

template <class Function>
int status_of(Function &&function) {
  try {
    function();
  } catch (const attopotts::error &e) {
    return e.status();
  }
  return -1;
}

constexpr std::int64_t kLadders = 50, kEach = 40, kSites = 6, kColors = 3;

Options equilibrium(const Context &context) {
  return Options(context, ATP_OWNER_SAMPLING).set(ATP_OPT_CHAINS, kLadders).set(ATP_OPT_SEED, 11);
}

// An event of exact probability p: differs its frequency by more than 5 standard errors? The error is that of independent
// sequences or, if it is larger, that from the scatter of the ladders.
template <class Event>
bool differs(double p, Event &&event) {
  double sum = 0, squares = 0;
  for (std::int64_t c = 0; c < kLadders; ++c) {
    double mean = 0;
    for (std::int64_t k = 0; k < kEach; ++k) mean += event(c + k * kLadders) / double{kEach};
    sum += mean;
    squares += (mean - p) * (mean - p);
  }
  const double independent = std::sqrt(p * (1 - p) / double{kLadders * kEach}), scatter = std::sqrt(squares) / double{kLadders};
  return std::fabs(sum / double{kLadders} - p) > 5 * std::max(independent, scatter);
}

// 153 probabilities. With another seed a right program fails with probability 153 * 5.7e-7 = 9e-5 (normal errors); the seed is fixed.
void equilibrium_is_exact(void **) {
  const Context context;
  Model model = Model::random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 5);
  model.set_beta(2);
  const Samples samples = attopotts::sample(context, model, kLadders * kEach, equilibrium(context));
  assert_int_equal(samples.outcome, ATP_OUTCOME_CONVERGED);
  assert_true(samples.difference.empty() && samples.alignment.count() == kLadders * kEach && samples.report.rows() == 1);
  assert_true(samples.report(0, ATP_SAMPLING_OUTCOME) == ATP_OUTCOME_CONVERGED && samples.report(0, ATP_SAMPLING_BURN_IN) >= 256);
  assert_true(samples.report(0, ATP_SAMPLING_THIN) >= 1 && samples.report(0, ATP_SAMPLING_RHAT) < 1.1);
  assert_true(samples.alignment.origin().find("protocol=equilibrium") != std::string::npos);
  const Model::Enumeration exact = model.enumerate(true);
  const attopotts::Sequences s = samples.alignment.sequences();
  for (std::size_t i = 0; i < kSites; ++i)
    for (std::size_t a = 0; a < kColors; ++a) {
      assert_false(differs(exact.marginals[i * kColors + a], [&](std::int64_t m) { return s[std::size_t(m) * kSites + i] == a; }));
      for (std::size_t j = i + 1; j < kSites; ++j)
        for (std::size_t b = 0; b < kColors; ++b)
          assert_false(differs(exact.pairs[((i * kSites + j) * kColors + a) * kColors + b],
                               [&](std::int64_t m) { return s[std::size_t(m) * kSites + i] == a && s[std::size_t(m) * kSites + j] == b; }));
    }
  const Samples again = attopotts::sample(context, model, kLadders * kEach, equilibrium(context));
  const Samples other = attopotts::sample(context, model, kLadders * kEach, equilibrium(context).set(ATP_OPT_SEED, 12));
  assert_true(again.alignment.sequences().vector() == s.vector());
  assert_true(other.alignment.sequences().vector() != s.vector());
}

void runs_stop_and_go_on(void **) {
  Context context;
  const Model model = Model::random(context, 8, 4);
  const Options options = Options(context, ATP_OWNER_SAMPLING).set(ATP_OPT_CHAINS, 8).set("burn-in", 300).set("thin", 5);
  Sampling run(context, model, 100, options), other(context, model, 100, options);
  assert_true(run.count() == 100 && run.sites() == 8 && run.stage() == ATP_SAMPLING_STAGE_LADDER);
  assert_int_equal(status_of([&] { run.sequences(); }), ATP_E_STAGE);
  assert_int_equal(status_of([&] { run.report(); }), ATP_E_STAGE);
  const auto stop_in_the_burn_in = [&](const attopotts::Progress &) { return run.stage() != ATP_SAMPLING_STAGE_BURN_IN; };
  assert_int_equal(run.run(stop_in_the_burn_in), ATP_OUTCOME_CANCELLED);
  other.load_state(run.save_state());
  assert_int_equal(run.run(), other.run());
  assert_true(run.stage() == ATP_SAMPLING_STAGE_DONE && run.sequences() == other.sequences() && run.difference() == other.difference());
  const Samples at_once = attopotts::sample(context, model, 100, &options);
  assert_true(at_once.alignment.sequences().vector() == run.sequences());
  const std::vector<double> mine = run.report().values(), theirs = at_once.report.values();
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };  // a Potts model has no entropy there
  assert_true(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same));
  assert_true(run.report()(0, ATP_SAMPLING_BURN_IN) == 300 && run.report()(0, ATP_SAMPLING_THIN) == 5);
  Options copied(context, ATP_OWNER_SAMPLING);
  run.options(copied);
  assert_int_equal(copied.integer(ATP_OPT_THIN), 5);
  Sampling stopped(context, model, 10);
  stopped.request_stop();
  assert_int_equal(stopped.run(), ATP_OUTCOME_CANCELLED);
  assert_int_equal(status_of([&] { attopotts::sample(context, model, 9, options, [](const auto &) { return false; }); }), ATP_E_STAGE);
}

void chains_and_failures(void **) {
  Context context;
  const Model model = Model::random(context, 8, 4);
  const Options chain =
      Options(context, ATP_OWNER_SAMPLING).set(ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN).set(ATP_OPT_THIN, 3).set(ATP_OPT_CHAINS, 2);
  const Samples samples = attopotts::sample(context, model, 7, chain);
  assert_true(samples.outcome == ATP_OUTCOME_DONE && samples.alignment.count() == 7 && samples.report(0, ATP_SAMPLING_BURN_IN) == 3);
  assert_int_equal(status_of([&] { attopotts::sample(context, model, 0); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { Sampling(context, model, 5, Options(context, ATP_OWNER_SAMPLING).set("chains", 3)); }), ATP_E_VALUE);
  Sampling run(context, model, 5);
  const Sampling moved = std::move(run);
  assert_int_equal(moved.count(), 5);
  assert_int_equal(status_of([&] { run.run(); }), ATP_E_NULL);
}

// The walks of restricted chains: each row is a sequence, all within the colours and near the start.
void restricted_walks(void **) {
  Context context;
  const Model model = Model::random(context, 8, 4);
  std::vector<std::uint8_t> allowed(8 * 4, 1);
  const std::vector<std::uint8_t> start = {1, 2, 3, 0, 1, 2, 3, 0};
  allowed[0] = allowed[2] = allowed[3] = 0;
  Options chain(context, ATP_OWNER_SAMPLING);
  chain.set(ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN).set(ATP_OPT_THIN, 1).set(ATP_OPT_BURN_IN, 0).set(ATP_OPT_CHAINS, 20);
  Sampling run(context, model, 400, chain.set(ATP_OPT_MAX_MUTATIONS, 3));
  run.restrict_to(allowed).start_from(start);
  assert_int_equal(run.run(), ATP_OUTCOME_DONE);
  const attopotts::Table walk = run.trajectory(), curve = run.forgetting(run.sequences());
  const std::vector<std::uint8_t> s = run.sequences();
  assert_true(walk.rows() == 400 && curve.rows() == 20);
  for (std::size_t m = 0; m < 400; ++m) {
    std::int64_t mutations = 0;
    for (std::size_t i = 0; i < 8; ++i) mutations += s[m * 8 + i] != start[i];
    assert_true(s[m * 8] == 1 && mutations <= 3);
    assert_true(walk(static_cast<std::int64_t>(m), ATP_TRAJECTORY_MUTATIONS) == static_cast<double>(mutations));
  }
  attopotts::Sampler sampler(context, model);
  sampler.restrict_to(allowed).sweep(5);
  const std::vector<std::uint8_t> states = sampler.states();
  for (std::size_t c = 0; c < states.size(); c += 8) assert_int_equal(states[c], 1);
  allowed[1] = 0;
  assert_int_equal(status_of([&] { sampler.restrict_to(allowed); }), ATP_E_VALUE);
}

void log_z(void **) {
  Context context;
  const Model model = Model::random(context, kSites, kColors);
  const auto exact = attopotts::estimate_log_z(context, model);
  assert_true(exact.method == ATP_METHOD_EXACT && exact.log_z_error == 0 && exact.outcome == ATP_OUTCOME_CONVERGED);
  double sum = 0;
  for (int n = 0; n < 729; ++n) {
    std::vector<std::uint8_t> s;
    for (int i = 0, rest = n; i < kSites; ++i, rest /= 3) s.push_back(static_cast<std::uint8_t>(rest % 3));
    sum += std::exp(exact.log_probability(model.energies(s)[0]));
  }
  assert_true(std::fabs(sum - 1) < 1e-9);
  const std::vector<std::uint8_t> two = {0, 1, 2, 0, 1, 2, 2, 2, 1, 0, 0, 1};
  const Alignment data = Alignment(context, two, kSites, kColors).rename(context, {"one", "two"});
  const auto mean = attopotts::mean_log_p(context, model, data, exact.log_z);
  const std::vector<double> energies = model.energies(two);
  const double first = exact.log_probability(energies[0]), second = exact.log_probability(energies[1]);
  assert_true(std::fabs(mean.value - (first + second) / (2 * kSites)) < 1e-12);
  assert_true(std::fabs(mean.error - std::fabs(first - second) / (std::sqrt(8.0) * kSites)) < 1e-12);
  assert_string_equal(data.name(1).c_str(), "two");
  const Options options = Options(context, ATP_OWNER_PARTITION).set(ATP_OPT_METHOD, ATP_METHOD_ANNEALING);
  const auto found = attopotts::estimate_log_z(context, model, &options);
  assert_true(found.method == ATP_METHOD_ANNEALING && found.log_z_error > 0 && found.distributions > 256);
  assert_true(std::fabs(found.log_z - exact.log_z) < 5 * found.log_z_error);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(equilibrium_is_exact),
    cmocka_unit_test(runs_stop_and_go_on),
    cmocka_unit_test(restricted_walks),
    cmocka_unit_test(chains_and_failures),
    cmocka_unit_test(log_z),
};

}  // namespace

ATP_TEST_MAIN(tests)
