// SPDX-License-Identifier: MIT
// The float32 pass of dense couplings: every target against the scalar kernels bit for bit, float32 against float64.
#include "dense_problem.hpp"
#include "simd_target.hpp"

#include "support.h"  // last: cmocka has a macro fail()

#include "kernel_main.hpp"

#include <cmath>

using namespace atp;

namespace {

struct Case {
  int64_t count, sites, colors;
};

// Rows of one part of 8 or 16, of two parts, of three and more; sites around tiles of 16; sequences around groups of 16 and a piece of
// 4096. The cases of 700 sequences and more, and (64, 31, 3), have few enough pairs of colours for classes of pairs of sites. With 50 sites
// half of the pairs are more than a tile of neighbours.
constexpr Case kCases[] = {
    {1, 2, 2},    {15, 3, 7},   {16, 15, 8},   {17, 16, 9},   {33, 17, 15},  {40, 5, 16},   {64, 31, 3},   {100, 33, 5}, {50, 6, 17},
    {70, 20, 21}, {48, 4, 24},  {90, 7, 25},   {30, 5, 32},   {31, 4, 33},   {20, 3, 41},   {12, 2, 255},  {4096, 3, 4}, {4097, 3, 4},
    {8300, 4, 3}, {700, 18, 7}, {2000, 5, 16}, {2200, 3, 17}, {4000, 6, 24}, {4000, 3, 26}, {4000, 3, 33}, {40, 50, 18},
};

double norm(const Vector &x) {
  double sum = 0;
  for (double value : x) sum += value * value;
  return sqrt(sum);
}
double distance(const Vector &x, const Vector &y) {
  Vector z = x;
  for (size_t k = 0; k < z.size(); ++k) z[k] -= y[k];
  return norm(z);
}

struct Answer {
  double loss = NAN, objective = NAN;
  Vector gradient;
};

// odds: with a list of about every odds-th pair; 0: without a list.
Answer answer(const Case &c, Target target, int gaps, int asymmetric, int precision, double scale, double factor = 1, uint32_t odds = 0) {
  DenseProblem p(c.count, c.sites, c.colors, target);
  const Options options = dense_options({{ATP_OPT_PRECISION, precision}, {ATP_OPT_GAPS, gaps}, {ATP_OPT_ASYMMETRIC, asymmetric}});
  Trainer &t = odds == 0 ? p.trainer(options) : p.trainer(options, p.some_pairs(odds));
  Vector x = DenseProblem::parameters(t, scale);
  for (double &v : x) v *= factor;
  set(t, x);
  Answer a;
  a.gradient = gradient_of(t, &a.loss, &a.objective);
  double alone = NAN;
  alone = t.evaluate({}).loss;
  assert_true(alone == a.loss);  // without gradient the same number
  return a;
}

template <class Body>
void for_all(Body &&body) {
  for (const Case &c : kCases)
    for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
      for (int asymmetric : {0, 1})
        if (gaps == ATP_GAPS_STATE || c.colors > 2) body(c, gaps, asymmetric);
}

void same_as_scalar(void **) {
  const Target target = tested_target();
  for_all([&](const Case &c, int gaps, int asymmetric) {
    const Answer reference = answer(c, Target::scalar, gaps, asymmetric, 32, 0.5), tested = answer(c, target, gaps, asymmetric, 32, 0.5);
    assert_true(std::isfinite(reference.loss) && reference.loss > 0 && norm(reference.gradient) > 0);
    if (has_fma(target)) {
      assert_true(tested.loss == reference.loss && tested.gradient == reference.gradient);
    } else {
      assert_close(tested.loss, reference.loss, 1e-5, 0);
      assert_true(distance(tested.gradient, reference.gradient) < 1e-5 * norm(reference.gradient));
    }
  });
}

// With lists of pairs: the kernel that reads columns of sites, with less and more than a tile of neighbours.
void lists_same_as_scalar(void **) {
  const Target target = tested_target();
  for_all([&](const Case &c, int gaps, int asymmetric) {
    for (uint32_t odds : {2u, 3u}) {
      const Answer reference = answer(c, Target::scalar, gaps, asymmetric, 32, 0.5, 1, odds),
                   tested = answer(c, target, gaps, asymmetric, 32, 0.5, 1, odds);
      assert_true(std::isfinite(reference.loss) && reference.loss > 0 && norm(reference.gradient) > 0);
      if (has_fma(target)) {
        assert_true(tested.loss == reference.loss && tested.gradient == reference.gradient);
      } else {
        assert_close(tested.loss, reference.loss, 1e-5, 0);
        assert_true(distance(tested.gradient, reference.gradient) < 1e-5 * norm(reference.gradient));
      }
    }
  });
}

void float32_against_float64(void **) {
  double worst_loss = 0, worst_gradient = 0;
  for_all([&](const Case &c, int gaps, int asymmetric) {
    const Answer reference = answer(c, Target::scalar, gaps, asymmetric, 64, 0.5),
                 tested = answer(c, tested_target(), gaps, asymmetric, 32, 0.5);
    worst_loss = fmax(worst_loss, fabs(tested.loss - reference.loss) / reference.loss);
    worst_gradient = fmax(worst_gradient, distance(tested.gradient, reference.gradient) / norm(reference.gradient));
    // The bounds see parameters that are off by a ten-thousandth.
    const Answer off = answer(c, tested_target(), gaps, asymmetric, 32, 0.5, 1.0001);
    assert_true(distance(off.gradient, reference.gradient) > 1e-5 * norm(reference.gradient));
  });
  print_message("float32 against float64: loss %.3g relative, gradient %.3g of its norm\n", worst_loss, worst_gradient);
  assert_true(worst_loss < 1e-6);
  assert_true(worst_gradient < 5e-6);
}

// Logits of a hundred, probabilities that underflow.
void sharp_models(void **) {
  const Case c = {200, 20, 20};
  const Answer reference = answer(c, Target::scalar, ATP_GAPS_STATE, 0, 64, 20),
               tested = answer(c, tested_target(), ATP_GAPS_STATE, 0, 32, 20);
  assert_true(reference.loss > 50);
  assert_close(tested.loss, reference.loss, 1e-6, 0);
  assert_true(distance(tested.gradient, reference.gradient) < 1e-4 * norm(reference.gradient));
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {cmocka_unit_test(float32_against_float64), cmocka_unit_test(sharp_models)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(same_as_scalar), cmocka_unit_test(lists_same_as_scalar)};
  return run_kernel_tests(definition, against_scalar);
}
