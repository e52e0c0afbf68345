// SPDX-License-Identifier: MIT
// Gibbs sweeps of dense couplings on vectors. gibbs_scalar.cpp defines the result, src/simd/README.md the
// bounds on speed.
#include "simd/gibbs.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gibbs_dense.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/gibbs_draw-inl.hpp"
#include "simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace {

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
constexpr int kRegisters = 16;
#else
constexpr int kRegisters = 32;
#endif

// Adds rows of dense couplings for kChains chains: h[chain] += row of colour s_j, j = 0..sites-1. One pass takes
// kVectors vectors of colours, the last kTail of them in the last, narrow panel. The sums stay in registers, and
// each colour is loaded once.
template <int kChains, int kVectors, int kTail, class D>
HWY_INLINE void add_couplings(D d, const GibbsShape &s, const float *couplings, const uint8_t *colors, int64_t sites, const float *from,
                              int64_t from_stride, float *h, int64_t column) {
  const int64_t n = static_cast<int64_t>(hn::Lanes(d)), row = s.row(), pair = s.colors * row;
  constexpr std::size_t chains = kChains, vectors = kVectors;
  hn::Vec<D> sum[chains][vectors];
  int64_t place[vectors];  // of the vector in the row of colour 0
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = column + v * n, panel = at / 16 * 16;
    place[v] = panel * s.colors + at - panel;
#pragma GCC unroll 8
    for (int c = 0; c < kChains; ++c) sum[c][v] = hn::LoadU(d, from + c * from_stride + at);
  }
  for (int64_t j = 0; j < sites; ++j, couplings += pair, colors += kGibbsLanes) {
#pragma GCC unroll 8
    for (int c = 0; c < kChains; ++c) {
      const int64_t color = colors[c];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        sum[c][v] = hn::Add(sum[c][v], hn::LoadU(d, couplings + place[v] + color * (v < kVectors - kTail ? 16 : 8)));
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kChains; ++c)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[c][v], d, h + c * row + column + v * n);
}

// The same for 16 chains, as many as registers allow at a time.
template <int kVectors, int kTail, class D>
HWY_INLINE void add_columns(D d, const GibbsShape &s, const float *couplings, const uint8_t *colors, int64_t sites, const float *from,
                            int64_t from_stride, float *h, int64_t column) {
  constexpr int kChains = kVectors == 1 || kRegisters > 16 ? 8 : 4;
  for (int64_t chain = 0; chain < kGibbsLanes; chain += kChains)
    add_couplings<kChains, kVectors, kTail>(d, s, couplings, colors + chain, sites, from + chain * from_stride, from_stride,
                                            h + chain * s.row(), column);
}

template <int k>
using Count = std::integral_constant<int, k>;

// The same for all colours of a group, panel by panel; a narrow panel goes with the one before it.
HWY_NOINLINE void add_sites(const GibbsShape &s, const float *couplings, const uint8_t *colors, int64_t sites, const float *from,
                            int64_t from_stride, float *h) {
  const auto add = [&](auto vectors, auto tail, int64_t column)
                       HWY_ATTR { add_columns<vectors, tail>(DF(), s, couplings, colors, sites, from, from_stride, h, column); };
  const int64_t row = s.row(), wide = row / 16 * 16;
  const bool narrow = wide < row;
  constexpr int64_t n = hn::MaxLanes(DF());
  if constexpr (n == 16) {
    int64_t c = 0;
    for (; c + 32 <= wide; c += 32) add(Count<2>(), Count<0>(), c);
    if (c < wide) add(Count<1>(), Count<0>(), c);
    if (narrow) add_columns<1, 1>(hn::CappedTag<float, 8>(), s, couplings, colors, sites, from, from_stride, h, wide);
  } else {
    const int64_t single = narrow && wide > 0 ? wide - 16 : wide;
    for (int64_t c = 0; c < single; c += 2 * n) add(Count<2>(), Count<0>(), c);
    if (!narrow) return;
    if (wide == 0) return add(Count<8 / n>(), Count<8 / n>(), 0);
    if constexpr (n == 4) add(Count<3>(), Count<0>(), single);
    add(Count<3>(), Count<8 / n>(), row - 3 * n);
  }
}

