// SPDX-License-Identifier: MIT
// Gibbs sweeps on vectors: gibbs_scalar.cpp says what they compute, docs/performance.md what bounds them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gibbs.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"
#include "simd/gibbs-inl.hpp"
#include "simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace {

// N chains of a group, lanes part .. part + N - 1. `own` has 5 N floats that stay from draw to draw: uniform numbers, lowest differences of fields.
struct Lanes {
  HWY_INLINE Lanes(const GibbsTables &tables, const GibbsChains &chains, int64_t group, int64_t part, float *own_space, float *sum_space)
      : colors(chains.colors + group * tables.shape.sites * kGibbsLanes + part),
        energies(chains.energies == nullptr ? nullptr : chains.energies + group * kGibbsLanes + part),
        scaled_betas(chains.scaled_betas + group * kGibbsLanes + part),
        chain(chains.first_chain + static_cast<uint64_t>(group * kGibbsLanes + part)),
        own(own_space),
        sums(sum_space) {}

  // Before the first draw.
  HWY_INLINE void prepare() const {
    const DF d;
    hn::Store(hn::Div(hn::Set(d, kExp2Lowest), hn::LoadU(d, scaled_betas)), d, own + 4 * width());
  }

  uint8_t *colors_at(int64_t site) const { return colors + site * kGibbsLanes; }

  // Draw a site from its local fields.
  HWY_INLINE VI draw(int64_t site, int64_t sweep, uint64_t seed, const float *fields, VF highest, int64_t q) const {
    if (site % 4 == 0) uniforms(seed, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4), own);
    const DF d;
    const VF uniform = hn::Load(d, own + site % 4 * width()), floor = hn::Load(d, own + 4 * width());
    const VI drawn = select(fields, highest, q, hn::LoadU(d, scaled_betas), floor, uniform, sums);
    if (energies != nullptr) follow_energies(fields, colors_at(site), drawn, energies);
    store_colors(drawn, colors_at(site));
    return drawn;
  }

  uint8_t *colors;
  double *energies;
  const float *scaled_betas;
  uint64_t chain;
  float *own, *sums;
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

// D(c) = V(c, now) - V(c, old).
template <int kPieces>
HWY_INLINE void change(const float *values, int64_t q, int64_t value_row, VI now, VI old, float *HWY_RESTRICT g) {
  const DF d;
  const int64_t n = width();
  const Lookup<kPieces> after(now), before(old);
  for (int64_t c = 0; c < q; ++c) hn::Store(hn::Sub(after(values + c * value_row), before(values + c * value_row)), d, g + c * n);
}

