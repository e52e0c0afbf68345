// SPDX-License-Identifier: MIT
// Dense couplings of a list of pairs: gradients against differences, the full objective with zeros for the other pairs, the same bits with
// all pairs, threads and saved states, and the models that come out.
#include "dense_slopes.hpp"

#include "potts/evaluate.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

struct Case {
  int64_t count, sites, colors;
};
constexpr Case kCases[] = {{9, 2, 2}, {17, 3, 4}, {40, 5, 3}, {33, 19, 3}, {20, 6, 9}, {31, 4, 18}, {25, 4, 27}};

template <class Body>
void for_all(Body &&body) {
  for (const Case &c : kCases)
    for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
      for (int asymmetric : {0, 1})
        if (gaps == ATP_GAPS_STATE || c.colors > 2) body(c, gaps, asymmetric);
}

Options options_of(int precision, int gaps, int asymmetric) {
  return dense_options({{ATP_OPT_PRECISION, precision},
                        {ATP_OPT_GAPS, gaps},
                        {ATP_OPT_ASYMMETRIC, asymmetric},
                        {ATP_OPT_L2_COUPLINGS, 0.3},
                        {ATP_OPT_L2_FIELDS, 0.2}});
}

void gradient_against_differences(void **) {
  for_all([](const Case &c, int gaps, int asymmetric) {
    DenseProblem p(c.count, c.sites, c.colors);
    Trainer &t = p.trainer(options_of(64, gaps, asymmetric), p.some_pairs(c.sites > 10 ? 9 : 2));
    const Vector x = DenseProblem::parameters(t, 0.5);
    set(t, x);
    Vector g = gradient_of(t), slopes(x.size());
    for (size_t k = 0; k < x.size(); ++k) slopes[k] = slope(t, x, k);
    const double worst = worst_slope(g, slopes);
    if (!(worst < 1e-7)) print_error("%d sites, %d colours: %.3g\n", static_cast<int>(c.sites), static_cast<int>(c.colors), worst);
    assert_true(worst < 1e-7);
    *std::max_element(g.begin(), g.end()) *= 1 + 1e-5;
    assert_true(worst_slope(g, slopes) > 1e-7);
  });
}

// Where the parameters of a list are among those of all pairs: the place of each, in the public orders.
std::vector<size_t> places(const Trainer &t, bool asymmetric, const PairLists &lists) {
  const int64_t L = t.sites(), q = t.model_colors();
  std::vector<size_t> out;
  const auto put = [&](int64_t first, int64_t n) {
    for (int64_t k = 0; k < n; ++k) out.push_back(static_cast<size_t>(first + k));
  };
  if (!asymmetric) {
    put(0, L * q);
    for (const SitePair &pair : lists.pairs()) {
      int64_t before = 0;
      for (int64_t i = 0; i < pair.first; ++i) before += L - 1 - i;
      put(L * q + (before + pair.second - pair.first - 1) * q * q, q * q);
    }
    return out;
  }
  for (int64_t i = 0; i < L; ++i) {
    const int64_t site = i * (q + (L - 1) * q * q);
    put(site, q);
    for (int64_t j = 0; j < L; ++j) {
      const bool listed = std::any_of(lists.pairs().begin(), lists.pairs().end(), [&](const SitePair &p) {
        return (p.first == i && p.second == j) || (p.first == j && p.second == i);
      });
      if (listed) put(site + q + (j - (j > i ? 1 : 0)) * q * q, q * q);
    }
  }
  return out;
}

