// SPDX-License-Identifier: MIT
// The exponential function of double-precision kernels for arguments <= 0: the scalar reference. exp64-inl.hpp
// has the same operations on vectors.
//
// e^x = 2^n e^r. n is x / ln 2 rounded to an integer by adding and subtracting 1.5 * 2^52; r = x - n ln 2 is
// computed in two steps. e^r is its Taylor polynomial of degree 12 (relative error 1.7e-16 at the ends |r| = ln
// 2 / 2). The factor 2^n goes into the exponent bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace atp {

inline constexpr double kExp64C[11] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
inline constexpr double kRoundingShift64 = 6755399441055744.0;  // 1.5 * 2^52
inline constexpr double kLog2E64 = 1.4426950408889634;
inline constexpr double kLn2High64 = 0x1.62e42feep-1, kLn2Low64 = 0x1.a39ef35793c76p-33;  // n * high is exact for |n| < 2^20
inline constexpr double kExp64Lowest = -700;                                              // below: e^-700

// e^x for x <= 0. Relative error below 4e-16.
inline double exp_f64(double x) {
  const double c = x > kExp64Lowest ? x : kExp64Lowest;
  const double shift = std::fma(c, kLog2E64, kRoundingShift64);
  const double n = shift - kRoundingShift64;
  const double r = std::fma(-n, kLn2Low64, std::fma(-n, kLn2High64, c));
  double p = kExp64C[0];
  for (int k = 1; k < 11; ++k) p = std::fma(p, r, kExp64C[k]);
  p = std::fma(p, r, 1.0);
  p = std::fma(p, r, 1.0);
  uint64_t bits, power;
  std::memcpy(&bits, &p, 8);
  std::memcpy(&power, &shift, 8);
  bits += power << 52;
  std::memcpy(&p, &bits, 8);
  return p;
}

}  // namespace atp
