// SPDX-License-Identifier: MIT
// Several masked sites per sequence: loss and gradient against their definition, and the random masks against a sum over all masks.
#include "attention_slopes.hpp"
#include "small_potts.hpp"

#include "math/optim/stochastic.hpp"

#include <algorithm>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

AttentionShape shape_of(int64_t sites, int64_t colors, atp_map map, bool gaps_ignored) {
  AttentionShape s;
  s.sites = sites;
  s.colors = colors;
  s.heads = 2;
  s.rank = 3;
  s.map = map;
  s.fields = true;
  s.gaps_ignored = gaps_ignored;
  return s;
}

// Masks of all sequences and the items that they make.
struct Masks {
  Masks(const AttentionProblem &p, uint64_t epoch, double probability) {
    const int64_t L = p.shape.sites;
    hidden.resize(p.data.size());
    for (int64_t n = 0; n < p.count; ++n) draw_mask(3, epoch, n, probability, {hidden.data() + n * L, L});
    list(p);
  }
  // Sequence 0 alone, with the sites of the bits masked.
  Masks(const AttentionProblem &p, uint64_t bits) {
    hidden.resize(p.data.size());
    for (int64_t i = 0; i < p.shape.sites; ++i) hidden[static_cast<size_t>(i)] = (bits >> i & 1) != 0;
    list(p);
  }
  void list(const AttentionProblem &p) {
    for (size_t k = 0; k < hidden.size(); ++k) {
      if (hidden[k] == 0) continue;
      rows.push_back(static_cast<int64_t>(k) / p.shape.sites);
      sites.push_back(static_cast<int64_t>(k) % p.shape.sites);
    }
  }
  MaskedData view(const AttentionProblem &p) const {
    MaskedData d = p.view(false);
    d.count = static_cast<int64_t>(rows.size());
    d.rows = rows.data();
    d.masked = sites.data();
    d.hidden = hidden.data();
    return d;
  }
  std::vector<uint8_t> hidden;
  std::vector<int64_t> rows, sites;
};

// The sum of w_n (-log p) over the masked sites, from its definition, for free maps; *weight: that of these sites.
double loss_by_definition(const AttentionProblem &p, const Masks &m, double *weight) {
  const int64_t L = p.shape.sites, q = p.shape.states(), gap = p.shape.gaps_ignored ? 1 : 0, H = p.shape.heads;
  const double *maps = p.parameters.data(), *values = maps + H * L * L, *fields = values + H * q * q;
  long double sum = 0;
  *weight = 0;
  for (size_t k = 0; k < m.rows.size(); ++k) {
    const uint8_t *s = p.data.data() + m.rows[k] * L, *hidden = m.hidden.data() + m.rows[k] * L;
    const int64_t i = m.sites[k];
    if (s[i] < gap) continue;
    long double z = 0, own = 0;
    for (int64_t a = 0; a < q; ++a) {
      long double logit = fields[i * q + a];
      for (int64_t j = 0; j < L; ++j)
        for (int64_t h = 0; j != i && hidden[j] == 0 && s[j] >= gap && h < H; ++h)
          logit += maps[(h * L + i) * L + j] * values[(h * q + a) * q + s[j] - gap];
      z += expl(logit);
      if (a == s[i] - gap) own = logit;
    }
    const double w = p.weights[static_cast<size_t>(m.rows[k])];
    sum += w * (logl(z) - own);
    *weight += w;
  }
  return static_cast<double>(sum);
}

void loss_and_gradient(void **) {
  for (int64_t sites : {6, 21})
    for (bool gaps_ignored : {false, true})
      for (double probability : {0.15, 0.6}) {
        const Target target = best_target();
        AttentionProblem p(shape_of(sites, 4, ATP_MAP_FREE, gaps_ignored), 300, {}, 64, target, 9),
            fast(shape_of(sites, 4, ATP_MAP_FREE, gaps_ignored), 300, {}, 32, target, 9);
        const Masks m(p, 1, probability);
        double weight = 0, loss = NAN, fast_loss = NAN;
        const double expected = loss_by_definition(p, m, &weight) / weight;
        const Vector g = p.gradient(p.parameters, m.view(p), &loss), f = fast.gradient(fast.parameters, m.view(fast), &fast_loss);
        assert_close(loss, expected, 1e-12, 0);
        assert_close(fast_loss, expected, 1e-5, 0);
        double largest = 0;
        for (double x : g) largest = fmax(largest, fabs(x));
        for (size_t k = 0; k < g.size(); ++k) assert_close(f[k], g[k], 1e-4, 1e-5 * largest);
        // It sees the masks: without them masked sites help to predict each other.
        MaskedData open = m.view(p);
        open.hidden = nullptr;
        assert_true(fabs(p.loss(p.parameters, open) - expected) > 1e-6);
      }
}

void gradient_against_differences(void **) {
  for (atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK})
    for (bool gaps_ignored : {false, true}) {
      AttentionProblem p(shape_of(5, 3, map, gaps_ignored), 9, {}, 64, Target::scalar, 7);
      const Masks m(p, 2, 0.5);
      const MaskedData d = m.view(p);
      assert_true(worst_slope(p, d, p.gradient(p.parameters, d)) < 1e-7);
    }
}