// The objective is that of all pairs where the others are 0, and so are its derivatives.
void zeros_for_the_other_pairs(void **) {
  for_all([](const Case &c, int gaps, int asymmetric) {
    for (int precision : {64, 32}) {
      DenseProblem p(c.count, c.sites, c.colors, best_target());
      Trainer &some = p.trainer(options_of(precision, gaps, asymmetric), p.some_pairs(3));
      Trainer &all = p.trainer(options_of(precision, gaps, asymmetric));
      const Vector x = DenseProblem::parameters(some, 0.5);
      const std::vector<size_t> at = places(some, asymmetric != 0, *some.lists);
      assert_true(at.size() == x.size());
      Vector y(static_cast<size_t>(all.parameter_count()), 0.0);
      for (size_t k = 0; k < x.size(); ++k) y[at[k]] = x[k];
      set(some, x);
      set(all, y);
      double value = NAN, expected = NAN;
      const Vector g = gradient_of(some, nullptr, &value), h = gradient_of(all, nullptr, &expected);
      const double tolerance = precision == 64 ? 1e-12 : 1e-5;
      assert_close(value, expected, tolerance, 0);
      double largest = 0;
      for (double v : h) largest = fmax(largest, fabs(v));
      for (size_t k = 0; k < g.size(); ++k) assert_close(g[k], h[at[k]], tolerance, tolerance * largest);
      assert_close(some.loss(*p.data), all.loss(*p.data), tolerance, 0);
      Model *const models[] = {some.make_model(), all.make_model()};
      Vector listed(static_cast<size_t>(models[1]->couplings.size())), full(listed);
      write_couplings(*models[0], listed.data());
      write_couplings(*models[1], full.data());
      assert_true(listed == full);
      for (Model *model : models) destroy_block(p.context.allocator, model);
    }
  });
}

// All pairs in a list are no list: the same bits, also after training.
void all_pairs_same_bits(void **) {
  for_all([](const Case &c, int gaps, int asymmetric) {
    for (int precision : {64, 32}) {
      DenseProblem p(c.count, c.sites, c.colors, best_target());
      Options options = options_of(precision, gaps, asymmetric);
      options.set(ATP_OPT_EPOCHS, int64_t{30});
      Trainer &listed = p.trainer(options, p.some_pairs(1)), &plain = p.trainer(options);
      assert_true(listed.parameter_count() == plain.parameter_count() && parameters_of(listed) == parameters_of(plain));
      const Vector x = DenseProblem::parameters(plain, 0.5);
      set(listed, x);
      set(plain, x);
      double values[2], losses[2];
      assert_true(gradient_of(listed, &losses[0], &values[0]) == gradient_of(plain, &losses[1], &values[1]));
      assert_true(values[0] == values[1] && losses[0] == losses[1] && listed.loss(*p.data) == plain.loss(*p.data));
      const atp_outcome outcome = run_all(plain, 30);
      assert_true(run_all(listed, 30) == outcome);
      assert_true(parameters_of(listed) == parameters_of(plain) && parameters_of(plain) != x);
    }
  });
}

void threads_do_not_matter(void **) {
  for (int asymmetric : {0, 1}) {
    Vector first;
    for (int threads : {1, 2, 3}) {
      DenseProblem p(700, 21, 5, best_target());
      p.context.threads = threads;
      Options options = options_of(32, ATP_GAPS_STATE, asymmetric);
      options.set(ATP_OPT_EPOCHS, int64_t{6});
      Trainer &t = p.trainer(options, p.some_pairs(4));
      run_all(t, 100);
      if (threads == 1) first = parameters_of(t);
      assert_true(parameters_of(t) == first);
    }
  }
}

