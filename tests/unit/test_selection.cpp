// SPDX-License-Identifier: MIT
// Selection of penalties: clusters and folds against a flood fill, fields of a site against their equations, the loss of substitutions
// against enumerated mutants, held-out losses against a plain gradient descent, threads, cost, and what is refused.
#include "relatives.hpp"
#include "small_potts.hpp"

#include "learn/selection.hpp"
#include "alignment/weights.hpp"
#include "potts/mutants.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

Span<int64_t> span(Integers &v) { return Span<int64_t>(v.data(), static_cast<int64_t>(v.size())); }

// Clusters by a flood fill over all pairs.
Integers flood(const Alignment &a, int64_t allowed) {
  Integers cluster(static_cast<size_t>(a.count()), -1);
  int64_t next = 0;
  for (int64_t n = 0; n < a.count(); ++n) {
    if (cluster[static_cast<size_t>(n)] >= 0) continue;
    Integers open = {n};
    cluster[static_cast<size_t>(n)] = next;
    while (!open.empty()) {
      const int64_t m = open.back();
      open.pop_back();
      for (int64_t k = 0; k < a.count(); ++k)
        if (cluster[static_cast<size_t>(k)] < 0 && differences(a, m, k) <= allowed) {
          cluster[static_cast<size_t>(k)] = next;
          open.push_back(k);
        }
    }
    ++next;
  }
  return cluster;
}

void clusters_of_threads_are_those_of_a_flood_fill(void **) {
  for (int threads : {1, 3}) {
    Family f(700, 70, 4, 3, threads);  // two tiles of sequences, two pieces of columns
    for (int64_t allowed : {0, 2, 5, 40}) {
      Integers cluster(700);
      const int64_t count = link_sequences(f.context, *f.all, allowed, span(cluster));
      const Integers expected = flood(*f.all, allowed);
      assert_true(cluster == expected);
      assert_int_equal(count, 1 + *std::max_element(expected.begin(), expected.end()));
    }
  }
}

// Whole clusters of the largest distance at which none is heavier than a fold's share; loads as a greedy rule bounds them.
void folds_never_split_a_cluster(void **) {
  for (int64_t folds : {2, 5, 9}) {
    Family f(300, 30, 4, 5);
    Integers cluster(300), fold(300);
    const Folds made = make_folds(f.context, *f.all, folds, 0.5, span(cluster), span(fold));
    assert_true(cluster == flood(*f.all, made.allowed));
    Integers fold_of(static_cast<size_t>(made.clusters), -1);
    Reals load(static_cast<size_t>(folds)), heavy(static_cast<size_t>(made.clusters));
    for (size_t n = 0; n < 300; ++n) {
      int64_t &known = fold_of[static_cast<size_t>(cluster[n])];
      assert_true(known == -1 || known == fold[n]);
      known = fold[n];
      load[static_cast<size_t>(fold[n])] += f.all->weights[static_cast<int64_t>(n)];
      heavy[static_cast<size_t>(cluster[n])] += f.all->weights[static_cast<int64_t>(n)];
    }
    const double share = f.all->effective_count() / static_cast<double>(folds), heaviest = *std::max_element(heavy.begin(), heavy.end());
    assert_true(heaviest <= share * (1 + 1e-9));
    assert_true(*std::max_element(load.begin(), load.end()) <= share + heaviest);
    // One column more, and a cluster is too heavy, or the distance is what was asked for.
    if (made.allowed < 15) {
      Reals more(300);
      const Integers next = flood(*f.all, made.allowed + 1);
      for (size_t n = 0; n < 300; ++n) more[static_cast<size_t>(next[n])] += f.all->weights[static_cast<int64_t>(n)];
      assert_true(*std::max_element(more.begin(), more.end()) > share);
    }
  }
}