// The sum over all 2^L masks with their probabilities, against the mean over random ones. Sequence 0; the mean of 20000 draws is off by
// more than 4.5 standard errors once in 150000 correct programs.
void random_masks_average_to_the_sum_over_all(void **) {
  const int64_t L = 7;
  AttentionProblem p(shape_of(L, 3, ATP_MAP_FREE, false), 2, {}, 64, Target::scalar, 11);
  for (double probability : {0.15, 0.5}) {
    std::vector<double> losses;
    double expected = 0, total = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << L; ++bits) {
      const Masks m(p, bits);
      double weight = 0;
      losses.push_back(loss_by_definition(p, m, &weight));
      if (weight > 0) assert_close(weight * p.loss(p.parameters, m.view(p)), losses.back(), 1e-12, 0);
      double chance = 1;
      for (int64_t i = 0; i < L; ++i) chance *= (bits >> i & 1) != 0 ? probability : 1 - probability;
      expected += chance * losses.back();
      total += chance;
    }
    assert_close(total, 1, 1e-12, 0);
    constexpr int kDraws = 20000;
    double sum = 0, squares = 0;
    std::vector<uint8_t> mask(static_cast<size_t>(L));
    for (int draw = 0; draw < kDraws; ++draw) {
      draw_mask(5, static_cast<uint64_t>(draw), 0, probability, {mask.data(), L});
      uint64_t bits = 0;
      for (int64_t i = 0; i < L; ++i) bits |= static_cast<uint64_t>(mask[static_cast<size_t>(i)]) << i;
      sum += losses[bits];
      squares += losses[bits] * losses[bits];
    }
    const double mean = sum / kDraws, error = sqrt((squares / kDraws - mean * mean) / kDraws);
    print_message("P %.2f: %.5f +- %.5f, exactly %.5f\n", probability, mean, error, expected);
    assert_true(error > 0 && error < 0.02 * expected);
    assert_true(fabs(mean - expected) < 4.5 * error);
  }
}

// An epoch of SGD in two batches against steps along the gradients of the objective at the same masks.
void an_epoch_of_training(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(40, 1);
  const int64_t L = 6, count = 40, size = 25;
  Trainer *t = p.trainer(*train, options_of({{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD},
                                             {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM},
                                             {ATP_OPT_MASK_PROBABILITY, 0.3},
                                             {ATP_OPT_BATCH, static_cast<double>(size)},
                                             {ATP_OPT_EPOCHS, 1},
                                             {ATP_OPT_RATE, 0.5},
                                             {ATP_OPT_PRECISION, 64},
                                             {ATP_OPT_FIELDS, 1},
                                             {ATP_OPT_SEED, 5}}));
  AttentionShape shape;
  shape.sites = L;
  shape.colors = 3;
  shape.fields = true;
  auto *objective = create_in_block<ObjectiveBlock>(p.context.allocator, &p.context, shape, Penalties(), 64);
  Vector x(parameters_in(*t).begin(), parameters_in(*t).end()), g(x.size());
  const Vector start = x;
  std::vector<int64_t> order(static_cast<size_t>(count));
  shuffle(5, 0, {order.data(), count});
  for (int64_t step = 0; step < 2; ++step) {
    std::vector<int64_t> rows, sites;
    std::vector<uint8_t> hidden(static_cast<size_t>(count * L));
    for (int64_t k = step * size; k < std::min(count, (step + 1) * size); ++k) {
      const int64_t n = order[static_cast<size_t>(k)];
      draw_mask(5, 0, n, 0.3, {hidden.data() + n * L, L});
      for (int64_t i = 0; i < L; ++i)
        if (hidden[static_cast<size_t>(n * L + i)] != 0) {
          rows.push_back(n);
          sites.push_back(i);
        }
    }
    MaskedData d(*train);
    d.count = static_cast<int64_t>(rows.size());
    d.rows = rows.data();
    d.masked = sites.data();
    d.hidden = hidden.data();
    objective->evaluate(AttentionProblem::span(x), d, {g.data(), static_cast<int64_t>(g.size())}, nullptr);
    const double rate = step == 0 ? 0.5 : 0.25;  // half a cosine of two steps
    for (size_t k = 0; k < x.size(); ++k) x[k] -= rate * g[k];
  }
  destroy_block(p.context.allocator, objective);
  assert_int_equal(run(*t, 1), ATP_OUTCOME_MAX_ITER);
  for (size_t k = 0; k < x.size(); ++k) assert_close(parameters_in(*t)[static_cast<int64_t>(k)], x[k], 1e-12, 1e-14);
  assert_true(x != start);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(loss_and_gradient),
      cmocka_unit_test(gradient_against_differences),
      cmocka_unit_test(random_masks_average_to_the_sum_over_all),
      cmocka_unit_test(an_epoch_of_training),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
