// SPDX-License-Identifier: MIT
// The exponential function of all single-precision kernels: the scalar reference. exp-inl.hpp has the same
// operations on vectors.
//
// 2^y = 2^n p(y - n). n is y rounded to an integer by adding and subtracting 1.5 * 2^23. p has degree 6 and
// p(0) = 1; it is fitted for the smallest relative error on [-1/2, 1/2] (2.6e-9 before rounding; Remez
// exchange). The factor 2^n goes into the exponent bits. Relative error of exp2_f32: below 1.0e-7.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace atp {

inline constexpr float kExp2C[6] = {0.693147182f, 0.240226507f, 0.0555032715f, 0.00961805694f, 0.0013400428f, 0.000154614449f};
inline constexpr float kRoundingShift = 12582912.0f;  // 1.5 * 2^23: x + shift is x rounded to nearest, in the low bits
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2High = 0.693145752f, kLn2Low = 1.42860677e-6f;  // their sum is ln 2; n * high is exact for |n| < 256
inline constexpr float kExpLowest = -86.0f;                                // below: 0
inline constexpr float kExpHighest = 88.0f;                                // above: exp of this
inline constexpr float kExp2Lowest = -125.0f;

// 2^n p(r) with shift = n + kRoundingShift, r = y - n.
inline float exp2_scaled_f32(float shift, float r) {
  float p = kExp2C[5];
  for (int k = 4; k >= 0; --k) p = std::fma(p, r, kExp2C[k]);
  p = std::fma(p, r, 1.0f);
  uint32_t bits, n;
  std::memcpy(&bits, &p, 4);
  std::memcpy(&n, &shift, 4);
  bits += n << 23;
  std::memcpy(&p, &bits, 4);
  return p;
}

// 2^y for -125 <= y <= 126; not checked.
inline float exp2_f32(float y) {
  const float shift = y + kRoundingShift;
  return exp2_scaled_f32(shift, y - (shift - kRoundingShift));
}

// e^x; 0 for x < -86 and e^88 for x > 88. Relative error below 1.5e-7.
inline float exp_f32(float x) {
  const float top = x < kExpHighest ? x : kExpHighest;
  const float c = top > kExpLowest ? top : kExpLowest;
  const float shift = std::fma(c, kLog2E, kRoundingShift);
  const float n = shift - kRoundingShift;
  const float r = std::fma(n, -kLn2Low, std::fma(n, -kLn2High, c));
  const float e = exp2_scaled_f32(shift, r * kLog2E);
  return x < kExpLowest ? 0.0f : e;
}

}  // namespace atp
