// SPDX-License-Identifier: MIT
// Starts from an autoregressive model are the Potts model of its expansion. Starts of factored attention from a model: couplings that its
// heads can represent come back, others are the truncated singular value decomposition, and a likelihood from there needs fewer steps.
#include "small_potts.hpp"

#include "learn/factored/starts.hpp"
#include "math/small_linear.hpp"
#include "potts/pairwise.hpp"

#include <algorithm>
#include <cstring>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kSites = 5, kColors = 3, kRows = kSites * kSites, kColumns = kColors * kColors;
using Vector = std::vector<double>;

Options factored(int64_t heads, int fields) {
  Options options(kTrainerOptions);
  options.set(ATP_OPT_HEADS, heads);
  options.set(ATP_OPT_FIELDS, int64_t{fields});
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_LIKELIHOOD});
  return options;
}

// A dense model with fields; its couplings are symmetric.
Model *dense_model(SmallPotts &potts) {
  ModelShape shape;
  shape.sites = kSites;
  shape.colors = kColors;
  shape.heads = 0;
  shape.fields = true;
  Model *model = create_in_block<Model>(potts.context.allocator, &potts.context, shape);
  const RandomView random(3, Stream::model, 0, 0);
  uint64_t next = 0;
  for (int64_t i = 0; i < kSites; ++i) {
    for (int64_t a = 0; a < kColors; ++a) model->fields[i * kColors + a] = random.normal(next++);
    for (int64_t j = i + 1; j < kSites; ++j)
      for (int64_t a = 0; a < kColors; ++a)
        for (int64_t b = 0; b < kColors; ++b) {
          const double x = random.normal(next++);
          model->couplings[((i * kSites + j) * kColors + a) * kColors + b] = x;
          model->couplings[((j * kSites + i) * kColors + b) * kColors + a] = x;
        }
  }
  model->beta = 0.7;
  return model;
}

// beta C_ij(a, b), [i][j][a][b], in the zero-sum gauge where that is asked for.
Vector couplings_of(const Model &model, bool centred) {
  Vector all(static_cast<size_t>(kRows * kColumns), 0.0);
  for (int64_t r = 0; r < kRows; ++r) {
    const int64_t i = r / kSites, j = r % kSites;
    if (i == j) continue;
    for (int64_t a = 0; a < kColors; ++a)
      for (int64_t b = 0; b < kColors; ++b) {
        const auto c = [&](int64_t s, int64_t t) { return model.beta * 0.5 * (model.coupling(i, j, s, t) + model.coupling(j, i, t, s)); };
        double x = c(a, b);
        for (int64_t s = 0; centred && s < kColors; ++s) {
          x -= (c(s, b) + c(a, s)) / kColors;
          for (int64_t t = 0; t < kColors; ++t) x += c(s, t) / (kColors * kColors);
        }
        all[static_cast<size_t>((r * kColors + a) * kColors + b)] = x;
      }
  }
  return all;
}

