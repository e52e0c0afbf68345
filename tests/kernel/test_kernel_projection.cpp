// SPDX-License-Identifier: MIT
// Projections of rows: every target against the scalar reference, which is held against plain loops in float64.
#include "simd/projection.hpp"

#include "base/philox.hpp"
#include "simd_target.hpp"
#include "support.h"

#include "kernel_main.hpp"

#include <cstring>
#include <vector>

using namespace atp;

namespace {

struct Case {
  Case(int64_t rows_, int64_t length, int64_t rank_) : rows(rows_), rank(rank_) {
    stride = (length + kProjectionLanes - 1) / kProjectionLanes * kProjectionLanes;
    // One float before, so that nothing starts at a multiple of a vector.
    x.resize(static_cast<std::size_t>(rows * stride + 1));
    q.resize(static_cast<std::size_t>(rank * stride + 1));
    g.resize(q.size());
    c.resize(static_cast<std::size_t>(rows * rank + 1));
    const auto draw = [&](std::vector<float> &values, uint64_t array, int64_t lines) {
      const RandomView random(7, Stream::model, 0, array);
      for (int64_t line = 0; line < lines; ++line)
        for (int64_t j = 0; j < length; ++j) {
          const int64_t at = line * stride + j;
          values[static_cast<std::size_t>(at) + 1] = static_cast<float>(random.normal(static_cast<uint64_t>(at)));
        }
    };
    draw(x, 1, rows);
    draw(q, 2, rank);
    draw(g, 3, rank);
    const RandomView random(7, Stream::model, 0, 4);
    for (std::size_t k = 1; k < c.size(); ++k) c[k] = static_cast<float>(random.normal(k));
  }
  void run(const ProjectionKernels &kernels, std::vector<float> &chi, std::vector<float> &sums) const {
    chi.assign(static_cast<std::size_t>(rows * rank) + 2, -77.0f);
    sums = g;
    kernels.project(rows, stride, rank, x.data() + 1, q.data() + 1, chi.data() + 1);
    kernels.accumulate(rows, stride, rank, x.data() + 1, c.data() + 1, sums.data() + 1);
    assert_true(chi.front() == -77.0f && chi.back() == -77.0f);
  }

  int64_t rows, rank, stride = 0;
  std::vector<float> x, q, g, c;
};

void reference(void **) {
  const Case problem(13, 203, 2);
  std::vector<float> chi, sums;
  problem.run(projection_scalar_kernels, chi, sums);
  const auto at = [&](const std::vector<float> &values, int64_t index) {
    return static_cast<double>(values[static_cast<std::size_t>(index) + 1]);
  };
  for (int64_t row = 0; row < 13; ++row)
    for (int64_t k = 0; k < 2; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < problem.stride; ++j) sum += at(problem.x, row * problem.stride + j) * at(problem.q, k * problem.stride + j);
      assert_close(at(chi, row * 2 + k), sum, 0, 2e-5);
    }
  for (int64_t k = 0; k < 2; ++k)
    for (int64_t j = 0; j < problem.stride; ++j) {
      double sum = at(problem.g, k * problem.stride + j);
      for (int64_t row = 0; row < 13; ++row) sum += at(problem.c, row * 2 + k) * at(problem.x, row * problem.stride + j);
      assert_close(at(sums, k * problem.stride + j), sum, 0, 1e-5);
    }
}

void targets(void **) {
  const Target target = tested_target();
  for (int64_t rank = 1; rank <= 3; ++rank)
    for (int64_t rows = 0; rows <= 26; ++rows)
      for (int64_t length : {1, 15, 16, 17, 33, 49, 203}) {
        const Case problem(rows, length, rank);
        std::vector<float> chi, sums, chi_scalar, sums_scalar;
        problem.run(projection_kernels(target), chi, sums);
        problem.run(projection_scalar_kernels, chi_scalar, sums_scalar);
        if (has_fma(target)) {
          assert_memory_equal(chi.data(), chi_scalar.data(), chi.size() * sizeof(float));
          assert_memory_equal(sums.data(), sums_scalar.data(), sums.size() * sizeof(float));
        } else {
          for (std::size_t k = 0; k < chi.size(); ++k)
            assert_close(static_cast<double>(chi[k]), static_cast<double>(chi_scalar[k]), 1e-5, 1e-5);
          for (std::size_t k = 0; k < sums.size(); ++k)
            assert_close(static_cast<double>(sums[k]), static_cast<double>(sums_scalar[k]), 1e-5, 1e-5);
        }
      }
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definition[] = {cmocka_unit_test(reference)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(targets)};
  return run_kernel_tests(definition, against_scalar);
}