// n_a - N p_a = 2 penalty h_a, and the h_a add up to 0.
void fields_of_a_site_solve_their_equations(void **) {
  const double counts[] = {0, 0.3, 17, 4, 120.5, 0, 2};
  constexpr int64_t q = 7;
  for (double penalty : {1e-3, 0.1, 3.0, 1e4}) {
    double log_p[q], mean = 0, total = 0, sum = 0;
    fit_site(counts, q, penalty, log_p);
    for (int64_t a = 0; a < q; ++a) {
      mean += log_p[a] / q;
      total += counts[a];
      sum += std::exp(log_p[a]);
    }
    assert_close(sum, 1, 1e-12, 0);
    for (int64_t a = 0; a < q; ++a)
      assert_close(counts[a] - total * std::exp(log_p[a]), 2 * penalty * (log_p[a] - mean), 1e-6, 1e-5 * total);
  }
}

// -log of the share of Boltzmann weight that accepted mutants have each, from energies of whole sequences.
void loss_of_substitutions_is_that_of_enumerated_mutants(void **) {
  SmallPotts p(5, 4, 0.8, 9);
  const uint8_t rows[] = {0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 3, 1, 2, 3, 1, 0, 0, 0, 0, 0};  // 1 and 2 are relatives of 0; 3 is none
  AlignmentShape shape;
  shape.count = 4;
  shape.sites = 5;
  shape.colors = 4;
  Alignment *a = create_in_block<Alignment>(p.context.allocator, &p.context, shape);
  std::memcpy(a->own_sequences.data(), rows, sizeof rows);
  p.truth->beta = 1;
  for (int64_t gap : {-1, 0}) {
    SubstitutionRule rule;
    rule.allowed = 2;
    rule.gap = gap;
    uint8_t accepted[20];
    const int64_t all[] = {0, 1, 2, 3};
    assert_int_equal(find_accepted(*a, rule, 0, Span<const int64_t>(all, 4), accepted), gap < 0 ? 2 : 1);
    double delta[20], z = 0, expected = 0;
    single_mutants(*p.truth, rows, Team(1), {}, delta, nullptr);
    int found = 0;
    for (int i = 0; i < 5; ++i)
      for (int c = 0; c < 4; ++c) {
        uint8_t pair[10];
        std::memcpy(pair, rows, 5);
        std::memcpy(pair + 5, rows, 5);
        pair[5 + i] = static_cast<uint8_t>(c);
        if (c == rows[i] || rows[i] == gap || c == gap) continue;
        double h[2];
        energies(*p.truth, pair, 2, h);
        z += std::exp(h[0] - h[1]);
        const bool is_accepted = (i == 3 && c == 2) || (i == 0 && c == 3);
        expected -= is_accepted && accepted[i * 4 + c] ? h[0] - h[1] : 0;
        found += is_accepted && accepted[i * 4 + c] ? 1 : 0;
      }
    expected = expected / found + std::log(z);
    assert_close(substitution_loss(*a, rule, 0, accepted, delta), expected, 1e-12, 0);
  }
  destroy_block(p.context.allocator, a);
}

Options selection_options(std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options = options_of(pairs, kSelectionOptions);
  options.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE});
  return options;
}

struct Run {
  Run(Family &f, const Options &options) : Run(f.context, *f.all, options) {}
  Run(Context &context, const Alignment &all, const Options &options) {
    Table *table = create_in_block<Table>(context.allocator, &context, &kSelectionTable, options.integer(ATP_OPT_STRENGTHS));
    StopFlag stop;
    Reporter reporter(nullptr, nullptr, stop);
    outcome = select_penalty(all, options, {}, reporter, *table);
    values.assign(table->values().begin(), table->values().end());
    rows = static_cast<size_t>(table->rows());
    destroy_block(context.allocator, table);
  }
  double at(size_t row, int column) const { return values[row * ATP_SELECTION_COLUMNS + static_cast<size_t>(column)]; }
  size_t chosen() const {
    size_t row = 0;
    while (at(row, ATP_SELECTION_CHOSEN) == 0) ++row;
    return row;
  }
  Reals values;
  size_t rows;
  atp_outcome outcome;
};

