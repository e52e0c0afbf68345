// SPDX-License-Identifier: MIT
// Transposes sixteen rows of floats into columns.
#if defined(ATP_SIMD_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef ATP_SIMD_TRANSPOSE_INL_HPP
#undef ATP_SIMD_TRANSPOSE_INL_HPP
#else
#define ATP_SIMD_TRANSPOSE_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

// Four rows, 4 columns from `from`, into 4 columns of `to`: to[c * to_stride + r] = from[r * from_stride + c].
HWY_INLINE void transpose4(const float *HWY_RESTRICT from, int64_t from_stride, float *HWY_RESTRICT to, int64_t to_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> d2;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + from_stride), r2 = hn::LoadU(d, from + 2 * from_stride),
             r3 = hn::LoadU(d, from + 3 * from_stride);
  const auto low01 = hn::BitCast(d2, hn::InterleaveLower(d, r0, r1)), high01 = hn::BitCast(d2, hn::InterleaveUpper(d, r0, r1));
  const auto low23 = hn::BitCast(d2, hn::InterleaveLower(d, r2, r3)), high23 = hn::BitCast(d2, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, high01, high23)), d, to + 3 * to_stride);
}

#if HWY_TARGET == HWY_AVX3
// Four columns of sixteen rows. Rows r, r + 4, r + 8, r + 12 share a vector, a 128-bit block each. The loads
// exchange blocks; inside the blocks the steps are those of transpose4.
HWY_INLINE void transpose16(const float *HWY_RESTRICT from, int64_t from_stride, float *HWY_RESTRICT to, int64_t to_stride) {
  const auto rows = [&](int64_t r) HWY_ATTR {
    const float *p = from + r * from_stride;
    __m512 v = _mm512_castps128_ps512(_mm_load_ps(p));
    v = _mm512_insertf32x4(v, _mm_load_ps(p + 4 * from_stride), 1);
    v = _mm512_insertf32x4(v, _mm_load_ps(p + 8 * from_stride), 2);
    return _mm512_insertf32x4(v, _mm_load_ps(p + 12 * from_stride), 3);
  };
  const __m512 r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
  const __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(r0, r1)), high01 = _mm512_castps_pd(_mm512_unpackhi_ps(r0, r1));
  const __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(r2, r3)), high23 = _mm512_castps_pd(_mm512_unpackhi_ps(r2, r3));
  _mm512_store_ps(to, _mm512_castpd_ps(_mm512_unpacklo_pd(low01, low23)));
  _mm512_store_ps(to + to_stride, _mm512_castpd_ps(_mm512_unpackhi_pd(low01, low23)));
  _mm512_store_ps(to + 2 * to_stride, _mm512_castpd_ps(_mm512_unpacklo_pd(high01, high23)));
  _mm512_store_ps(to + 3 * to_stride, _mm512_castpd_ps(_mm512_unpackhi_pd(high01, high23)));
}
#endif

// Sixteen rows of `columns` elements (a multiple of 4). Rows are stored in parts of N = the lanes of a vector:
// row r, column c goes to to[r / N * part_stride + c * to_stride + r % N]. All aligned to vectors.
HWY_INLINE void transpose_rows(const float *HWY_RESTRICT from, int64_t from_stride, int64_t columns, float *HWY_RESTRICT to,
                               int64_t to_stride, int64_t part_stride) {
#if HWY_TARGET == HWY_AVX3
  (void)part_stride;
  for (int64_t c = 0; c < columns; c += 4) transpose16(from + c, from_stride, to + c * to_stride, to_stride);
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const int64_t n = static_cast<int64_t>(hn::Lanes(hn::CappedTag<float, 16>()));
  for (int64_t c = 0; c < columns; c += 4)
    for (int64_t r = 0; r < 16; r += 4)
      transpose4(from + r * from_stride + c, from_stride, to + r / n * part_stride + c * to_stride + r % n, to_stride);
#endif
}

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
