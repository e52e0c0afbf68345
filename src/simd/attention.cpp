// SPDX-License-Identifier: MIT
// The attention kernels with Highway: the operations of attention_scalar.cpp, lane by lane.
#include "simd/attention.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/attention.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/exp-inl.hpp"
#include "simd/log-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kAttentionLanes>;
using V = hn::Vec<F>;

// Register tiles: kWide * kTall accumulators, kWide column vectors and a broadcast must fit into the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kWide = 4, kTall = 6, kOuterX = 5;
#else
constexpr int kWide = 2, kTall = 5, kOuterX = 3;
#endif
constexpr int kOuterY = 4;

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F())); }

void offsets(const uint8_t *colors, int64_t count, int stride, int start, uint16_t *out) {
  const hn::CappedTag<uint16_t, kAttentionLanes> du;
  const hn::Rebind<uint8_t, decltype(du)> du8;
  const int64_t n = static_cast<int64_t>(hn::Lanes(du));
  const auto vector_stride = hn::Set(du, static_cast<uint16_t>(stride)), vector_start = hn::Set(du, static_cast<uint16_t>(start));
  int64_t j = 0;
  for (; j + n <= count; j += n)
    hn::StoreU(hn::Add(hn::Mul(hn::PromoteTo(du, hn::LoadU(du8, colors + j)), vector_stride), vector_start), du, out + j);
  for (; j < count; ++j) out[j] = static_cast<uint16_t>(colors[j] * stride + start);
}

// Sites from `first` in vectors of D, as many as fit; then the rest in vectors of half the size, down to 4.
template <class D>
HWY_INLINE int64_t scatter_from(D d, int64_t first, const float *HWY_RESTRICT panel, int64_t sites, int64_t width, int64_t sequences,
                                const uint16_t *HWY_RESTRICT places, float *HWY_RESTRICT acc) {
  const int64_t n_lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; first + n_lanes <= width; first += n_lanes)
    for (int64_t n = 0; n < sequences; n += 4) {
      // Four sequences at a time: a colour that repeats within a sequence makes a chain of stores and
      // loads.
      const uint16_t *p0 = places + n * sites, *p1 = p0 + sites, *p2 = p1 + sites, *p3 = p2 + sites;
      float *base = acc + first;
      const float *source = panel + first;
      for (int64_t j = 0; j < sites; ++j, source += width) {
        const auto a = hn::LoadU(d, source);
        float *q0 = base + 2 * int64_t{p0[j]}, *q1 = base + 2 * int64_t{p1[j]}, *q2 = base + 2 * int64_t{p2[j]},
              *q3 = base + 2 * int64_t{p3[j]};
        hn::StoreU(hn::Add(hn::LoadU(d, q0), a), d, q0);
        hn::StoreU(hn::Add(hn::LoadU(d, q1), a), d, q1);
        hn::StoreU(hn::Add(hn::LoadU(d, q2), a), d, q2);
        hn::StoreU(hn::Add(hn::LoadU(d, q3), a), d, q3);
      }
    }
  return first;
}

// kParts vectors of D at a time share the address of a row.
template <int kParts, class D>
HWY_INLINE int64_t gather_from(D d, int64_t first, const float *HWY_RESTRICT acc, const uint16_t *HWY_RESTRICT places, int64_t sequences,
                               int64_t sites, int64_t width, float *HWY_RESTRICT panel) {
  const int64_t n_lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; first + kParts * n_lanes <= width; first += kParts * n_lanes)
    for (int64_t j = 0; j < sites; ++j) {
      const float *base = acc + first;
      float *to = panel + j * width + first;
      hn::Vec<D> sum[kParts];
#pragma GCC unroll 4
      for (int v = 0; v < kParts; ++v) sum[v] = hn::LoadU(d, to + v * n_lanes);
      const uint16_t *p = places + j;
      for (int64_t n = 0; n < sequences; n += 4, p += 4 * sites)
#pragma GCC unroll 4
        for (int m = 0; m < 4; ++m) {
          const float *row = base + 2 * int64_t{p[m * sites]};
#pragma GCC unroll 4
          for (int v = 0; v < kParts; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, row + v * n_lanes));
        }
#pragma GCC unroll 4
      for (int v = 0; v < kParts; ++v) hn::StoreU(sum[v], d, to + v * n_lanes);
    }
  return first;
}

