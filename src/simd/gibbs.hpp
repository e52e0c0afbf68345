// SPDX-License-Identifier: MIT
// Gibbs sweeps of groups of 16 chains in single precision: one chain per lane, the same operations per chain on
// every target.
//
// A site is drawn in four steps; gibbs_scalar.cpp spells them out for one chain:
//   fields     H(c), c = 0..q-1, by one of five methods (below), additions in a fixed order
//   weights    p(c) = 2^((H(c) - max H) * beta log2 e), exp.hpp
//   number     u = word i % 4 of Philox(seed, (gibbs, chain, sweep, i / 4))
//   colour     the number of c < q - 1 with p(0) + ... + p(c) <= u * (p(0) + ... + p(q-1))
//
// cached   small L: G_j(c) = V(c, s_j) is kept for every site j, H(c) = b_i(c) + sum_{j != i} A_ij G_j(c).
// blocked  large L: sites go in blocks of 16. At the start of a block S(b) = sum_{j: s_j = b} A_ij for its 16 sites,
//          then F = b_i + V S; inside the block H = F + sum_{k before i in the block} A_ik (V(., new s_k) - V(., old s_k)).
//          Every block starts from new sums, so rounding errors do not accumulate.
// dense    H = b_i + sum_j C_ij(., s_j), C_ii = 0.
// listed   the same sum over the neighbours of a list, ascending: the bits of dense, where the zeros of the other pairs change nothing.
// scaled   the same for C_ij(a, b) = J_ij U(a, b) with U of -1, 0 and 1: products are exact, so the bits are those of listed.
//
// GibbsLimits restricts the draw to the allowed colours of a site: steps two to four are those of a model that has no others.
#pragma once

#include "base/context.hpp"

namespace atp {

inline constexpr int64_t kGibbsLanes = 16;

constexpr int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

enum class GibbsMethod : int { cached = 0, blocked = 1, dense = 2, listed = 3, scaled = 4 };

// Whether the dense kernel of a target uses GibbsShape::lookup.
bool dense_by_lookup(Target target, int64_t colors);

// The method depends on the shape alone, so that results do not depend on the target.
GibbsMethod gibbs_method(int64_t sites, int64_t colors, int64_t heads);
// Of couplings of a list of pairs.
GibbsMethod gibbs_list_method(int64_t sites, int64_t pairs, bool scaled);

struct GibbsShape {
  GibbsMethod method = GibbsMethod::cached;
  int64_t sites = 0, colors = 0, heads = 0;
  bool lookup = false;  // layout of dense couplings for a kernel that looks colours up in registers, see dense_by_lookup
  int64_t pairs = 0;    // of listed and scaled

  bool of_list() const { return method == GibbsMethod::listed || method == GibbsMethod::scaled; }

  int64_t blocks() const { return (sites + kGibbsLanes - 1) / kGibbsLanes; }
  int64_t row() const { return round_up(colors, 8); }  // floats in a row of fields and couplings; padding is 0
  int64_t value_row() const {
    return colors > 32 && colors <= 64 ? 64 : round_up(colors, 16);
  }  // floats in a row of values; padding is
     // 0
  int64_t field_floats() const { return method == GibbsMethod::blocked ? blocks() * colors * kGibbsLanes : sites * row(); }
  // Index of b_i(a) in the table of fields.
  int64_t field_index(int64_t i, int64_t a) const {
    return method == GibbsMethod::blocked ? (i / kGibbsLanes * colors + a) * kGibbsLanes + i % kGibbsLanes : i * row() + a;
  }
  int64_t map_floats() const;
  int64_t value_floats() const {
    const int64_t matrices = method == GibbsMethod::scaled ? 1 : method == GibbsMethod::dense ? 0 : heads;
    return matrices * colors * value_row();
  }
  int64_t column_floats() const { return method == GibbsMethod::blocked ? value_floats() : 0; }
  int64_t coupling_floats() const;
  // Index of C_ij(a, b) in the table of couplings. With look-up: [L], each in bands of at most six colours a,
  // [bands][L][a of the band][row] with b along the row; 32 floats at the end are loaded and not used.
  // Otherwise: [L][L], each in panels of 16 colours a, [q][16], the last perhaps of 8, [q][8], with a along
  // row b.
  int64_t coupling_index(int64_t i, int64_t j, int64_t a, int64_t b) const {
    if (lookup) {
      const int64_t band = (bands() * (a + 1) - 1) / colors, first = band_start(band), height = band_start(band + 1) - first;
      return (i * sites * colors + sites * first + j * height + a - first) * row() + b;
    }
    const int64_t first = a / 16 * 16, width = row() - first < 16 ? 8 : 16;
    return (i * sites + j) * colors * row() + first * colors + b * width + a - first;
  }
  static constexpr int64_t kListPadding = 64;
  int64_t bands() const { return (colors + 5) / 6; }
  int64_t band_start(int64_t band) const { return colors * band / bands(); }
  // Floats of work space of one call for this many groups.
  int64_t work_floats(int64_t groups) const;
};

struct GibbsChains;

// A part of the space of states. All sweeps stay in it and draw from the model's conditionals within it. A site with one allowed colour is
// not drawn: its chains have that colour.
struct GibbsLimits {
  const uint8_t *allowed = nullptr;  // [L][q], of each site first its allowed colours, increasing
  const uint8_t *counts = nullptr;   // [L], how many
  const uint8_t *opens = nullptr;    // [L], 1: the first of its four sites (i / 4) that is drawn
  int kept = -1;                     // a chain keeps this colour where it has it; no list has it, but where it is the only one
  int most = -1;                     // greatest number of sites that differ from the chain's reference; -1: any

