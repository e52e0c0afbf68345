// SPDX-License-Identifier: MIT
// Look-ups by colour and sums of rows, for the Gibbs kernels of factored models.
#if defined(ATP_SIMD_GIBBS_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_GIBBS_ROWS_INL_HPP
#undef ATP_SIMD_GIBBS_ROWS_INL_HPP
#else
#define ATP_SIMD_GIBBS_ROWS_INL_HPP
#endif

#include "simd/gibbs_draw-inl.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

// table[index] with index < q, from kPieces vectors in registers, or by a gather (kPieces = 0).
// GibbsShape::value_row() pads tables accordingly, or they are followed by GibbsShape::kListPadding.
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
  HWY_INLINE VF operator()(const float *table) const { return VF{_mm512_permutexvar_ps(index.raw, _mm512_loadu_ps(table))}; }
  VI index;
};
template <>
struct Lookup<2> {
  explicit HWY_INLINE Lookup(VI i) : index(i) {}
  HWY_INLINE VF operator()(const float *table) const {
    return VF{_mm512_permutex2var_ps(_mm512_loadu_ps(table), index.raw, _mm512_loadu_ps(table + 16))};
  }
  VI index;
};
template <>
struct Lookup<4> {
  explicit HWY_INLINE Lookup(VI i) : index(i), upper(hn::Gt(i, hn::Set(DI(), 31))) {}
  HWY_INLINE VF operator()(const float *table) const {
    const VF low{_mm512_permutex2var_ps(_mm512_loadu_ps(table), index.raw, _mm512_loadu_ps(table + 16))};
    const VF high{_mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), index.raw, _mm512_loadu_ps(table + 48))};
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
  HWY_INLINE VF operator()(const float *table) const { return hn::TableLookupLanes(hn::LoadU(DF(), table), index); }
  decltype(hn::IndicesFromVec(DF(), VI())) index;
};
template <>
struct Lookup<2> {
  explicit HWY_INLINE Lookup(VI i)
      : index(hn::IndicesFromVec(DF(), hn::And(i, hn::Set(DI(), 7)))), second(hn::RebindMask(DF(), hn::Gt(i, hn::Set(DI(), 7)))) {}
  HWY_INLINE VF operator()(const float *table) const {
    const DF d;
    return hn::IfThenElse(second, hn::TableLookupLanes(hn::LoadU(d, table + 8), index), hn::TableLookupLanes(hn::LoadU(d, table), index));
  }
  decltype(hn::IndicesFromVec(DF(), VI())) index;
  hn::Mask<DF> second;
};
template <>
struct Lookup<3> {
  explicit HWY_INLINE Lookup(VI i) : low(i), upper(hn::RebindMask(DF(), hn::Gt(i, hn::Set(DI(), 15)))) {}
  HWY_INLINE VF operator()(const float *table) const {
    return hn::IfThenElse(upper, hn::TableLookupLanes(hn::LoadU(DF(), table + 16), low.index), low(table));
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

// Rows of tiles: row j, of q tiles, at rows + j * q * N, j = 0..count-1. Each of two sites has its coefficient
// at [j * stride].
struct Rows {
  const float *first, *second;
  int64_t stride;
  const float *rows;
  int64_t count;
};

// One more row, only for the first site.
struct LastRow {
  float coefficient;
  const float *row;
};

#define ATP_EACH_ACCUMULATOR(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11)

// Number of accumulators per site that leaves registers free for two coefficients and a row.
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
inline constexpr int kMaxBlock = 6;
#else
inline constexpr int kMaxBlock = 12;
#endif

// GCC turns a vector that is used twice into a memory operand of both instructions. The load ports then become
// the bound.
#if HWY_ARCH_X86 && HWY_COMPILER_GCC && !HWY_COMPILER_CLANG
#define ATP_KEEP_IN_REGISTER(x) __asm__("" : "+v"(x.raw))
#else
#define ATP_KEEP_IN_REGISTER(x) static_cast<void>(0)
#endif

// Sums for K colours that follow each other and two sites, in registers: named variables, not an array. They
// start from one number per colour (kBroadcast) or from tiles. Returns the maximum of the first site's.
template <int K, bool kBroadcast>
HWY_INLINE VF add_block(const float *from_h, const float *from_g, float *h, float *g, const Rows &before, const Rows &after,
                        const LastRow &last, int64_t step, int64_t offset) {
  const DF d;
  const int64_t n = width();
#define ATP_DECLARE(i)                                                       \
  VF h##i = hn::Zero(d), g##i = hn::Zero(d);                                 \
  if constexpr (i < K) {                                                     \
    h##i = kBroadcast ? hn::Set(d, from_h[i]) : hn::Load(d, from_h + i * n); \
    g##i = kBroadcast ? hn::Set(d, from_g[i]) : hn::Load(d, from_g + i * n); \
  }
  ATP_EACH_ACCUMULATOR(ATP_DECLARE)
#undef ATP_DECLARE
#define ATP_ADD(i)                   \
  if constexpr (i < K) {             \
    VF x = hn::Load(d, row + i * n); \
    ATP_KEEP_IN_REGISTER(x);         \
    h##i = hn::MulAdd(a, x, h##i);   \
    g##i = hn::MulAdd(b, x, g##i);   \
  }
#define ATP_ADD_ROWS(what)                                                                               \
  {                                                                                                      \
    const float *first = what.first, *second = what.second, *row = what.rows + offset;                   \
    for (int64_t j = 0; j < what.count; ++j, first += what.stride, second += what.stride, row += step) { \
      const VF a = hn::Set(d, *first), b = hn::Set(d, *second);                                          \
      ATP_EACH_ACCUMULATOR(ATP_ADD)                                                                      \
    }                                                                                                    \
  }
  ATP_ADD_ROWS(before)
  ATP_ADD_ROWS(after)
#undef ATP_ADD_ROWS
#undef ATP_ADD
  const VF a = hn::Set(d, last.coefficient);
  const float *row = last.row + offset;
  VF m0 = hn::Set(d, -3.0e38f), m1 = m0;
#define ATP_STORE(i)                                      \
  if constexpr (i < K) {                                  \
    h##i = hn::MulAdd(a, hn::Load(d, row + i * n), h##i); \
    hn::Store(h##i, d, h + i * n);                        \
    hn::Store(g##i, d, g + i * n);                        \
    if constexpr (i % 2 == 0)                             \
      m0 = hn::Max(m0, h##i);                             \
    else                                                  \
      m1 = hn::Max(m1, h##i);                             \
  }
  ATP_EACH_ACCUMULATOR(ATP_STORE)
#undef ATP_STORE
  return hn::Max(m0, m1);
}

// Fields h[q][N] and g[q][N] of two sites: the initial fields, two ranges of rows (each row is read once for
// both sites), and for the first site its last row and the maximum. The initial fields are one number per
// colour (kBroadcast), or the present h and g.
template <bool kBroadcast>
HWY_NOINLINE VF add_rows(const float *from_h, const float *from_g, float *h, float *g, const Rows &before, const Rows &after,
                         const LastRow &last, int64_t q) {
  const int64_t n = width();
  VF highest = hn::Set(DF(), -3.0e38f);
  int64_t blocks = (q + kMaxBlock - 1) / kMaxBlock;
  for (int64_t c = 0; c < q; --blocks) {
    const int64_t k = (q - c + blocks - 1) / blocks, from = kBroadcast ? c : c * n;
    VF top = highest;
    switch (k) {
#define ATP_CASE(i)                                                                                                              \
  case i + 1:                                                                                                                    \
    if constexpr (i < kMaxBlock)                                                                                                 \
      top = add_block<i + 1, kBroadcast>(from_h + from, from_g + from, h + c * n, g + c * n, before, after, last, q * n, c * n); \
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

// Adds one more row to the fields of one site, and returns their maximum.
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

// to(c) = from(c) + sum_b columns[b * row + c] * sums(b) for one vector of each tile of 16, K colours c.
template <int K>
HWY_INLINE void multiply_block(const float *from, const float *columns, int64_t row, const float *sums, int64_t q, float *to) {
  const DF d;
#define ATP_DECLARE(i)   \
  VF s##i = hn::Zero(d); \
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

// The same for all colours, in tiles of 16 floats, here the sites of a block. `from` may be `to`.
HWY_NOINLINE inline void multiply(const float *from, const float *columns, int64_t row, const float *sums, int64_t q, float *to) {
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
