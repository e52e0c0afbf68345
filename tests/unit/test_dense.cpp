// SPDX-License-Identifier: MIT
// The objective of dense couplings in float64: gradients against differences, the value against its definition and against factored
// attention with the same couplings, what the two kinds of problem share, penalties and their scales.
#include "dense_slopes.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

struct Case {
  int64_t count, sites, colors;
};
// Sites around a tile of 16, colours around rows of 8, 16 and 24, sequences around groups of 16.
constexpr Case kCases[] = {{9, 2, 2}, {17, 3, 4}, {40, 5, 3}, {33, 17, 3}, {20, 4, 9}, {31, 3, 18}, {25, 2, 27}};

void gradient_against_differences(void **) {
  for (const Case &c : kCases)
    for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
      for (int asymmetric : {0, 1}) {
        if (gaps == ATP_GAPS_IGNORE && c.colors == 2) continue;
        DenseProblem p(c.count, c.sites, c.colors);
        Trainer &t = p.trainer(dense_options({{ATP_OPT_PRECISION, 64},
                                              {ATP_OPT_GAPS, gaps},
                                              {ATP_OPT_ASYMMETRIC, asymmetric},
                                              {ATP_OPT_L2_COUPLINGS, 0.3},
                                              {ATP_OPT_L2_FIELDS, 0.2}}));
        const Vector x = DenseProblem::parameters(t, 0.5);
        set(t, x);
        Vector g = gradient_of(t), slopes(x.size());
        for (size_t k = 0; k < x.size(); ++k) slopes[k] = slope(t, x, k);
        const double worst = worst_slope(g, slopes);
        if (!(worst < 1e-7))
          print_error("%d sites, %d colours, gaps %d, asymmetric %d: %.3g\n", static_cast<int>(c.sites), static_cast<int>(c.colors), gaps,
                      asymmetric, worst);
        assert_true(worst < 1e-7);
        // The check sees one element that is wrong by a millionth.
        size_t largest = 0;
        for (size_t k = 0; k < g.size(); ++k) largest = fabs(g[k]) > fabs(g[largest]) ? k : largest;
        g[largest] *= 1 + 1e-6;
        assert_true(worst_slope(g, slopes) > 0.5e-6);
      }
}

// The objective from its definition, for symmetric parameters in their public order.
double objective_by_definition(const DenseProblem &p, const Vector &x, bool gaps_ignored, double l2_fields, double l2_couplings,
                               double *loss) {
  const int64_t L = p.data->sites(), q = p.data->colors() - (gaps_ignored ? 1 : 0), shift = gaps_ignored ? 1 : 0;
  const auto coupling = [&](int64_t i, int64_t a, int64_t j, int64_t b) {
    int64_t pair = 0;
    if (i > j) {
      std::swap(i, j);
      std::swap(a, b);
    }
    for (int64_t k = 0; k < i; ++k) pair += L - 1 - k;
    return x[static_cast<size_t>(L * q + (pair + j - i - 1) * q * q + a * q + b)];
  };
  long double sum = 0, predicted = 0, fields = 0, couplings = 0;
  for (int64_t n = 0; n < p.data->count(); ++n)
    for (int64_t i = 0; i < L; ++i) {
      const uint8_t *s = p.data->sequence(n);
      if (s[i] < shift) continue;
      long double z = 0, own = 0;
      for (int64_t a = 0; a < q; ++a) {
        long double logit = x[static_cast<size_t>(i * q + a)];
        for (int64_t j = 0; j < L; ++j)
          if (j != i && s[j] >= shift) logit += coupling(i, a, j, s[j] - shift);
        z += expl(logit);
        if (a == s[i] - shift) own = logit;
      }
      sum += p.data->weights[n] * (logl(z) - own);
      predicted += p.data->weights[n];
    }
  for (int64_t k = 0; k < static_cast<int64_t>(x.size()); ++k)
    (k < L * q ? fields : couplings) += x[static_cast<size_t>(k)] * x[static_cast<size_t>(k)];
  if (loss != nullptr) *loss = static_cast<double>(sum / predicted);
  return static_cast<double>(sum + l2_fields * fields + l2_couplings * couplings);
}

