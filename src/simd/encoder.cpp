// SPDX-License-Identifier: MIT
// The encoder kernels with Highway: the operations of encoder_scalar.cpp, lane by lane.
#include "simd/encoder.hpp"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/encoder.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kAttentionLanes>;
using V = hn::Vec<F>;

constexpr int64_t kLanes = kAttentionLanes;

// Register tiles: all accumulators, the vectors of one factor and one of the other must fit into the registers. kParts vectors are a
// logical vector; a product with weights takes several sites at a time if one vector is a whole one.
constexpr int kParts = static_cast<int>(kLanes) / static_cast<int>(hn::MaxLanes(F()));
#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 5, kVectors = 5;   // product
constexpr int kOuterA = 6, kOuterB = 4;  // outer
constexpr int kTallA = 5, kTallB = 5;    // lane_product
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 6, kVectors = 4;
constexpr int kOuterA = 6, kOuterB = 4;
constexpr int kTallA = 5, kTallB = 4;
#else
constexpr int kRows = 6, kVectors = 2;
constexpr int kOuterA = 6, kOuterB = 2;
constexpr int kTallA = 4, kTallB = 3;
#endif
// Two steps of a sum in a loop leave the ports of multiply-adds fewer additions of addresses, if the tile leaves registers for it.
constexpr bool kPairOfSteps = HWY_TARGET != HWY_AVX3;
constexpr int kWide = 4;  // sites at a time, so that successive additions do not wait for each other

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F())); }

// Where the kCount vectors of a tile are: those of one site, or of successive sites.
template <int kCount>
struct TileOf {
  static HWY_INLINE int64_t offset(int v, int64_t row_stride) { return kParts == 1 ? v * row_stride : v * lanes(); }
};

// The places of rows r.. of a tile in an array. Strides are copies: those of the argument would be read again after every store.
template <int kTall, int kCount, class Visit>
HWY_INLINE void visit_tile(int64_t row_stride, int64_t step, Visit &&visit) {
#pragma GCC unroll 8
  for (int a = 0; a < kTall; ++a)
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v) visit(a, v, TileOf<kCount>::offset(v, row_stride) + a * step);
}

template <int kTall, int kCount>
HWY_INLINE void product_start(const EncoderProduct &p, int64_t r, int64_t site, int64_t part, V (&sum)[kTall][kCount]) {
  const F d;
#pragma GCC unroll 8
  for (int a = 0; a < kTall; ++a) {
    const V bias = p.bias == nullptr ? hn::Zero(d) : hn::Set(d, p.bias[r + a]);
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v) sum[a][v] = bias;
  }
  if (p.start.data == nullptr) return;
  const float *start = p.start.data + site * p.start.row_stride + r * p.start.step + part;
  visit_tile<kTall, kCount>(p.start.row_stride, p.start.step,
                            [&](int a, int v, int64_t at) HWY_ATTR { sum[a][v] = hn::Add(sum[a][v], hn::Load(d, start + at)); });
}

template <int kTall, int kCount>
HWY_INLINE void product_end(const EncoderProduct &p, int64_t r, int64_t site, int64_t part, V (&sum)[kTall][kCount]) {
  const F d;
  float *out = p.out.data + site * p.out.row_stride + r * p.out.step + part;
  const int64_t row_stride = p.out.row_stride, step = p.out.step;
  if (p.end == ProductEnd::gate) {
    const float *gate = p.gate.data + site * p.gate.row_stride + r * p.gate.step + part;
    visit_tile<kTall, kCount>(p.gate.row_stride, p.gate.step, [&](int a, int v, int64_t at) HWY_ATTR {
      sum[a][v] = hn::IfThenElseZero(hn::Gt(hn::Load(d, gate + at), hn::Zero(d)), sum[a][v]);
    });
  } else if (p.end == ProductEnd::relu) {
#pragma GCC unroll 8
    for (int a = 0; a < kTall; ++a)
#pragma GCC unroll 8
      for (int v = 0; v < kCount; ++v) sum[a][v] = hn::Max(sum[a][v], hn::Zero(d));
  }
  visit_tile<kTall, kCount>(row_stride, step, [&](int a, int v, int64_t at) HWY_ATTR { hn::Store(sum[a][v], d, out + at); });
}

