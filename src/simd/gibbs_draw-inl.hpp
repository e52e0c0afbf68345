// SPDX-License-Identifier: MIT
// Shared by all Gibbs kernels of a target: random numbers and the draw. Vectors hold N = Lanes(d) <= 16 chains;
// tiles are [..][N] floats.
#if defined(ATP_SIMD_GIBBS_DRAW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_GIBBS_DRAW_INL_HPP
#undef ATP_SIMD_GIBBS_DRAW_INL_HPP
#else
#define ATP_SIMD_GIBBS_DRAW_INL_HPP
#endif

#include "base/philox.hpp"
#include "simd/exp-inl.hpp"
#include "simd/gibbs.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE int64_t width() { return static_cast<int64_t>(hn::Lanes(DF())); }

// Four uniform numbers per chain, u[4][N], for chains chain .. chain + N - 1. A 64-bit lane holds one 32-bit
// word in its low half, because products have 64 bits; the high halves never enter a low half. Even and odd
// chains are in separate vectors.
HWY_INLINE void uniforms(uint64_t seed, uint64_t chain, uint64_t sweep, uint64_t place, float *HWY_RESTRICT u) {
  const DF d;
  const hn::RebindToUnsigned<DF> d32;
  const hn::Repartition<uint64_t, DF> d64;
  const PhiloxBlock start = counter(Stream::gibbs, chain, sweep, place);
  const auto m0 = hn::Set(d32, kPhiloxM0), m1 = hn::Set(d32, kPhiloxM1);
  auto a0 = hn::Set(d64, start[0]), a1 = hn::Set(d64, start[1]), a3 = hn::Set(d64, start[3]);
  auto a2 = hn::Add(hn::Set(d64, start[2]), hn::ShiftLeft<1>(hn::Iota(d64, 0)));
  auto b0 = a0, b1 = a1, b3 = a3;
  auto b2 = hn::Add(a2, hn::Set(d64, 1));
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const auto v0 = hn::Set(d64, k0), v1 = hn::Set(d64, k1);
    const auto p0 = hn::MulEven(hn::BitCast(d32, a0), m0), p1 = hn::MulEven(hn::BitCast(d32, a2), m1);
    const auto q0 = hn::MulEven(hn::BitCast(d32, b0), m0), q1 = hn::MulEven(hn::BitCast(d32, b2), m1);
    a0 = hn::Xor3(hn::ShiftRight<32>(p1), a1, v0);
    a1 = p1;
    a2 = hn::Xor3(hn::ShiftRight<32>(p0), a3, v1);
    a3 = p0;
    b0 = hn::Xor3(hn::ShiftRight<32>(q1), b1, v0);
    b1 = q1;
    b2 = hn::Xor3(hn::ShiftRight<32>(q0), b3, v1);
    b3 = q0;
    k0 += kPhiloxW0;
    k1 += kPhiloxW1;
  }
  const DI di;
  const auto write = [&](auto even, auto odd, float *HWY_RESTRICT to) HWY_ATTR {
    const auto word = hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(odd)), hn::BitCast(d32, even));
    const VF real = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<9>(word)));
    hn::Store(hn::MulAdd(real, hn::Set(d, 0x1p-23f), hn::Set(d, 0x1p-24f)), d, to);
  };
  write(a0, b0, u);
  write(a1, b1, u + width());
  write(a2, b2, u + 2 * width());
  write(a3, b3, u + 3 * width());
}

// Loads N colours as integers; the next function stores them.
HWY_INLINE VI load_colors(const uint8_t *from) {
  const hn::Rebind<uint8_t, DF> d8;
  return hn::PromoteTo(DI(), hn::LoadU(d8, from));
}
HWY_INLINE void store_colors(VI colors, uint8_t *to) {
  const hn::Rebind<uint8_t, DF> d8;
  hn::StoreU(hn::DemoteTo(d8, colors), d8, to);
}

