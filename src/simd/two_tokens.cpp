// SPDX-License-Identifier: MIT
// The proximal operator with Highway: two_tokens_scalar.cpp, lane by lane.
#include "simd/two_tokens.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/two_tokens.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"
#include "simd/exp64-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

struct Local {
  V f, g1, g2, h11, h12, h22;
};

struct Sigmoid {
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
  out.f = hn::MulAdd(hn::Mul(hn::Set(dd, 0.5), p.iv2), hn::MulAdd(d1, d1, hn::Mul(d2, d2)),
                     hn::Mul(hn::MulAdd(e, e, hn::Mul(g, g)), p.rho2));
  out.g1 = hn::MulAdd(ca, a1, hn::MulAdd(cb, x2, hn::Mul(d1, p.iv2)));
  out.g2 = hn::NegMulAdd(ca, x1, hn::MulAdd(cb, b2, hn::Mul(d2, p.iv2)));
  out.h11 = hn::MulAdd(haa1, a1, hn::MulAdd(hbx2, x2, hn::MulAdd(two, ca, p.iv2)));
  out.h12 = hn::NegMulAdd(haa1, x1, hn::MulAdd(hbx2, b2, hn::Sub(cb, ca)));
  out.h22 = hn::MulAdd(hn::Mul(ha, x1), x1, hn::MulAdd(hn::Mul(hb, b2), b2, hn::NegMulAdd(two, cb, p.iv2)));
  return out;
}

// One vector of problems.
HWY_INLINE void descend_lanes(const Problem &p, V &out1, V &out2, V &value) {
  const D d;
  const V zero = hn::Zero(d), half_of = hn::Set(d, 0.5), one = hn::Set(d, 1.0);
  const V floor = hn::Mul(hn::Set(d, kTwoTokenFloor), p.iv2);
  const V first = hn::Mul(hn::Set(d, kTwoTokenDamping), p.iv2), most = hn::Mul(hn::Set(d, kTwoTokenMostDamping), p.iv2);
  V x1 = out1, x2 = out2, damping = zero;
  Local now = evaluate(x1, x2, p);
  auto active = hn::Eq(zero, zero);
  for (int step = 0; step < kTwoTokenSteps; ++step) {
    const V half = hn::Mul(half_of, hn::Sub(now.h11, now.h22)), middle = hn::Mul(half_of, hn::Add(now.h11, now.h22));
    const V low = hn::Sub(middle, hn::Sqrt(hn::MulAdd(half, half, hn::Mul(now.h12, now.h12))));
    const V negative = hn::Neg(low);
    const V least = hn::IfThenElse(hn::Gt(negative, floor), negative, floor);
    const V shift = hn::Add(hn::IfThenElseZero(hn::Lt(low, floor), hn::Sub(least, low)), damping);
    const V h11 = hn::Add(now.h11, shift), h22 = hn::Add(now.h22, shift);
    const V inverse = hn::Div(one, hn::MulSub(h11, h22, hn::Mul(now.h12, now.h12)));
    const V d1 = hn::Mul(hn::MulSub(now.h12, now.g2, hn::Mul(h22, now.g1)), inverse);
    const V d2 = hn::Mul(hn::MulSub(now.h12, now.g1, hn::Mul(h11, now.g2)), inverse);
    const V y1 = hn::Add(x1, d1), y2 = hn::Add(x2, d2);
    const Local next = evaluate(y1, y2, p);
    const auto last = hn::Le(hn::Add(hn::Abs(d1), hn::Abs(d2)),
                             hn::MulAdd(hn::Set(d, kTwoTokenStep), hn::Add(hn::Abs(x1), hn::Abs(x2)), hn::Set(d, kTwoTokenTiny)));
    const auto good = hn::Le(next.f, hn::Mul(now.f, hn::Set(d, kTwoTokenSlack)));
    const auto take = hn::And(good, active);
    x1 = hn::IfThenElse(take, y1, x1);
    x2 = hn::IfThenElse(take, y2, x2);
    now.f = hn::IfThenElse(take, next.f, now.f);
    now.g1 = hn::IfThenElse(take, next.g1, now.g1);
    now.g2 = hn::IfThenElse(take, next.g2, now.g2);
    now.h11 = hn::IfThenElse(take, next.h11, now.h11);
    now.h12 = hn::IfThenElse(take, next.h12, now.h12);
    now.h22 = hn::IfThenElse(take, next.h22, now.h22);
    const auto damped = hn::Gt(damping, first);
    const V less = hn::IfThenElseZero(damped, hn::Mul(hn::Set(d, 0.125), damping));
    const V more = hn::IfThenElse(damped, hn::Mul(hn::Set(d, 4.0), damping), hn::Mul(hn::Set(d, 2.0), first));
    damping = hn::IfThenElse(good, less, more);
    active = hn::AndNot(last, hn::And(active, hn::Le(damping, most)));
    if (hn::AllFalse(d, active)) break;
  }
  out1 = x1;
  out2 = x2;
  value = now.f;
}

