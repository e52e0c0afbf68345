// SPDX-License-Identifier: MIT
// Boltzmann learning against distributions that can be listed: the gradient, the couplings of maximum likelihood, the chain rule of
// factored attention; saved states, threads, SIMD targets, and what is refused.
#include "dense_problem.hpp"
#include "small_potts.hpp"

#include "alignment/comparison.hpp"
#include "learn/factored/attention.hpp"

#include <cstring>
#include <string>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kSites = 6, kColors = 3, kPairs = kSites * (kSites - 1) / 2;

Options likelihood(int family, std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options(kTrainerOptions);
  options.set(ATP_OPT_FAMILY, int64_t{family});
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_LIKELIHOOD});
  for (const auto &p : pairs) options.set(p.first, p.second);
  return options;
}

// --- all states of six sites with three colours, by plain loops ---

struct Listed {
  double log_z = 0;
  Vector p;      // of the states
  Vector means;  // p_i(a), then p_ij(a, b) of the pairs i < j, as a point
};

int64_t state_count() {
  int64_t n = 1;
  for (int64_t i = 0; i < kSites; ++i) n *= kColors;
  return n;
}

int color(int64_t state, int64_t site) {
  for (int64_t i = kSites - 1; i > site; --i) state /= kColors;
  return static_cast<int>(state % kColors);
}

template <class Add>
void each_feature(int64_t state, Add &&add) {
  for (int64_t i = 0; i < kSites; ++i) add(i * kColors + color(state, i));
  int64_t at = kSites * kColors;
  for (int64_t i = 0; i < kSites; ++i)
    for (int64_t j = i + 1; j < kSites; ++j, at += kColors * kColors) add(at + color(state, i) * kColors + color(state, j));
}

Listed list_states(const Vector &point) {
  Listed all;
  double z = 0;
  for (int64_t s = 0; s < state_count(); ++s) {
    double sum = 0;
    each_feature(s, [&](int64_t k) { sum += point[static_cast<size_t>(k)]; });
    all.p.push_back(std::exp(sum));
    z += all.p.back();
  }
  all.log_z = std::log(z);
  all.means.assign(point.size(), 0.0);
  for (int64_t s = 0; s < state_count(); ++s) {
    all.p[static_cast<size_t>(s)] /= z;
    each_feature(s, [&](int64_t k) { all.means[static_cast<size_t>(k)] += all.p[static_cast<size_t>(s)]; });
  }
  return all;
}

// f_i(a), f_ij(a, b) with a pseudocount.
Vector family_means(const Alignment &data, double c) {
  Vector f(static_cast<size_t>(kSites * kColors + kPairs * kColors * kColors), 0.0);
  double total = 0;
  for (double w : data.weights) total += w;
  for (int64_t n = 0; n < data.count(); ++n) {
    int64_t state = 0;
    for (int64_t i = 0; i < kSites; ++i) state = state * kColors + data.sequence(n)[i];
    each_feature(state, [&](int64_t k) { f[static_cast<size_t>(k)] += data.weights[n] / total; });
  }
  for (size_t k = 0; k < f.size(); ++k)
    f[k] = (1 - c) * f[k] + c / (k < static_cast<size_t>(kSites * kColors) ? kColors : kColors * kColors);
  return f;
}

// Couplings without what fields can say: the mean over either colour is 0.
Vector couplings_of_point(const Vector &point) {
  const int64_t q = kColors, first = kSites * q;
  Vector out(point.begin() + first, point.end());
  for (int64_t p = 0; p < kPairs; ++p) {
    double *J = out.data() + p * q * q;
    for (int64_t a = 0; a < q; ++a) {
      double row = 0;
      for (int64_t b = 0; b < q; ++b) row += J[a * q + b] / static_cast<double>(q);
      for (int64_t b = 0; b < q; ++b) J[a * q + b] -= row;
    }
    for (int64_t b = 0; b < q; ++b) {
      double column = 0;
      for (int64_t a = 0; a < q; ++a) column += J[a * q + b] / static_cast<double>(q);
      for (int64_t a = 0; a < q; ++a) J[a * q + b] -= column;
    }
  }
  return out;
}

// Maximum likelihood by gradient ascent on the exact distribution.
Vector exact_fit(const Vector &family) {
  Vector point(family.size(), 0.0);
  for (int step = 0; step < 4000; ++step) {
    const Vector means = list_states(point).means;
    double most = 0;
    for (size_t k = 0; k < point.size(); ++k) {
      point[k] += 0.5 * (family[k] - means[k]);
      most = std::fmax(most, std::fabs(family[k] - means[k]));
    }
    if (most < 1e-7) break;
  }
  return point;
}

