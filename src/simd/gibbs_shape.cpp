// SPDX-License-Identifier: MIT
#include "simd/gibbs.hpp"

namespace atp {

// Estimated cycles of 16 updates (one site of 16 chains) with 512-bit vectors; src/simd/README.md explains
// them.
GibbsMethod gibbs_method(int64_t sites, int64_t colors, int64_t heads) {
  if (heads == 0) return GibbsMethod::dense;
  const int64_t l = sites, q = colors;
  const int64_t cached = heads * l * q * (heads * l * q <= 640 ? 1 : 3) / 2;
  const int64_t blocked = heads * (l + q * q / 2 + 9 * q);
  const int64_t dense = 2 * l * (round_up(q, 16) + 16) + 8 * q;
  const int64_t dense_floats = l * l * q * round_up(q, 8);
  if (dense_floats <= int64_t{1} << 21 && dense < cached && dense < blocked) return GibbsMethod::dense;
  return cached <= blocked ? GibbsMethod::cached : GibbsMethod::blocked;
}

// Where a list has half of all pairs or more, the dense kernels are as fast. Both give the same bits.
GibbsMethod gibbs_list_method(int64_t sites, int64_t pairs, bool scaled) {
  if (4 * pairs >= sites * (sites - 1)) return GibbsMethod::dense;
  return scaled ? GibbsMethod::scaled : GibbsMethod::listed;
}

// A row must fit into two vectors of 16.
bool dense_by_lookup(Target target, int64_t colors) { return target == Target::avx512 && colors <= 32; }

int64_t GibbsShape::coupling_floats() const {
  if (method == GibbsMethod::scaled) return 2 * pairs;
  if (method == GibbsMethod::listed) return 2 * pairs * colors * colors + kListPadding;
  return method == GibbsMethod::dense ? sites * sites * colors * row() + (lookup ? 32 : 0) : 0;
}

int64_t GibbsShape::map_floats() const {
  switch (method) {
    case GibbsMethod::cached: return heads * sites * sites;
    case GibbsMethod::blocked: return heads * blocks() * sites * kGibbsLanes;
    default: return 0;
  }
}

int64_t GibbsShape::work_floats(int64_t groups) const {
  const int64_t tile = colors * kGibbsLanes;
  const int64_t draw = tile + 5 * kGibbsLanes;  // sums of weights, uniforms, lowest differences
  switch (method) {
    case GibbsMethod::cached: return draw + (2 + heads * sites) * tile;
    case GibbsMethod::blocked: return draw + (4 + 2 * kGibbsLanes + heads * kGibbsLanes) * tile;
    case GibbsMethod::dense: return tile + row() * kGibbsLanes + groups * kGibbsLanes * (row() + 5);
    case GibbsMethod::listed:
    case GibbsMethod::scaled: return 2 * tile + groups * kGibbsLanes * 5;
  }
  return 0;
}

}  // namespace atp
