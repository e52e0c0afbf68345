// SPDX-License-Identifier: MIT
// The encoder kernels with Highway: the operations of encoder_scalar.cpp, lane by lane.
#include "simd/encoder.hpp"

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
// Tiles of the products: kTile^2 accumulators and 2 kTile vectors must fit into the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kTile = 4;
#else
constexpr int kTile = 3;
#endif
constexpr int kWide = 4;  // column vectors at a time, so that successive additions do not wait for each other

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F())); }

template <int kA, int kB>
HWY_INLINE void lane_tile(int64_t depth, const LaneMatrix &x, const LaneMatrix &y, float *HWY_RESTRICT out, int64_t out_stride) {
  const F d;
  for (int64_t part = 0; part < kLanes; part += lanes()) {
    V sum[kA][kB];
#pragma GCC unroll 4
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) sum[a][b] = hn::Zero(d);
    const float *left = x.data + part, *right = y.data + part;
    for (int64_t k = 0; k < depth; ++k, left += x.step, right += y.step) {
      V v[kB];
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) v[b] = hn::Load(d, right + b * y.row_stride);
#pragma GCC unroll 4
      for (int a = 0; a < kA; ++a) {
        const V u = hn::Load(d, left + a * x.row_stride);
#pragma GCC unroll 4
        for (int b = 0; b < kB; ++b) sum[a][b] = hn::MulAdd(u, v[b], sum[a][b]);
      }
    }
#pragma GCC unroll 4
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) hn::Store(sum[a][b], d, out + a * out_stride + b * kLanes + part);
  }
}

template <int kA>
HWY_INLINE void lane_rows(int64_t rows_b, int64_t depth, const LaneMatrix &x, LaneMatrix y, float *out, int64_t out_stride) {
  int64_t b = 0;
  for (; b + kTile <= rows_b; b += kTile, y.data += kTile * y.row_stride) lane_tile<kA, kTile>(depth, x, y, out + b * kLanes, out_stride);
  for (; b < rows_b; ++b, y.data += y.row_stride) lane_tile<kA, 1>(depth, x, y, out + b * kLanes, out_stride);
}

void lane_product(int64_t rows_a, int64_t rows_b, int64_t depth, LaneMatrix x, LaneMatrix y, float *out, int64_t out_stride) {
  int64_t a = 0;
  for (; a + kTile <= rows_a; a += kTile, x.data += kTile * x.row_stride)
    lane_rows<kTile>(rows_b, depth, x, y, out + a * out_stride, out_stride);
  for (; a < rows_a; ++a, x.data += x.row_stride) lane_rows<1>(rows_b, depth, x, y, out + a * out_stride, out_stride);
}

template <int kVectors>
HWY_INLINE void norm_columns(int64_t width, int64_t columns, float epsilon, const float *HWY_RESTRICT scale_shift, float *HWY_RESTRICT x,
                             float *HWY_RESTRICT deviation, float *HWY_RESTRICT y) {
  const F d;
  const int64_t n = lanes();
  const V part = hn::Set(d, 1.0f / static_cast<float>(width));
  V mean[kVectors], variance[kVectors], inverse[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) mean[v] = variance[v] = hn::Zero(d);
  for (int64_t r = 0; r < width; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) mean[v] = hn::Add(mean[v], hn::Load(d, x + r * columns + v * n));
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) mean[v] = hn::Mul(mean[v], part);
  for (int64_t r = 0; r < width; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const V away = hn::Sub(hn::Load(d, x + r * columns + v * n), mean[v]);
      variance[v] = hn::MulAdd(away, away, variance[v]);
    }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    inverse[v] = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::MulAdd(variance[v], part, hn::Set(d, epsilon))));
    hn::Store(inverse[v], d, deviation + v * n);
  }
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]), shift = hn::Set(d, scale_shift[width + r]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const V hat = hn::Mul(hn::Sub(hn::Load(d, x + r * columns + v * n), mean[v]), inverse[v]);
      hn::Store(hat, d, x + r * columns + v * n);
      hn::Store(hn::MulAdd(scale, hat, shift), d, y + r * columns + v * n);
    }
  }
}

void norm(int64_t width, int64_t columns, float epsilon, const float *scale_shift, float *x, float *deviation, float *y) {
  int64_t c = 0;
  for (; c + kWide * lanes() <= columns; c += kWide * lanes())
    norm_columns<kWide>(width, columns, epsilon, scale_shift, x + c, deviation + c, y + c);
  for (; c < columns; c += lanes()) norm_columns<1>(width, columns, epsilon, scale_shift, x + c, deviation + c, y + c);
}