// `tiles` tiles of a product with weights: kTall rows of `out` each, from row r, and kCount vectors.
template <int kTall, int kCount>
HWY_NOINLINE void product_tiles(const EncoderProduct &p, int64_t r, int64_t tiles, int64_t site, int64_t part) {
  const F d;
  const int64_t row_stride = p.in.row_stride, step = p.in.step, rows = p.rows, depth = p.depth;
  const float *first = p.in.data + site * row_stride + part;
  for (const int64_t end = r + tiles * kTall; r < end; r += kTall) {
    V sum[kTall][kCount];
    product_start<kTall, kCount>(p, r, site, part, sum);
    const auto add = [&](const float *HWY_RESTRICT in, const float *HWY_RESTRICT weights) HWY_ATTR {
      V x[kCount];
#pragma GCC unroll 8
      for (int v = 0; v < kCount; ++v) x[v] = hn::Load(d, in + TileOf<kCount>::offset(v, row_stride));
#pragma GCC unroll 8
      for (int a = 0; a < kTall; ++a) {
        const V w = hn::Set(d, weights[a]);
#pragma GCC unroll 8
        for (int v = 0; v < kCount; ++v) sum[a][v] = hn::MulAdd(w, x[v], sum[a][v]);
      }
    };
    const float *in = first, *weights = p.weights + r;
    int64_t k = depth;
    if constexpr (kPairOfSteps)
      for (const float *next = first + step; k > 1; k -= 2, in += 2 * step, next += 2 * step, weights += 2 * rows) {
        add(in, weights);
        add(next, weights + rows);
      }
    for (; k > 0; --k, in += step, weights += rows) add(in, weights);
    product_end<kTall, kCount>(p, r, site, part, sum);
  }
}

// Divides `count` into tiles of nearly equal height, at most kMost, and calls run(first, tiles, std::integral_constant<int, height>) for
// those of one height and those of the other.
template <int kMost, class Run>
HWY_INLINE void for_runs(int64_t count, Run &&run) {
  const int64_t tiles = (count + kMost - 1) / kMost;
  if (tiles == 0) return;
  const int64_t high = count % tiles;
  int64_t first = 0, height = count / tiles + 1;
  for (int64_t part : {high, tiles - high}) {
    if (part > 0) switch (height) {
        case 1: run(first, part, std::integral_constant<int, 1>()); break;
        case 2: run(first, part, std::integral_constant < int, kMost<2 ? kMost : 2>()); break;
        case 3: run(first, part, std::integral_constant < int, kMost<3 ? kMost : 3>()); break;
        case 4: run(first, part, std::integral_constant < int, kMost<4 ? kMost : 4>()); break;
        case 5: run(first, part, std::integral_constant < int, kMost<5 ? kMost : 5>()); break;
        default: run(first, part, std::integral_constant<int, kMost>()); break;
      }
    first += part * height;
    --height;
  }
}

void product(int64_t sites, const EncoderProduct &p) {
#if HWY_TARGET == HWY_AVX3
  for_runs<kVectors>(sites, [&](int64_t site, int64_t pieces, auto count) HWY_ATTR {
    constexpr int kCount = decltype(count)::value;
    for (const int64_t end = site + pieces * kCount; site < end; site += kCount)
      for_runs<kRows>(p.rows, [&](int64_t r, int64_t tiles, auto tall)
                                  HWY_ATTR { product_tiles<decltype(tall)::value, kCount>(p, r, tiles, site, 0); });
  });
#else
  for (int64_t site = 0; site < sites; ++site)
    for (int64_t part = 0; part < kLanes; part += kVectors * lanes())
      for_runs<kRows>(p.rows, [&](int64_t r, int64_t tiles, auto tall)
                                  HWY_ATTR { product_tiles<decltype(tall)::value, kVectors>(p, r, tiles, site, part); });
#endif
}

// The rows of a factor. One of its strides is that of neighbours, 16 floats.
template <bool kNeighborRows>
struct TileRows {
  HWY_INLINE TileRows(const LaneMatrix &m, const float *first)
      : low(first), high(first + 3 * m.row_stride), stride(kNeighborRows ? m.step : m.row_stride) {}
  // Row a, `ahead` steps on.
  HWY_INLINE V load(int a, int ahead) const {
    if constexpr (kNeighborRows)
      return hn::Load(F(), low + ahead * stride + a * kLanes);
    else
      return hn::Load(F(), (a < 3 ? low + a * stride : high + (a - 3) * stride) + ahead * kLanes);
  }
  HWY_INLINE void advance(int steps) {
    const int64_t distance = kNeighborRows ? steps * stride : steps * kLanes;
    low += distance;
    high += distance;
  }
  const float *low, *high;
  int64_t stride;
};

