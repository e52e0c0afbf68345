// SPDX-License-Identifier: MIT
// The float32 pass of factored attention: every target against the scalar kernels bit for bit, float32 against float64, threads against
// one.
#include "attention_problem.hpp"
#include "simd/log.hpp"
#include "simd_target.hpp"

#include "support.h"  // last: cmocka has a macro fail()

#include "kernel_main.hpp"

using namespace atp;

namespace {

using Vector = std::vector<double>;

struct Case {
  int64_t sites, colors, heads, sequences;
  bool fields, fixed;
};

// Sites around 4, 16 and 64 (blocks), colours around register tiles, sequences around batches, chunks, splits and windows; few and many
// vectors of dV; lists of no site and of more than 64.
constexpr Case kCases[] = {
    {2, 2, 1, 1, false, false},    {3, 3, 2, 7, true, false},     {16, 5, 1, 65, false, false},  {17, 4, 1, 33, true, true},
    {20, 20, 1, 150, true, false}, {20, 21, 3, 130, true, false}, {33, 6, 2, 70, true, false},   {40, 7, 1, 9, false, false},
    {63, 13, 1, 130, true, false}, {64, 3, 1, 520, true, false},  {65, 21, 1, 150, true, false}, {82, 10, 2, 140, true, true},
    {5, 64, 5, 20, true, false},   {6, 255, 1, 12, true, false},  {2, 2, 1, 9000, true, false},  {130, 2, 1, 1040, true, false},
    {66, 40, 1, 5, true, false},   {70, 3, 2, 1100, true, false},
};

AttentionShape shape_of(const Case &c) {
  AttentionShape s;
  s.sites = c.sites;
  s.colors = c.colors;
  s.heads = c.heads;
  s.fields = c.fields;
  s.colors_fixed = c.fixed;
  return s;
}

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

void logarithm(void **) {
  double worst = 0;
  for (int k = 0; k < 1 << 20; ++k) {
    const float x = static_cast<float>(exp2(-20 + 40.0 * k / (1 << 20)));
    worst = fmax(worst, fabs(log_f32(x) - log(static_cast<double>(x))) / fmax(1, fabs(log(static_cast<double>(x)))));
  }
  print_message("log: largest error %.3g\n", worst);
  assert_true(worst < 1.0e-7);
  assert_true(log_f32(1.0f) == 0.0f);
}

void same_as_scalar(void **) {
  const Target target = tested_target();
  for (const Case &c : kCases)
    for (bool one_site : {false, true}) {
      AttentionProblem reference(shape_of(c), c.sequences, {}, 32, Target::scalar, 3), tested(shape_of(c), c.sequences, {}, 32, target, 3);
      double loss = 0, tested_loss = 0;
      const Vector g = reference.gradient(reference.parameters, reference.view(one_site), &loss);
      const Vector t = tested.gradient(tested.parameters, tested.view(one_site), &tested_loss);
      assert_true(isfinite(loss) && loss > 0 && norm(g) > 0);
      if (has_fma(target)) {
        assert_true(tested_loss == loss);
        assert_true(t == g);
      } else {
        assert_close(tested_loss, loss, 1e-5, 0);
        assert_true(distance(t, g) < 1e-5 * norm(g));
      }
      // A loss without gradient is the same number.
      assert_true(tested.loss(tested.parameters, tested.view(one_site)) == tested_loss);
    }
}

void float32_against_float64(void **) {
  double worst_loss = 0, worst_gradient = 0;
  for (const Case &c : kCases)
    for (bool one_site : {false, true}) {
      AttentionProblem reference(shape_of(c), c.sequences, {}, 64, Target::scalar, 5),
          tested(shape_of(c), c.sequences, {}, 32, tested_target(), 5);
      double loss = 0, tested_loss = 0;
      const Vector g = reference.gradient(reference.parameters, reference.view(one_site), &loss);
      const Vector t = tested.gradient(tested.parameters, tested.view(one_site), &tested_loss);
      worst_loss = fmax(worst_loss, fabs(tested_loss - loss) / loss);
      worst_gradient = fmax(worst_gradient, distance(t, g) / norm(g));
      // The bounds see parameters that are off by a ten-thousandth.
      Vector off = tested.parameters;
      for (double &x : off) x *= 1.0001;
      double off_loss = 0;
      assert_true(distance(tested.gradient(off, tested.view(one_site), &off_loss), g) > 1e-5 * norm(g));
      assert_true(fabs(off_loss - loss) > 1e-6 * loss);
      for (int64_t h = 0; h < c.heads; ++h)
        for (int64_t i = 0; i < c.sites; ++i) assert_true(t[static_cast<size_t>((h * c.sites + i) * c.sites + i)] == 0);
    }
  print_message("float32 against float64: loss %.3g relative, gradient %.3g of its norm\n", worst_loss, worst_gradient);
  assert_true(worst_loss < 1e-6);
  assert_true(worst_gradient < 1e-5);
}

// A sharp model: logits of a hundred, probabilities that underflow.
void sharp_models(void **) {
  const Case c = {20, 20, 1, 200, true, false};
  AttentionProblem reference(shape_of(c), c.sequences, {}, 64, Target::scalar, 5, 5.0),
      tested(shape_of(c), c.sequences, {}, 32, tested_target(), 5, 5.0);
  double loss = 0, tested_loss = 0;
  const Vector g = reference.gradient(reference.parameters, reference.view(false), &loss);
  const Vector t = tested.gradient(tested.parameters, tested.view(false), &tested_loss);
  assert_true(loss > 50);
  assert_close(tested_loss, loss, 1e-6, 0);
  assert_true(distance(t, g) < 1e-4 * norm(g));
}

void rows_and_weights(void **) {
  // Rows in any order, twice, and weights of any scale give what a smaller alignment gives.
  const Case c = {18, 6, 2, 90, true, false};
  AttentionProblem p(shape_of(c), c.sequences, {}, 32, tested_target(), 8);
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < 100; ++k) rows.push_back((37 * k + 11) % 90);
  MaskedData d = p.view(false);
  d.rows = rows.data();
  d.count = 100;
  double loss = 0, copied_loss = 0, scaled_loss = 0;
  const Vector g = p.gradient(p.parameters, d, &loss);
  std::vector<uint8_t> data(100 * 18);
  Vector weights(100);
  for (size_t k = 0; k < 100; ++k) {
    for (size_t i = 0; i < 18; ++i) data[k * 18 + i] = p.data[static_cast<size_t>(rows[k]) * 18 + i];
    weights[k] = p.weights[static_cast<size_t>(rows[k])];
  }
  MaskedData copy;
  copy.sequences = data.data();
  copy.sites = 18;
  copy.weights = weights.data();
  copy.count = 100;
  assert_true(p.gradient(p.parameters, copy, &copied_loss) == g);
  assert_true(copied_loss == loss);
  for (double &w : weights) w *= 0x1p200;  // a power of two: no rounding
  assert_true(p.gradient(p.parameters, copy, &scaled_loss) == g);
  assert_true(scaled_loss == loss);
}