// The derivatives of chains that a step of rate 1e-12 has swept 100 times. Each of the 153 differences from the exact ones is divided by
// its standard error: their root mean square is 1 within 0.25, and none is above 5 (chains have forgotten their start: the longest
// correlation is below 5 sweeps). False alarms: below 1e-4.
void gradient_of_chains(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Alignment *data = potts.sample(400, 7);
  const double chains = 16000;
  Trainer &t = *potts.trainer(*data, likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, chains},
                                                                   {ATP_OPT_SWEEPS, 100},
                                                                   {ATP_OPT_RANDOM_CHAINS, 0},
                                                                   {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD},
                                                                   {ATP_OPT_RATE, 1e-12},
                                                                   {ATP_OPT_PSEUDOCOUNT, 0.01},
                                                                   {ATP_OPT_TARGET, 1},
                                                                   {ATP_OPT_EPOCHS, 2}}));
  const Vector point = DenseProblem::parameters(t, 0.4);
  t.set_parameters({point.data(), static_cast<int64_t>(point.size())});
  assert_int_equal(run(t, 1), ATP_OUTCOME_MAX_ITER);
  Vector gradient(point.size());
  t.evaluate({gradient.data(), static_cast<int64_t>(gradient.size())});
  const Vector exact = list_states(point).means, family = family_means(*data, 0.01);
  double squares = 0;
  for (size_t k = 0; k < point.size(); ++k) {
    const double z = (gradient[k] - (exact[k] - family[k])) / std::sqrt(exact[k] * (1 - exact[k]) / chains);
    assert_true(std::fabs(z) < 5);
    squares += z * z;
  }
  assert_close(std::sqrt(squares / static_cast<double>(point.size())), 1, 0, 0.25);
}

// The fit against exact maximum likelihood. Noise of the chains leaves errors of 0.005 to 0.007 with these seeds, of couplings of 0.19; the
// bound is three times that. Numbers are the same on every machine.
void couplings_of_maximum_likelihood(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Alignment *data = potts.sample(2000, 7);
  const Vector exact = couplings_of_point(exact_fit(family_means(*data, 0.01)));
  double size = 0;
  for (double x : exact) size += x * x;
  for (int optimizer : {ATP_OPTIMIZER_SCALED, ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM}) {
    Trainer &t = *potts.trainer(*data, likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 2000},
                                                                     {ATP_OPT_OPTIMIZER, optimizer},
                                                                     {ATP_OPT_RATE, optimizer == ATP_OPTIMIZER_SGD    ? 1
                                                                                    : optimizer == ATP_OPTIMIZER_ADAM ? 0.03
                                                                                                                      : 0.3},
                                                                     {ATP_OPT_PSEUDOCOUNT, 0.01},
                                                                     {ATP_OPT_TARGET, 1},
                                                                     {ATP_OPT_EPOCHS, 200}}));
    assert_int_equal(run(t, 200), ATP_OUTCOME_MAX_ITER);
    const Vector fitted = couplings_of_point(parameters_of(t));
    double squares = 0;
    for (size_t k = 0; k < exact.size(); ++k) squares += (fitted[k] - exact[k]) * (fitted[k] - exact[k]);
    print_message("optimizer %d: %.4f of %.3f\n", optimizer, std::sqrt(squares / static_cast<double>(exact.size())),
                  std::sqrt(size / static_cast<double>(exact.size())));
    assert_true(std::sqrt(squares / static_cast<double>(exact.size())) < 0.02);
  }
}