// Tiles of kA rows from a0 and kB rows each from b0.
template <int kA, int kB, bool kNeighborsX, bool kNeighborsY>
HWY_NOINLINE void lane_tiles(const LaneProduct &p, int64_t a0, int64_t b0, int64_t tiles, int64_t part) {
  static_assert(kA <= 5 && kB <= 5);
  const F d;
  const int64_t out_stride = p.out_stride, depth = p.depth, right_stride = p.y.row_stride;
  const float *left_first = p.x.data + a0 * p.x.row_stride + part, *right_first = p.y.data + b0 * right_stride + part;
  float *out = p.out + a0 * out_stride + b0 * kLanes + part;
  for (; tiles > 0; --tiles, right_first += kB * right_stride, out += kB * kLanes) {
    V sum[kA][kB];
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 8
      for (int b = 0; b < kB; ++b) sum[a][b] = hn::Zero(d);
    if (p.add) {
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a)
#pragma GCC unroll 8
        for (int b = 0; b < kB; ++b) sum[a][b] = hn::Load(d, out + a * out_stride + b * kLanes);
    }
    TileRows<kNeighborsX> left(p.x, left_first);
    TileRows<kNeighborsY> right(p.y, right_first);
    const auto add = [&](int ahead) HWY_ATTR {
      V v[kB];
#pragma GCC unroll 8
      for (int b = 0; b < kB; ++b) v[b] = right.load(b, ahead);
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const V u = left.load(a, ahead);
#pragma GCC unroll 8
        for (int b = 0; b < kB; ++b) sum[a][b] = hn::MulAdd(u, v[b], sum[a][b]);
      }
    };
    int64_t k = depth;
    if constexpr (kPairOfSteps)
      for (; k > 1; k -= 2, left.advance(2), right.advance(2)) {
        add(0);
        add(1);
      }
    for (; k > 0; --k, left.advance(1), right.advance(1)) add(0);
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 8
      for (int b = 0; b < kB; ++b) hn::Store(sum[a][b], d, out + a * out_stride + b * kLanes);
  }
}

template <bool kNeighborsX, bool kNeighborsY>
HWY_INLINE void lane_product_of(const LaneProduct &p) {
  for (int64_t part = 0; part < kLanes; part += lanes())
    for_runs<kTallA>(p.rows_a, [&](int64_t a, int64_t pieces, auto high) HWY_ATTR {
      constexpr int kA = decltype(high)::value;
      for (const int64_t end = a + pieces * kA; a < end; a += kA)
        for_runs<kTallB>(p.rows_b, [&](int64_t b, int64_t tiles, auto wide)
                                       HWY_ATTR { lane_tiles<kA, decltype(wide)::value, kNeighborsX, kNeighborsY>(p, a, b, tiles, part); });
    });
}

void lane_product(const LaneProduct &p) {
  if (p.x.row_stride == kLanes && p.y.row_stride == kLanes) return lane_product_of<true, true>(p);
  if (p.y.row_stride == kLanes) return lane_product_of<false, true>(p);
  lane_product_of<false, false>(p);
}

void turn(int64_t sites, int64_t elements, LaneMatrix y, int64_t stride, float *to) {
  for (int64_t s = 0; s < sites; ++s, to += kLanes * stride) {
    const float *from = y.data + s * y.row_stride;
    int64_t k = 0;
    for (; k + kLanes <= elements; k += kLanes) transpose_rows(from + k * y.step, y.step, kLanes, to + k, stride, lanes());
    for (; k < elements; ++k)
      for (int64_t lane = 0; lane < kLanes; ++lane) to[lane * stride + k] = from[k * y.step + lane];
  }
}

// kA rows and kB vectors of the sums.
template <int kA, int kB>
HWY_NOINLINE void outer_tile(int64_t sites, int64_t stride, LaneMatrix x, const float *HWY_RESTRICT y, float *HWY_RESTRICT sums) {
  const F d;
  V sum[kA][kB];
#pragma GCC unroll 8
  for (int a = 0; a < kA; ++a)
#pragma GCC unroll 8
    for (int b = 0; b < kB; ++b) sum[a][b] = hn::Load(d, sums + a * stride + b * lanes());
  for (int64_t s = 0; s < sites; ++s) {
    const float *left = x.data + s * x.row_stride;
    for (int64_t lane = 0; lane < kLanes; ++lane, y += stride, ++left) {
      V v[kB];
#pragma GCC unroll 8
      for (int b = 0; b < kB; ++b) v[b] = hn::Load(d, y + b * lanes());
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const V u = hn::Set(d, left[a * kLanes]);
#pragma GCC unroll 8
        for (int b = 0; b < kB; ++b) sum[a][b] = hn::MulAdd(u, v[b], sum[a][b]);
      }
    }
  }