// S(b) = sum of A_kj over the sites j of colour b, for the 16 sites k of a block and four chains that follow each other; sums[4][q][16].
HWY_INLINE void sum_by_color(const float *HWY_RESTRICT panel, int64_t sites, const uint8_t *colors, int64_t q, float *HWY_RESTRICT sums) {
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

// Blocks of 16 sites. First, chain by chain with the 16 sites in lanes, the fields as they are at the start of the block; then transposed, with chains
// in lanes, site after site with what the draws of the block have changed.
template <int kPieces>
void blocked(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.value_row(), tile = q * kGibbsLanes;
  float *sums = work + draw_floats(s), *by_chain = sums + 4 * tile, *by_site = by_chain + kGibbsLanes * tile, *changes = by_site + kGibbsLanes * tile;
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
      for (int64_t block = 0; block < s.blocks(); ++block) {
        const int64_t first = block * kGibbsLanes, size = L - first < kGibbsLanes ? L - first : kGibbsLanes;
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
          const auto draw = [&](int64_t k, const float *h, VF highest) HWY_ATTR {
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

// Rows of dense couplings, for eight chains and one or two vectors of colours: h[chain] += row of colour s_j at the vector's place, j = 0..sites-1.
// A place is where the vector lies in the row of colour 0 and how long rows are there.
struct Place {
  int64_t offset, length;
};
template <class D, class E, bool kTwo>
HWY_INLINE void add_couplings(D d, E e, const float *couplings, int64_t pair_floats, const Place &p, const Place &r, const uint8_t *colors,
                              int64_t sites, const float *from, int64_t from_stride, float *h, int64_t row, int64_t column) {
#define ATP_EACH_CHAIN(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)
  const int64_t next = column + static_cast<int64_t>(hn::Lanes(d));
#define ATP_DECLARE(i)                                                \
  hn::Vec<D> a##i = hn::LoadU(d, from + i * from_stride + column);    \
  hn::Vec<E> b##i = hn::Zero(e);                                      \
  if constexpr (kTwo) b##i = hn::LoadU(e, from + i * from_stride + next);
  ATP_EACH_CHAIN(ATP_DECLARE)
#undef ATP_DECLARE
  for (int64_t j = 0; j < sites; ++j, couplings += pair_floats, colors += kGibbsLanes) {
    const float *first = couplings + p.offset, *second = couplings + r.offset;
#define ATP_ADD(i)                                                                              \
  {                                                                                             \
    const int64_t color = colors[i];                                                            \
    a##i = hn::Add(a##i, hn::LoadU(d, first + color * p.length));                               \
    if constexpr (kTwo) b##i = hn::Add(b##i, hn::LoadU(e, second + color * r.length));          \
  }
    ATP_EACH_CHAIN(ATP_ADD)
#undef ATP_ADD
  }
#define ATP_STORE(i)                                \
  hn::StoreU(a##i, d, h + i * row + column);        \
  if constexpr (kTwo) hn::StoreU(b##i, e, h + i * row + next);
  ATP_EACH_CHAIN(ATP_STORE)
#undef ATP_STORE
}

// The same for all colours of a group.
HWY_NOINLINE void add_sites(const GibbsShape &s, const float *couplings, const uint8_t *colors, int64_t sites, const float *from, int64_t from_stride,
                            float *h) {
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
    // With 16 registers two vectors of eight chains leave none for anything else.
    for (; c + 2 * n <= row && kMaxBlock > 6; c += 2 * n)
      add_couplings<DF, DF, true>(d, d, couplings, pair, place(c), place(c + n), colors + chain, sites, start, from_stride, to, row, c);
    if (n == 16 && c + 24 == row) {
      add_couplings<DF, hn::CappedTag<float, 8>, true>(d, half, couplings, pair, place(c), place(c + 16), colors + chain, sites, start, from_stride, to,
                                                       row, c);
      continue;
    }
    for (; c + n <= row; c += n)
      add_couplings<DF, DF, false>(d, d, couplings, pair, place(c), place(c), colors + chain, sites, start, from_stride, to, row, c);
    if (c < row)
      add_couplings<hn::CappedTag<float, 8>, DF, false>(half, d, couplings, pair, place(c), place(c), colors + chain, sites, start, from_stride, to, row, c);
  }
}

// All groups of the call site by site, because a site's couplings are long: they come in pieces of kPieceFloats, and each piece serves all chains while
// it is in the first-level cache.
void dense(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  constexpr int64_t kPieceFloats = 6144;
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.row(), pair = q * row;
  const int64_t piece = pair >= kPieceFloats ? 1 : kPieceFloats / pair;
  float *sums = work, *by_color = sums + q * kGibbsLanes, *own = by_color + row * kGibbsLanes, *fields = own + chains.groups * kGibbsLanes * 5;
  const auto lanes_of = [&](int64_t group, int64_t part) HWY_ATTR {
    return Lanes(tables, chains, group, part, own + (group * kGibbsLanes + part) * 5, sums);
  };
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) lanes_of(group, part).prepare();
  for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
    for (int64_t i = 0; i < L; ++i) {
      const float *site = tables.couplings + i * L * pair;
      for (int64_t first = 0; first < L; first += piece) {
        const int64_t end = first + piece < L ? first + piece : L;
        for (int64_t group = 0; group < chains.groups; ++group) {
          const uint8_t *colors = chains.colors + group * L * kGibbsLanes;
          float *h = fields + group * kGibbsLanes * row;
          const bool fresh = first == 0;
          // The site itself has no row.
          const int64_t stop = i >= first && i < end ? i : end;
          add_sites(s, site + first * pair, colors + first * kGibbsLanes, stop - first, fresh ? tables.fields + i * row : h, fresh ? 0 : row, h);
          if (stop + 1 < end) add_sites(s, site + (stop + 1) * pair, colors + (stop + 1) * kGibbsLanes, end - stop - 1, h, row, h);
        }
      }
      for (int64_t group = 0; group < chains.groups; ++group) {
        transpose_rows(fields + group * kGibbsLanes * row, row, row, by_color, n, row * n);
        for (int64_t part = 0; part < kGibbsLanes; part += n) {
          const float *h = by_color + part * row;
          lanes_of(group, part).draw(i, sweep, sweeps.seed, h, maximum(h, q), q);
        }
      }
    }
}

// The kernel for the number of colours.
#define ATP_BY_PIECES(kernel)                                                                                                          \
  void kernel##_any(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {                    \
    switch (lookup_pieces(tables.shape.colors)) {                                                                                      \
      case 1: return kernel<1>(tables, chains, sweeps, work);                                                                          \
      case 2: return kernel<2>(tables, chains, sweeps, work);                                                                          \
      case 3: return kernel<3>(tables, chains, sweeps, work);                                                                          \
      case 4: return kernel<4>(tables, chains, sweeps, work);                                                                          \
      default: return kernel<0>(tables, chains, sweeps, work);                                                                         \
    }                                                                                                                                  \
  }
ATP_BY_PIECES(cached)
ATP_BY_PIECES(blocked)

}  // namespace

const GibbsKernels table = {&cached_any, &blocked_any, &dense};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atp {

const GibbsKernels &gibbs_kernels(Target target) { ATP_DISPATCH(target, table, gibbs_scalar_kernels) }

}  // namespace atp
#endif