// Loads one of `parts` parts of `floats` floats into the second-level cache, for the next piece.
inline void prefetch(const float *from, int64_t floats, int64_t part, int64_t parts) {
  constexpr int64_t kLine = 16;
  for (int64_t f = floats * part / parts / kLine * kLine; f < floats * (part + 1) / parts; f += kLine) __builtin_prefetch(from + f, 0, 2);
}

// Each chain adds its own rows. All groups of the call visit the same site together, because a site's couplings
// are large: they are read in pieces of kPieceFloats, which serve all chains from the caches while the next piece
// is on its way.
void dense_rows(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  constexpr int64_t kPieceFloats = 10240;
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.row(), pair = q * row;
  const int64_t piece = pair >= kPieceFloats ? 1 : kPieceFloats / pair;
  float *sums = work, *by_color = sums + q * kGibbsLanes, *own = by_color + row * kGibbsLanes,
        *fields = own + chains.groups * kGibbsLanes * 5;
  const auto lanes_of = [&](int64_t group, int64_t part) HWY_ATTR {
    float *own_of_lanes = own + (group * kGibbsLanes + part) * 5;
    return Lanes(tables, chains, group, part, own_of_lanes, sums);
  };
  const auto following = [&](int64_t i, int64_t end) { return std::min(piece, (L - i) * L - end) * pair; };  // the next piece
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) lanes_of(group, part).prepare();
  for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
    for (int64_t i = 0; i < L; ++i) {
      if (!tables.draws(i, i + 1)) continue;
      const float *site = tables.couplings + i * L * pair;
      for (int64_t first = 0; first < L; first += piece) {
        const int64_t end = first + piece < L ? first + piece : L;
        for (int64_t group = 0; group < chains.groups; ++group) {
          prefetch(site + end * pair, following(i, end), group, chains.groups);
          const uint8_t *colors = chains.colors + group * L * kGibbsLanes;
          float *h = fields + group * kGibbsLanes * row;
          const bool fresh = first == 0;
          // Skips the site itself, which has no row.
          const int64_t stop = i >= first && i < end ? i : end;
          add_sites(s, site + first * pair, colors + first * kGibbsLanes, stop - first, fresh ? tables.fields + i * row : h,
                    fresh ? 0 : row, h);
          if (stop + 1 < end) add_sites(s, site + (stop + 1) * pair, colors + (stop + 1) * kGibbsLanes, end - stop - 1, h, row, h);
        }
      }
      for (int64_t group = 0; group < chains.groups; ++group) {
        transpose_rows(fields + group * kGibbsLanes * row, row, row, by_color, n, row * n);
        for (int64_t part = 0; part < kGibbsLanes; part += n) {
          float *h = by_color + part * row;
          lanes_of(group, part).draw(i, sweep, sweeps.seed, h, maximum(h, q), q);
        }
      }
    }
}

#if HWY_TARGET == HWY_AVX3
// Fields of K colours of one site for kGroups groups of 16 chains. The row of a colour, at most 32 floats, is
// in two registers, and each chain picks the float of its s_j. Group g has h[c][16] at h + g * stride. The
// fields start from `from` (one number per colour) or, if that is NULL, from the present h.
template <int K, int kGroups>
HWY_NOINLINE void look_up(const float *HWY_RESTRICT table, int64_t row, int64_t sites, const uint8_t *colors, int64_t color_stride,
                          const float *from, float *HWY_RESTRICT h, int64_t stride) {
  const DF d;
  VF sum[K][kGroups];
#pragma GCC unroll 8
  for (int c = 0; c < K; ++c)
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) sum[c][g] = from == nullptr ? hn::Load(d, h + g * stride + c * kGibbsLanes) : hn::Set(d, from[c]);
  for (int64_t j = 0; j < sites; ++j, table += K * row, colors += kGibbsLanes) {
    VI color[kGroups];
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) color[g] = load_colors(colors + g * color_stride);
#pragma GCC unroll 8
    for (int c = 0; c < K; ++c) {
      // Floats beyond the row are loaded but never picked.
      const VF low = hn::LoadU(d, table + c * row), high = hn::LoadU(d, table + c * row + 16);
#pragma GCC unroll 8
      for (int g = 0; g < kGroups; ++g) sum[c][g] = hn::Add(sum[c][g], VF{_mm512_permutex2var_ps(low.raw, color[g].raw, high.raw)});
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < K; ++c)
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) hn::Store(sum[c][g], d, h + g * stride + c * kGibbsLanes);
}

