// SPDX-License-Identifier: MIT
// The encoder kernels: every target against the definitions in float64 and against the scalar reference bit for bit, one by one and in a
// whole pass; threads and float64 passes are in unit tests.
#include "encoder_problem.hpp"
#include "simd/encoder.hpp"
#include "simd_target.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support.h"  // last: cmocka has a macro fail()

#include "kernel_main.hpp"

using namespace atp;

namespace {

constexpr int64_t kLanes = kAttentionLanes;

// An array aligned to vectors.
class Floats {
 public:
  explicit Floats(int64_t n, uint64_t seed = 0) : size_(static_cast<size_t>(n)), data_(size_ + 16) {
    const RandomView random(seed, Stream::parameters, 0, 0);
    begin_ = data_.data() + (64 - reinterpret_cast<uintptr_t>(data_.data()) % 64) % 64 / 4;
    for (size_t k = 0; seed != 0 && k < size_; ++k) begin_[k] = static_cast<float>(random.normal(k));
  }
  Floats(const Floats &other) : Floats(static_cast<int64_t>(other.size_)) { std::copy_n(other.begin_, size_, begin_); }
  Floats &operator=(const Floats &) = delete;
  float *get() { return begin_; }
  const float *get() const { return begin_; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  std::vector<float> data_;
  float *begin_;
};

// The same bits with fused multiply-adds, else nearly.
void same(const Floats &x, const Floats &y) {
  if (has_fma(tested_target())) {
    assert_memory_equal(x.get(), y.get(), x.size() * sizeof(float));
    return;
  }
  for (size_t k = 0; k < x.size(); ++k) assert_close(static_cast<double>(x.get()[k]), static_cast<double>(y.get()[k]), 1e-4, 1e-4);
}

const EncoderKernels &tested() { return encoder_kernels(tested_target()); }
const EncoderKernels &scalar() { return encoder_scalar_kernels; }

double at(const Floats &x, int64_t k) { return static_cast<double>(x.get()[k]); }

// Each kernel against its formula in simd/encoder.hpp, summed in float64.
void product_definition(void **) {
  for (int64_t a : {1, 2, 5, 9})
    for (int64_t b : {1, 3, 8}) {
      const int64_t depth = 7, stride = (b + 1) * kLanes;
      const Floats x(a * depth * kLanes, 1), y(depth * b * kLanes, 2);
      Floats out(a * stride, 3);
      const Floats before(out);
      tested().lane_product(a, b, depth, {x.get(), depth * kLanes, kLanes}, {y.get(), kLanes, b * kLanes}, out.get(), stride);
      for (int64_t k = 0; k < a * stride; ++k) {
        const int64_t row = k / stride, column = k % stride;
        double sum = 0;
        for (int64_t m = 0; m < depth; ++m) sum += at(x, (row * depth + m) * kLanes + column % kLanes) * at(y, m * b * kLanes + column);
        if (column < b * kLanes)
          assert_close(at(out, k), sum, 1e-5, 1e-5);
        else
          assert_true(out.get()[k] == before.get()[k]);
      }
    }
}

void norm_definition(void **) {
  for (int64_t width : {2, 7, 20})
    for (int64_t vectors : {1, 2, 5}) {
      const int64_t columns = vectors * kLanes;
      const Floats scale_shift(2 * width, 6), input(width * columns, 7), dy(width * columns, 8), start(2 * width * kLanes, 9);
      Floats hat(input), deviation(columns), y(width * columns), slopes(dy), sums(start);
      tested().norm(width, columns, 0.01f, scale_shift.get(), hat.get(), deviation.get(), y.get());
      tested().norm_back(width, columns, scale_shift.get(), hat.get(), deviation.get(), slopes.get(), sums.get());
      std::vector<double> expected_sums(sums.size());
      for (size_t k = 0; k < sums.size(); ++k) expected_sums[k] = static_cast<double>(start.get()[k]);
      for (int64_t c = 0; c < columns; ++c) {
        double mean = 0, variance = 0, along = 0, total = 0;
        for (int64_t r = 0; r < width; ++r) mean += at(input, r * columns + c) / static_cast<double>(width);
        for (int64_t r = 0; r < width; ++r) variance += pow(at(input, r * columns + c) - mean, 2) / static_cast<double>(width);
        const double inverse = 1 / sqrt(variance + static_cast<double>(0.01f));
        const auto h = [&](int64_t r) { return (at(input, r * columns + c) - mean) * inverse; };
        assert_close(at(deviation, c), inverse, 1e-5, 0);
        for (int64_t r = 0; r < width; ++r) {
          assert_close(at(hat, r * columns + c), h(r), 1e-5, 1e-5);
          assert_close(at(y, r * columns + c), at(scale_shift, r) * h(r) + at(scale_shift, width + r), 1e-5, 1e-5);
          const double slope = at(dy, r * columns + c);
          total += at(scale_shift, r) * slope / static_cast<double>(width);
          along += at(scale_shift, r) * slope * h(r) / static_cast<double>(width);
          expected_sums[static_cast<size_t>(r * kLanes + c % kLanes)] += slope * h(r);
          expected_sums[static_cast<size_t>((width + r) * kLanes + c % kLanes)] += slope;
        }
        // dx = (s dy - mean(s dy) - hat mean(s dy hat)) / sqrt(var + epsilon).
        for (int64_t r = 0; r < width; ++r)
          assert_close(at(slopes, r * columns + c), (at(scale_shift, r) * at(dy, r * columns + c) - total - h(r) * along) * inverse, 1e-4,
                       1e-4);
      }
      for (size_t k = 0; k < sums.size(); ++k) assert_close(static_cast<double>(sums.get()[k]), expected_sums[k], 1e-5, 1e-5);
    }
}

void small_definitions(void **) {
  const int64_t n = 3 * kLanes, width = 5, sites = 3, tokens = 7;
  const Floats input(n, 10), dy(n, 11), table(width * tokens, 12), positions(width * sites, 13), lanes(4 * kLanes, 14);
  Floats x(input), slopes(dy), places(sites * kLanes), out(width * sites * kLanes), sums(lanes);
  tested().relu(n, x.get());
  tested().relu_back(n, input.get(), slopes.get());
  int64_t positive = 0;
  for (int64_t k = 0; k < n; ++k) {
    positive += at(input, k) > 0;
    assert_true(at(x, k) == fmax(at(input, k), 0));
    assert_true(at(slopes, k) == (at(input, k) > 0 ? at(dy, k) : 0));
  }
  assert_in_range(positive, 1, n - 1);
  int32_t *token = reinterpret_cast<int32_t *>(places.get());
  for (int32_t k = 0; k < sites * kLanes; ++k) token[k] = k * k % tokens;
  tested().embed(width, sites, table.get(), tokens, token, positions.get(), out.get());
  for (int64_t r = 0; r < width; ++r)
    for (int64_t c = 0; c < sites * kLanes; ++c)
      assert_close(at(out, r * sites * kLanes + c), at(table, r * tokens + token[c]) + at(positions, r * sites + c / kLanes), 1e-6, 1e-6);
  double totals[4] = {0.5, 0.5, 0.5, 0.5};
  tested().reduce(4, sums.get(), totals);
  for (int64_t k = 0; k < 4; ++k) {
    double sum = 0.5;
    for (int64_t lane = 0; lane < kLanes; ++lane) sum += at(lanes, k * kLanes + lane);
    assert_close(totals[k], sum, 1e-5, 1e-5);
    for (int64_t lane = 0; lane < kLanes; ++lane) assert_true(sums.get()[k * kLanes + lane] == 0);
  }
}

void lane_product(void **) {
  for (int64_t a = 1; a <= 9; ++a)
    for (int64_t b = 1; b <= 9; ++b)
      for (int64_t depth : {0, 1, 5, 20}) {
        // x by rows, y by columns; room between the rows of the result.
        const Floats x(a * (depth + 1) * kLanes, 1), y((depth + 1) * b * kLanes, 2);
        const int64_t stride = (b + 1) * kLanes;
        Floats out(a * stride, 3), expected(out);
        const LaneMatrix left = {x.get(), depth * kLanes, kLanes}, right = {y.get(), kLanes, b * kLanes};
        tested().lane_product(a, b, depth, left, right, out.get(), stride);
        scalar().lane_product(a, b, depth, left, right, expected.get(), stride);
        same(out, expected);
      }
}

void norm(void **) {
  for (int64_t width : {1, 2, 7, 20})
    for (int64_t vectors = 1; vectors <= 9; ++vectors) {
      const int64_t columns = vectors * kLanes;
      const Floats scale_shift(2 * width, 6);
      Floats x(width * columns, 7), expected(x), deviation(columns), expected_deviation(columns), y(width * columns), expected_y(y);
      tested().norm(width, columns, 1e-5f, scale_shift.get(), x.get(), deviation.get(), y.get());
      scalar().norm(width, columns, 1e-5f, scale_shift.get(), expected.get(), expected_deviation.get(), expected_y.get());
      if (width == 1 && !has_fma(tested_target())) continue;  // 0 / sqrt(epsilon)
      same(x, expected);
      same(deviation, expected_deviation);
      same(y, expected_y);
      Floats slopes(width * columns, 8), expected_slopes(slopes), sums(2 * width * kLanes, 9), expected_sums(sums);
      tested().norm_back(width, columns, scale_shift.get(), expected.get(), expected_deviation.get(), slopes.get(), sums.get());
      scalar().norm_back(width, columns, scale_shift.get(), expected.get(), expected_deviation.get(), expected_slopes.get(),
                         expected_sums.get());
      same(sums, expected_sums);
      if (width > 2 || has_fma(tested_target())) same(slopes, expected_slopes);  // with two elements the slopes are 0 but for rounding
    }
}

void small_ones(void **) {
  for (int64_t vectors = 1; vectors <= 7; ++vectors) {
    const int64_t n = vectors * kLanes;
    Floats x(n, 10), expected(x), slopes(n, 11), expected_slopes(slopes);
    x.get()[3] = expected.get()[3] = 0.0f;
    x.get()[4] = expected.get()[4] = -0.0f;
    tested().relu(n, x.get());
    scalar().relu(n, expected.get());
    same(x, expected);
    tested().relu_back(n, x.get(), slopes.get());
    scalar().relu_back(n, expected.get(), expected_slopes.get());
    same(slopes, expected_slopes);
    assert_true(slopes.get()[3] == 0);
  }
  const int64_t width = 5, sites = 3, tokens = 7;
  const Floats table(width * tokens, 12), positions(width * sites, 13);
  Floats places(sites * kLanes), out(width * sites * kLanes), expected(out);
  int32_t *token = reinterpret_cast<int32_t *>(places.get());
  for (int32_t k = 0; k < sites * kLanes; ++k) token[k] = k * k % tokens;
  tested().embed(width, sites, table.get(), tokens, token, positions.get(), out.get());
  scalar().embed(width, sites, table.get(), tokens, token, positions.get(), expected.get());
  same(out, expected);
  for (int64_t count = 0; count <= 12; count += 4) {
    Floats sums(count * kLanes, 14), expected_sums(sums);
    std::vector<double> totals(12, 0.5), expected_totals = totals;
    tested().reduce(count, sums.get(), totals.data());
    scalar().reduce(count, expected_sums.get(), expected_totals.data());
    assert_true(totals == expected_totals);
    for (int64_t k = 0; k < count * kLanes; ++k) assert_true(sums.get()[k] == 0);
  }
}

// Pairs around groups, tasks and chunks; widths and hidden layers around tiles.
void whole_pass(void **) {
  const struct {
    EncoderShape shape;
    int64_t sequences;
  } cases[] = {
      {encoder_shape_of(20, 20, 20, 40, 1), 100}, {encoder_shape_of(7, 5, 9, 13, 3), 150},  {encoder_shape_of(2, 2, 1, 1, 2), 33},
      {encoder_shape_of(5, 4, 6, 12, 2), 17},     {encoder_shape_of(3, 2, 2, 3, 1), 11000}, {encoder_shape_of(33, 3, 4, 8, 1, false), 15},
  };
  for (const auto &c : cases)
    for (bool one_site : {true, false}) {
      if (!one_site && c.sequences > 1000) continue;
      EncoderProblem reference(c.shape, c.sequences, 32, Target::scalar, 3), problem(c.shape, c.sequences, 32, tested_target(), 3);
      double loss = 0, expected_loss = 0, distance = 0, norm = 0;
      const auto g = problem.gradient(problem.parameters, one_site, &loss);
      const auto expected = reference.gradient(reference.parameters, one_site, &expected_loss);
      assert_true(std::isfinite(loss) && loss > 0);
      for (size_t k = 0; k < g.size(); ++k) {
        distance += (g[k] - expected[k]) * (g[k] - expected[k]);
        norm += expected[k] * expected[k];
      }
      if (has_fma(tested_target())) {
        assert_true(loss == expected_loss);
        assert_true(g == expected);
      } else {
        assert_close(loss, expected_loss, 1e-5, 0);
        assert_true(sqrt(distance) < 1e-3 * sqrt(norm));
      }
      assert_true(norm > 0);
    }
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {cmocka_unit_test(product_definition), cmocka_unit_test(norm_definition),
                                   cmocka_unit_test(small_definitions)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(lane_product), cmocka_unit_test(norm), cmocka_unit_test(small_ones),
                                       cmocka_unit_test(whole_pass)};
  return run_kernel_tests(definition, against_scalar);
}
