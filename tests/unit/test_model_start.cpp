// SPDX-License-Identifier: MIT
// Starts of factored attention from a model: couplings that its heads can represent come back, others are the truncated singular value
// decomposition, and a likelihood from there needs fewer steps.
#include "small_potts.hpp"

#include "learn/factored/starts.hpp"
#include "math/small_linear.hpp"

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
    cmocka_unit_test(what_cannot_start_is_refused),
};

ATP_TEST_MAIN(kTests)
