// SPDX-License-Identifier: MIT
// The column kernels with Highway: the operations of columns_scalar.cpp, lane by lane.
#include "simd/columns.hpp"

#include "simd/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/columns.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kAttentionLanes>;
using V = hn::Vec<F>;

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F())); }

void softmax(int64_t rows, int64_t columns, float *x) {
  const F d;
  const V log2e = hn::Set(d, kLog2E), lowest = hn::Set(d, kColumnLowest);
  for (int64_t k = 0; k < columns; k += lanes()) {
    float *HWY_RESTRICT p = x + k;
    V top = hn::Load(d, p);
    for (int64_t r = 1; r < rows; ++r) top = hn::Max(top, hn::Load(d, p + r * columns));
    const V scaled_top = hn::Mul(top, log2e);
    V total = hn::Zero(d);
    for (int64_t r = 0; r < rows; ++r) {
      const V e = exp2_f32v(d, hn::Max(hn::MulSub(hn::Load(d, p + r * columns), log2e, scaled_top), lowest));
      hn::Store(e, d, p + r * columns);
      total = hn::Add(total, e);
    }
    const V scale = hn::Div(hn::Set(d, 1.0f), total);
    for (int64_t r = 0; r < rows; ++r) hn::Store(hn::Mul(hn::Load(d, p + r * columns), scale), d, p + r * columns);
  }
}

void softmax_back(int64_t rows, int64_t columns, const float *p, float *derivatives) {
  const F d;
  for (int64_t k = 0; k < columns; k += lanes()) {
    const float *HWY_RESTRICT a = p + k;
    float *HWY_RESTRICT g = derivatives + k;
    V mean = hn::Zero(d);
    for (int64_t r = 0; r < rows; ++r) mean = hn::MulAdd(hn::Load(d, a + r * columns), hn::Load(d, g + r * columns), mean);
    for (int64_t r = 0; r < rows; ++r)
      hn::Store(hn::Mul(hn::Load(d, a + r * columns), hn::Sub(hn::Load(d, g + r * columns), mean)), d, g + r * columns);
  }
}

}  // namespace

extern const ColumnKernels column_table;
const ColumnKernels column_table = {softmax, softmax_back};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const ColumnKernels &column_kernels(Target target) { ATP_DISPATCH(target, column_table, column_scalar_kernels) }

}  // namespace atp
#endif
