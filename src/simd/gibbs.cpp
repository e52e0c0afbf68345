// SPDX-License-Identifier: MIT
// Gibbs sweeps of factored models on vectors. gibbs_scalar.cpp defines the result, src/simd/README.md the
// bounds on speed.
#include "simd/gibbs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gibbs.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/gibbs_rows-inl.hpp"
#include "simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace {

// G(c) = V(c, color) for all c.
template <int kPieces>
HWY_NOINLINE void refresh(const float *values, int64_t q, int64_t value_row, VI color, float *HWY_RESTRICT g) {
  const DF d;
  const int64_t n = width();
  const Lookup<kPieces> lookup(color);
  for (int64_t c = 0; c < q; ++c) hn::Store(lookup(values + c * value_row), d, g + c * n);
}

// Sites go in pairs, so that a row of the cache is read once for two sites. The sum of a pair begins with the
// site after it and wraps around to the site before it. The latest draws come last: the processor can begin a
// pair while the previous draw is not yet finished.
template <int kPieces>
void cached(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.value_row(), tile = q * n;
  float *h = work + draw_floats(s), *g = h + tile, *cache = h + 2 * q * kGibbsLanes;
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) {
      const Lanes lanes(tables, chains, group, part, work, work + 5 * kGibbsLanes);
      lanes.prepare();
      const auto cached_row = [&](int64_t head, int64_t site) { return cache + (head * L + site) * tile; };
      const auto renew = [&](int64_t site, VI color) HWY_ATTR {
        for (int64_t head = 0; head < s.heads; ++head)
          refresh<kPieces>(tables.values + head * q * row, q, row, color, cached_row(head, site));
      };
      for (int64_t j = 0; j < L; ++j) renew(j, load_colors(lanes.colors_at(j)));
      for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
        for (int64_t i = 0; i < L; i += 2) {
          // The last site of an odd number is paired with itself, with coefficient 0.
          const int64_t j = i + 1 < L ? i + 1 : i;
          if (!tables.draws(i, j + 1)) continue;
          VF highest = hn::Zero(DF());
          for (int64_t head = 0; head < s.heads; ++head) {
            const float *a = tables.maps + (head * L + i) * L, *b = tables.maps + (head * L + j) * L;
            const Rows after{a + j + 1, b + j + 1, 1, cached_row(head, j + 1), L - 1 - j}, before{a, b, 1, cached_row(head, 0), i};
            const LastRow partner{j == i ? 0.0f : a[j], cached_row(head, j)};
            if (head == 0)
              highest = add_rows<true>(tables.fields + i * s.row(), tables.fields + j * s.row(), h, g, after, before, partner, q);
            else
              highest = add_rows<false>(h, g, h, g, after, before, partner, q);
          }
          renew(i, lanes.draw(i, sweep, sweeps.seed, h, highest, q));
          if (j == i) continue;
          for (int64_t head = 0; head < s.heads; ++head)
            highest = add_last_row(g, tables.maps[(head * L + j) * L + i], cached_row(head, i), q);
          renew(j, lanes.draw(j, sweep, sweeps.seed, g, highest, q));
        }
    }
}

// D(c) = V(c, now) - V(c, old).
template <int kPieces>
HWY_NOINLINE void change(const float *values, int64_t q, int64_t value_row, VI now, VI old, float *HWY_RESTRICT g) {
  const DF d;
  const int64_t n = width();
  const Lookup<kPieces> after(now), before(old);
  for (int64_t c = 0; c < q; ++c) hn::Store(hn::Sub(after(values + c * value_row), before(values + c * value_row)), d, g + c * n);
}

// S(b) = sum of A_kj over the sites j of colour b, for the 16 sites k of a block and four consecutive chains;
// sums[4][q][16].
HWY_NOINLINE void sum_by_color(const float *HWY_RESTRICT panel, int64_t sites, const uint8_t *colors, int64_t q, float *HWY_RESTRICT sums) {
  const DF d;
  const int64_t n = width(), tile = q * kGibbsLanes;
  for (int64_t k = 0; k < 4 * tile; k += n) hn::Store(hn::Zero(d), d, sums + k);
  for (int64_t j = 0; j < sites; ++j, panel += kGibbsLanes, colors += kGibbsLanes) {
    float *s0 = sums + colors[0] * kGibbsLanes, *s1 = sums + tile + colors[1] * kGibbsLanes;
    float *s2 = sums + 2 * tile + colors[2] * kGibbsLanes, *s3 = sums + 3 * tile + colors[3] * kGibbsLanes;
    for (int64_t part = 0; part < kGibbsLanes; part += n) {
      const VF a = hn::Load(d, panel + part);
      hn::Store(hn::Add(hn::Load(d, s0 + part), a), d, s0 + part);
      hn::Store(hn::Add(hn::Load(d, s1 + part), a), d, s1 + part);
      hn::Store(hn::Add(hn::Load(d, s2 + part), a), d, s2 + part);
      hn::Store(hn::Add(hn::Load(d, s3 + part), a), d, s3 + part);
    }
  }
}

