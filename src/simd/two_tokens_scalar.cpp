// SPDX-License-Identifier: MIT
#include "simd/two_tokens.hpp"

#include "simd/exp64.hpp"

#include <cmath>

namespace atp {

namespace {

// F, its gradient and its Hessian at a point.
struct Local {
  double f, g1, g2, h11, h12, h22;
};

// sigmoid, its first and its second derivative.
struct Sigmoid {
  double value, slope, curvature;
};

Sigmoid sigmoid(double a) {
  const double z = exp_f64(-std::fabs(a));
  const double r = 1 / (1 + z), zr = z * r;
  Sigmoid s;
  s.value = a < 0 ? zr : r;
  s.slope = zr * r;
  s.curvature = s.slope * std::fma(-2.0, s.value, 1.0);
  return s;
}

Local evaluate(double x1, double x2, double w1, double w2, double t1, double t2, double iv2, double rho2) {
  const double d = x1 - x2;
  const Sigmoid s = sigmoid(x1 * d), u = sigmoid(x2 * d);
  const double e = s.value - t1, g = u.value - t2, d1 = x1 - w1, d2 = x2 - w2;
  const double ca = e * s.slope * (2 * rho2), cb = g * u.slope * (2 * rho2);
  const double ha = std::fma(s.slope, s.slope, e * s.curvature) * (2 * rho2), hb = std::fma(u.slope, u.slope, g * u.curvature) * (2 * rho2);
  const double a1 = x1 + d, b2 = d - x2;
  Local out;
  out.f = std::fma(0.5 * iv2, std::fma(d1, d1, d2 * d2), std::fma(e, e, g * g) * rho2);
  out.g1 = std::fma(ca, a1, std::fma(cb, x2, d1 * iv2));
  out.g2 = std::fma(-ca, x1, std::fma(cb, b2, d2 * iv2));
  out.h11 = std::fma(ha * a1, a1, std::fma(hb * x2, x2, std::fma(2.0, ca, iv2)));
  out.h12 = std::fma(-(ha * a1), x1, std::fma(hb * x2, b2, cb - ca));
  out.h22 = std::fma(ha * x1, x1, std::fma(hb * b2, b2, std::fma(-2.0, cb, iv2)));
  return out;
}

void descend(const TwoTokenBatch &b) {
  const double iv2 = 2 * b.inverse_v, rho2 = 2 * b.rho, floor = kTwoTokenFloor * iv2;
  for (int64_t k = 0; k < b.n; ++k) {
    double x1 = b.x1[k], x2 = b.x2[k], damping = 0;
    Local now = evaluate(x1, x2, b.w1[k], b.w2[k], b.t1[k], b.t2[k], iv2, rho2);
    for (int step = 0; step < kTwoTokenSteps; ++step) {
      // Makes the smallest eigenvalue positive: a negative one changes its sign, and the result is at least `floor`.
      const double half = 0.5 * (now.h11 - now.h22), middle = 0.5 * (now.h11 + now.h22);
      const double low = middle - std::sqrt(std::fma(half, half, now.h12 * now.h12));
      const double least = -low > floor ? -low : floor;
      const double shift = (low < floor ? least - low : 0) + damping;
      const double h11 = now.h11 + shift, h22 = now.h22 + shift, inverse = 1 / std::fma(h11, h22, -(now.h12 * now.h12));
      const double d1 = std::fma(now.h12, now.g2, -(h22 * now.g1)) * inverse, d2 = std::fma(now.h12, now.g1, -(h11 * now.g2)) * inverse;
      const double y1 = x1 + d1, y2 = x2 + d2;
      const Local next = evaluate(y1, y2, b.w1[k], b.w2[k], b.t1[k], b.t2[k], iv2, rho2);
      const bool last = std::fabs(d1) + std::fabs(d2) <= std::fma(kTwoTokenStep, std::fabs(x1) + std::fabs(x2), kTwoTokenTiny);
      if (next.f <= now.f * kTwoTokenSlack) {
        x1 = y1;
        x2 = y2;
        now = next;
        damping = damping > kTwoTokenDamping * iv2 ? 0.125 * damping : 0;
      } else {
        damping = damping > kTwoTokenDamping * iv2 ? 4 * damping : kTwoTokenDamping * iv2 * 2;
      }
      if (last || !(damping <= kTwoTokenMostDamping * iv2)) break;
    }
    b.x1[k] = x1;
    b.x2[k] = x2;
    b.value[k] = now.f;
  }
}

void mismatch(const TwoTokenBatch &b) {
  for (int64_t k = 0; k < b.n; ++k) {
    const double d = b.x1[k] - b.x2[k];
    const double e = sigmoid(b.x1[k] * d).value - b.t1[k], g = sigmoid(b.x2[k] * d).value - b.t2[k];
    b.value[k] = 2 * std::fma(e, e, g * g);
  }
}

}  // namespace

const TwoTokenKernels two_token_scalar_kernels = {descend, mismatch};

}  // namespace atp
