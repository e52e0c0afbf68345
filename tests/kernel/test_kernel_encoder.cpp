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

double at(const LaneMatrix &m, int64_t row, int64_t k, int64_t lane) {
  return static_cast<double>(m.data[row * m.row_stride + k * m.step + lane]);
}

// The layouts of a matrix [rows][elements] of logical vectors that kernels accept: elements as neighbours, with room between the rows, or
// rows as neighbours.
LaneOutput place(Floats &x, int64_t rows, int64_t elements, bool neighbor_rows) {
  if (neighbor_rows) return {x.get(), kLanes, rows * kLanes};
  return {x.get(), (elements + 1) * kLanes, kLanes};
}

// A product with weights in both layouts, with and without what is added and with each end.
struct ProductCase {
  int64_t sites, rows, depth;
  bool columns, start, bias;
  ProductEnd end;
};

template <class Test>
void for_products(Test &&test) {
  for (int64_t sites : {1, 2, 5, 7})
    for (int64_t rows : {1, 2, 6, 13})
      for (int64_t depth : {1, 4, 9})
        for (int k = 0; k < 12; ++k)
          test(ProductCase{sites, rows, depth, k % 2 == 1, k % 4 < 2, k % 3 != 0, static_cast<ProductEnd>(k / 4)});
}

EncoderProduct product_of(const ProductCase &c, const Floats &weights, const Floats &bias, const LaneMatrix &in, const LaneMatrix &other,
                          const LaneOutput &out) {
  return {c.rows, c.depth, weights.get(), c.bias ? bias.get() : nullptr, in, c.start ? other : LaneMatrix{}, out, c.end, other};
}

// Each kernel against its formula in simd/encoder.hpp, summed in float64.
void product_definition(void **) {
  for_products([](const ProductCase &c) {
    const Floats weights(c.rows * c.depth, 1), bias(c.rows, 2);
    Floats x(c.sites * (c.depth + 1) * kLanes, 3), y(c.sites * (c.rows + 1) * kLanes, 4), z(c.sites * (c.rows + 1) * kLanes, 5);
    const Floats before(z);
    const LaneMatrix in = place(x, c.sites, c.depth, c.columns), other = place(y, c.sites, c.rows, c.columns);
    const LaneOutput out = place(z, c.sites, c.rows, c.columns);
    tested().product(c.sites, product_of(c, weights, bias, in, other, out));
    for (int64_t s = 0; s < c.sites; ++s)
      for (int64_t r = 0; r < c.rows; ++r)
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          double sum = (c.bias ? at(bias, r) : 0) + (c.start ? at(other, s, r, lane) : 0);
          for (int64_t k = 0; k < c.depth; ++k) sum += at(weights, k * c.rows + r) * at(in, s, k, lane);
          if (c.end == ProductEnd::relu) sum = fmax(sum, 0);
          if (c.end == ProductEnd::gate && !(at(other, s, r, lane) > 0)) sum = 0;
          assert_close(at(out, s, r, lane), sum, 1e-5, 1e-5);
        }
    if (!c.columns)  // the room between the rows
      for (int64_t s = 0; s < c.sites; ++s)
        assert_memory_equal(z.get() + s * out.row_stride + c.rows * kLanes, before.get() + s * out.row_stride + c.rows * kLanes, 64);
  });
}

void outer_definition(void **) {
  for (int64_t sites : {1, 3})
    for (int64_t rows : {1, 5, 6, 13})
      for (int64_t elements : {1, 16, 21, 64, 100}) {
        const int64_t stride = (elements + 15) / 16 * 16;
        Floats left(sites * (rows + 1) * kLanes, 1), right(sites * (elements + 1) * kLanes, 2), turned(sites * kLanes * stride);
        Floats sums(rows * stride, 3), expected_turned(turned), expected_sums(sums);
        const Floats before(sums);
        const LaneMatrix x = place(left, sites, rows, false), y = place(right, sites, elements, false);
        tested().turn(sites, elements, y, stride, turned.get());
        tested().outer(sites, rows, stride, x, turned.get(), sums.get());
        for (int64_t k = 0; k < sites * kLanes * stride; ++k) {
          const int64_t s = k / stride / kLanes, b = k % stride;
          assert_true(at(turned, k) == (b < elements ? at(y, s, b, k / stride % kLanes) : 0));
        }
        for (int64_t a = 0; a < rows; ++a)
          for (int64_t b = 0; b < stride; ++b) {
            double sum = at(before, a * stride + b);
            for (int64_t k = 0; k < sites * kLanes && b < elements; ++k)
              sum += at(x, k / kLanes, a, k % kLanes) * at(y, k / kLanes, b, k % kLanes);
            assert_close(at(sums, a * stride + b), sum, 1e-5, 1e-5);
          }
        scalar().turn(sites, elements, y, stride, expected_turned.get());
        scalar().outer(sites, rows, stride, x, expected_turned.get(), expected_sums.get());
        same(turned, expected_turned);
        same(sums, expected_sums);
      }
}

