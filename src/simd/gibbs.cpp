// SPDX-License-Identifier: MIT
// Gibbs sweeps on vectors: gibbs_scalar.cpp says what they compute, docs/performance.md what bounds them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gibbs.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"
#include "simd/gibbs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace {

// What every kernel has at hand for N chains of a group: lanes part .. part + N - 1.
struct Lanes {
  HWY_INLINE Lanes(const GibbsTables &tables, const GibbsChains &chains, int64_t group, int64_t part, float *work)
      : colors(chains.colors + group * tables.shape.sites * kGibbsLanes + part),
        energies(chains.energies == nullptr ? nullptr : chains.energies + group * kGibbsLanes + part),
        scaled_betas(chains.scaled_betas + group * kGibbsLanes + part),
        chain(chains.first_chain + static_cast<uint64_t>(group * kGibbsLanes + part)),
        cumulative(work),
        uniform(work + tables.shape.colors * kGibbsLanes),
        floor(uniform + 4 * kGibbsLanes) {
    const DF d;
    hn::Store(hn::Div(hn::Set(d, kExp2Lowest), hn::LoadU(d, scaled_betas)), d, floor);
  }

  uint8_t *colors_at(int64_t site) const { return colors + site * kGibbsLanes; }

  // Draw a site from its local fields.
  HWY_INLINE VI draw(int64_t site, int64_t sweep, uint64_t seed, const float *fields, VF highest, int64_t q) const {
    if (site % 4 == 0) uniforms(seed, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4), uniform);
    const DF d;
    const VI drawn = select(fields, highest, q, hn::LoadU(d, scaled_betas), hn::Load(d, floor), hn::Load(d, uniform + site % 4 * width()), cumulative);
    if (energies != nullptr) follow_energies(fields, colors_at(site), drawn, energies);
    store_colors(drawn, colors_at(site));
    return drawn;
  }

  uint8_t *colors;
  double *energies;
  const float *scaled_betas;
  uint64_t chain;
  float *cumulative, *uniform, *floor;
};

inline int64_t draw_floats(const GibbsShape &s) { return (s.colors + 5) * kGibbsLanes; }

// G(c) = V(c, color) for all c.
template <int kPieces>
HWY_INLINE void refresh(const float *values, int64_t q, int64_t value_row, VI color, float *HWY_RESTRICT g) {
  const DF d;
  const int64_t n = width();
  const Lookup<kPieces> lookup(color);
  for (int64_t c = 0; c < q; ++c) hn::Store(lookup(values + c * value_row), d, g + c * n);
}

// Sites go in pairs, so that a row of the cache is read for two. Their sums begin with the site after the pair and go round to the one before it: the
// latest draws come last, and the processor can begin a pair while the draw before it waits for its own results.
template <int kPieces>
void cached(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.value_row(), tile = q * n;
  float *h = work + draw_floats(s), *g = h + tile, *cache = h + 2 * q * kGibbsLanes;
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) {
      const Lanes lanes(tables, chains, group, part, work);
      const auto cached_row = [&](int64_t head, int64_t site) { return cache + (head * L + site) * tile; };
      const auto renew = [&](int64_t site, VI color) HWY_ATTR {
        for (int64_t head = 0; head < s.heads; ++head)
          refresh<kPieces>(tables.values + head * q * row, q, row, color, cached_row(head, site));
      };
      for (int64_t j = 0; j < L; ++j) renew(j, load_colors(lanes.colors_at(j)));
      for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
        for (int64_t i = 0; i < L; i += 2) {
          // A site without a partner is its own, with coefficient 0.
          const int64_t j = i + 1 < L ? i + 1 : i;
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

void cached_any(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  switch (lookup_pieces(tables.shape.colors)) {
    case 1: return cached<1>(tables, chains, sweeps, work);
    case 2: return cached<2>(tables, chains, sweeps, work);
    case 3: return cached<3>(tables, chains, sweeps, work);
    case 4: return cached<4>(tables, chains, sweeps, work);
    default: return cached<0>(tables, chains, sweeps, work);
  }
}

}  // namespace

const GibbsKernels table = {&cached_any, &gibbs_blocked_scalar, &gibbs_dense_scalar};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atp {

const GibbsKernels &gibbs_kernels(Target target) { ATP_DISPATCH(target, table, gibbs_scalar_kernels) }

}  // namespace atp
#endif