void scatter(const float *panel, int64_t sites, int64_t width, int64_t sequences, const uint16_t *places, float *acc) {
  int64_t first = width % 16 == 0 ? scatter_from(F(), 0, panel, sites, width, sequences, places, acc) : 0;
  first = scatter_from(hn::CappedTag<float, 8>(), first, panel, sites, width, sequences, places, acc);
  scatter_from(hn::CappedTag<float, 4>(), first, panel, sites, width, sequences, places, acc);
}

// Sums kParts vectors of D for every list. kWidth is the width, or 0 if it is only known at run time.
template <int kWidth, int kParts, class D>
HWY_INLINE void collect_part(D d, const float *HWY_RESTRICT panel, int64_t width, int64_t count, const ColorSites *HWY_RESTRICT lists,
                             const uint16_t *HWY_RESTRICT j, float *HWY_RESTRICT acc) {
  using Part = hn::Vec<D>;
  const uint64_t row = static_cast<uint64_t>(kWidth != 0 ? int64_t{kWidth} : width);
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  for (const ColorSites *list = lists; list < lists + count; ++list) {
    const uint32_t length = list->count;
    Part sum[kParts];
#pragma GCC unroll 8
    for (int v = 0; v < kParts; ++v) sum[v] = hn::Zero(d);
    for (uint32_t fours = length / 4; fours > 0; --fours, j += 4) {
      // Loads four sites at once. In the other byte order they come out reversed, which gives the same
      // sum.
      uint64_t four;
      std::memcpy(&four, j, sizeof four);
      const float *p0 = panel + (four & 0xffff) * row, *p1 = panel + (four >> 16 & 0xffff) * row;
      const float *p2 = panel + (four >> 32 & 0xffff) * row, *p3 = panel + (four >> 48) * row;
#pragma GCC unroll 8
      for (int v = 0; v < kParts; ++v)
        sum[v] = hn::Add(sum[v], hn::Add(hn::Add(hn::LoadU(d, p0 + v * n), hn::LoadU(d, p1 + v * n)),
                                         hn::Add(hn::LoadU(d, p2 + v * n), hn::LoadU(d, p3 + v * n))));
    }
    if (length & 2) {
      const float *p0 = panel + j[0] * row, *p1 = panel + j[1] * row;
#pragma GCC unroll 8
      for (int v = 0; v < kParts; ++v) sum[v] = hn::Add(sum[v], hn::Add(hn::LoadU(d, p0 + v * n), hn::LoadU(d, p1 + v * n)));
      j += 2;
    }
    if (length & 1) {
      const float *p0 = panel + *j++ * row;
#pragma GCC unroll 8
      for (int v = 0; v < kParts; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, p0 + v * n));
    }
#pragma GCC unroll 8
    for (int v = 0; v < kParts; ++v) hn::StoreU(sum[v], d, acc + list->place * row + v * n);
  }
}

void collect(const float *panel, int64_t width, int64_t count, const ColorSites *lists, const uint16_t *sites, float *acc) {
  if (width == kAttentionLanes)
    return collect_part<kAttentionLanes, kAttentionLanes / hn::MaxLanes(F())>(F(), panel, width, count, lists, sites, acc);
  for (int64_t first = 0; first < width; first += 4)
    collect_part<0, 1>(hn::CappedTag<float, 4>(), panel + first, width, count, lists, sites, acc + first);
}

void gather(const float *acc, const uint16_t *places, int64_t sequences, int64_t sites, int64_t width, float *panel) {
  constexpr int kParts = static_cast<int>(kAttentionLanes) / static_cast<int>(hn::MaxLanes(F()));
  int64_t first = gather_from<kParts>(F(), 0, acc, places, sequences, sites, width, panel);
  first = gather_from<1>(hn::CappedTag<float, 8>(), first, acc, places, sequences, sites, width, panel);
  gather_from<1>(hn::CappedTag<float, 4>(), first, acc, places, sequences, sites, width, panel);
}

template <int kRows, int kVectors>
HWY_INLINE void product_tile(int64_t rows, int64_t depth, const float *HWY_RESTRICT weights, int64_t columns, const float *HWY_RESTRICT in,
                             const float *HWY_RESTRICT start, float *HWY_RESTRICT out) {
  const F d;
  const int64_t n = lanes();
  V sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[r][v] = start == nullptr ? hn::Zero(d) : hn::Load(d, start + r * columns + v * n);
  for (int64_t k = 0; k < depth; ++k) {
    V x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = hn::Load(d, in + v * n);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const V w = hn::Set(d, weights[r]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(w, x[v], sum[r][v]);
    }
    in += columns;
    weights += rows;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, out + r * columns + v * n);
}