// count + 1 where the mask is set.
template <class M>
HWY_INLINE VI count_if(M mask, VI count) {
  const DI di;
#if HWY_TARGET == HWY_AVX3
  return hn::IfThenElse(hn::RebindMask(di, mask), hn::Add(count, hn::Set(di, 1)), count);
#else
  return hn::Sub(count, hn::VecFromMask(di, hn::RebindMask(di, mask)));
#endif
}

// Draws from the local fields h[q][N], whose maximum is known. sums is work space, [q][N]. Colours are
// processed in fours. The first three rows of a four store the partial sums within it; the last row stores the
// sum of all fours up to this one. This keeps chains of dependent operations short.
HWY_INLINE VI select(const float *HWY_RESTRICT h, VF highest, int64_t q, VF scaled_beta, VF floor, VF uniform, float *HWY_RESTRICT sums) {
  const DF d;
  const DI di;
  const int64_t n = width();
  const VF magic = hn::Set(d, kRoundingShift);
  const auto weight = [&](int64_t c) HWY_ATTR {
    const VF difference = hn::Max(hn::Sub(hn::Load(d, h + c * n), highest), floor);
    const VF shift = hn::MulAdd(difference, scaled_beta, magic), whole = hn::Sub(shift, magic);
    return exp2_scaled(d, shift, whole, hn::MulSub(difference, scaled_beta, whole));
  };
  VF total = hn::Zero(d);
  int64_t c = 0;
  for (; c + 4 <= q; c += 4) {
    const VF d0 = hn::Max(hn::Sub(hn::Load(d, h + c * n), highest), floor);
    const VF d1 = hn::Max(hn::Sub(hn::Load(d, h + (c + 1) * n), highest), floor);
    const VF d2 = hn::Max(hn::Sub(hn::Load(d, h + (c + 2) * n), highest), floor);
    const VF d3 = hn::Max(hn::Sub(hn::Load(d, h + (c + 3) * n), highest), floor);
    const VF s0 = hn::MulAdd(d0, scaled_beta, magic), s1 = hn::MulAdd(d1, scaled_beta, magic);
    const VF s2 = hn::MulAdd(d2, scaled_beta, magic), s3 = hn::MulAdd(d3, scaled_beta, magic);
    const VF w0 = hn::Sub(s0, magic), w1 = hn::Sub(s1, magic), w2 = hn::Sub(s2, magic), w3 = hn::Sub(s3, magic);
    const VF r0 = hn::MulSub(d0, scaled_beta, w0), r1 = hn::MulSub(d1, scaled_beta, w1);
    const VF r2 = hn::MulSub(d2, scaled_beta, w2), r3 = hn::MulSub(d3, scaled_beta, w3);
    const VF p = hn::Set(d, kExp2C[5]);
    VF k = hn::Set(d, kExp2C[4]);
    VF p0 = hn::MulAdd(p, r0, k), p1 = hn::MulAdd(p, r1, k), p2 = hn::MulAdd(p, r2, k), p3 = hn::MulAdd(p, r3, k);
#define ATP_NEXT(coefficient)  \
  k = hn::Set(d, coefficient); \
  p0 = hn::MulAdd(p0, r0, k);  \
  p1 = hn::MulAdd(p1, r1, k);  \
  p2 = hn::MulAdd(p2, r2, k);  \
  p3 = hn::MulAdd(p3, r3, k);
    ATP_NEXT(kExp2C[3])
    ATP_NEXT(kExp2C[2])
    ATP_NEXT(kExp2C[1])
    ATP_NEXT(kExp2C[0])
    ATP_NEXT(1.0f)
#undef ATP_NEXT
    const VF e0 = scale_by_power(d, p0, s0, w0), e1 = scale_by_power(d, p1, s1, w1);
    const VF e2 = scale_by_power(d, p2, s2, w2), e3 = scale_by_power(d, p3, s3, w3);
    const VF l1 = hn::Add(e0, e1), l2 = hn::Add(l1, e2);
    hn::Store(e0, d, sums + c * n);
    hn::Store(l1, d, sums + (c + 1) * n);
    hn::Store(l2, d, sums + (c + 2) * n);
    total = hn::Add(total, hn::Add(l2, e3));
    hn::Store(total, d, sums + (c + 3) * n);
  }
  VF rest = hn::Zero(d);
  for (int64_t k = c; k < q; ++k) {
    rest = hn::Add(rest, weight(k));
    hn::Store(rest, d, sums + k * n);
  }
  const VF threshold = hn::Mul(uniform, hn::Add(total, rest));
  VI n0 = hn::Zero(di), n1 = n0, n2 = n0, n3 = n0;
  VF below = hn::Zero(d);
  for (c = 0; c + 4 <= q; c += 4) {
    const VF left = hn::Sub(threshold, below);
    n0 = count_if(hn::Le(hn::Load(d, sums + c * n), left), n0);
    n1 = count_if(hn::Le(hn::Load(d, sums + (c + 1) * n), left), n1);
    n2 = count_if(hn::Le(hn::Load(d, sums + (c + 2) * n), left), n2);
    below = hn::Load(d, sums + (c + 3) * n);
    n3 = count_if(hn::Le(below, threshold), n3);
  }
  const VF left = hn::Sub(threshold, below);
  for (; c < q; ++c) n0 = count_if(hn::Le(hn::Load(d, sums + c * n), left), n0);
  return hn::Min(hn::Add(hn::Add(n0, n1), hn::Add(n2, n3)), hn::Set(di, static_cast<int32_t>(q - 1)));
}