// Derivatives of the exact log-likelihood by the parameters of attention, against differences of it.
void chain_rule_of_attention(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  const Vector family = family_means(*potts.sample(300, 7), 0.01);
  const auto size = static_cast<int64_t>(family.size());
  for (const atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK})
    for (const bool after : {false, true}) {
      if (after && map == ATP_MAP_FREE) continue;
      AttentionShape shape;
      shape.sites = kSites;
      shape.colors = kColors;
      shape.heads = 2;
      shape.map = map;
      shape.rank = map == ATP_MAP_LOWRANK ? 3 : 0;
      shape.fields = true;
      shape.symmetrized = true;
      if (after) shape.diagonal = ATP_DIAGONAL_AFTER;
      Penalties penalties;
      penalties.couplings = 0.02, penalties.colors = 0.03, penalties.fields = 0.01, penalties.pairs = 0.04;
      struct Owned : FactoredAttention {
        using FactoredAttention::FactoredAttention;
        std::size_t block_bytes = 0;
      };
      Owned *attention = create_in_block<Owned>(potts.context.allocator, &potts.context, shape, penalties, 64);
      const RandomView normal(5, Stream::parameters, 0, 0);
      Vector x(static_cast<size_t>(shape.parameters())), point(family.size()), slope(family.size()), gradient(x.size());
      for (size_t k = 0; k < x.size(); ++k) x[k] = 0.4 * normal.normal(k);
      const Span<const double> at(x.data(), static_cast<int64_t>(x.size()));
      const Alignment *none = potts.states;
      const auto objective = [&] {
        attention->expand_point(at, {point.data(), size});
        double value = list_states(point).log_z, penalty = 0;
        for (size_t k = 0; k < point.size(); ++k) value -= family[k] * point[k];
        attention->evaluate(at, MaskedData(*none), {}, &penalty);
        return value + penalty;
      };
      objective();
      const Vector means = list_states(point).means;
      for (size_t k = 0; k < slope.size(); ++k) slope[k] = means[k] - family[k];
      attention->pull_back_slope(at, {slope.data(), size}, {gradient.data(), static_cast<int64_t>(gradient.size())});
      for (size_t k = 0; k < x.size(); ++k) {
        const double step = 1e-5, before = x[k];
        x[k] = before + step;
        const double up = objective();
        x[k] = before - step;
        const double down = objective();
        x[k] = before;
        assert_close(gradient[k], (up - down) / (2 * step), 1e-6, 1e-8);
      }
      destroy_block(potts.context.allocator, attention);
    }
}

// Numbers of the log against those of compare_statistics() on the chains, to the rounding of float tables, and the entropies against those
// of all states: 8000 chains leave a standard error below 0.02 of that of the sites.
void the_log_is_that_of_the_chains(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Alignment *data = potts.sample(400, 7), *held_out = potts.sample(300, 8);
  Trainer &t = *potts.trainer(*data, likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 8000},
                                                                   {ATP_OPT_SWEEPS, 20},
                                                                   {ATP_OPT_RANDOM_CHAINS, 0},
                                                                   {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD},
                                                                   {ATP_OPT_RATE, 1e-12},
                                                                   {ATP_OPT_PSEUDOCOUNT, 0},
                                                                   {ATP_OPT_TARGET, 1},
                                                                   {ATP_OPT_EPOCHS, 12}}));
  const Vector point = DenseProblem::parameters(t, 0.4);
  t.set_parameters({point.data(), static_cast<int64_t>(point.size())});
  t.set_test(held_out);
  atp_progress last;
  const auto keep = [](const atp_progress *progress, void *user) {
    *static_cast<atp_progress *>(user) = *progress;
    return 0;
  };
  run_all(t, 9, keep, &last);
  for (int key : {ATP_PROGRESS_PEARSON_TEST, ATP_PROGRESS_PEARSON_TEST_SITES, ATP_PROGRESS_PEARSON_TEST_PAIRS})
    assert_true(std::isnan(last.values[key]));
  run_all(t, 1, keep, &last);
  Alignment *chains = t.make_chains();
  Comparison family, test;
  Vector scratch(static_cast<size_t>(comparison_scratch(*chains, 1)));
  const Span<double> work(scratch.data(), static_cast<int64_t>(scratch.size()));
  compare_statistics(*data, *chains, Team(1), work, &family[0][0]);
  compare_statistics(*held_out, *chains, Team(1), work, &test[0][0]);
  const struct {
    atp_progress_key pearson, slope;
    const double *expected;
  } rows[] = {{ATP_PROGRESS_PEARSON_SITES, ATP_PROGRESS_SLOPE_SITES, family[ATP_COMPARISON_SITES]},
              {ATP_PROGRESS_PEARSON_PAIRS, ATP_PROGRESS_SLOPE_PAIRS, family[ATP_COMPARISON_PAIRS]},
              {ATP_PROGRESS_PEARSON, ATP_PROGRESS_SLOPE, family[ATP_COMPARISON_COVARIANCES]},
              {ATP_PROGRESS_PEARSON_TEST_SITES, ATP_PROGRESS_SLOPE_TEST_SITES, test[ATP_COMPARISON_SITES]},
              {ATP_PROGRESS_PEARSON_TEST_PAIRS, ATP_PROGRESS_SLOPE_TEST_PAIRS, test[ATP_COMPARISON_PAIRS]},
              {ATP_PROGRESS_PEARSON_TEST, ATP_PROGRESS_SLOPE_TEST, test[ATP_COMPARISON_COVARIANCES]}};
  for (const auto &row : rows) {
    assert_close(last.values[row.pearson], row.expected[ATP_COMPARISON_PEARSON], 1e-5, 1e-6);
    assert_close(last.values[row.slope], row.expected[ATP_COMPARISON_SLOPE], 1e-5, 1e-6);
  }
  assert_true(last.values[ATP_PROGRESS_SWEEPS] == 20);
  const Listed all = list_states(point);
  double entropy = 0, of_sites = 0;
  for (double p : all.p) entropy -= p * std::log(p);
  for (int64_t k = 0; k < kSites * kColors; ++k)
    of_sites -= all.means[static_cast<size_t>(k)] * std::log(all.means[static_cast<size_t>(k)]);
  assert_close(last.values[ATP_PROGRESS_SITE_ENTROPY], of_sites, 0, 0.08);
  assert_true(entropy < last.values[ATP_PROGRESS_SITE_ENTROPY]);
  t.set_test(nullptr);
  destroy_block(potts.context.allocator, chains);
}