#pragma GCC unroll 8
  for (int a = 0; a < kA; ++a)
#pragma GCC unroll 8
    for (int b = 0; b < kB; ++b) hn::Store(sum[a][b], d, sums + a * stride + b * lanes());
}

void outer(int64_t sites, int64_t rows, int64_t stride, LaneMatrix x, const float *y, float *sums) {
  for_runs<kOuterB>(stride / lanes(), [&](int64_t b, int64_t columns, auto wide) HWY_ATTR {
    constexpr int kB = decltype(wide)::value;
    for (const int64_t end = b + columns * kB; b < end; b += kB)
      for_runs<kOuterA>(rows, [&](int64_t a, int64_t tiles, auto tall) HWY_ATTR {
        constexpr int kA = decltype(tall)::value;
        for (const int64_t last = a + tiles * kA; a < last; a += kA)
          outer_tile<kA, kB>(sites, stride, {x.data + a * kLanes, x.row_stride, x.step}, y + b * lanes(), sums + a * stride + b * lanes());
      });
  });
}

template <int kCount>
HWY_INLINE void add_sites_of(int64_t sites, const float *HWY_RESTRICT y, const LaneMatrix &m, float *HWY_RESTRICT sums) {
  const F d;
  V sum[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) sum[v] = hn::Load(d, sums + v * kLanes);
  for (int64_t s = 0; s < sites; ++s, y += m.row_stride)
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, y + v * m.step));
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) hn::Store(sum[v], d, sums + v * kLanes);
}

void add_sites(int64_t sites, int64_t elements, LaneMatrix y, float *sums) {
  for (int64_t part = 0; part < kLanes; part += lanes()) {
    int64_t k = 0;
    for (; k + kWide <= elements; k += kWide) add_sites_of<kWide>(sites, y.data + k * y.step + part, y, sums + k * kLanes + part);
    for (; k < elements; ++k) add_sites_of<1>(sites, y.data + k * y.step + part, y, sums + k * kLanes + part);
  }
}

// kCount sites at a time, one vector of each.
template <int kCount>
HWY_INLINE void norm_sites(int64_t width, float epsilon, const float *HWY_RESTRICT scale_shift, LaneOutput x, float *HWY_RESTRICT deviation,
                           LaneOutput y) {
  const F d;
  const V part = hn::Set(d, 1.0f / static_cast<float>(width));
  V mean[kCount], variance[kCount], inverse[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) mean[v] = variance[v] = hn::Zero(d);
  for (int64_t r = 0; r < width; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) mean[v] = hn::Add(mean[v], hn::Load(d, x.data + v * x.row_stride + r * x.step));
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) mean[v] = hn::Mul(mean[v], part);
  for (int64_t r = 0; r < width; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const V away = hn::Sub(hn::Load(d, x.data + v * x.row_stride + r * x.step), mean[v]);
      variance[v] = hn::MulAdd(away, away, variance[v]);
    }
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    inverse[v] = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::MulAdd(variance[v], part, hn::Set(d, epsilon))));
    hn::Store(inverse[v], d, deviation + v * kLanes);
  }
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]), shift = hn::Set(d, scale_shift[width + r]);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      float *at = x.data + v * x.row_stride + r * x.step;
      const V hat = hn::Mul(hn::Sub(hn::Load(d, at), mean[v]), inverse[v]);
      hn::Store(hat, d, at);
      hn::Store(hn::MulAdd(scale, hat, shift), d, y.data + v * y.row_stride + r * y.step);
    }
  }
}

HWY_INLINE LaneOutput moved(const LaneOutput &m, int64_t site, int64_t part) {
  return {m.data + site * m.row_stride + part, m.row_stride, m.step};
}