// Pseudo-likelihood in plain loops, minimised by gradient descent with momentum.
class Plain {
 public:
  Plain(const Alignment &a, double couplings, double fields)
      : a_(a), L_(a.sites()), q_(a.colors()), couplings_(couplings), fields_(fields) {
    x_.assign(static_cast<size_t>(L_ * q_ + L_ * L_ * q_ * q_), 0);
  }
  void train(const Integers &fold, int64_t without) {
    Reals speed(x_.size(), 0), g(x_.size());
    for (int step = 0; step < 3000; ++step) {
      std::fill(g.begin(), g.end(), 0);
      for (int64_t n = 0; n < a_.count(); ++n)
        if (fold[static_cast<size_t>(n)] != without) visit(n, &g);
      for (int64_t k = 0; k < L_ * q_; ++k) g[static_cast<size_t>(k)] += 2 * fields_ * x_[static_cast<size_t>(k)];
      for (size_t k = static_cast<size_t>(L_ * q_); k < x_.size(); ++k) g[k] += 2 * couplings_ * x_[k];
      for (size_t k = 0; k < x_.size(); ++k) {
        speed[k] = 0.9 * speed[k] - 2e-3 * g[k];
        x_[k] += speed[k];
      }
    }
  }
  // Sum of losses and of weights.
  void measure(const Integers &fold, int64_t only, double *sum, double *weight) {
    for (int64_t n = 0; n < a_.count(); ++n)
      if (fold[static_cast<size_t>(n)] == only) {
        *sum += visit(n, nullptr);
        *weight += a_.weights[n] * static_cast<double>(L_);
      }
  }

 private:
  // J_ij(a, b), i < j; both orders are one parameter.
  size_t place(int64_t i, int64_t j, int64_t a, int64_t b) const {
    return static_cast<size_t>(L_ * q_ + (i < j ? ((i * L_ + j) * q_ + a) * q_ + b : ((j * L_ + i) * q_ + b) * q_ + a));
  }
  double visit(int64_t n, Reals *g) {
    const uint8_t *s = a_.sequence(n);
    double loss = 0, p[16];
    for (int64_t i = 0; i < L_; ++i) {
      double z = 0;
      for (int64_t a = 0; a < q_; ++a) {
        double h = x_[static_cast<size_t>(i * q_ + a)];
        for (int64_t j = 0; j < L_; ++j)
          if (j != i) h += x_[place(i, j, a, s[j])];
        z += p[a] = std::exp(h);
      }
      loss -= a_.weights[n] * std::log(p[s[i]] / z);
      for (int64_t a = 0; g != nullptr && a < q_; ++a) {
        const double d = a_.weights[n] * (p[a] / z - (a == s[i] ? 1 : 0));
        (*g)[static_cast<size_t>(i * q_ + a)] += d;
        for (int64_t j = 0; j < L_; ++j)
          if (j != i) (*g)[place(i, j, a, s[j])] += d;
      }
    }
    return loss;
  }
  const Alignment &a_;
  int64_t L_, q_;
  double couplings_, fields_;
  Reals x_;
};