std::vector<unsigned char> state_of(const Trainer &t) {
  std::vector<unsigned char> state(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(state.data(), static_cast<int64_t>(state.size()));
  return state;
}

// With lists of pairs, too. The last epoch has a verification.
void same_numbers_however_it_is_run(void **) {
  for (const bool listed : {false, true})
    for (int optimizer : {ATP_OPTIMIZER_SCALED, ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM}) {
      const Options options = likelihood(
          ATP_FAMILY_DENSE,
          {{ATP_OPT_CHAINS, 100}, {ATP_OPT_OPTIMIZER, optimizer}, {ATP_OPT_RATE, 0.1}, {ATP_OPT_TARGET, 0.99}, {ATP_OPT_EPOCHS, 12}});
      std::vector<unsigned char> states[4];
      for (int k = 0; k < 4; ++k) {
        DenseProblem p(60, 7, 5, k == 3 ? best_target() : Target::scalar);
        p.context.threads = k == 2 ? 3 : 1;
        Trainer &t = listed ? p.trainer(options, p.some_pairs(2)) : p.trainer(options);
        if (k != 1) {
          run_all(t, 12);
        } else {
          for (int64_t n : {1, 4, 6}) {
            run_all(t, n);
            const std::vector<unsigned char> saved = state_of(t);
            run_all(t, 1);
            t.load(saved.data(), static_cast<int64_t>(saved.size()));
          }
          run_all(t, 1);
        }
        assert_int_equal(t.epochs(), 12);
        states[k] = state_of(t);
        assert_true(states[k] == states[0]);
      }
    }
}

// A run of 6 steps that goes on to 12, and back to 9, has the states of runs of these lengths: with a verification before its last step and
// without one. Only the cosine depends on the number of steps.
void a_longer_run_goes_on_from_a_shorter_one(void **) {
  const auto make = [](DenseProblem &p, int64_t epochs, double target, int schedule, int optimizer) -> Trainer & {
    return p.trainer(likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 100},
                                                   {ATP_OPT_OPTIMIZER, optimizer},
                                                   {ATP_OPT_SCHEDULE, schedule},
                                                   {ATP_OPT_TARGET, target},
                                                   {ATP_OPT_EPOCHS, epochs}}));
  };
  DenseProblem p(60, 7, 5);
  for (double target : {0.999, 1.0})
    for (int schedule : {ATP_SCHEDULE_CONSTANT, ATP_SCHEDULE_DECAY})
      for (int optimizer : {ATP_OPTIMIZER_SCALED, ATP_OPTIMIZER_ADAM}) {
        Trainer &part = make(p, 6, target, schedule, optimizer), &longer = make(p, 12, target, schedule, optimizer),
                &whole = make(p, 12, target, schedule, optimizer), &again = make(p, 6, target, schedule, optimizer);
        assert_int_equal(run(part, 6), ATP_OUTCOME_MAX_ITER);
        const std::vector<unsigned char> saved = state_of(part);
        again.load(saved.data(), static_cast<int64_t>(saved.size()));  // the model that the run ended with
        const Span<const double> mean = part.parameters().of<double>(), loaded = again.parameters().of<double>();
        assert_true(std::equal(mean.begin(), mean.end(), loaded.begin()));
        longer.load(saved.data(), static_cast<int64_t>(saved.size()));
        run(longer, 12);
        run(whole, 12);
        assert_true(state_of(longer) == state_of(whole));
      }
  const std::vector<unsigned char> cosine = state_of(make(p, 6, 1, ATP_SCHEDULE_COSINE, ATP_OPTIMIZER_ADAM));
  try {
    make(p, 12, 1, ATP_SCHEDULE_COSINE, ATP_OPTIMIZER_ADAM).load(cosine.data(), static_cast<int64_t>(cosine.size()));
    fail_msg("no error");
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_MISMATCH);
    assert_non_null(std::strstr(e.what(), "epochs 6, the trainer has 12: the rate depends on the number"));
  }
  // Where something else differs, that is the reason.
  const std::vector<unsigned char> other = state_of(make(p, 6, 0.999, ATP_SCHEDULE_CONSTANT, ATP_OPTIMIZER_ADAM));
  try {
    make(p, 12, 1, ATP_SCHEDULE_CONSTANT, ATP_OPTIMIZER_ADAM).load(other.data(), static_cast<int64_t>(other.size()));
    fail_msg("no error");
  } catch (const Error &e) {
    assert_non_null(std::strstr(e.what(), "the state has target 0.999"));
  }
}

