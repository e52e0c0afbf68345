// SPDX-License-Identifier: MIT
// The proximal operator with Highway: the operations of two_tokens_scalar.cpp, lane by lane.
#include "simd/two_tokens.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/two_tokens.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/exp64-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

// Vectors have constructors on some targets. The compiler would generate the structure's constructor outside
// the code of the target, where its instructions are not allowed, so it is written out.
struct Local {
  HWY_INLINE Local() {}
  V f, g1, g2, h11, h12, h22;
};

struct Sigmoid {
  HWY_INLINE Sigmoid() {}
  V value, slope, curvature;
};

HWY_INLINE Sigmoid sigmoid(V a) {
  const D d;
  const V one = hn::Set(d, 1.0);
  const V z = exp_f64v(d, hn::Neg(hn::Abs(a)));
  const V r = hn::Div(one, hn::Add(one, z)), zr = hn::Mul(z, r);
  Sigmoid s;
  s.value = hn::IfThenElse(hn::Lt(a, hn::Zero(d)), zr, r);
  s.slope = hn::Mul(zr, r);
  s.curvature = hn::Mul(s.slope, hn::NegMulAdd(hn::Set(d, 2.0), s.value, one));
  return s;
}

struct Problem {
  HWY_INLINE Problem() {}
  V w1, w2, t1, t2, iv2, rho2;
};

HWY_INLINE Local evaluate(V x1, V x2, const Problem &p) {
  const D dd;
  const V two = hn::Set(dd, 2.0), rho4 = hn::Mul(two, p.rho2);
  const V d = hn::Sub(x1, x2);
  const Sigmoid s = sigmoid(hn::Mul(x1, d)), u = sigmoid(hn::Mul(x2, d));
  const V e = hn::Sub(s.value, p.t1), g = hn::Sub(u.value, p.t2), d1 = hn::Sub(x1, p.w1), d2 = hn::Sub(x2, p.w2);
  const V ca = hn::Mul(hn::Mul(e, s.slope), rho4), cb = hn::Mul(hn::Mul(g, u.slope), rho4);
  const V ha = hn::Mul(hn::MulAdd(s.slope, s.slope, hn::Mul(e, s.curvature)), rho4);
  const V hb = hn::Mul(hn::MulAdd(u.slope, u.slope, hn::Mul(g, u.curvature)), rho4);
  const V a1 = hn::Add(x1, d), b2 = hn::Sub(d, x2);
  const V haa1 = hn::Mul(ha, a1), hbx2 = hn::Mul(hb, x2);
  Local out;
  out.f =
      hn::MulAdd(hn::Mul(hn::Set(dd, 0.5), p.iv2), hn::MulAdd(d1, d1, hn::Mul(d2, d2)), hn::Mul(hn::MulAdd(e, e, hn::Mul(g, g)), p.rho2));
  out.g1 = hn::MulAdd(ca, a1, hn::MulAdd(cb, x2, hn::Mul(d1, p.iv2)));
  out.g2 = hn::NegMulAdd(ca, x1, hn::MulAdd(cb, b2, hn::Mul(d2, p.iv2)));
  out.h11 = hn::MulAdd(haa1, a1, hn::MulAdd(hbx2, x2, hn::MulAdd(two, ca, p.iv2)));
  out.h12 = hn::NegMulAdd(haa1, x1, hn::MulAdd(hbx2, b2, hn::Sub(cb, ca)));
  out.h22 = hn::MulAdd(hn::Mul(ha, x1), x1, hn::MulAdd(hn::Mul(hb, b2), b2, hn::NegMulAdd(two, cb, p.iv2)));
  return out;
}

// One vector of minimisations in progress.
struct Descent {
  HWY_INLINE Descent() {}
  Problem p;
  V x1, x2, damping;
  Local now;
};

using Lanes = hn::Mask<D>;