// The float of h[q][N] of each lane's colour.
HWY_INLINE VF pick(const float *HWY_RESTRICT h, VI color, int64_t q) {
  const DF d;
  VF picked = hn::Load(d, h);
  for (int64_t c = 1; c < q; ++c)
    picked = hn::IfThenElse(hn::RebindMask(d, hn::Eq(color, hn::Set(DI(), static_cast<int32_t>(c)))), hn::Load(d, h + c * width()), picked);
  return picked;
}

// energies[lane] += h(old) - h(new).
HWY_INLINE void follow_energies(const float *HWY_RESTRICT h, int64_t q, const uint8_t *old, VI drawn, double *HWY_RESTRICT energies) {
  constexpr int64_t kFewColors = 8;
  const DI di;
  const int64_t n = width();
  if (q <= kFewColors) {
    const hn::Half<DF> half;
    const hn::RebindToFloat<hn::Repartition<uint64_t, DF>> d64;
    const auto add = [&](auto before, auto after, double *to) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d64, to), hn::Sub(hn::PromoteTo(d64, before), hn::PromoteTo(d64, after))), d64, to);
    };
    const VF before = pick(h, load_colors(old), q), after = pick(h, drawn, q);
    add(hn::LowerHalf(half, before), hn::LowerHalf(half, after), energies);
    add(hn::UpperHalf(half, before), hn::UpperHalf(half, after), energies + n / 2);
    return;
  }
  HWY_ALIGN int32_t now[16];
  hn::Store(drawn, di, now);
  for (int64_t k = 0; k < n; ++k) energies[k] += static_cast<double>(h[old[k] * n + k]) - static_cast<double>(h[now[k] * n + k]);
}

HWY_INLINE VF maximum(const float *h, int64_t q) {
  const DF d;
  const int64_t n = width();
  VF m0 = hn::Load(d, h), m1 = hn::Load(d, h + n);
  int64_t c = 2;
  for (; c + 2 <= q; c += 2) {
    m0 = hn::Max(m0, hn::Load(d, h + c * n));
    m1 = hn::Max(m1, hn::Load(d, h + (c + 1) * n));
  }
  if (c < q) m0 = hn::Max(m0, hn::Load(d, h + c * n));
  return hn::Max(m0, m1);
}

