// SPDX-License-Identifier: MIT
// What the Gibbs kernels of a target share: random numbers, the draw, sums of rows. Vectors hold N = Lanes(d) <= 16 chains; tiles are [..][N] floats.
#if defined(ATP_SIMD_GIBBS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_GIBBS_INL_HPP
#undef ATP_SIMD_GIBBS_INL_HPP
#else
#define ATP_SIMD_GIBBS_INL_HPP
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

// Four uniform numbers per chain, u[4][N], for chains chain .. chain + N - 1. A 64-bit lane carries one 32-bit word in its low half: products
// come as 64 bits, and what is left in the high halves never gets into a low one. Even and odd chains are in vectors of their own.
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

// N colours as integers, and back.
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

// Draw from the local fields h[q][N], whose maximum is known; sums is work space, [q][N]. Colours go in fours, side by side, with sums of their own
// (sums), and the sums of whole fours are added up beside (the last row of each four, overwritten): short chains of dependent operations.
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
#define ATP_NEXT(coefficient)         \
  k = hn::Set(d, coefficient);        \
  p0 = hn::MulAdd(p0, r0, k);         \
  p1 = hn::MulAdd(p1, r1, k);         \
  p2 = hn::MulAdd(p2, r2, k);         \
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

// energies[lane] += h(old) - h(new).
HWY_INLINE void follow_energies(const float *HWY_RESTRICT h, const uint8_t *old, VI drawn, double *HWY_RESTRICT energies) {
  const DI di;
  const int64_t n = width();
  HWY_ALIGN int32_t now[16];
  hn::Store(drawn, di, now);
  for (int64_t k = 0; k < n; ++k) energies[k] += static_cast<double>(h[old[k] * n + k]) - static_cast<double>(h[now[k] * n + k]);
}

// table[index] with index < q: from kPieces vectors in registers, or by a gather (kPieces = 0). GibbsShape::value_row() pads tables for that.
template <int kPieces>
struct Lookup {
  explicit HWY_INLINE Lookup(VI i) : index(i) {}
  HWY_INLINE VF operator()(const float *table) const { return hn::GatherIndex(DF(), table, index); }
  VI index;
};

#if HWY_TARGET == HWY_AVX3
template <>
struct Lookup<1> {
  explicit HWY_INLINE Lookup(VI i) : index(i) {}
  HWY_INLINE VF operator()(const float *table) const { return VF{_mm512_permutexvar_ps(index.raw, _mm512_load_ps(table))}; }
  VI index;
};
template <>
struct Lookup<2> {
  explicit HWY_INLINE Lookup(VI i) : index(i) {}
  HWY_INLINE VF operator()(const float *table) const {
    return VF{_mm512_permutex2var_ps(_mm512_load_ps(table), index.raw, _mm512_load_ps(table + 16))};
  }
  VI index;
};
template <>
struct Lookup<4> {
  explicit HWY_INLINE Lookup(VI i) : index(i), upper(hn::Gt(i, hn::Set(DI(), 31))) {}
  HWY_INLINE VF operator()(const float *table) const {
    const VF low{_mm512_permutex2var_ps(_mm512_load_ps(table), index.raw, _mm512_load_ps(table + 16))};
    const VF high{_mm512_permutex2var_ps(_mm512_load_ps(table + 32), index.raw, _mm512_load_ps(table + 48))};
    return hn::IfThenElse(hn::RebindMask(DF(), upper), high, low);
  }
  VI index;
  hn::Mask<DI> upper;
};
inline int64_t lookup_pieces(int64_t q) { return q <= 16 ? 1 : q <= 32 ? 2 : q <= 64 ? 4 : 0; }
#elif HWY_TARGET == HWY_AVX2
template <>
struct Lookup<1> {
  explicit HWY_INLINE Lookup(VI i) : index(hn::IndicesFromVec(DF(), i)) {}
  HWY_INLINE VF operator()(const float *table) const { return hn::TableLookupLanes(hn::Load(DF(), table), index); }
  decltype(hn::IndicesFromVec(DF(), VI())) index;
};
template <>
struct Lookup<2> {
  explicit HWY_INLINE Lookup(VI i)
      : index(hn::IndicesFromVec(DF(), hn::And(i, hn::Set(DI(), 7)))), second(hn::RebindMask(DF(), hn::Gt(i, hn::Set(DI(), 7)))) {}
  HWY_INLINE VF operator()(const float *table) const {
    const DF d;
    return hn::IfThenElse(second, hn::TableLookupLanes(hn::Load(d, table + 8), index), hn::TableLookupLanes(hn::Load(d, table), index));
  }
  decltype(hn::IndicesFromVec(DF(), VI())) index;
  hn::Mask<DF> second;
};
template <>
struct Lookup<3> {
  explicit HWY_INLINE Lookup(VI i) : low(i), upper(hn::RebindMask(DF(), hn::Gt(i, hn::Set(DI(), 15)))) {}
  HWY_INLINE VF operator()(const float *table) const {
    return hn::IfThenElse(upper, hn::TableLookupLanes(hn::Load(DF(), table + 16), low.index), low(table));
  }
  Lookup<2> low;
  hn::Mask<DF> upper;
};
template <>
struct Lookup<4> {
  explicit HWY_INLINE Lookup(VI i) : low(hn::And(i, hn::Set(DI(), 15))), upper(hn::RebindMask(DF(), hn::Gt(i, hn::Set(DI(), 15)))) {}
  HWY_INLINE VF operator()(const float *table) const { return hn::IfThenElse(upper, low(table + 16), low(table)); }
  Lookup<2> low;
  hn::Mask<DF> upper;
};
inline int64_t lookup_pieces(int64_t q) { return q <= 32 ? (q + 7) / 8 : 0; }
#else
inline int64_t lookup_pieces(int64_t) { return 0; }
#endif