// Sums kVectors logical vectors. Each lane adds them in order.
template <int kVectors>
HWY_INLINE void norm_back_columns(int64_t width, int64_t columns, const float *HWY_RESTRICT scale_shift, const float *HWY_RESTRICT hat,
                                  const float *HWY_RESTRICT deviation, float *HWY_RESTRICT slopes, float *HWY_RESTRICT sums) {
  const F d;
  const V part = hn::Set(d, 1.0f / static_cast<float>(width));
  V mean[kVectors], along[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) mean[v] = along[v] = hn::Zero(d);
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]);
    float *scale_sums = sums + r * kLanes, *shift_sums = scale_sums + width * kLanes;
    V scale_sum = hn::Load(d, scale_sums), shift_sum = hn::Load(d, shift_sums);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const V slope = hn::Load(d, slopes + r * columns + v * kLanes), h = hn::Load(d, hat + r * columns + v * kLanes);
      const V scaled = hn::Mul(scale, slope);
      scale_sum = hn::MulAdd(slope, h, scale_sum);
      shift_sum = hn::Add(shift_sum, slope);
      mean[v] = hn::Add(mean[v], scaled);
      along[v] = hn::MulAdd(scaled, h, along[v]);
    }
    hn::Store(scale_sum, d, scale_sums);
    hn::Store(shift_sum, d, shift_sums);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    mean[v] = hn::Mul(mean[v], part);
    along[v] = hn::Mul(along[v], part);
  }
  for (int64_t r = 0; r < width; ++r) {
    const V scale = hn::Set(d, scale_shift[r]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = r * columns + v * kLanes;
      const V centred = hn::Sub(hn::Mul(scale, hn::Load(d, slopes + at)), mean[v]);
      hn::Store(hn::Mul(hn::NegMulAdd(hn::Load(d, hat + at), along[v], centred), hn::Load(d, deviation + v * kLanes)), d, slopes + at);
    }
  }
}

void norm_back(int64_t width, int64_t columns, const float *scale_shift, const float *hat, const float *deviation, float *slopes,
               float *sums) {
  for (int64_t part = 0; part < kLanes; part += lanes()) {
    int64_t c = part;
    for (; c + (kWide - 1) * kLanes < columns; c += kWide * kLanes)
      norm_back_columns<kWide>(width, columns, scale_shift, hat + c, deviation + c, slopes + c, sums + part);
    for (; c < columns; c += kLanes) norm_back_columns<1>(width, columns, scale_shift, hat + c, deviation + c, slopes + c, sums + part);
  }
}

void relu(int64_t count, float *x) {
  const F d;
  for (int64_t k = 0; k < count; k += lanes()) hn::Store(hn::ZeroIfNegative(hn::Load(d, x + k)), d, x + k);
}

void relu_back(int64_t count, const float *x, float *slopes) {
  const F d;
  for (int64_t k = 0; k < count; k += lanes())
    hn::Store(hn::IfThenElseZero(hn::Gt(hn::Load(d, x + k), hn::Zero(d)), hn::Load(d, slopes + k)), d, slopes + k);
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

void embed(int64_t width, int64_t sites, const float *table, int64_t stride, const int32_t *tokens, const float *positions, float *out) {
  const F d;
  TokenColumns columns[kTokenVectors];
  for (int64_t j = 0; j < sites; ++j)
    for (int64_t part = 0; part < kLanes; part += kTokenVectors * lanes()) {
#pragma GCC unroll 2
      for (int v = 0; v < kTokenVectors; ++v) columns[v].name(table, tokens + j * kLanes + part + v * lanes());
      for (int64_t r = 0; r < width; ++r) {
        const V position = hn::Set(d, positions[r * sites + j]);
#pragma GCC unroll 2
        for (int v = 0; v < kTokenVectors; ++v)
          hn::Store(hn::Add(columns[v].row(r * stride), position), d, out + (r * sites + j) * kLanes + part + v * lanes());
      }
    }
}

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

}  // namespace

extern const EncoderKernels encoder_table;
const EncoderKernels encoder_table = {lane_product, norm, norm_back, relu, relu_back, embed, reduce};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const EncoderKernels &encoder_kernels(Target target) { ATP_DISPATCH(target, encoder_table, encoder_scalar_kernels) }

}  // namespace atp
#endif