void threads_do_not_matter(void **) {
  for (const Case &c : kCases)
    for (bool one_site : {false, true}) {
      AttentionProblem p(shape_of(c), c.sequences, {}, 32, tested_target(), 13);
      double loss = 0;
      const Vector g = p.gradient(p.parameters, p.view(one_site), &loss);
      for (int threads : {2, 3}) {
        p.set_threads(threads);
        double other = 0;
        assert_true(p.gradient(p.parameters, p.view(one_site), &other) == g);
        assert_true(other == loss);
      }
    }
}

// Many heads: the pass by way of the couplings. Sites and colours around tiles and panels, gaps, couplings of twice as many heads, orders.
struct ManyCase {
  Case c;
  bool gaps, symmetrized, ordered;
};
constexpr ManyCase kManyCases[] = {
    {{20, 21, 12, 130, true, false}, true, false, false}, {{66, 9, 14, 600, true, false}, false, false, false},
    {{17, 5, 24, 400, false, true}, false, false, true},  {{130, 4, 12, 100, true, false}, true, true, false},
    {{5, 33, 8, 60, true, false}, false, true, false},
};

AttentionShape shape_of(const ManyCase &many, const std::vector<int64_t> &places) {
  AttentionShape s = shape_of(many.c);
  s.gaps_ignored = many.gaps;
  s.symmetrized = many.symmetrized;
  if (many.ordered) s.places = {places.data(), s.sites};
  return s;
}

void many_heads(void **) {
  std::vector<int64_t> places(256);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>((7 * i + 3) % places.size());
  double worst_loss = 0, worst_gradient = 0;
  for (const ManyCase &many : kManyCases) {
    const AttentionShape shape = shape_of(many, places);
    DenseShape dense;
    dense.count = many.c.sequences;
    dense.sites = shape.sites;
    dense.colors = shape.states();
    assert_true(CouplingPassF32::pays(dense, shape.coupling_heads()));
    AttentionProblem reference(shape, many.c.sequences, {}, 64, Target::scalar, 5, 0.3),
        without(shape, many.c.sequences, {}, 32, tested_target(), 5, 0.3),
        scalar(shape, many.c.sequences, {}, 32, Target::scalar, 5, 0.3, true),
        tested(shape, many.c.sequences, {}, 32, tested_target(), 5, 0.3, true);
    double loss = 0, other_loss = 0, scalar_loss = 0, tested_loss = 0;
    const Vector g = reference.gradient(reference.parameters, reference.view(false), &loss);
    const Vector other = without.gradient(without.parameters, without.view(false), &other_loss);
    const Vector expected = scalar.gradient(scalar.parameters, scalar.view(false), &scalar_loss);
    const Vector t = tested.gradient(tested.parameters, tested.view(false), &tested_loss);
    worst_loss = fmax(worst_loss, fabs(tested_loss - loss) / loss);
    worst_gradient = fmax(worst_gradient, distance(t, g) / norm(g));
    assert_true(t != other);  // another pass
    if (has_fma(tested_target())) assert_true(t == expected && tested_loss == scalar_loss);
    assert_true(distance(t, expected) < 1e-5 * norm(g));
    assert_true(tested.loss(tested.parameters, tested.view(false)) == tested_loss);
    tested.set_threads(1);
    assert_true(tested.gradient(tested.parameters, tested.view(false), &other_loss) == t && other_loss == tested_loss);
    // One site of each sequence, and other sequences, go the other way.
    assert_true(tested.gradient(tested.parameters, tested.view(true)) == without.gradient(without.parameters, without.view(true)));
  }
  print_message("many heads: loss %.3g relative, gradient %.3g of its norm\n", worst_loss, worst_gradient);
  assert_true(worst_loss < 1e-6);
  assert_true(worst_gradient < 1e-5);
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {
      cmocka_unit_test(logarithm),        cmocka_unit_test(float32_against_float64), cmocka_unit_test(sharp_models),
      cmocka_unit_test(rows_and_weights), cmocka_unit_test(threads_do_not_matter),   cmocka_unit_test(many_heads)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(same_as_scalar)};
  return run_kernel_tests(definition, against_scalar);
}