template <class Lanes>
void for_vectors(const TwoTokenBatch &b, Lanes &&lanes) {
  const D d;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + width <= b.n; k += width) lanes(b.w1 + k, b.w2 + k, b.t1 + k, b.t2 + k, b.x1 + k, b.x2 + k, b.value + k);
  if (k == b.n) return;
  HWY_ALIGN double tail[7][8];
  const int64_t rest = b.n - k;
  for (int64_t j = 0; j < width; ++j) {
    const int64_t from = k + (j < rest ? j : rest - 1);
    tail[0][j] = b.w1[from];
    tail[1][j] = b.w2[from];
    tail[2][j] = b.t1[from];
    tail[3][j] = b.t2[from];
    tail[4][j] = b.x1[from];
    tail[5][j] = b.x2[from];
  }
  lanes(tail[0], tail[1], tail[2], tail[3], tail[4], tail[5], tail[6]);
  for (int64_t j = 0; j < rest; ++j) {
    b.x1[k + j] = tail[4][j];
    b.x2[k + j] = tail[5][j];
    b.value[k + j] = tail[6][j];
  }
}

void descend(const TwoTokenBatch &b) {
  for_vectors(b, [&](const double *w1, const double *w2, const double *t1, const double *t2, double *x1, double *x2, double *value) {
    const D d;
    const Problem p{hn::LoadU(d, w1), hn::LoadU(d, w2), hn::LoadU(d, t1), hn::LoadU(d, t2), hn::Set(d, 2 * b.inverse_v),
                    hn::Set(d, 2 * b.rho)};
    V y1 = hn::LoadU(d, x1), y2 = hn::LoadU(d, x2), f;
    descend_lanes(p, y1, y2, f);
    hn::StoreU(y1, d, x1);
    hn::StoreU(y2, d, x2);
    hn::StoreU(f, d, value);
  });
}

void mismatch(const TwoTokenBatch &b) {
  for_vectors(b, [](const double *, const double *, const double *t1, const double *t2, const double *x1, const double *x2, double *value) {
    const D d;
    const V y1 = hn::LoadU(d, x1), y2 = hn::LoadU(d, x2), difference = hn::Sub(y1, y2);
    const V e = hn::Sub(sigmoid(hn::Mul(y1, difference)).value, hn::LoadU(d, t1));
    const V g = hn::Sub(sigmoid(hn::Mul(y2, difference)).value, hn::LoadU(d, t2));
    hn::StoreU(hn::Mul(hn::Set(d, 2.0), hn::MulAdd(e, e, hn::Mul(g, g))), d, value);
  });
}

}  // namespace

extern const TwoTokenKernels two_token_table;
const TwoTokenKernels two_token_table = {descend, mismatch};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atp {

const TwoTokenKernels &two_token_kernels(Target target) { ATP_DISPATCH(target, two_token_table, two_token_scalar_kernels) }

}  // namespace atp
#endif