// Blocks of 16 sites. First the fields at the start of the block are computed chain by chain, with the 16 sites
// in lanes, and transposed. Then, with chains in lanes, each site adds the changes that earlier draws of the
// block made.
template <int kPieces>
void blocked(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.value_row(), tile = q * kGibbsLanes;
  float *sums = work + draw_floats(s), *by_chain = sums + 4 * tile, *by_site = by_chain + kGibbsLanes * tile,
        *changes = by_site + kGibbsLanes * tile;
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
      for (int64_t block = 0; block < s.blocks(); ++block) {
        const int64_t first = block * kGibbsLanes, size = L - first < kGibbsLanes ? L - first : kGibbsLanes;
        if (!tables.draws(first, first + size)) continue;
        const auto panel = [&](int64_t head) { return tables.maps + (head * s.blocks() + block) * L * kGibbsLanes; };
        for (int64_t head = 0; head < s.heads; ++head)
          for (int64_t chain = 0; chain < kGibbsLanes; chain += 4) {
            sum_by_color(panel(head), L, chains.colors + group * L * kGibbsLanes + chain, q, sums);
            for (int64_t k = 0; k < 4; ++k) {
              float *to = by_chain + (chain + k) * tile;
              multiply(head == 0 ? tables.fields + block * tile : to, tables.columns + head * q * row, row, sums + k * tile, q, to);
            }
          }
        for (int64_t c = 0; c < q; ++c) transpose_rows(by_chain + c * kGibbsLanes, tile, kGibbsLanes, by_site + c * n, q * n, tile * n);
        for (int64_t part = 0; part < kGibbsLanes; part += n) {
          const Lanes lanes(tables, chains, group, part, work, work + 5 * kGibbsLanes);
          lanes.prepare();
          const auto changed = [&](int64_t head, int64_t k) { return changes + (head * kGibbsLanes + k) * q * n; };
          const auto draw = [&](int64_t k, float *h, VF highest) HWY_ATTR {
            const VI old = load_colors(lanes.colors_at(first + k)), drawn = lanes.draw(first + k, sweep, sweeps.seed, h, highest, q);
            for (int64_t head = 0; head < s.heads && k + 1 < size; ++head)
              change<kPieces>(tables.values + head * q * row, q, row, drawn, old, changed(head, k));
          };
          for (int64_t k = 0; k < size; k += 2) {
            float *h = by_site + part * tile + k * q * n, *g = h + q * n;
            VF highest = hn::Zero(DF());
            if (k == 0) highest = maximum(h, q);
            for (int64_t head = 0; head < s.heads && k > 0; ++head) {
              const float *a = panel(head) + first * kGibbsLanes + k;
              const Rows before{a, a + 1, kGibbsLanes, changed(head, 0), k};
              highest = add_rows<false>(h, g, h, g, before, Rows{a, a, 0, changed(head, 0), 0}, LastRow{0.0f, changed(head, 0)}, q);
            }
            draw(k, h, highest);
            if (k + 1 == size) break;
            for (int64_t head = 0; head < s.heads; ++head)
              highest = add_last_row(g, panel(head)[(first + k) * kGibbsLanes + k + 1], changed(head, k), q);
            draw(k + 1, g, highest);
          }
        }
      }
}

// Calls the kernel for the number of colours.
#define ATP_BY_PIECES(kernel)                                                                                       \
  void kernel##_any(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) { \
    switch (lookup_pieces(tables.shape.colors)) {                                                                   \
      case 1: return kernel<1>(tables, chains, sweeps, work);                                                       \
      case 2: return kernel<2>(tables, chains, sweeps, work);                                                       \
      case 3: return kernel<3>(tables, chains, sweeps, work);                                                       \
      case 4: return kernel<4>(tables, chains, sweeps, work);                                                       \
      default: return kernel<0>(tables, chains, sweeps, work);                                                      \
    }                                                                                                               \
  }
ATP_BY_PIECES(cached)
ATP_BY_PIECES(blocked)

}  // namespace

extern const GibbsFactoredKernels factored_kernels;
const GibbsFactoredKernels factored_kernels = {&cached_any, &blocked_any};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

GibbsFactoredKernels gibbs_factored_kernels(Target target) {
  ATP_DISPATCH(target, factored_kernels, (GibbsFactoredKernels{&gibbs_cached_scalar, &gibbs_blocked_scalar}))
}

}  // namespace atp
#endif
