// SPDX-License-Identifier: MIT
// The exponential function on vectors: the operations of exp.hpp, lane by lane, hence the same bits. Included
// once per target.
#if defined(ATP_SIMD_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_EXP_INL_HPP
#undef ATP_SIMD_EXP_INL_HPP
#else
#define ATP_SIMD_EXP_INL_HPP
#endif

#include "simd/exp.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

// p * 2^n with shift = n + kRoundingShift. p and the result are normal numbers.
template <class D, class V>
HWY_INLINE V scale_by_power(D d, V p, V shift, V n) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 16) return V{_mm512_scalef_ps(p.raw, n.raw)};
#endif
  (void)n;
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<23>(hn::BitCast(du, shift))));
}

// 2^(n + r), shift = n + kRoundingShift.
template <class D, class V>
HWY_INLINE V exp2_scaled(D d, V shift, V n, V r) {
  namespace hn = hwy::HWY_NAMESPACE;
  V p = hn::MulAdd(hn::Set(d, kExp2C[5]), r, hn::Set(d, kExp2C[4]));
  p = hn::MulAdd(p, r, hn::Set(d, kExp2C[3]));
  p = hn::MulAdd(p, r, hn::Set(d, kExp2C[2]));
  p = hn::MulAdd(p, r, hn::Set(d, kExp2C[1]));
  p = hn::MulAdd(p, r, hn::Set(d, kExp2C[0]));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return scale_by_power(d, p, shift, n);
}

// 2^y for -125 <= y <= 126; not checked.
template <class D, class V>
HWY_INLINE V exp2_f32v(D d, V y) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V magic = hn::Set(d, kRoundingShift);
  const V shift = hn::Add(y, magic);
  const V n = hn::Sub(shift, magic);
  return exp2_scaled(d, shift, n, hn::Sub(y, n));
}

// e^x; 0 for x < -86 and e^88 for x > 88.
template <class D, class V>
HWY_INLINE V exp_f32v(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V magic = hn::Set(d, kRoundingShift);
  const V lowest = hn::Set(d, kExpLowest);
  const V c = hn::Max(hn::Min(x, hn::Set(d, kExpHighest)), lowest);
  const V shift = hn::MulAdd(c, hn::Set(d, kLog2E), magic);
  const V n = hn::Sub(shift, magic);
  const V r = hn::NegMulAdd(n, hn::Set(d, kLn2Low), hn::NegMulAdd(n, hn::Set(d, kLn2High), c));
  const V e = exp2_scaled(d, shift, n, hn::Mul(r, hn::Set(d, kLog2E)));
  return hn::IfThenElseZero(hn::Ge(x, lowest), e);
}

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