  bool draws(int64_t site) const { return counts[site] > 1; }
  bool draws(int64_t first, int64_t end) const;  // any of these sites
  // The colour that the chain at this place of the arrays [groups][L][16] and [groups][16] takes if it draws one.
  uint8_t settle(const GibbsChains &chains, int64_t place, int64_t chain, uint8_t drawn) const;
};

// A model in the layout of the kernels.
struct GibbsTables {
  GibbsShape shape;
  const float *fields = nullptr;     // [L][row], b_i(a); blocked [blocks][q][16], b_k(a) with k = 16 * block + lane
  const float *maps = nullptr;       // cached [H][L][L], A_ij; blocked [H][blocks][L][16], A_kj with k = 16 * block + lane (0 past the end)
  const float *values = nullptr;     // [H][q][value_row], V_h(a, b) with b along the row; scaled [q][value_row], U(a, b)
  const float *columns = nullptr;    // blocked [H][q][value_row], V_h(a, b) with a along the row
  const float *couplings = nullptr;  // GibbsShape::coupling_index; C_ii = 0. listed [2 P][q][q], kListPadding more are loaded and not used;
                                     // scaled [2 P]
  const int64_t *begins = nullptr;   // listed, scaled: [L + 1], the neighbours of site i are begins[i] .. begins[i + 1] - 1 of the next,
  const int32_t *neighbors = nullptr;  // [2 P], ascending for each site

  const GibbsLimits *limits = nullptr;  // NULL: all states are allowed
  bool draws(int64_t first, int64_t end) const { return limits == nullptr || limits->draws(first, end); }
};

// Groups of 16 chains. Chain = first_chain + 16 * group + lane.
struct GibbsChains {
  uint8_t *colors = nullptr;            // [groups][L][16]
  const float *scaled_betas = nullptr;  // [groups][16], beta * log2 e
  double *energies = nullptr;           // [groups][16] or NULL: every draw adds H(old) - H(new)
  int64_t groups = 0;
  uint64_t first_chain = 0;
  const uint8_t *references = nullptr;  // [groups][L][16] } with GibbsLimits::most
  int32_t *distances = nullptr;         // [groups][16]    } from them
};

inline bool GibbsLimits::draws(int64_t first, int64_t end) const {
  while (first < end && !draws(first)) ++first;
  return first < end;
}

inline uint8_t GibbsLimits::settle(const GibbsChains &chains, int64_t place, int64_t chain, uint8_t drawn) const {
  const uint8_t old = chains.colors[place];
  if (old == kept) return old;
  if (most < 0) return drawn;
  const uint8_t reference = chains.references[place];
  const int32_t others = chains.distances[chain] - (old != reference);  // at the other sites
  if (others >= most) return reference;
  chains.distances[chain] = others + (drawn != reference);
  return drawn;
}

struct GibbsSweeps {
  uint64_t seed = 0;
  int64_t first = 0, count = 0;  // sweeps first .. first + count - 1
};

// Makes the sweeps of all groups. work: shape.work_floats(groups) floats, aligned to 64 bytes.
using GibbsKernel = void (*)(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);

struct GibbsKernels {
  GibbsKernel cached, blocked, dense, listed, scaled;
  GibbsKernel of(GibbsMethod method) const {
    switch (method) {
      case GibbsMethod::cached: return cached;
      case GibbsMethod::blocked: return blocked;
      case GibbsMethod::dense: return dense;
      case GibbsMethod::listed: return listed;
      case GibbsMethod::scaled: break;
    }
    return scaled;
  }
};

struct GibbsFactoredKernels {
  GibbsKernel cached, blocked;
};

GibbsFactoredKernels gibbs_factored_kernels(Target target);
struct GibbsListKernels {
  GibbsKernel listed, scaled;
};

GibbsKernel gibbs_dense_kernel(Target target);
GibbsListKernels gibbs_list_kernels(Target target);
inline GibbsKernels gibbs_kernels(Target target) {
  const GibbsFactoredKernels factored = gibbs_factored_kernels(target);
  const GibbsListKernels list = gibbs_list_kernels(target);
  return {factored.cached, factored.blocked, gibbs_dense_kernel(target), list.listed, list.scaled};
}

// The scalar reference, gibbs_scalar.cpp.
void gibbs_cached_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);
void gibbs_blocked_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);
void gibbs_dense_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);
void gibbs_listed_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);
void gibbs_scaled_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *work);
inline constexpr GibbsKernels gibbs_scalar_kernels = {&gibbs_cached_scalar, &gibbs_blocked_scalar, &gibbs_dense_scalar,
                                                      &gibbs_listed_scalar, &gibbs_scaled_scalar};

}  // namespace atp
