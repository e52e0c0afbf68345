// SPDX-License-Identifier: MIT
// Gibbs sweeps of dense couplings on vectors. gibbs_scalar.cpp defines the result, src/simd/README.md the
// bounds on speed.
#include "simd/gibbs.hpp"

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

// Adds rows of dense couplings for eight chains and one or two vectors of colours: h[chain] += row of colour
// s_j, j = 0..sites-1. A place is the position of the vector in the row of colour 0, and the length of the rows
// there.
struct Place {
  int64_t offset, length;
};
template <class D, class E, bool kTwo>
HWY_INLINE void add_couplings(D d, E e, const float *couplings, int64_t pair_floats, const Place &p, const Place &r, const uint8_t *colors,
                              int64_t sites, const float *from, int64_t from_stride, float *h, int64_t row, int64_t column) {
#define ATP_EACH_CHAIN(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)
  const int64_t next = column + static_cast<int64_t>(hn::Lanes(d));
#define ATP_DECLARE(i)                                             \
  hn::Vec<D> a##i = hn::LoadU(d, from + i * from_stride + column); \
  hn::Vec<E> b##i = hn::Zero(e);                                   \
  if constexpr (kTwo) b##i = hn::LoadU(e, from + i * from_stride + next);
  ATP_EACH_CHAIN(ATP_DECLARE)
#undef ATP_DECLARE
  for (int64_t j = 0; j < sites; ++j, couplings += pair_floats, colors += kGibbsLanes) {
    const float *first = couplings + p.offset, *second = couplings + r.offset;
#define ATP_ADD(i)                                                                     \
  {                                                                                    \
    const int64_t color = colors[i];                                                   \
    a##i = hn::Add(a##i, hn::LoadU(d, first + color * p.length));                      \
    if constexpr (kTwo) b##i = hn::Add(b##i, hn::LoadU(e, second + color * r.length)); \
  }
    ATP_EACH_CHAIN(ATP_ADD)
#undef ATP_ADD
  }
#define ATP_STORE(i)                         \
  hn::StoreU(a##i, d, h + i * row + column); \
  if constexpr (kTwo) hn::StoreU(b##i, e, h + i * row + next);
  ATP_EACH_CHAIN(ATP_STORE)
#undef ATP_STORE
}

// The same for all colours of a group.
HWY_NOINLINE void add_sites(const GibbsShape &s, const float *couplings, const uint8_t *colors, int64_t sites, const float *from,
                            int64_t from_stride, float *h) {
  const DF d;
  const hn::CappedTag<float, 8> half;
  const int64_t n = width(), row = s.row(), pair = s.colors * row;
  const auto place = [&](int64_t column) {
    const int64_t panel = column / 16 * 16;
    return Place{panel * s.colors + column - panel, row - panel < 16 ? 8 : 16};
  };
  for (int64_t chain = 0; chain < kGibbsLanes; chain += 8) {
    const float *start = from + chain * from_stride;
    float *to = h + chain * row;
    int64_t c = 0;
    // With 16 registers, two vectors for eight chains would leave no register free.
    for (; c + 2 * n <= row && kRegisters > 16; c += 2 * n)
      add_couplings<DF, DF, true>(d, d, couplings, pair, place(c), place(c + n), colors + chain, sites, start, from_stride, to, row, c);
    if (n == 16 && c + 24 == row) {
      add_couplings<DF, hn::CappedTag<float, 8>, true>(d, half, couplings, pair, place(c), place(c + 16), colors + chain, sites, start,
                                                       from_stride, to, row, c);
      continue;
    }
    for (; c + n <= row; c += n)
      add_couplings<DF, DF, false>(d, d, couplings, pair, place(c), place(c), colors + chain, sites, start, from_stride, to, row, c);
    if (c < row)
      add_couplings<hn::CappedTag<float, 8>, DF, false>(half, d, couplings, pair, place(c), place(c), colors + chain, sites, start,
                                                        from_stride, to, row, c);
  }
}

// Each chain adds its own rows. All groups of the call visit the same site together, because a site's couplings
// are large: they are read in pieces of kPieceFloats, and each piece serves all chains while it is in the
// first-level cache.
void dense_rows(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  constexpr int64_t kPieceFloats = 6144;
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.row(), pair = q * row;
  const int64_t piece = pair >= kPieceFloats ? 1 : kPieceFloats / pair;
  float *sums = work, *by_color = sums + q * kGibbsLanes, *own = by_color + row * kGibbsLanes,
        *fields = own + chains.groups * kGibbsLanes * 5;
  const auto lanes_of = [&](int64_t group, int64_t part) HWY_ATTR {
    float *own_of_lanes = own + (group * kGibbsLanes + part) * 5;
    return Lanes(tables, chains, group, part, own_of_lanes, sums);
  };
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) lanes_of(group, part).prepare();
  for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
    for (int64_t i = 0; i < L; ++i) {
      if (!tables.draws(i, i + 1)) continue;
      const float *site = tables.couplings + i * L * pair;
      for (int64_t first = 0; first < L; first += piece) {
        const int64_t end = first + piece < L ? first + piece : L;
        for (int64_t group = 0; group < chains.groups; ++group) {
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