void heldout_losses_are_those_of_a_plain_descent(void **) {
  Family f(60, 4, 3, 11);
  const Options options = selection_options({{ATP_OPT_FOLDS, 3},
                                             {ATP_OPT_STRENGTHS, 3},
                                             {ATP_OPT_STRONGEST, 8},
                                             {ATP_OPT_STRENGTH_RATIO, 4},
                                             {ATP_OPT_SELECT_FIELDS, 0},
                                             {ATP_OPT_L2_FIELDS, 0.5},
                                             {ATP_OPT_PRECISION, 64},
                                             {ATP_OPT_TOLERANCE, 1e-7},
                                             {ATP_OPT_FOLD_DISTANCE, 0}});
  const Run run(f, options);
  Integers cluster(60), fold(60);
  make_folds(f.context, *f.all, 3, 0, span(cluster), span(fold));
  for (size_t row = 0; row < run.rows; ++row) {
    double sum = 0, weight = 0, square = 0, sums[3] = {}, weights[3] = {};
    for (int64_t k = 0; k < 3; ++k) {
      Plain plain(*f.all, 8 / std::pow(4, static_cast<double>(row)), 0.5);
      plain.train(fold, k);
      plain.measure(fold, k, &sums[k], &weights[k]);
      sum += sums[k];
      weight += weights[k];
    }
    for (int k = 0; k < 3; ++k) square += std::pow(sums[k] - weights[k] * sum / weight, 2);
    assert_close(run.at(row, ATP_SELECTION_STANDARD_ERROR), std::sqrt(1.5 * square) / weight, 1e-3, 0);
    print_message("l2-couplings %g: held-out loss %.8f, of a plain descent %.8f\n", run.at(row, ATP_SELECTION_L2_COUPLINGS),
                  run.at(row, ATP_SELECTION_HELDOUT_LOSS), sum / weight);
    assert_close(run.at(row, ATP_SELECTION_HELDOUT_LOSS), sum / weight, 1e-5, 0);
  }
}

void threads_do_not_change_the_path(void **) {
  for (int asymmetric : {0, 1})
    for (int criterion : {ATP_CRITERION_PSEUDOLIKELIHOOD, ATP_CRITERION_SUBSTITUTIONS}) {
      Reals first;
      for (int threads : {1, 2, 5}) {
        Family f(200, 12, 4, 7, threads);
        const Run run(f, selection_options({{ATP_OPT_ASYMMETRIC, asymmetric}, {ATP_OPT_STRENGTHS, 4}, {ATP_OPT_CRITERION, criterion}}));
        if (first.empty()) first = run.values;
        assert_int_equal(first.size(), run.values.size());
        assert_memory_equal(first.data(), run.values.data(), first.size() * sizeof(double));
      }
    }
}

// The choice follows from the columns by the rules of the header.
void the_choice_follows_the_rules(void **) {
  for (int rule : {ATP_SELECTION_MINIMUM, ATP_SELECTION_ONE_ERROR}) {
    Family f(200, 12, 4, 7);
    const Run run(f, selection_options({{ATP_OPT_SELECTION_RULE, rule}}));
    size_t best = 0, simplest = 0;
    for (size_t row = 1; row < run.rows; ++row)
      if (run.at(row, ATP_SELECTION_HELDOUT_LOSS) < run.at(best, ATP_SELECTION_HELDOUT_LOSS)) best = row;
    const double most = run.at(best, ATP_SELECTION_HELDOUT_LOSS) + run.at(best, ATP_SELECTION_STANDARD_ERROR);
    while (run.at(simplest, ATP_SELECTION_HELDOUT_LOSS) > most) ++simplest;
    assert_int_equal(run.chosen(), rule == ATP_SELECTION_MINIMUM ? best : simplest);
    for (size_t row = 0; row < run.rows; ++row)
      assert_close(run.at(row, ATP_SELECTION_EXCESS), run.at(row, ATP_SELECTION_HELDOUT_LOSS) - run.at(row, ATP_SELECTION_INDEPENDENT_LOSS),
                   1e-9, 1e-12);
  }
}