// Rows of tiles: row j, of q tiles, at rows + j * q * N, j = 0..count-1, with a coefficient for each of two sites at [j * stride].
struct Rows {
  const float *first, *second;
  int64_t stride;
  const float *rows;
  int64_t count;
};

// One more row, for the first site alone.
struct LastRow {
  float coefficient;
  const float *row;
};

#define ATP_EACH_ACCUMULATOR(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11)

// Accumulators per site that leave registers free for two coefficients and a row.
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
inline constexpr int kMaxBlock = 6;
#else
inline constexpr int kMaxBlock = 12;
#endif

// GCC turns a vector that is used twice into a memory operand of both instructions, and the load ports become the bound.
#if HWY_ARCH_X86 && HWY_COMPILER_GCC && !HWY_COMPILER_CLANG
#define ATP_KEEP_IN_REGISTER(x) __asm__("" : "+v"(x.raw))
#else
#define ATP_KEEP_IN_REGISTER(x) static_cast<void>(0)
#endif

// Sums for K colours that follow each other and two sites, in registers; named variables because vectors of SVE cannot be in arrays. They start from
// one number per colour (kBroadcast) or from tiles. Returns the maximum of the first site's.
template <int K, bool kBroadcast>
HWY_INLINE VF add_block(const float *from_h, const float *from_g, float *h, float *g, const Rows &before, const Rows &after, const LastRow &last,
                        int64_t step, int64_t offset) {
  const DF d;
  const int64_t n = width();
#define ATP_DECLARE(i)                                                                        \
  VF h##i = hn::Zero(d), g##i = hn::Zero(d);                                                  \
  if constexpr (i < K) {                                                                      \
    h##i = kBroadcast ? hn::Set(d, from_h[i]) : hn::Load(d, from_h + i * n);                  \
    g##i = kBroadcast ? hn::Set(d, from_g[i]) : hn::Load(d, from_g + i * n);                  \
  }
  ATP_EACH_ACCUMULATOR(ATP_DECLARE)
#undef ATP_DECLARE
#define ATP_ADD(i)                              \
  if constexpr (i < K) {                        \
    VF x = hn::Load(d, row + i * n);            \
    ATP_KEEP_IN_REGISTER(x);                    \
    h##i = hn::MulAdd(a, x, h##i);              \
    g##i = hn::MulAdd(b, x, g##i);              \
  }
#define ATP_ADD_ROWS(what)                                                                                   \
  {                                                                                                          \
    const float *first = what.first, *second = what.second, *row = what.rows + offset;                       \
    for (int64_t j = 0; j < what.count; ++j, first += what.stride, second += what.stride, row += step) {     \
      const VF a = hn::Set(d, *first), b = hn::Set(d, *second);                                              \
      ATP_EACH_ACCUMULATOR(ATP_ADD)                                                                          \
    }                                                                                                        \
  }
  ATP_ADD_ROWS(before)
  ATP_ADD_ROWS(after)
#undef ATP_ADD_ROWS
#undef ATP_ADD
  const VF a = hn::Set(d, last.coefficient);
  const float *row = last.row + offset;
  VF m0 = hn::Set(d, -3.0e38f), m1 = m0;
#define ATP_STORE(i)                                            \
  if constexpr (i < K) {                                        \
    h##i = hn::MulAdd(a, hn::Load(d, row + i * n), h##i);       \
    hn::Store(h##i, d, h + i * n);                              \
    hn::Store(g##i, d, g + i * n);                              \
    if constexpr (i % 2 == 0)                                   \
      m0 = hn::Max(m0, h##i);                                   \
    else                                                        \
      m1 = hn::Max(m1, h##i);                                   \
  }
  ATP_EACH_ACCUMULATOR(ATP_STORE)
#undef ATP_STORE
  return hn::Max(m0, m1);
}

// Fields h[q][N] and g[q][N] of two sites: what they start from, two runs of rows (each row is read once for both sites), and for the first site its
// last row and the maximum. They start from fields by colour (kBroadcast), or from h and g as they are.
template <bool kBroadcast>
HWY_NOINLINE VF add_rows(const float *from_h, const float *from_g, float *h, float *g, const Rows &before, const Rows &after, const LastRow &last,
                         int64_t q) {
  const int64_t n = width();
  VF highest = hn::Set(DF(), -3.0e38f);
  int64_t blocks = (q + kMaxBlock - 1) / kMaxBlock;
  for (int64_t c = 0; c < q; --blocks) {
    const int64_t k = (q - c + blocks - 1) / blocks, from = kBroadcast ? c : c * n;
    VF top = highest;
    switch (k) {
#define ATP_CASE(i)                                                                                                                             \
  case i + 1:                                                                                                                                   \
    if constexpr (i < kMaxBlock)                                                                                                                \
      top = add_block<i + 1, kBroadcast>(from_h + from, from_g + from, h + c * n, g + c * n, before, after, last, q * n, c * n);                \
    break;
      ATP_EACH_ACCUMULATOR(ATP_CASE)
#undef ATP_CASE
      default: break;
    }
    highest = hn::Max(highest, top);
    c += k;
  }
  return highest;
}

// Add one more row to the fields of one site, and give their maximum.
HWY_INLINE VF add_last_row(float *HWY_RESTRICT h, float coefficient, const float *HWY_RESTRICT row, int64_t q) {
  const DF d;
  const int64_t n = width();
  const VF a = hn::Set(d, coefficient);
  VF m0 = hn::Set(d, -3.0e38f), m1 = m0, m2 = m0, m3 = m0;
  int64_t c = 0;
  for (; c + 4 <= q; c += 4) {
    const VF x0 = hn::MulAdd(a, hn::Load(d, row + c * n), hn::Load(d, h + c * n));
    const VF x1 = hn::MulAdd(a, hn::Load(d, row + (c + 1) * n), hn::Load(d, h + (c + 1) * n));
    const VF x2 = hn::MulAdd(a, hn::Load(d, row + (c + 2) * n), hn::Load(d, h + (c + 2) * n));
    const VF x3 = hn::MulAdd(a, hn::Load(d, row + (c + 3) * n), hn::Load(d, h + (c + 3) * n));
    hn::Store(x0, d, h + c * n);
    hn::Store(x1, d, h + (c + 1) * n);
    hn::Store(x2, d, h + (c + 2) * n);
    hn::Store(x3, d, h + (c + 3) * n);
    m0 = hn::Max(m0, x0);
    m1 = hn::Max(m1, x1);
    m2 = hn::Max(m2, x2);
    m3 = hn::Max(m3, x3);
  }
  for (; c < q; ++c) {
    const VF x = hn::MulAdd(a, hn::Load(d, row + c * n), hn::Load(d, h + c * n));
    hn::Store(x, d, h + c * n);
    m0 = hn::Max(m0, x);
  }
  return hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
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

// to(c) = from(c) + sum_b columns[b * row + c] * sums(b) for one vector of each tile of 16, K colours c.
template <int K>
HWY_INLINE void multiply_block(const float *from, const float *columns, int64_t row, const float *sums, int64_t q, float *to) {
  const DF d;
#define ATP_DECLARE(i)       \
  VF s##i = hn::Zero(d);     \
  if constexpr (i < K) s##i = hn::Load(d, from + i * kGibbsLanes);
  ATP_EACH_ACCUMULATOR(ATP_DECLARE)
#undef ATP_DECLARE
  for (int64_t b = 0; b < q; ++b, columns += row, sums += kGibbsLanes) {
    const VF x = hn::Load(d, sums);
#define ATP_ADD(i) \
  if constexpr (i < K) s##i = hn::MulAdd(hn::Set(d, columns[i]), x, s##i);
    ATP_EACH_ACCUMULATOR(ATP_ADD)
#undef ATP_ADD
  }
#define ATP_STORE(i) \
  if constexpr (i < K) hn::Store(s##i, d, to + i * kGibbsLanes);
  ATP_EACH_ACCUMULATOR(ATP_STORE)
#undef ATP_STORE
}

// The same for all colours; tiles of 16 floats, here the sites of a block. from may be to.
HWY_NOINLINE void multiply(const float *from, const float *columns, int64_t row, const float *sums, int64_t q, float *to) {
  for (int64_t part = 0; part < kGibbsLanes; part += width()) {
    int64_t blocks = (q + 11) / 12;
    for (int64_t c = 0; c < q; --blocks) {
      const int64_t k = (q - c + blocks - 1) / blocks, at = c * kGibbsLanes + part;
      switch (k) {
#define ATP_CASE(i) \
  case i + 1: multiply_block<i + 1>(from + at, columns + c, row, sums + part, q, to + at); break;
        ATP_EACH_ACCUMULATOR(ATP_CASE)
#undef ATP_CASE
        default: break;
      }
      c += k;
    }
  }
}

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