void lane_product_definition(void **) {
  for (int64_t a : {1, 2, 5, 9})
    for (int64_t b : {1, 3, 8})
      for (int layout : {0, 1, 2})
        for (bool add : {false, true}) {
          const int64_t depth = 7, stride = (b + 1) * kLanes;
          Floats left((a + 1) * (depth + 1) * kLanes, 1), right((b + 1) * (depth + 1) * kLanes, 2), out(a * stride, 3);
          const Floats before(out);
          const LaneMatrix x = place(left, a, depth, layout == 2), y = place(right, b, depth, layout != 0);
          tested().lane_product({a, b, depth, x, y, out.get(), stride, add});
          for (int64_t k = 0; k < a * stride; ++k) {
            const int64_t row = k / stride, column = k % stride / kLanes, lane = k % kLanes;
            double sum = add ? at(before, k) : 0;
            for (int64_t m = 0; m < depth && column < b; ++m) sum += at(x, row, m, lane) * at(y, column, m, lane);
            if (column < b)
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
      const LaneOutput hats{hat.get(), kLanes, columns};
      tested().norm(vectors, width, 0.01f, scale_shift.get(), hats, deviation.get(), {y.get(), kLanes, columns});
      tested().norm_back(vectors, width, scale_shift.get(), hats, deviation.get(), {slopes.get(), kLanes, columns}, sums.get());
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
  const int64_t width = 5, sites = 3, tokens = 7;
  const Floats table(width * tokens, 12), positions(width * sites, 13), lanes(16 * kLanes, 14);
  Floats places(sites * kLanes), out(width * sites * kLanes), sums(lanes), added(lanes);
  int32_t *token = reinterpret_cast<int32_t *>(places.get());
  for (int32_t k = 0; k < sites * kLanes; ++k) token[k] = k * k % tokens;
  tested().embed(sites, width, table.get(), tokens, token, positions.get(), {out.get(), kLanes, sites * kLanes});
  for (int64_t r = 0; r < width; ++r)
    for (int64_t c = 0; c < sites * kLanes; ++c)
      assert_close(at(out, r * sites * kLanes + c), at(table, r * tokens + token[c]) + at(positions, c / kLanes * width + r), 1e-6, 1e-6);
  tested().add_sites(sites, width, {out.get(), kLanes, sites * kLanes}, added.get());
  for (int64_t k = 0; k < 16 * kLanes; ++k) {
    double sum = at(lanes, k);
    for (int64_t s = 0; s < sites && k < width * kLanes; ++s) sum += at(out, (k / kLanes * sites + s) * kLanes + k % kLanes);
    assert_close(at(added, k), sum, 1e-5, 1e-5);
  }
  std::vector<double> totals(16, 0.5);
  tested().reduce(16, sums.get(), totals.data());
  for (int64_t k = 0; k < 16; ++k) {
    double sum = 0.5;
    for (int64_t lane = 0; lane < kLanes; ++lane) sum += at(lanes, k * kLanes + lane);
    assert_close(totals[static_cast<size_t>(k)], sum, 1e-5, 1e-5);
    for (int64_t lane = 0; lane < kLanes; ++lane) assert_true(sums.get()[k * kLanes + lane] == 0);
  }
}

void product(void **) {
  for_products([](const ProductCase &c) {
    const Floats weights(c.rows * c.depth, 1), bias(c.rows, 2);
    Floats x(c.sites * (c.depth + 1) * kLanes, 3), y(c.sites * (c.rows + 1) * kLanes, 4), z(c.sites * (c.rows + 1) * kLanes, 5),
        expected(z);
    const LaneMatrix in = place(x, c.sites, c.depth, c.columns), other = place(y, c.sites, c.rows, c.columns);
    tested().product(c.sites, product_of(c, weights, bias, in, other, place(z, c.sites, c.rows, c.columns)));
    scalar().product(c.sites, product_of(c, weights, bias, in, other, place(expected, c.sites, c.rows, c.columns)));
    same(z, expected);
  });
}

void lane_product(void **) {
  for (int64_t a = 1; a <= 9; ++a)
    for (int64_t b = 1; b <= 9; ++b)
      for (int64_t depth : {0, 1, 5, 20})
        for (int layout : {0, 1, 2})
          for (bool add : {false, true}) {
            Floats left((a + 1) * (depth + 1) * kLanes, 1), right((b + 1) * (depth + 1) * kLanes, 2);
            const int64_t stride = (b + 1) * kLanes;
            Floats out(a * stride, 3), expected(out);
            const LaneMatrix x = place(left, a, depth, layout == 2), y = place(right, b, depth, layout != 0);
            tested().lane_product({a, b, depth, x, y, out.get(), stride, add});
            scalar().lane_product({a, b, depth, x, y, expected.get(), stride, add});
            same(out, expected);
          }
}

void norm(void **) {
  for (int64_t width : {1, 2, 7, 20})
    for (int64_t sites = 1; sites <= 9; ++sites)
      for (bool columns : {false, true}) {
        const Floats scale_shift(2 * width, 6);
        Floats x(sites * (width + 1) * kLanes, 7), expected(x), deviation(sites * kLanes), expected_deviation(deviation), y(x),
            expected_y(y);
        const LaneOutput hat = place(expected, sites, width, columns);
        tested().norm(sites, width, 1e-5f, scale_shift.get(), place(x, sites, width, columns), deviation.get(),
                      place(y, sites, width, columns));
        scalar().norm(sites, width, 1e-5f, scale_shift.get(), hat, expected_deviation.get(), place(expected_y, sites, width, columns));
        if (width == 1 && !has_fma(tested_target())) continue;  // 0 / sqrt(epsilon)
        same(x, expected);
        same(deviation, expected_deviation);
        same(y, expected_y);
        Floats slopes(sites * (width + 1) * kLanes, 8), expected_slopes(slopes), sums(2 * width * kLanes, 9), expected_sums(sums);
        tested().norm_back(sites, width, scale_shift.get(), hat, expected_deviation.get(), place(slopes, sites, width, columns),
                           sums.get());
        scalar().norm_back(sites, width, scale_shift.get(), hat, expected_deviation.get(), place(expected_slopes, sites, width, columns),
                           expected_sums.get());
        same(sums, expected_sums);
        if (width > 2 || has_fma(tested_target())) same(slopes, expected_slopes);  // with two elements the slopes are 0 but for rounding
      }
}

void small_ones(void **) {
  const int64_t width = 5, sites = 3, tokens = 7;
  const Floats table(width * tokens, 12), positions(width * sites, 13);
  Floats places(sites * kLanes), out(width * sites * kLanes), expected(out), added(width * kLanes, 15), expected_added(added);
  int32_t *token = reinterpret_cast<int32_t *>(places.get());
  for (int32_t k = 0; k < sites * kLanes; ++k) token[k] = k * k % tokens;
  const LaneOutput to{out.get(), width * kLanes, kLanes};
  tested().embed(sites, width, table.get(), tokens, token, positions.get(), to);
  scalar().embed(sites, width, table.get(), tokens, token, positions.get(), {expected.get(), width * kLanes, kLanes});
  same(out, expected);
  tested().add_sites(sites, width, to, added.get());
  scalar().add_sites(sites, width, to, expected_added.get());
  same(added, expected_added);
  for (int64_t count = 0; count <= 48; count += 16) {
    Floats sums(count * kLanes, 14), expected_sums(sums);
    std::vector<double> totals(48, 0.5), expected_totals = totals;
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
      {encoder_shape_of(20, 20, 20, 40, 1), 100},    {encoder_shape_of(7, 5, 9, 13, 3), 150}, {encoder_shape_of(7, 3, 9, 53, 2), 40},
      {encoder_shape_of(2, 2, 1, 1, 2), 33},         {encoder_shape_of(5, 4, 6, 12, 2), 17},  {encoder_shape_of(3, 2, 2, 3, 1), 11000},
      {encoder_shape_of(33, 3, 4, 8, 1, false), 15},
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
  const CMUnitTest definition[] = {cmocka_unit_test(product_definition), cmocka_unit_test(lane_product_definition),
                                   cmocka_unit_test(outer_definition), cmocka_unit_test(norm_definition),
                                   cmocka_unit_test(small_definitions)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(product), cmocka_unit_test(lane_product), cmocka_unit_test(norm),
                                       cmocka_unit_test(small_ones), cmocka_unit_test(whole_pass)};
  return run_kernel_tests(definition, against_scalar);
}