// Rows in tiles of nearly equal height.
template <int kVectors>
HWY_INLINE void product_columns(int64_t rows, int64_t depth, const float *weights, int64_t columns, const float *in, const float *start,
                                float *out) {
  constexpr int kMost = kVectors > kWide ? kTall - 1 : kTall;
  const int64_t tiles = (rows + kMost - 1) / kMost;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t r = rows * t / tiles, height = rows * (t + 1) / tiles - r;
    const float *tile_start = start == nullptr ? nullptr : start + r * columns;
    float *tile_out = out + r * columns;
    switch (height) {
      case 1: product_tile<1, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
      case 2: product_tile<2, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
      case 3: product_tile<3, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
      case 4: product_tile<4, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
      case 5: product_tile<5, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
      default: product_tile<kMost, kVectors>(rows, depth, weights + r, columns, in, tile_start, tile_out); break;
    }
  }
}

void product(int64_t rows, int64_t depth, const float *weights, int64_t columns, const float *in, const float *start, float *out) {
  const int64_t wide = kWide * lanes();
  int64_t x = 0;
#if HWY_TARGET == HWY_AVX3
  // Tiles of five vectors until tiles of four fit.
  for (; (columns - x) % wide != 0 && x + wide + lanes() <= columns; x += wide + lanes())
    product_columns<kWide + 1>(rows, depth, weights, columns, in + x, start == nullptr ? nullptr : start + x, out + x);
#endif
  for (; x + wide <= columns; x += wide)
    product_columns<kWide>(rows, depth, weights, columns, in + x, start == nullptr ? nullptr : start + x, out + x);
  for (; x < columns; x += lanes())
    product_columns<1>(rows, depth, weights, columns, in + x, start == nullptr ? nullptr : start + x, out + x);
}

void softmax(int64_t colors, int64_t columns, const int32_t *own, const float *column_weights, float *logits, double *loss) {
  const F d;
  const hn::RebindToSigned<F> di;
  const V log2e = hn::Set(d, kLog2E), lowest = hn::Set(d, kSoftmaxLowest);
  const int64_t last = colors - 1;
  HWY_ALIGN float sums[kAttentionLanes], slope[kAttentionLanes];
  for (int64_t part = 0; part < kAttentionLanes; part += lanes()) {
    V loss_sum = hn::Zero(d);
    for (int64_t x = part; x < columns; x += kAttentionLanes) {
      float *HWY_RESTRICT h = logits + x;
      const V weight = hn::Load(d, column_weights + x), own_logit = hn::GatherIndex(d, logits, hn::Load(di, own + x));
      // Four running maxima, because a single one is a chain of dependent operations.
      V top = hn::Zero(d), top1 = top, top2 = top, top3 = top;
      int64_t c = 0;
      for (; c + 4 <= last; c += 4) {
        top = hn::Max(top, hn::Load(d, h + c * columns));
        top1 = hn::Max(top1, hn::Load(d, h + (c + 1) * columns));
        top2 = hn::Max(top2, hn::Load(d, h + (c + 2) * columns));
        top3 = hn::Max(top3, hn::Load(d, h + (c + 3) * columns));
      }
      for (; c < last; ++c) top = hn::Max(top, hn::Load(d, h + c * columns));
      const V scaled_top = hn::Mul(hn::Max(hn::Max(top, top1), hn::Max(top2, top3)), log2e);
      V total = exp2_f32v(d, hn::Max(hn::Neg(scaled_top), lowest));
      for (c = 0; c < last; ++c) {
        const V y = hn::MulSub(hn::Load(d, h + c * columns), log2e, scaled_top);
        const V e = exp2_f32v(d, hn::Max(y, lowest));
        hn::Store(e, d, h + c * columns);
        total = hn::Add(total, e);
      }
      const V scale = hn::Div(weight, total);
      for (c = 0; c < last; ++c) hn::Store(hn::Mul(hn::Load(d, h + c * columns), scale), d, h + c * columns);
      // Recomputes the entry of the own colour from its logit: single stores are cheaper than a
      // comparison per colour.
      const V own_y = hn::MulSub(own_logit, log2e, scaled_top);
      hn::Store(hn::Sub(hn::Mul(exp2_f32v(d, hn::Max(own_y, lowest)), scale), weight), d, slope);
      for (int64_t lane = 0; lane < lanes(); ++lane) logits[own[x + lane]] = slope[lane];
      hn::Store(hn::Zero(d), d, h + last * columns);
      loss_sum = hn::MulAdd(weight, hn::NegMulAdd(own_y, hn::Set(d, kLn2), log_f32v(d, total)), loss_sum);
    }
    hn::Store(loss_sum, d, sums + part);
  }
  for (int64_t lane = 0; lane < kAttentionLanes; ++lane) loss[lane] += static_cast<double>(sums[lane]);
}

