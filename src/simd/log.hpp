// SPDX-License-Identifier: MIT
// The natural logarithm of single-precision kernels: the scalar reference. log-inl.hpp has the same operations
// on vectors.
//
// x = 2^e m with m in [sqrt(1/2), sqrt(2)), log x = e log 2 + log m, and log(1 + t) = t - t^2/2 + t^3 p(t). p
// has degree 8 and the coefficients of logf in the Cephes library (S. Moshier). Error below 1.0e-7 of max(|log
// x|, 1) for normal x > 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace atp {

inline constexpr float kLogC[9] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,  -1.6668057665e-1f, 1.4249322787e-1f,
                                   -1.2420140846e-1f, 1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};
inline constexpr uint32_t kSqrtHalfBits = 0x3f3504f3u;
inline constexpr float kLn2 = 0.693147182f;

// x > 0 must be a normal number; not checked.
inline float log_f32(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  const int32_t exponent = static_cast<int32_t>(bits - kSqrtHalfBits) >> 23;
  bits -= static_cast<uint32_t>(exponent) << 23;
  float m;
  std::memcpy(&m, &bits, 4);
  const float t = m - 1.0f, square = t * t;
  float p = kLogC[8];
  for (int k = 7; k >= 0; --k) p = std::fma(p, t, kLogC[k]);
  const float small = std::fma(square, std::fma(p, t, -0.5f), t);
  return std::fma(static_cast<float>(exponent), kLn2, small);
}

}  // namespace atp
