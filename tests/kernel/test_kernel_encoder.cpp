// SPDX-License-Identifier: MIT
// The encoder kernels: every target against the scalar reference bit for bit, one by one and in a whole pass; threads and float64 are in
// unit tests.
#include "encoder_problem.hpp"
#include "simd/encoder.hpp"
#include "simd_target.hpp"

#include <algorithm>
#include <cstring>

#include "support.h"  // last: cmocka has a macro fail()

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

const struct CMUnitTest tests[] = {
    cmocka_unit_test(lane_product),
    cmocka_unit_test(norm),
    cmocka_unit_test(small_ones),
    cmocka_unit_test(whole_pass),
};

}  // namespace

ATP_TEST_MAIN(tests)
