// SPDX-License-Identifier: MIT
// The kernels of projections with Highway: the operations of projection_scalar.cpp, lane by lane, for several
// rows at a time.
#include "simd/projection.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/projection.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kProjectionLanes>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag())), kVectors = static_cast<int>(kProjectionLanes) / kLanes;
// Enough independent sums to hide the latency of a fused multiply-add, few enough to stay in registers.
constexpr int kRows = kVectors == 1 ? 8 : kVectors == 2 ? 4 : 2;

template <int kCount>
HWY_INLINE void project_rows(int64_t stride, int64_t rank, const float *x, const float *q, float *chi) {
  const Tag d;
  for (int64_t k = 0; k < rank; ++k) {
    hn::Vec<Tag> sum[kCount * kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kCount * kVectors; ++v) sum[v] = hn::Zero(d);
    const float *vector = q + k * stride;
    for (int64_t j = 0; j < stride; j += kProjectionLanes) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        const auto factor = hn::LoadU(d, vector + j + v * kLanes);
#pragma GCC unroll 16
        for (int row = 0; row < kCount; ++row)
          sum[row * kVectors + v] = hn::MulAdd(hn::LoadU(d, x + row * stride + j + v * kLanes), factor, sum[row * kVectors + v]);
      }
    }
    for (int row = 0; row < kCount; ++row) {
      HWY_ALIGN float sums[kProjectionLanes];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) hn::Store(sum[row * kVectors + v], d, sums + v * kLanes);
      for (int half = static_cast<int>(kProjectionLanes) / 2; half > 0; half /= 2)
        for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
      chi[row * rank + k] = sums[0];
    }
  }
}

void project(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *q, float *chi) {
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) project_rows<kRows>(stride, rank, x + row * stride, q, chi + row * rank);
  for (; row < rows; ++row) project_rows<1>(stride, rank, x + row * stride, q, chi + row * rank);
}

template <int kCount>
HWY_INLINE void accumulate_rows(int64_t stride, int64_t rank, const float *x, const float *c, float *g) {
  const Tag d;
  for (int64_t k = 0; k < rank; ++k) {
    hn::Vec<Tag> factor[kCount];
#pragma GCC unroll 16
    for (int row = 0; row < kCount; ++row) factor[row] = hn::Set(d, c[row * rank + k]);
    float *sum = g + k * stride;
    // The vectors of a row share an address.
    for (int64_t j = 0; j < stride; j += kProjectionLanes) {
      hn::Vec<Tag> value[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) value[v] = hn::LoadU(d, sum + j + v * kLanes);
#pragma GCC unroll 16
      for (int row = 0; row < kCount; ++row)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) value[v] = hn::MulAdd(factor[row], hn::LoadU(d, x + row * stride + j + v * kLanes), value[v]);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) hn::StoreU(value[v], d, sum + j + v * kLanes);
    }
  }
}

void accumulate(int64_t rows, int64_t stride, int64_t rank, const float *x, const float *c, float *g) {
  constexpr int kTogether = 8;
  int64_t row = 0;
  for (; row + kTogether <= rows; row += kTogether) accumulate_rows<kTogether>(stride, rank, x + row * stride, c + row * rank, g);
  for (; row < rows; ++row) accumulate_rows<1>(stride, rank, x + row * stride, c + row * rank, g);
}

}  // namespace

extern const ProjectionKernels projection_table;
const ProjectionKernels projection_table = {project, accumulate};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const ProjectionKernels &projection_kernels(Target target) { ATP_DISPATCH(target, projection_table, projection_scalar_kernels) }

}  // namespace atp
#endif