template <int kX, int kY>
HWY_INLINE void outer_tile(int64_t rows_y, int64_t columns, const float *HWY_RESTRICT x, const float *HWY_RESTRICT y,
                           float *HWY_RESTRICT sums) {
  const F d;
  V sum[kX][kY];
#pragma GCC unroll 8
  for (int a = 0; a < kX; ++a)
#pragma GCC unroll 8
    for (int b = 0; b < kY; ++b) sum[a][b] = hn::Load(d, sums + (a * rows_y + b) * kAttentionLanes);
  for (int64_t k = 0; k < columns; k += kAttentionLanes) {
    V right[kY];
#pragma GCC unroll 8
    for (int b = 0; b < kY; ++b) right[b] = hn::Load(d, y + b * columns + k);
#pragma GCC unroll 8
    for (int a = 0; a < kX; ++a) {
      const V left = hn::Load(d, x + a * columns + k);
#pragma GCC unroll 8
      for (int b = 0; b < kY; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 8
  for (int a = 0; a < kX; ++a)
#pragma GCC unroll 8
    for (int b = 0; b < kY; ++b) hn::Store(sum[a][b], d, sums + (a * rows_y + b) * kAttentionLanes);
}

template <int kX>
HWY_INLINE void outer_rows(int64_t rows_y, int64_t columns, const float *x, const float *y, float *sums) {
  for (int64_t part = 0; part < kAttentionLanes; part += lanes()) {
    int64_t b = 0;
#if HWY_TARGET == HWY_AVX3
    // Tiles of five until tiles of four fit.
    for (; (rows_y - b) % kOuterY != 0 && b + kOuterY + 1 <= rows_y; b += kOuterY + 1)
      outer_tile<kX, kOuterY + 1>(rows_y, columns, x + part, y + b * columns + part, sums + b * kAttentionLanes + part);
#endif
    for (; b + kOuterY <= rows_y; b += kOuterY)
      outer_tile<kX, kOuterY>(rows_y, columns, x + part, y + b * columns + part, sums + b * kAttentionLanes + part);
    for (; b < rows_y; ++b) outer_tile<kX, 1>(rows_y, columns, x + part, y + b * columns + part, sums + b * kAttentionLanes + part);
  }
}

void outer(int64_t rows_x, int64_t rows_y, int64_t columns, const float *x, const float *y, float *sums) {
  const int64_t tiles = (rows_x + kOuterX - 1) / kOuterX;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t a = rows_x * t / tiles, height = rows_x * (t + 1) / tiles - a;
    const float *tile_x = x + a * columns;
    float *tile_sums = sums + a * rows_y * kAttentionLanes;
    switch (height) {
      case 1: outer_rows<1>(rows_y, columns, tile_x, y, tile_sums); break;
      case 2: outer_rows<2>(rows_y, columns, tile_x, y, tile_sums); break;
      case 3: outer_rows<3>(rows_y, columns, tile_x, y, tile_sums); break;
      case 4: outer_rows<4>(rows_y, columns, tile_x, y, tile_sums); break;
      default: outer_rows<5>(rows_y, columns, tile_x, y, tile_sums); break;
    }
  }
}

void add(int64_t count, const float *x, float *sums) {
  const F d;
  int64_t k = 0;
  for (; k + lanes() <= count; k += lanes()) hn::StoreU(hn::Add(hn::LoadU(d, sums + k), hn::LoadU(d, x + k)), d, sums + k);
  for (; k < count; ++k) sums[k] += x[k];
}

}  // namespace

extern const AttentionKernels attention_table;
const AttentionKernels attention_table = {offsets, scatter, collect, gather, product, softmax, outer, add};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const AttentionKernels &attention_kernels(Target target) { ATP_DISPATCH(target, attention_table, attention_scalar_kernels) }

}  // namespace atp
#endif