// One step of the active lanes. Returns the lanes that continue.
HWY_INLINE Lanes descend_step(Descent &s, Lanes active) {
  const D d;
  const V half_of = hn::Set(d, 0.5), one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  const V floor = hn::Mul(hn::Set(d, kTwoTokenFloor), s.p.iv2);
  const V first = hn::Mul(hn::Set(d, kTwoTokenDamping), s.p.iv2), most = hn::Mul(hn::Set(d, kTwoTokenMostDamping), s.p.iv2);
  Local &now = s.now;
  const V half = hn::Mul(half_of, hn::Sub(now.h11, now.h22)), middle = hn::Mul(half_of, hn::Add(now.h11, now.h22));
  const V low = hn::Sub(middle, hn::Sqrt(hn::MulAdd(half, half, hn::Mul(now.h12, now.h12))));
  const V negative = hn::Neg(low);
  const V least = hn::IfThenElse(hn::Gt(negative, floor), negative, floor);
  const V shift = hn::Add(hn::IfThenElseZero(hn::Lt(low, floor), hn::Sub(least, low)), s.damping);
  const V h11 = hn::Add(now.h11, shift), h22 = hn::Add(now.h22, shift);
  const V inverse = hn::Div(one, hn::MulSub(h11, h22, hn::Mul(now.h12, now.h12)));
  const V d1 = hn::Mul(hn::MulSub(now.h12, now.g2, hn::Mul(h22, now.g1)), inverse);
  const V d2 = hn::Mul(hn::MulSub(now.h12, now.g1, hn::Mul(h11, now.g2)), inverse);
  const V y1 = hn::Add(s.x1, d1), y2 = hn::Add(s.x2, d2);
  const Local next = evaluate(y1, y2, s.p);
  const auto last = hn::Le(hn::Add(hn::Abs(d1), hn::Abs(d2)),
                           hn::MulAdd(hn::Set(d, kTwoTokenStep), hn::Add(hn::Abs(s.x1), hn::Abs(s.x2)), hn::Set(d, kTwoTokenTiny)));
  const auto good = hn::Le(next.f, hn::Mul(now.f, hn::Set(d, kTwoTokenSlack)));
  const auto take = hn::And(good, active);
  s.x1 = hn::IfThenElse(take, y1, s.x1);
  s.x2 = hn::IfThenElse(take, y2, s.x2);
  now.f = hn::IfThenElse(take, next.f, now.f);
  now.g1 = hn::IfThenElse(take, next.g1, now.g1);
  now.g2 = hn::IfThenElse(take, next.g2, now.g2);
  now.h11 = hn::IfThenElse(take, next.h11, now.h11);
  now.h12 = hn::IfThenElse(take, next.h12, now.h12);
  now.h22 = hn::IfThenElse(take, next.h22, now.h22);
  const auto damped = hn::Gt(s.damping, first);
  const V less = hn::IfThenElseZero(damped, hn::Mul(hn::Set(d, 0.125), s.damping));
  const V more = hn::IfThenElse(damped, hn::Mul(hn::Set(d, 4.0), s.damping), hn::Mul(two, first));
  s.damping = hn::IfThenElse(good, less, more);
  return hn::AndNot(last, hn::And(active, hn::Le(s.damping, most)));
}

// Vectors that are minimised together. A step is a long chain of dependent operations, and a single vector
// would leave the units idle.
constexpr int kTogether = 2;

HWY_INLINE void load_problem(const TwoTokenBatch &b, int64_t at, Problem &p) {
  const D d;
  p.w1 = hn::LoadU(d, b.w1 + at);
  p.w2 = hn::LoadU(d, b.w2 + at);
  p.t1 = hn::LoadU(d, b.t1 + at);
  p.t2 = hn::LoadU(d, b.t2 + at);
  p.iv2 = hn::Set(d, 2 * b.inverse_v);
  p.rho2 = hn::Set(d, 2 * b.rho);
}