// Evaluations times sequences of the whole path, against one training from the start with the penalties that were chosen.
void a_selection_costs_at_most_four_trainings(void **) {
  for (int criterion : {ATP_CRITERION_PSEUDOLIKELIHOOD, ATP_CRITERION_SUBSTITUTIONS}) {
    SmallPotts p(8, 3, 1, 5);
    const Alignment *all = p.sample(600, 3);
    const Options options = selection_options({{ATP_OPT_CRITERION, criterion}});
    const Run run(p.context, *all, options);
    for (size_t row = 0; row < run.rows; ++row)
      print_message("l2-couplings %g: loss %g +- %g, of substitutions %g, cost %g\n", run.at(row, ATP_SELECTION_L2_COUPLINGS),
                    run.at(row, ATP_SELECTION_HELDOUT_LOSS), run.at(row, ATP_SELECTION_STANDARD_ERROR),
                    run.at(row, ATP_SELECTION_SUBSTITUTION_LOSS), run.at(row, ATP_SELECTION_COST));
    Options once = options;
    once.set(ATP_OPT_L2_COUPLINGS, run.at(run.chosen(), ATP_SELECTION_L2_COUPLINGS));
    once.set(ATP_OPT_L2_FIELDS, run.at(run.chosen(), ATP_SELECTION_L2_FIELDS));
    Trainer *trainer = create_trainer(p.context, once, *all);
    {
      Reporter reporter(nullptr, nullptr, trainer->stop());  // uses the trainer's flag until its end
      trainer->run(kMaxEpochs, reporter);
    }
    const double cost = run.at(run.rows - 1, ATP_SELECTION_COST), training = trainer->evaluations();
    print_message("criterion %d: a path of %zu strengths costs %g gradients, one training %g\n", criterion, run.rows, cost, training);
    assert_true(cost <= 4 * training);
    destroy_trainer(trainer);
  }
}

void factored_attention_has_paths_of_both_kinds(void **) {
  Family f(150, 8, 3, 13);
  const Run heads(f, options_of({{ATP_OPT_SELECT, ATP_SELECT_HEADS}, {ATP_OPT_FIELDS, 1}, {ATP_OPT_EPOCHS, 20}}, kSelectionOptions));
  assert_true(heads.rows >= 2 && heads.at(0, ATP_SELECTION_HEADS) == 16 && heads.at(1, ATP_SELECTION_HEADS) == 8);
  const Run pairs(f,
                  options_of({{ATP_OPT_FIELDS, 1}, {ATP_OPT_HEADS, 2}, {ATP_OPT_STRENGTHS, 4}, {ATP_OPT_EPOCHS, 20}}, kSelectionOptions));
  assert_true(pairs.at(0, ATP_SELECTION_HEADS) == 2 && pairs.at(0, ATP_SELECTION_L2_COUPLINGS) > pairs.at(1, ATP_SELECTION_L2_COUPLINGS));
}

void what_cannot_be_divided_is_refused(void **) {
  Family f(6, 10, 3, 1);
  for (int64_t n = 0; n < 6; ++n) std::memset(f.all->own_sequences.data() + n * 10, n < 3 ? 1 : 2, 10);
  Integers cluster(6), fold(6);
  const auto refuses = [&](int64_t folds, const char *part) {
    try {
      make_folds(f.context, *f.all, folds, 0.2, span(cluster), span(fold));
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_VALUE);
      assert_non_null(std::strstr(e.what(), part));
      return true;
    }
    return false;
  };
  assert_false(refuses(2, ""));
  assert_true(refuses(3, "2 clusters"));
  std::memset(f.all->own_sequences.data(), 1, 60);
  assert_true(refuses(2, "1 clusters"));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(clusters_of_threads_are_those_of_a_flood_fill),
                              cmocka_unit_test(folds_never_split_a_cluster),
                              cmocka_unit_test(fields_of_a_site_solve_their_equations),
                              cmocka_unit_test(loss_of_substitutions_is_that_of_enumerated_mutants),
                              cmocka_unit_test(heldout_losses_are_those_of_a_plain_descent),
                              cmocka_unit_test(threads_do_not_change_the_path),
                              cmocka_unit_test(the_choice_follows_the_rules),
                              cmocka_unit_test(a_selection_costs_at_most_four_trainings),
                              cmocka_unit_test(factored_attention_has_paths_of_both_kinds),
                              cmocka_unit_test(what_cannot_be_divided_is_refused)};
  where_races_are_sought("*threads*");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
