// SPDX-License-Identifier: MIT
// The exponential function on vectors of doubles: the operations of exp64.hpp, lane by lane. Included once per target.
#if defined(ATP_SIMD_EXP64_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_EXP64_INL_HPP
#undef ATP_SIMD_EXP64_INL_HPP
#else
#define ATP_SIMD_EXP64_INL_HPP
#endif

#include "simd/exp64.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

// e^x for x <= 0; e^-700 below -700.
template <class D, class V>
HWY_INLINE V exp_f64v(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  const V lowest = hn::Set(d, kExp64Lowest);
  const V c = hn::IfThenElse(hn::Gt(x, lowest), x, lowest);
  const V magic = hn::Set(d, kRoundingShift64);
  const V shift = hn::MulAdd(c, hn::Set(d, kLog2E64), magic);
  const V n = hn::Sub(shift, magic);
  const V r = hn::NegMulAdd(n, hn::Set(d, kLn2Low64), hn::NegMulAdd(n, hn::Set(d, kLn2High64), c));
  V p = hn::Set(d, kExp64C[0]);
#pragma GCC unroll 10
  for (int k = 1; k < 11; ++k) p = hn::MulAdd(p, r, hn::Set(d, kExp64C[k]));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0));
  return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<52>(hn::BitCast(du, shift))));
}

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
