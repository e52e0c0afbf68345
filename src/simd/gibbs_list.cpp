// SPDX-License-Identifier: MIT
// Gibbs sweeps of couplings of a list of pairs on vectors. gibbs_scalar.cpp defines the result, src/simd/README.md the
// bounds on speed.
#include "simd/gibbs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gibbs_list.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/gibbs_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {

namespace {

// The neighbours of a site: of each the site and its coupling J_ij or block C_ij.
struct Neighbors {
  const int32_t *sites;
  const float *couplings;
  int64_t count;
};

// Fields h[q][N] of K colours of a site, the first of them `first`, which start from from[K]. `matrix` is that of all pairs, or NULL.
template <int K, int kPieces, bool kScaled>
HWY_INLINE VF add_neighbors(const Neighbors &near, const float *matrix, int64_t matrix_row, int64_t q, int64_t first, const uint8_t *colors,
                            const float *from, float *HWY_RESTRICT h) {
  const DF d;
  const int64_t n = width();
#define ATP_DECLARE(i)   \
  VF s##i = hn::Zero(d); \
  if constexpr (i < K) s##i = hn::Set(d, from[i]);
  ATP_EACH_ACCUMULATOR(ATP_DECLARE)
#undef ATP_DECLARE
  for (int64_t k = 0; k < near.count; ++k) {
    const Lookup<kPieces> lookup(load_colors(colors + int64_t{near.sites[k]} * kGibbsLanes));
    const float *rows = kScaled ? matrix + first * matrix_row : near.couplings + (k * q + first) * q;
    const int64_t row = kScaled ? matrix_row : q;
    const VF strength = hn::Set(d, kScaled ? near.couplings[k] : 0.0f);
#define ATP_ADD(i)                                               \
  if constexpr (i < K) {                                         \
    if constexpr (kScaled)                                       \
      s##i = hn::MulAdd(strength, lookup(rows + i * row), s##i); \
    else                                                         \
      s##i = hn::Add(s##i, lookup(rows + i * row));              \
  }
    ATP_EACH_ACCUMULATOR(ATP_ADD)
#undef ATP_ADD
  }
  VF highest = s0;
#define ATP_STORE(i)                                       \
  if constexpr (i < K) {                                   \
    hn::Store(s##i, d, h + i * n);                         \
    if constexpr (i > 0) highest = hn::Max(highest, s##i); \
  }
  ATP_EACH_ACCUMULATOR(ATP_STORE)
#undef ATP_STORE
  return highest;
}

// The same for all colours, in blocks of at most kMaxBlock.
template <int kPieces, bool kScaled>
HWY_NOINLINE VF add_all(const Neighbors &near, const float *matrix, int64_t matrix_row, int64_t q, const uint8_t *colors, const float *from,
                        float *HWY_RESTRICT h) {
  const int64_t n = width();
  VF highest = hn::Set(DF(), -3.0e38f);
  int64_t blocks = (q + kMaxBlock - 1) / kMaxBlock;
  for (int64_t c = 0; c < q; --blocks) {
    const int64_t k = (q - c + blocks - 1) / blocks;
    VF top = highest;
    switch (k) {
#define ATP_CASE(i)                                                                                              \
  case i + 1:                                                                                                    \
    if constexpr (i < kMaxBlock)                                                                                 \
      top = add_neighbors<i + 1, kPieces, kScaled>(near, matrix, matrix_row, q, c, colors, from + c, h + c * n); \
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

// The groups of a call visit a site together: its neighbours are read once, and the draw of one group does not wait for that of another.
template <int kPieces, bool kScaled>
void sweep_list(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  const GibbsShape &s = tables.shape;
  const int64_t L = s.sites, q = s.colors, n = width(), row = s.row(), block = kScaled ? 1 : q * q;
  float *sums = work, *h = sums + q * kGibbsLanes, *own = h + q * kGibbsLanes;
  const auto lanes_of = [&](int64_t group, int64_t part)
                            HWY_ATTR { return Lanes(tables, chains, group, part, own + (group * kGibbsLanes + part) * 5, sums); };
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t part = 0; part < kGibbsLanes; part += n) lanes_of(group, part).prepare();
  for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
    for (int64_t i = 0; i < L; ++i) {
      if (!tables.draws(i, i + 1)) continue;
      const int64_t begin = tables.begins[i];
      const Neighbors near{tables.neighbors + begin, tables.couplings + begin * block, tables.begins[i + 1] - begin};
      for (int64_t group = 0; group < chains.groups; ++group)
        for (int64_t part = 0; part < kGibbsLanes; part += n) {
          const Lanes lanes = lanes_of(group, part);
          const VF highest = add_all<kPieces, kScaled>(near, tables.values, s.value_row(), q, lanes.colors, tables.fields + i * row, h);
          lanes.draw(i, sweep, sweeps.seed, h, highest, q);
        }
    }
}

// Calls the kernel for the number of colours.
template <bool kScaled>
void sweep_any(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work) {
  switch (lookup_pieces(tables.shape.colors)) {
    case 1: return sweep_list<1, kScaled>(tables, chains, sweeps, work);
    case 2: return sweep_list<2, kScaled>(tables, chains, sweeps, work);
    case 3: return sweep_list<3, kScaled>(tables, chains, sweeps, work);
    case 4: return sweep_list<4, kScaled>(tables, chains, sweeps, work);
    default: return sweep_list<0, kScaled>(tables, chains, sweeps, work);
  }
}

}  // namespace

extern const GibbsListKernels list_kernels;
const GibbsListKernels list_kernels = {&sweep_any<false>, &sweep_any<true>};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

GibbsListKernels gibbs_list_kernels(Target target) {
  ATP_DISPATCH(target, list_kernels, (GibbsListKernels{&gibbs_listed_scalar, &gibbs_scaled_scalar}))
}

}  // namespace atp
#endif
