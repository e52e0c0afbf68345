// SPDX-License-Identifier: MIT
// The kernels of long vectors with Highway: the operations of vectors_scalar.cpp, lane by lane.
#include "simd/vectors.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/vectors.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kSums = 16;

double dot(int64_t n, const float *x, const float *y) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(decltype(d)())), kVectors = kSums / kLanes;
  hn::Vec<decltype(d)> sum[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  int64_t k = 0;
  for (; k + kSums <= n; k += kSums) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      sum[v] = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(df, x + k + v * kLanes)), hn::PromoteTo(d, hn::LoadU(df, y + k + v * kLanes)), sum[v]);
  }
  HWY_ALIGN double sums[kSums];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) hn::Store(sum[v], d, sums + v * kLanes);
  for (int j = 0; k < n; ++k, ++j) sums[j] += static_cast<double>(x[k]) * static_cast<double>(y[k]);
  for (int half = kSums / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
  return sums[0];
}

void add_scaled(int64_t n, float c, const float *x, float *y) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, c);
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, x + k), hn::LoadU(d, y + k)), d, y + k);
  for (; k < n; ++k) y[k] = std::fma(c, x[k], y[k]);
}

}  // namespace

extern const VectorKernels vector_table;
const VectorKernels vector_table = {dot, add_scaled};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const VectorKernels &vector_kernels(Target target) { ATP_DISPATCH(target, vector_table, vector_scalar_kernels) }

}  // namespace atp
#endif
