// SPDX-License-Identifier: MIT
// The kernel of local fields with Highway: the operations of fields_scalar.cpp, lane by lane. Fields stay in registers for a panel's sites.
#include "simd/fields.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/fields.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <int kLanes>
HWY_INLINE void add_lanes(const FieldPanel &panel, const uint8_t *HWY_RESTRICT sequences, int64_t length, int64_t count,
                          double *HWY_RESTRICT fields, int64_t step) {
  using D = hn::CappedTag<double, 8>;
  constexpr int kVectors = static_cast<int>(kLanes / hn::MaxLanes(D()));
  const D d;
  const int64_t block = (panel.colors + 1) * kLanes;
  for (int64_t n = 0; n < count; ++n) {
    const uint8_t *HWY_RESTRICT sequence = sequences + n * length;
    double *HWY_RESTRICT own = fields + n * step;
    hn::Vec<D> x[kVectors];
#pragma GCC unroll 12
    for (int v = 0; v < kVectors; ++v) x[v] = hn::Load(d, own + static_cast<std::size_t>(v) * hn::MaxLanes(d));
    const double *HWY_RESTRICT rows = panel.rows;
    for (int64_t k = 0; k < panel.count; ++k, rows += block) {
      const int64_t color = sequence[panel.sites[k]];
      const double *HWY_RESTRICT row = rows + (color < panel.colors ? color : panel.colors) * kLanes;
#pragma GCC unroll 12
      for (int v = 0; v < kVectors; ++v) x[v] = hn::Add(x[v], hn::Load(d, row + static_cast<std::size_t>(v) * hn::MaxLanes(d)));
    }
#pragma GCC unroll 12
    for (int v = 0; v < kVectors; ++v) hn::Store(x[v], d, own + static_cast<std::size_t>(v) * hn::MaxLanes(d));
  }
}

void add(const FieldPanel &panel, const uint8_t *sequences, int64_t length, int64_t count, double *fields, int64_t step) {
  if (panel.lanes == 8)
    add_lanes<8>(panel, sequences, length, count, fields, step);
  else if (panel.lanes == 16)
    add_lanes<16>(panel, sequences, length, count, fields, step);
  else
    add_lanes<24>(panel, sequences, length, count, fields, step);
}

}  // namespace

extern const FieldKernels field_table;
const FieldKernels field_table = {add};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const FieldKernels &field_kernels(Target target) { ATP_DISPATCH(target, field_table, field_scalar_kernels) }

}  // namespace atp
#endif