namespace {

// N chains of a group, lanes part .. part + N - 1. `own` has 5 N floats that persist between draws: uniform
// numbers and lowest differences of fields.
struct Lanes {
  HWY_INLINE Lanes(const GibbsTables &tables, const GibbsChains &chains, int64_t group, int64_t part, float *own_space, float *sum_space)
      : colors(chains.colors + group * tables.shape.sites * kGibbsLanes + part),
        energies(chains.energies == nullptr ? nullptr : chains.energies + group * kGibbsLanes + part),
        scaled_betas(chains.scaled_betas + group * kGibbsLanes + part),
        chain(chains.first_chain + static_cast<uint64_t>(group * kGibbsLanes + part)),
        own(own_space),
        sums(sum_space),
        limits(tables.limits),
        all(&chains) {}

  // Call before the first draw.
  HWY_INLINE void prepare() const {
    const DF d;
    hn::Store(hn::Div(hn::Set(d, kExp2Lowest), hn::LoadU(d, scaled_betas)), d, own + 4 * width());
  }

  uint8_t *colors_at(int64_t site) const { return colors + site * kGibbsLanes; }

  // Draws a site from its local fields, which may be overwritten.
  HWY_NOINLINE VI draw(int64_t site, int64_t sweep, uint64_t seed, float *fields, VF highest, int64_t q) const {
    if (limits != nullptr) return draw_limited(site, sweep, seed, fields, q);
    if (site % 4 == 0) uniforms(seed, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4), own);
    const DF d;
    const VF uniform = hn::Load(d, own + site % 4 * width()), floor = hn::Load(d, own + 4 * width());
    const VI drawn = select(fields, highest, q, hn::LoadU(d, scaled_betas), floor, uniform, sums);
    if (energies != nullptr) follow_energies(fields, q, colors_at(site), drawn, energies);
    store_colors(drawn, colors_at(site));
    return drawn;
  }

  // The same within the limits: the fields of the allowed colours move together and are those of a model without others.
  HWY_NOINLINE VI draw_limited(int64_t site, int64_t sweep, uint64_t seed, float *fields, int64_t q) const {
    if (!limits->draws(site)) return load_colors(colors_at(site));
    const DF d;
    const int64_t n = width(), count = limits->counts[site];
    const uint8_t *allowed = limits->allowed + site * q;
    if (limits->opens[site] != 0) uniforms(seed, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4), own);
    float before[16];
    for (int64_t k = 0; k < n; ++k) before[k] = fields[colors_at(site)[k] * n + k];
    for (int64_t c = 0; c < count; ++c) hn::Store(hn::Load(d, fields + allowed[c] * n), d, fields + c * n);
    const VF uniform = hn::Load(d, own + site % 4 * n), floor = hn::Load(d, own + 4 * n);
    HWY_ALIGN int32_t drawn[16];
    hn::Store(select(fields, maximum(fields, count), count, hn::LoadU(d, scaled_betas), floor, uniform, sums), DI(), drawn);
    const int64_t place = colors_at(site) - all->colors, first = scaled_betas - all->scaled_betas;
    for (int64_t k = 0; k < n; ++k) {
      uint8_t &color = all->colors[place + k];
      const uint8_t picked = allowed[drawn[k]], now = limits->settle(*all, place + k, first + k, picked);
      if (energies != nullptr)
        energies[k] += now == color ? 0.0 : static_cast<double>(before[k]) - static_cast<double>(fields[drawn[k] * n + k]);
      color = now;
    }
    return load_colors(colors_at(site));
  }

  uint8_t *colors;
  double *energies;
  const float *scaled_betas;
  uint64_t chain;
  float *own, *sums;
  const GibbsLimits *limits;
  const GibbsChains *all;
};

inline int64_t draw_floats(const GibbsShape &s) { return (s.colors + 5) * kGibbsLanes; }

}  // namespace

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