void norm(int64_t sites, int64_t width, float epsilon, const float *scale_shift, LaneOutput x, float *deviation, LaneOutput y) {
  for (int64_t part = 0; part < kLanes; part += lanes()) {
    int64_t s = 0;
    for (; s + kWide <= sites; s += kWide)
      norm_sites<kWide>(width, epsilon, scale_shift, moved(x, s, part), deviation + s * kLanes + part, moved(y, s, part));
    for (; s < sites; ++s) norm_sites<1>(width, epsilon, scale_shift, moved(x, s, part), deviation + s * kLanes + part, moved(y, s, part));
  }
}

template <int kCount>
HWY_INLINE void norm_back_sites(int64_t width, const float *HWY_RESTRICT scale_shift, LaneMatrix hat, const float *HWY_RESTRICT deviation,
                                LaneOutput slopes, float *HWY_RESTRICT sums) {
  const F d;
  const V part = hn::Set(d, 1.0f / static_cast<float>(width));
  V mean[kCount], along[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) mean[v] = along[v] = hn::Zero(d);
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]);
    float *scale_sums = sums + r * kLanes, *shift_sums = scale_sums + width * kLanes;
    V scale_sum = hn::Load(d, scale_sums), shift_sum = hn::Load(d, shift_sums);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const V slope = hn::Load(d, slopes.data + v * slopes.row_stride + r * slopes.step);
      const V h = hn::Load(d, hat.data + v * hat.row_stride + r * hat.step), scaled = hn::Mul(scale, slope);
      scale_sum = hn::MulAdd(slope, h, scale_sum);
      shift_sum = hn::Add(shift_sum, slope);
      mean[v] = hn::Add(mean[v], scaled);
      along[v] = hn::MulAdd(scaled, h, along[v]);
    }
    hn::Store(scale_sum, d, scale_sums);
    hn::Store(shift_sum, d, shift_sums);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    mean[v] = hn::Mul(mean[v], part);
    along[v] = hn::Mul(along[v], part);
  }
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      float *at = slopes.data + v * slopes.row_stride + r * slopes.step;
      const V centred = hn::Sub(hn::Mul(scale, hn::Load(d, at)), mean[v]);
      const V h = hn::Load(d, hat.data + v * hat.row_stride + r * hat.step);
      hn::Store(hn::Mul(hn::NegMulAdd(h, along[v], centred), hn::Load(d, deviation + v * kLanes)), d, at);
    }
  }
}

void norm_back(int64_t sites, int64_t width, const float *scale_shift, LaneMatrix hat, const float *deviation, LaneOutput slopes,
               float *sums) {
  for (int64_t part = 0; part < kLanes; part += lanes()) {
    int64_t s = 0;
    const auto hats = [&] { return LaneMatrix{hat.data + s * hat.row_stride + part, hat.row_stride, hat.step}; };
    for (; s + kWide <= sites; s += kWide)
      norm_back_sites<kWide>(width, scale_shift, hats(), deviation + s * kLanes + part, moved(slopes, s, part), sums + part);
    for (; s < sites; ++s)
      norm_back_sites<1>(width, scale_shift, hats(), deviation + s * kLanes + part, moved(slopes, s, part), sums + part);
  }
}

// The columns of a table that a vector of tokens names.
struct TokenColumns {
  HWY_INLINE TokenColumns() {}  // as in two_tokens.cpp: the compiler's own would be outside the code of the target
#if HWY_TARGET == HWY_NEON
  // NEON has no gather: four addresses, which stay in registers while rows are read.
  HWY_INLINE void name(const float *table, const int32_t *tokens) {
    for (int k = 0; k < 4; ++k) at[k] = table + tokens[k];
  }
  HWY_INLINE V row(int64_t offset) const { return V(float32x4_t{at[0][offset], at[1][offset], at[2][offset], at[3][offset]}); }
  const float *at[4];
#else
  using Tokens = hn::RebindToSigned<F>;
  HWY_INLINE void name(const float *of, const int32_t *names) {
    table = of;
    tokens = hn::Load(Tokens(), names);
  }
  HWY_INLINE V row(int64_t offset) const { return hn::GatherIndex(F(), table + offset, tokens); }
  const float *table;
  hn::Vec<Tokens> tokens;
#endif
};

#if HWY_TARGET == HWY_NEON
constexpr int kTokenVectors = 2;  // that share a position
#else
constexpr int kTokenVectors = 1;
#endif