// A model of the family converges, and what it ends with agrees with the family in equilibrium: exactly, by listing.
void a_fit_that_has_converged_agrees(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Alignment *data = potts.sample(2000, 7);
  for (int family : {ATP_FAMILY_DENSE, ATP_FAMILY_FACTORED}) {
    Options options = likelihood(family, {{ATP_OPT_PSEUDOCOUNT, 0.01}, {ATP_OPT_TARGET, 0.98}, {ATP_OPT_EPOCHS, 500}, {ATP_OPT_FIELDS, 1}});
    if (family == ATP_FAMILY_FACTORED) options.set(ATP_OPT_HEADS, int64_t{2});
    Trainer &t = *potts.trainer(*data, options);
    assert_int_equal(run(t, 500), ATP_OUTCOME_CONVERGED);
    Model *model = t.make_model();
    Vector point(static_cast<size_t>(kSites * kColors + kPairs * kColors * kColors));
    std::copy(model->fields.begin(), model->fields.end(), point.begin());
    size_t at = static_cast<size_t>(kSites * kColors);
    for (int64_t i = 0; i < kSites; ++i)
      for (int64_t j = i + 1; j < kSites; ++j)
        for (int64_t a = 0; a < kColors; ++a)
          for (int64_t b = 0; b < kColors; ++b) point[at++] = model->coupling(i, j, a, b);
    assert_true(model->symmetric());
    destroy_block(potts.context.allocator, model);
    const Vector means = list_states(point).means, f = family_means(*data, 0.01);
    double xx = 0, xy = 0, yy = 0;
    at = static_cast<size_t>(kSites * kColors);
    for (int64_t i = 0; i < kSites; ++i)
      for (int64_t j = i + 1; j < kSites; ++j)
        for (int64_t a = 0; a < kColors; ++a)
          for (int64_t b = 0; b < kColors; ++b, ++at) {
            const auto u = static_cast<size_t>(i * kColors + a), v = static_cast<size_t>(j * kColors + b);
            const double x = f[at] - f[u] * f[v], y = means[at] - means[u] * means[v];
            xx += x * x, xy += x * y, yy += y * y;
          }
    print_message("family %d, %lld epochs: %.4f, slope %.3f\n", family, static_cast<long long>(t.epochs()), xy / std::sqrt(xx * yy),
                  xy / xx);
    assert_true(xy / std::sqrt(xx * yy) > 0.97);
    assert_close(xy / xx, 1, 0, 0.07);
  }
}