// `count` vectors from k on, at most kTogether.
template <int count>
HWY_INLINE void descend_vectors(const TwoTokenBatch &b, int64_t k) {
  const D d;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  Descent s[count];
  Lanes active[count];
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) {
    const int64_t at = k + v * width;
    load_problem(b, at, s[v].p);
    s[v].x1 = hn::LoadU(d, b.x1 + at);
    s[v].x2 = hn::LoadU(d, b.x2 + at);
    s[v].damping = hn::Zero(d);
    s[v].now = evaluate(s[v].x1, s[v].x2, s[v].p);
    active[v] = hn::Eq(s[v].damping, s[v].damping);
  }
  for (int step = 0; step < kTwoTokenSteps; ++step) {
    bool any = false;
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v) {
      active[v] = descend_step(s[v], active[v]);
      any |= !hn::AllFalse(d, active[v]);
    }
    if (!any) break;
  }
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) {
    const int64_t at = k + v * width;
    hn::StoreU(s[v].x1, d, b.x1 + at);
    hn::StoreU(s[v].x2, d, b.x2 + at);
    hn::StoreU(s[v].now.f, d, b.value + at);
  }
}

// Whole vectors by `vectors`. The rest is one more vector, filled up with copies of the last problem.
template <class Vectors>
void for_vectors(const TwoTokenBatch &b, Vectors &&vectors) {
  const int64_t width = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t whole = b.n / width, rest = b.n - whole * width;
  vectors(b, whole);
  if (rest == 0) return;
  HWY_ALIGN double tail[7][8];
  for (int64_t j = 0; j < width; ++j) {
    const int64_t from = whole * width + (j < rest ? j : rest - 1);
    tail[0][j] = b.w1[from];
    tail[1][j] = b.w2[from];
    tail[2][j] = b.t1[from];
    tail[3][j] = b.t2[from];
    tail[4][j] = b.x1[from];
    tail[5][j] = b.x2[from];
    tail[6][j] = 0;
  }
  vectors({b.inverse_v, b.rho, width, tail[0], tail[1], tail[2], tail[3], tail[4], tail[5], tail[6]}, 1);
  for (int64_t j = 0; j < rest; ++j) {
    b.x1[whole * width + j] = tail[4][j];
    b.x2[whole * width + j] = tail[5][j];
    b.value[whole * width + j] = tail[6][j];
  }
}

void descend(const TwoTokenBatch &batch) {
  for_vectors(batch, [](const TwoTokenBatch &b, int64_t n) {
    const int64_t width = static_cast<int64_t>(hn::Lanes(D()));
    int64_t k = 0;
    for (; k + kTogether <= n; k += kTogether) descend_vectors<kTogether>(b, k * width);
    for (; k < n; ++k) descend_vectors<1>(b, k * width);
  });
}

void mismatch(const TwoTokenBatch &batch) {
  for_vectors(batch, [](const TwoTokenBatch &b, int64_t n) {
    const D d;
    const int64_t width = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t k = 0; k < n * width; k += width) {
      const V x1 = hn::LoadU(d, b.x1 + k), x2 = hn::LoadU(d, b.x2 + k), difference = hn::Sub(x1, x2);
      const V e = hn::Sub(sigmoid(hn::Mul(x1, difference)).value, hn::LoadU(d, b.t1 + k));
      const V g = hn::Sub(sigmoid(hn::Mul(x2, difference)).value, hn::LoadU(d, b.t2 + k));
      hn::StoreU(hn::Mul(hn::Set(d, 2.0), hn::MulAdd(e, e, hn::Mul(g, g))), d, b.value + k);
    }
  });
}

}  // namespace

extern const TwoTokenKernels two_token_table;
const TwoTokenKernels two_token_table = {descend, mismatch};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const TwoTokenKernels &two_token_kernels(Target target) { ATP_DISPATCH(target, two_token_table, two_token_scalar_kernels) }

}  // namespace atp
#endif