void embed(int64_t sites, int64_t width, const float *table, int64_t stride, const int32_t *tokens, const float *positions,
           LaneOutput out) {
  const F d;
  TokenColumns columns[kTokenVectors];
  for (int64_t s = 0; s < sites; ++s, positions += width)
    for (int64_t part = 0; part < kLanes; part += kTokenVectors * lanes()) {
#pragma GCC unroll 2
      for (int v = 0; v < kTokenVectors; ++v) columns[v].name(table, tokens + s * kLanes + part + v * lanes());
      for (int64_t r = 0; r < width; ++r) {
        const V position = hn::Set(d, positions[r]);
#pragma GCC unroll 2
        for (int v = 0; v < kTokenVectors; ++v)
          hn::Store(hn::Add(columns[v].row(r * stride), position), d, out.data + s * out.row_stride + r * out.step + part + v * lanes());
      }
    }
}

#if HWY_TARGET == HWY_AVX3
// Sixteen elements at a time. The sums of two vectors share one: halves of 8 lanes, then of 4, 2 and 1.
void reduce(int64_t count, float *sums, double *totals) {
  const auto halves = [](__m512 x, __m512 y)
                          HWY_ATTR { return _mm512_add_ps(_mm512_shuffle_f32x4(x, y, 0x44), _mm512_shuffle_f32x4(x, y, 0xee)); };
  const auto fours = [](__m512 x, __m512 y)
                         HWY_ATTR { return _mm512_add_ps(_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xdd)); };
  const auto twos = [](__m512 x, __m512 y) HWY_ATTR { return _mm512_add_ps(_mm512_shuffle_ps(x, y, 0x44), _mm512_shuffle_ps(x, y, 0xee)); };
  const auto ones = [](__m512 x, __m512 y) HWY_ATTR { return _mm512_add_ps(_mm512_shuffle_ps(x, y, 0x88), _mm512_shuffle_ps(x, y, 0xdd)); };
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int64_t k = 0; k < count; k += 16, sums += 16 * kLanes) {
    const auto four = [&](int64_t first) HWY_ATTR {
      const float *x = sums + first * kLanes;
      return fours(halves(_mm512_load_ps(x), _mm512_load_ps(x + kLanes)),
                   halves(_mm512_load_ps(x + 2 * kLanes), _mm512_load_ps(x + 3 * kLanes)));
    };
    const __m512 all = _mm512_permutexvar_ps(order, ones(twos(four(0), four(4)), twos(four(8), four(12))));
    const __m256 low = _mm512_castps512_ps256(all), high = _mm512_extractf32x8_ps(all, 1);
    _mm512_storeu_pd(totals + k, _mm512_add_pd(_mm512_loadu_pd(totals + k), _mm512_cvtps_pd(low)));
    _mm512_storeu_pd(totals + k + 8, _mm512_add_pd(_mm512_loadu_pd(totals + k + 8), _mm512_cvtps_pd(high)));
    for (int64_t m = 0; m < 16; ++m) _mm512_store_ps(sums + m * kLanes, _mm512_setzero_ps());
  }
}
#else
// Four elements at a time: four vectors of 4 lanes, then a transpose.
void reduce(int64_t count, float *sums, double *totals) {
  const hn::FixedTag<float, 4> d;
  HWY_ALIGN float fours[16], columns[16];
  for (int64_t k = 0; k < count; k += 4) {
    float *x = sums + k * kLanes;
#pragma GCC unroll 4
    for (int m = 0; m < 4; ++m, x += kLanes) {
      const auto low = hn::Add(hn::Load(d, x), hn::Load(d, x + 8)), high = hn::Add(hn::Load(d, x + 4), hn::Load(d, x + 12));
      hn::Store(hn::Add(low, high), d, fours + 4 * m);
#pragma GCC unroll 4
      for (int lane = 0; lane < kLanes; lane += 4) hn::Store(hn::Zero(d), d, x + lane);
    }
    transpose4(fours, 4, columns, 4);
    const auto even = hn::Add(hn::Load(d, columns), hn::Load(d, columns + 8));
    const auto odd = hn::Add(hn::Load(d, columns + 4), hn::Load(d, columns + 12));
    hn::Store(hn::Add(even, odd), d, fours);
    for (int m = 0; m < 4; ++m) totals[k + m] += static_cast<double>(fours[m]);
  }
}

#endif

}  // namespace

extern const EncoderKernels encoder_table;
const EncoderKernels encoder_table = {product, lane_product, turn, outer, add_sites, norm, norm_back, embed, reduce};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const EncoderKernels &encoder_kernels(Target target) { ATP_DISPATCH(target, encoder_table, encoder_scalar_kernels) }

}  // namespace atp
#endif