std::vector<char> state_of(const Trainer &t) {
  std::vector<char> state(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(state.data(), static_cast<int64_t>(state.size()));
  return state;
}

std::string refusal(Trainer &t, const std::vector<char> &state) {
  try {
    t.load(state.data(), static_cast<int64_t>(state.size()));
  } catch (const Error &e) {
    assert_int_equal(e.status(), ATP_E_MISMATCH);
    return e.what();
  }
  return "";
}

// A run goes on from a saved state with the same bits; a state of other pairs is refused with a text.
void saved_states(void **) {
  for (int asymmetric : {0, 1})
    for (int precision : {32, 64}) {
      DenseProblem p(60, 8, 4, best_target());
      const Options options = options_of(precision, ATP_GAPS_STATE, asymmetric);
      const Pairs pairs = p.some_pairs(3);
      Trainer &whole = p.trainer(options, pairs), &halves = p.trainer(options, pairs);
      run_all(whole, 4);
      const std::vector<char> state = state_of(whole);
      run_all(whole, 3);
      assert_true(refusal(halves, state).empty());
      run_all(halves, 3);
      assert_true(parameters_of(halves) == parameters_of(whole));

      Pairs fewer(pairs.begin(), pairs.end() - 2), moved = pairs;
      const std::map<std::string, std::vector<char>> texts = {
          {"the state has pairs 28, the trainer has", state_of(p.trainer(options))},
          {"the state has pairs " + std::to_string(fewer.size() / 2), state_of(p.trainer(options, fewer))},
      };
      for (const auto &[text, other] : texts) assert_non_null(strstr(refusal(halves, other).c_str(), text.c_str()));
      assert_non_null(strstr(refusal(p.trainer(options), state).c_str(), ", the trainer has 28"));
      for (int64_t j = 1; j < 8; ++j) {  // a pair that is not in the list takes the place of the last
        moved[moved.size() - 2] = j;
        moved.back() = 0;
        bool twice = false;
        for (size_t k = 0; k + 2 < moved.size(); k += 2) twice = twice || (moved[k] == j && moved[k + 1] == 0);
        if (!twice && (pairs[pairs.size() - 2] != j || pairs.back() != 0)) break;
      }
      assert_non_null(strstr(refusal(halves, state_of(p.trainer(options, moved))).c_str(), "other pairs of sites"));
      assert_true(parameters_of(halves) == parameters_of(whole));
    }
}

// The model has the couplings of the list and zeros, and its loss is that of training. The error of a restricted trainer against a truth,
// and the optimal loss in its reports, are those of the models.
void models(void **) {
  for_all([](const Case &c, int gaps, int asymmetric) {
    DenseProblem p(c.count, c.sites, c.colors);
    Trainer &t = p.trainer(options_of(64, gaps, asymmetric), p.some_pairs(3));
    set(t, DenseProblem::parameters(t, 0.5));
    Model *model = t.make_model();
    assert_true(model->shape.pairs == t.lists->count() && model->pairs.size() == t.lists->count());
    int64_t listed = 0;
    for (int64_t i = 0; i < c.sites; ++i)
      for (int64_t j = i + 1; j < c.sites; ++j) {
        const bool is_listed = std::any_of(model->pairs.begin(), model->pairs.end(),
                                           [&](const SitePair &pair) { return pair.first == i && pair.second == j; });
        double size = 0;
        for (int64_t a = 0; a < model->colors(); ++a)
          for (int64_t b = 0; b < model->colors(); ++b) size += fabs(model->coupling(i, j, a, b)) + fabs(model->coupling(j, i, b, a));
        assert_true((size > 0) == is_listed);
        listed += is_listed ? 1 : 0;
      }
    assert_true(listed == t.lists->count());
    if (gaps == ATP_GAPS_STATE && asymmetric == 0) {
      double loss = NAN;
      loss = t.evaluate({}).loss;
      assert_close(mean_loss(*model, p.data->sequences.data(), p.data->weights.data(), c.count), loss, 1e-12, 0);
    }
    destroy_block(p.context.allocator, model);
  });
}

int keep_optimum(const atp_progress *progress, void *user) {
  *static_cast<double *>(user) = progress->values[ATP_PROGRESS_OPTIMAL_LOSS];
  return 0;
}

void optimal_loss_of_a_full_truth(void **) {
  for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE}) {
    DenseProblem p(50, 7, 4, best_target());
    Trainer &all = p.trainer(options_of(64, gaps, 0)), &some = p.trainer(options_of(64, gaps, 0), p.some_pairs(3));
    set(all, DenseProblem::parameters(all, 0.5));
    Model *truth = all.make_model();
    double optimal[2] = {NAN, NAN};
    int k = 0;
    for (Trainer *t : {&all, &some}) {
      t->set_test(p.data);
      t->set_truth(truth);
      run_all(*t, 1, keep_optimum, &optimal[k++]);
      t->set_test(nullptr);
    }
    assert_true(optimal[0] > 0);
    assert_close(optimal[1], optimal[0], 1e-12, 0);
    destroy_block(p.context.allocator, truth);
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(gradient_against_differences),
      cmocka_unit_test(zeros_for_the_other_pairs),
      cmocka_unit_test(all_pairs_same_bits),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(saved_states),
      cmocka_unit_test(models),
      cmocka_unit_test(optimal_loss_of_a_full_truth),
  };
  where_races_are_sought("threads_do_not_matter");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