// The same for one to six colours, four groups at a time, then single groups.
template <int K>
void look_up_groups(int64_t groups, const float *table, int64_t row, int64_t sites, const uint8_t *colors, int64_t color_stride,
                    const float *from, float *h, int64_t stride) {
  int64_t g = 0;
  for (; g + 4 <= groups; g += 4) look_up<K, 4>(table, row, sites, colors + g * color_stride, color_stride, from, h + g * stride, stride);
  for (; g < groups; ++g) look_up<K, 1>(table, row, sites, colors + g * color_stride, color_stride, from, h + g * stride, stride);
}

// Colour by colour, for at most 32 colours. A band of colours and a piece of the sites serve all groups of the
// call; kPiece rows of a colour stay in the second-level cache.
void dense_lookup(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  constexpr int64_t kPiece = 256;
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = kGibbsLanes, row = s.row(), tile = q * n;
  float *sums = work, *own = sums + tile, *fields = own + chains.groups * 5 * n;
  const auto lanes_of = [&](int64_t group) HWY_ATTR { return Lanes(tables, chains, group, 0, own + group * 5 * n, sums); };
  for (int64_t group = 0; group < chains.groups; ++group) lanes_of(group).prepare();
  for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
    for (int64_t i = 0; i < L; ++i) {
      if (!tables.draws(i, i + 1)) continue;
      for (int64_t first = 0; first < L; first += kPiece) {
        const int64_t sites = first + kPiece < L ? kPiece : L - first;
        for (int64_t band = 0; band < s.bands(); ++band) {
          const int64_t c = s.band_start(band), height = s.band_start(band + 1) - c;
          const float *table = tables.couplings + s.coupling_index(i, first, c, 0);
          const float *from = first == 0 ? tables.fields + i * row + c : nullptr;
          const uint8_t *colors = chains.colors + first * n;
          const auto look_up_band = [&](auto kernel) {
            kernel(chains.groups, table, row, sites, colors, L * n, from, fields + c * n, tile);
          };
          switch (height) {
            case 1: look_up_band(look_up_groups<1>); break;
            case 2: look_up_band(look_up_groups<2>); break;
            case 3: look_up_band(look_up_groups<3>); break;
            case 4: look_up_band(look_up_groups<4>); break;
            case 5: look_up_band(look_up_groups<5>); break;
            default: look_up_band(look_up_groups<6>); break;
          }
        }
      }
      for (int64_t group = 0; group < chains.groups; ++group) {
        float *h = fields + group * tile;
        lanes_of(group).draw(i, sweep, sweeps.seed, h, maximum(h, q), q);
      }
    }
}
#endif

void dense(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
#if HWY_TARGET == HWY_AVX3
  if (tables.shape.lookup) return dense_lookup(tables, chains, sweeps, work);
#endif
  dense_rows(tables, chains, sweeps, work);
}

}  // namespace

extern const GibbsKernel dense_kernel;
const GibbsKernel dense_kernel = &dense;

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

GibbsKernel gibbs_dense_kernel(Target target) { ATP_DISPATCH(target, dense_kernel, &gibbs_dense_scalar) }

}  // namespace atp
#endif