double squared_distance(const Vector &x, const Vector &y) {
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

// With all singular values the distribution is that of the model: energies of all states differ by one number.
void all_heads_give_the_model(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Model *model = dense_model(potts);
  Trainer &t = *potts.trainer(*potts.sample(50, 7), factored(9, 1));
  t.start_model(*model);
  Model *learned = t.make_model();
  const int64_t n = potts.states->count();
  Vector one(static_cast<size_t>(n)), two(static_cast<size_t>(n));
  energies(*model, potts.states->sequences.data(), n, one.data());
  energies(*learned, potts.states->sequences.data(), n, two.data());
  for (size_t k = 1; k < one.size(); ++k) assert_close(model->beta * (one[k] - one[0]), two[k] - two[0], 0, 1e-9);
  destroy_block(potts.context.allocator, learned);
  destroy_block(potts.context.allocator, model);
}

// The squared distance is the sum of the squared singular values that are left out, or less, for couplings are symmetrised.
void few_heads_are_the_closest(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Model *model = dense_model(potts);
  Vector all = couplings_of(*model, true), values(kRows), rotation(kRows * kRows), work = all;
  jacobi_svd(kRows, kColumns, work.data(), values.data(), rotation.data());
  for (int64_t heads : {1, 2, 3}) {
    Trainer &t = *potts.trainer(*potts.sample(50, 7), factored(heads, 1));
    t.start_model(*model);
    Model *learned = t.make_model();
    double left = 0;
    for (int64_t k = heads; k < kColumns; ++k) left += values[static_cast<size_t>(k)] * values[static_cast<size_t>(k)];
    const double distance = squared_distance(couplings_of(*learned, false), all);
    print_message("%lld heads: %.6f, left out %.6f\n", static_cast<long long>(heads), distance, left);
    assert_true(distance <= left * (1 + 1e-3));
    assert_true(distance > 0.3 * left);
    destroy_block(potts.context.allocator, learned);
  }
  destroy_block(potts.context.allocator, model);
}

// An autoregressive model with couplings of this size, in the order 2, 0, 4, 1, 3.
Model *ordered_model(SmallPotts &potts, double size) {
  const int64_t order[kSites] = {2, 0, 4, 1, 3};
  Model *model = make_model(potts.context, {kSites, kColors, 0, true});
  const RandomView random(4, Stream::model, 0, 0);
  uint64_t next = 0;
  for (int64_t k = 0; k < kSites; ++k)
    for (int64_t a = 0; a < kColors; ++a) {
      model->fields[order[k] * kColors + a] = random.normal(next++);
      for (int64_t n = 0; n < k; ++n)
        for (int64_t b = 0; b < kColors; ++b)
          model->couplings[((order[k] * kSites + order[n]) * kColors + a) * kColors + b] = size * random.normal(next++);
    }
  model->beta = 0.7;
  model->set_order({order, kSites});
  return model;
}

// The largest difference of log P of two states between the autoregressive model and a Potts model, from energies of all states.
double difference_of(const SmallPotts &potts, const Model &ordered, const Model &pairwise) {
  const int64_t n = potts.states->count();
  Vector one(static_cast<size_t>(n)), two(static_cast<size_t>(n));
  energies(ordered, potts.states->sequences.data(), n, one.data());
  energies(pairwise, potts.states->sequences.data(), n, two.data());
  for (size_t k = 0; k < one.size(); ++k) one[k] -= pairwise.beta * two[k];
  return *std::max_element(one.begin(), one.end()) - *std::min_element(one.begin(), one.end());
}

// The pairwise model is right to second order: what is left falls by 8 with couplings of half the size, by 4 if second order were wrong.
void error_of_autoregressive_start_is_of_third_order(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  double left[2];
  for (int k = 0; k < 2; ++k) {
    Model *ordered = ordered_model(potts, k == 0 ? 0.1 : 0.05), *pairwise = make_pairwise(potts.context, *ordered);
    left[k] = difference_of(potts, *ordered, *pairwise);
    destroy_block(potts.context.allocator, pairwise);
    destroy_block(potts.context.allocator, ordered);
  }
  print_message("%.3g, %.3g\n", left[0], left[1]);
  assert_true(left[0] > 1e-7);
  assert_true(left[0] / left[1] > 6.5 && left[0] / left[1] < 9.5);
}

// Dense couplings and as many heads as couplings need start from it alike, and without couplings the model comes back.
void autoregressive_models_start(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Options dense = factored(1, 1);
  dense.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE});
  dense.set(ATP_OPT_HEADS, int64_t{1});
  for (const double size : {0.0, 0.05})
    for (const Options &options : {dense, factored(9, 1)}) {
      Model *ordered = ordered_model(potts, size), *pairwise = make_pairwise(potts.context, *ordered);
      Trainer &t = *potts.trainer(*potts.sample(50, 7), options);
      t.start_model(*ordered);
      Model *learned = t.make_model();
      const double expected = difference_of(potts, *ordered, *pairwise), found = difference_of(potts, *ordered, *learned);
      assert_close(found, expected, 0, 1e-5);
      assert_true(size > 0 ? expected < 0.01 : expected < 1e-9);
      destroy_block(potts.context.allocator, learned);
      destroy_block(potts.context.allocator, pairwise);
      destroy_block(potts.context.allocator, ordered);
    }
}

void what_cannot_start_is_refused(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  Model *model = dense_model(potts);
  const struct {
    Options options;
    atp_status status;
    const char *text;
  } rows[] = {{factored(2, 0), ATP_E_CONFLICT, "fields is 0"},
              {factored(10, 1), ATP_E_CONFLICT, "at most 9"},
              {[] {
                 Options o = factored(1, 1);
                 o.set(ATP_OPT_MAP, int64_t{ATP_MAP_SOFTMAX});
                 return o;
               }(),
               ATP_E_UNSUPPORTED, "maps are not free"}};
  for (const auto &row : rows) {
    Trainer &t = *potts.trainer(*potts.sample(50, 7), row.options);
    try {
      t.start_model(*model);
      fail_msg("no error, expected %s", row.text);
    } catch (const Error &e) {
      assert_int_equal(e.status(), row.status);
      assert_non_null(std::strstr(e.what(), row.text));
    }
  }
  destroy_block(potts.context.allocator, model);
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(all_heads_give_the_model),
    cmocka_unit_test(few_heads_are_the_closest),
    cmocka_unit_test(error_of_autoregressive_start_is_of_third_order),
    cmocka_unit_test(autoregressive_models_start),
    cmocka_unit_test(what_cannot_start_is_refused),
};

ATP_TEST_MAIN(kTests)