void value_by_definition(void **) {
  for (const Case &c : kCases)
    for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE}) {
      if (gaps == ATP_GAPS_IGNORE && c.colors == 2) continue;
      DenseProblem p(c.count, c.sites, c.colors);
      Trainer &t =
          p.trainer(dense_options({{ATP_OPT_PRECISION, 64}, {ATP_OPT_GAPS, gaps}, {ATP_OPT_L2_COUPLINGS, 0.3}, {ATP_OPT_L2_FIELDS, 0.2}}));
      Vector x = DenseProblem::parameters(t, 0.5);
      double loss = NAN, expected_loss = NAN, value = NAN;
      set(t, x);
      const Evaluation now = t.evaluate({});
      loss = now.loss;
      value = now.objective;
      const double expected = objective_by_definition(p, x, gaps == ATP_GAPS_IGNORE, 0.2, 0.3, &expected_loss);
      assert_close(value, expected, 1e-12, 0);
      assert_close(loss, expected_loss, 1e-12, 0);
      assert_close(t.loss(*p.data), expected_loss, 1e-12, 0);
      // The comparison sees one coupling.
      x.back() += 1e-6;
      assert_true(fabs(objective_by_definition(p, x, gaps == ATP_GAPS_IGNORE, 0.2, 0.3, nullptr) - expected) > 1e-11 * expected);
    }
}

// Parameters of the asymmetric problem, both copies of a pair those of the symmetric one.
Vector both_copies(const Vector &x, int64_t L, int64_t q) {
  Vector y;
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t a = 0; a < q; ++a) y.push_back(x[static_cast<size_t>(i * q + a)]);
    for (int64_t j = 0; j < L; ++j) {
      if (j == i) continue;
      const int64_t low = i < j ? i : j, high = i < j ? j : i, pair = low * (2 * L - low - 1) / 2 + high - low - 1;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) y.push_back(x[static_cast<size_t>(L * q + pair * q * q + (i < j ? a * q + b : b * q + a))]);
    }
  }
  return y;
}

void same_couplings_same_objective(void **) {
  for (const Case &c : kCases)
    for (int precision : {64, 32}) {
      DenseProblem p(c.count, c.sites, c.colors, best_target());
      const std::initializer_list<std::pair<atp_option, double>> common = {
          {ATP_OPT_PRECISION, precision}, {ATP_OPT_L2_COUPLINGS, 0.3}, {ATP_OPT_L2_FIELDS, 0.2}};
      Options options = dense_options(common);
      Trainer &one = p.trainer(options);
      options.set(ATP_OPT_ASYMMETRIC, int64_t{1});
      Trainer &sites = p.trainer(options);
      const Vector x = DenseProblem::parameters(one, 0.5);
      const double tolerance = precision == 64 ? 1e-12 : 1e-6;
      assert_close(objective_at(sites, both_copies(x, c.sites, c.colors)), objective_at(one, x), tolerance, 0);
      // And the models that come out: each its parameters, the couplings symmetric.
      Model *a = one.make_model(), *b = sites.make_model();
      assert_true(a->shape.dense() && !a->fields.empty() && a->symmetric(0) && b->symmetric(0));
      for (int64_t k = 0; k < a->couplings.size(); ++k) assert_close(a->couplings[k], b->couplings[k], 1e-7, 1e-12);
      for (int64_t k = 0; k < a->fields.size(); ++k) assert_close(a->fields[k], b->fields[k], tolerance, tolerance);
      assert_close(a->coupling(0, 1, 0, 1), x[static_cast<size_t>(c.sites * c.colors + 1)], 1e-7, 0);
      assert_close(a->coupling(1, 0, 1, 0), x[static_cast<size_t>(c.sites * c.colors + 1)], 1e-7, 0);
      destroy_block(p.context.allocator, a);
      destroy_block(p.context.allocator, b);
    }
}

void same_as_factored_attention(void **) {
  const int64_t L = 6, q = 4, heads = 2;
  DenseProblem p(50, L, q);
  Options options(kTrainerOptions);
  options.set(ATP_OPT_HEADS, heads);
  options.set(ATP_OPT_FIELDS, int64_t{1});
  options.set(ATP_OPT_PRECISION, int64_t{64});
  Trainer &factored = p.trainer(options);
  Vector y = DenseProblem::parameters(factored, 0.5);
  // Symmetric maps and colour matrices: symmetric couplings.
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < i; ++j) y[static_cast<size_t>((h * L + i) * L + j)] = y[static_cast<size_t>((h * L + j) * L + i)];
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < a; ++b)
        y[static_cast<size_t>(heads * L * L + (h * q + a) * q + b)] = y[static_cast<size_t>(heads * L * L + (h * q + b) * q + a)];
  }
  set(factored, y);
  Trainer &dense = p.trainer(dense_options({{ATP_OPT_PRECISION, 64}}));
  Vector x;
  for (int64_t k = 0; k < L * q; ++k) x.push_back(y[static_cast<size_t>(heads * (L * L + q * q) + k)]);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j)
      for (int64_t ab = 0; ab < q * q; ++ab) {
        double sum = 0;
        for (int64_t h = 0; h < heads; ++h)
          sum += y[static_cast<size_t>((h * L + i) * L + j)] * y[static_cast<size_t>(heads * L * L + h * q * q + ab)];
        x.push_back(sum);
      }
  double loss = NAN, expected = NAN;
  set(dense, x);
  loss = dense.evaluate({}).loss;
  expected = factored.evaluate({}).loss;
  assert_close(loss, expected, 1e-12, 0);
  x.back() += 1e-5;
  set(dense, x);
  loss = dense.evaluate({}).loss;
  assert_true(fabs(loss - expected) > 1e-11 * expected);
}

