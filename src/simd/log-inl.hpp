// SPDX-License-Identifier: MIT
// The natural logarithm on vectors: the operations of log.hpp, lane by lane, hence the same bits. Included once
// per target.
#if defined(ATP_SIMD_LOG_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_LOG_INL_HPP
#undef ATP_SIMD_LOG_INL_HPP
#else
#define ATP_SIMD_LOG_INL_HPP
#endif

#include "simd/log.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

// x > 0 must be a normal number; not checked.
template <class D, class V>
HWY_INLINE V log_f32v(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, static_cast<int32_t>(kSqrtHalfBits))));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V t = hn::Sub(m, hn::Set(d, 1.0f)), square = hn::Mul(t, t);
  V p = hn::MulAdd(hn::Set(d, kLogC[8]), t, hn::Set(d, kLogC[7]));
  for (int k = 6; k >= 0; --k) p = hn::MulAdd(p, t, hn::Set(d, kLogC[k]));
  const V small = hn::MulAdd(square, hn::MulAdd(p, t, hn::Set(d, -0.5f)), t);
  return hn::MulAdd(hn::ConvertTo(d, exponent), hn::Set(d, kLn2), small);
}

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