// Parameters that are fixed keep their bits. With fixed fields couplings fit f_i and f_ij all the same, exactly by listing: the scaled step
// to the accuracy of a free fit. With fixed couplings the fields fit f_i.
void fixed_parameters_stay(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Alignment *data = potts.sample(2000, 7);
  const Vector f = family_means(*data, 0.01);
  const auto fields = static_cast<size_t>(kSites * kColors);
  for (int fixed : {ATP_FIXED_FIELDS, ATP_FIXED_COUPLINGS})
    for (int optimizer : {ATP_OPTIMIZER_SCALED, ATP_OPTIMIZER_SGD, ATP_OPTIMIZER_ADAM}) {
      Trainer &t = *potts.trainer(*data, likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 2000},
                                                                       {ATP_OPT_OPTIMIZER, optimizer},
                                                                       {ATP_OPT_RATE, optimizer == ATP_OPTIMIZER_SCALED ? 0.3 : 0.03},
                                                                       {ATP_OPT_PSEUDOCOUNT, 0.01},
                                                                       {ATP_OPT_TARGET, 1},
                                                                       {ATP_OPT_FIXED, fixed},
                                                                       {ATP_OPT_EPOCHS, 120}}));
      const Vector start = DenseProblem::parameters(t, 0.2);
      t.set_parameters({start.data(), static_cast<int64_t>(start.size())});
      assert_int_equal(run(t, 120), ATP_OUTCOME_MAX_ITER);
      const Vector fitted = parameters_of(t);
      const size_t first = fixed == ATP_FIXED_FIELDS ? 0 : fields, end = fixed == ATP_FIXED_FIELDS ? fields : start.size();
      for (size_t k = 0; k < start.size(); ++k) {
        const bool stays = k >= first && k < end;
        if (stays) assert_true(fitted[k] == start[k]);
      }
      assert_true(fitted[end == start.size() ? 0 : end] != start[end == start.size() ? 0 : end]);
      if (optimizer != ATP_OPTIMIZER_SCALED) continue;
      const Vector means = list_states(fitted).means;
      double most = 0;
      for (size_t k = 0; k < (fixed == ATP_FIXED_FIELDS ? f.size() : fields); ++k) most = std::fmax(most, std::fabs(means[k] - f[k]));
      print_message("fixed %d: largest error %.4f\n", fixed, most);
      assert_true(most < 0.02);
    }
}

void what_cannot_be_fitted_is_refused(void **) {
  DenseProblem p(30, 6, 4);
  for (int64_t n = 0; n < p.data->count(); ++n) p.data->own_sequences[n * 6 + 2] = 1;  // a constant column
  const struct {
    std::initializer_list<std::pair<atp_option, double>> options;
    atp_status status;
    const char *text;
  } bad[] = {
      {{{ATP_OPT_PSEUDOCOUNT, 0}}, ATP_E_VALUE, "(number 3) of the training sequences: its field"},
      {{{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS}}, ATP_E_CONFLICT, "lbfgs"},
      {{{ATP_OPT_GAPS, ATP_GAPS_IGNORE}}, ATP_E_CONFLICT, "option gaps"},
      {{{ATP_OPT_ASYMMETRIC, 1}}, ATP_E_CONFLICT, "asymmetric"},
      {{{ATP_OPT_MOMENTUM, 0.5}}, ATP_E_CONFLICT, "only sgd"},
      {{{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {ATP_OPT_L1_COUPLINGS, 0.5}}, ATP_E_CONFLICT, "l1-couplings"},
  };
  for (const auto &row : bad) {
    try {
      p.trainer(likelihood(ATP_FAMILY_DENSE, row.options));
      fail_msg("no error, expected %s", row.text);
    } catch (const Error &e) {
      assert_int_equal(e.status(), row.status);
      assert_non_null(std::strstr(e.what(), row.text));
    }
  }
  Trainer &few = p.trainer(likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 32}}));
  const std::vector<unsigned char> state = state_of(few);
  Trainer &more = p.trainer(likelihood(ATP_FAMILY_DENSE, {{ATP_OPT_CHAINS, 64}}));
  try {
    more.load(state.data(), static_cast<int64_t>(state.size()));
    fail_msg("no error");
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_MISMATCH);
    assert_non_null(std::strstr(e.what(), "the state has chains 32, the trainer has 64"));
  }
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(gradient_of_chains),
    cmocka_unit_test(couplings_of_maximum_likelihood),
    cmocka_unit_test(chain_rule_of_attention),
    cmocka_unit_test(the_log_is_that_of_the_chains),
    cmocka_unit_test(same_numbers_however_it_is_run),
    cmocka_unit_test(a_longer_run_goes_on_from_a_shorter_one),
    cmocka_unit_test(a_fit_that_has_converged_agrees),
    cmocka_unit_test(fixed_parameters_stay),
    cmocka_unit_test(what_cannot_be_fitted_is_refused),
};

int main() {
  where_races_are_sought("same_numbers_however_it_is_run");
  return cmocka_run_group_tests(kTests, nullptr, nullptr) != 0;
}
