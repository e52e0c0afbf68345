// SPDX-License-Identifier: MIT
// The float32 pass of the dial layer: column kernels and whole gradients, every target against the scalar kernels bit for bit; float32
// against float64.
#include "dial_problem.hpp"
#include "simd_target.hpp"

#include "support.h"  // last: cmocka has a macro fail()

#include "kernel_main.hpp"

using namespace atp;

namespace {

using Vector = std::vector<double>;

struct Case {
  int64_t sites, colors, sequences;
  double dial;
};

// Sites around vectors; colours around register tiles; pairs around batches, chunks and tasks; few and many vectors of sums.
constexpr Case kCases[] = {{2, 2, 1, 0.5},   {3, 3, 7, 1},     {16, 5, 65, 0},    {17, 4, 33, 0.3},  {20, 20, 112, 1},  {20, 20, 113, 0},
                           {20, 21, 130, 1}, {33, 6, 70, 0.7}, {70, 21, 90, 0.2}, {5, 64, 20, 0.1},  {6, 255, 12, 1},   {5, 255, 3, 0},
                           {2, 2, 9000, 1},  {2, 3, 8000, 0},  {130, 2, 40, 0.5}, {900, 21, 2, 0.5}, {40, 40, 300, 0.9}};

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

DialSettings shape_of(const Case &c, int precision) {
  return dial_shape(c.sites, c.colors, c.dial, c.dial > 0 || c.sites % 2 == 0 ? ATP_MAP_LOWRANK : ATP_MAP_FREE, precision);
}
// Scores are of the order of one.
double scale_of(const Case &c) { return 0.9 / sqrt(static_cast<double>(c.colors)); }

struct alignas(64) Columns {
  float x[40 * 64];
};

void columns(void **) {
  const Target target = tested_target();
  const ColumnKernels &tested = column_kernels(target);
  Vector drawn(2 * 40 * 64);
  for (uint64_t k = 0; k < drawn.size(); ++k) drawn[k] = RandomView(3, Stream::parameters, 0, 0).normal(k);
  const double *const inputs = drawn.data(), *const slopes = inputs + 40 * 64;
  for (double scale : {0.1, 3.0, 60.0})
    for (int64_t width : {16, 32, 48, 64})
      for (int64_t rows = 1; rows <= 40; ++rows) {
        Columns p, q, d, e;
        for (int64_t k = 0; k < 40 * 64; ++k) {
          p.x[k] = q.x[k] = static_cast<float>(scale * inputs[k]);
          d.x[k] = e.x[k] = static_cast<float>(slopes[k]);
        }
        const Columns input = p;
        column_scalar_kernels.softmax(rows, width, p.x);
        column_scalar_kernels.softmax_back(rows, width, p.x, d.x);
        tested.softmax(rows, width, q.x);
        tested.softmax_back(rows, width, q.x, e.x);
        if (has_fma(target)) {
          assert_memory_equal(p.x, q.x, sizeof p.x);
          assert_memory_equal(d.x, e.x, sizeof d.x);
        }
        for (int64_t k = rows * width; k < 40 * 64; ++k) assert_true(q.x[k] == input.x[k]);
        // Against the library's exponential function.
        for (int64_t c = 0; c < width; ++c) {
          double top = -HUGE_VAL, total = 0, mean = 0;
          for (int64_t r = 0; r < rows; ++r) top = fmax(top, static_cast<double>(input.x[r * width + c]));
          for (int64_t r = 0; r < rows; ++r) total += exp(static_cast<double>(input.x[r * width + c]) - top);
          for (int64_t r = 0; r < rows; ++r) mean += exp(static_cast<double>(input.x[r * width + c]) - top) / total * slopes[r * width + c];
          for (int64_t r = 0; r < rows; ++r) {
            const double expected = exp(static_cast<double>(input.x[r * width + c]) - top) / total;
            assert_close(static_cast<double>(q.x[r * width + c]), expected, 3e-5, 4e-12);
            assert_close(static_cast<double>(e.x[r * width + c]), expected * (slopes[r * width + c] - mean), 3e-5, 2e-6);
          }
        }
      }
}

void same_as_scalar(void **) {
  const Target target = tested_target();
  for (const Case &c : kCases)
    for (bool one_site : {false, true}) {
      DialProblem reference(shape_of(c, 32), c.sequences, Target::scalar, 3, scale_of(c)),
          tested(shape_of(c, 32), c.sequences, target, 3, scale_of(c));
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
      DialProblem reference(shape_of(c, 64), c.sequences, Target::scalar, 5, scale_of(c)),
          tested(shape_of(c, 32), c.sequences, tested_target(), 5, scale_of(c));
      double loss = 0, tested_loss = 0;
      const Vector g = reference.gradient(reference.parameters, reference.view(one_site), &loss);
      const Vector t = tested.gradient(tested.parameters, tested.view(one_site), &tested_loss);
      worst_loss = fmax(worst_loss, fabs(tested_loss - loss) / loss);
      worst_gradient = fmax(worst_gradient, distance(t, g) / norm(g));
      // The bounds see parameters that are off by a thousandth.
      Vector off = tested.parameters;
      for (double &x : off) x *= 1.001;
      double off_loss = 0;
      assert_true(distance(tested.gradient(off, tested.view(one_site), &off_loss), g) > 1e-5 * norm(g));
    }
  print_message("float32 against float64: loss %.3g relative, gradient %.3g of its norm\n", worst_loss, worst_gradient);
  assert_true(worst_loss < 1e-6);
  assert_true(worst_gradient < 1e-5);
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {cmocka_unit_test(columns), cmocka_unit_test(float32_against_float64)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(same_as_scalar)};
  return run_kernel_tests(definition, against_scalar);
}