void penalties_and_their_scales(void **) {
  const int64_t L = 5, q = 4;
  DenseProblem p(30, L, q);
  const double weight = p.data->effective_count();
  const struct {
    double fields, couplings;
    int scale, gaps;
    double expected_fields, expected_couplings;
  } cases[] = {
      {-1, -1, ATP_L2_ABSOLUTE, ATP_GAPS_STATE, 0.01, 0.2 * (L - 1)},
      {-1, -1, ATP_L2_WEIGHT, ATP_GAPS_STATE, 0.01, 0.2 * (L - 1)},
      {0, 0, ATP_L2_ABSOLUTE, ATP_GAPS_STATE, 0, 0},
      {0.5, 2, ATP_L2_ABSOLUTE, ATP_GAPS_STATE, 0.5, 2},
      {0.5, 2, ATP_L2_SITES, ATP_GAPS_STATE, 0.5, 2 * (L - 1)},
      {0.5, 2, ATP_L2_SITES_COLORS, ATP_GAPS_STATE, 0.5, 2 * (L - 1) * (q - 1)},
      {0.5, 2, ATP_L2_SITES_COLORS, ATP_GAPS_IGNORE, 0.5, 2 * (L - 1) * (q - 2)},
      {0.5, 2, ATP_L2_WEIGHT, ATP_GAPS_STATE, 0.5 * weight, 2 * weight},
  };
  for (const auto &c : cases) {
    Trainer &t = p.trainer(dense_options({{ATP_OPT_PRECISION, 64},
                                          {ATP_OPT_L2_FIELDS, c.fields},
                                          {ATP_OPT_L2_COUPLINGS, c.couplings},
                                          {ATP_OPT_L2_SCALE, c.scale},
                                          {ATP_OPT_GAPS, c.gaps}}));
    const Vector x = DenseProblem::parameters(t, 0.5);
    const double expected = objective_by_definition(p, x, c.gaps == ATP_GAPS_IGNORE, c.expected_fields, c.expected_couplings, nullptr);
    assert_close(objective_at(t, x), expected, 1e-12, 0);
  }
}

void threads_do_not_matter(void **) {
  for (const Case &c : {Case{40, 5, 3}, Case{700, 21, 5}, Case{9000, 6, 4}})
    for (int precision : {32, 64})
      for (int asymmetric : {0, 1}) {
        Vector first, first_trained;
        double first_value = NAN;
        for (int threads : {1, 2, 3}) {
          DenseProblem p(c.count, c.sites, c.colors, best_target());
          p.context.threads = threads;
          Trainer &t = p.trainer(dense_options({{ATP_OPT_PRECISION, precision}, {ATP_OPT_ASYMMETRIC, asymmetric}, {ATP_OPT_EPOCHS, 4}}));
          set(t, DenseProblem::parameters(t, 0.5));
          double value = NAN;
          const Vector g = gradient_of(t, nullptr, &value);
          run_all(t, 100);
          const Vector trained = parameters_of(t);
          if (threads == 1) {
            first = g;
            first_trained = trained;
            first_value = value;
            assert_true(trained != DenseProblem::parameters(t, 0.5));
          }
          assert_true(g == first && value == first_value && trained == first_trained);
        }
      }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(gradient_against_differences),  cmocka_unit_test(value_by_definition),
      cmocka_unit_test(same_couplings_same_objective), cmocka_unit_test(same_as_factored_attention),
      cmocka_unit_test(penalties_and_their_scales),    cmocka_unit_test(threads_do_not_matter),
  };
  where_races_are_sought("threads_do_not_matter");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
