// SPDX-License-Identifier: MIT
// Factored attention as fields and couplings of pairs of sites, for the likelihood.
#include "learn/factored/attention.hpp"

#include "math/optim/vector.hpp"
#include "potts/model.hpp"

#include <algorithm>

namespace atp {

namespace {

PointTerms terms_of(const AttentionInput &in) { return {in.heads, in.sites, in.colors, in.maps, in.values}; }

}  // namespace

void FactoredAttention::lay_out_point(Arena &arena) {
  if (precision == 32) point_pass_.lay_out(arena, shape.sites, shape.colors, shape.coupling_heads(), team_);
}

void FactoredAttention::expand_point(Span<const double> parameters, Span<double> point) {
  const AttentionInput in = expand_input(parameters);
  const int64_t L = in.sites, q = in.colors, block = q * q;
  assert(shape.symmetrized && !shape.gaps_ignored);
  for (int64_t k = 0; k < L * q; ++k) point[k] = in.fields == nullptr ? 0 : in.fields[k];
  if (point_pass_.laid_out())
    return point_pass_.expand(Threads(context->threads).at_most(team_), target_, terms_of(in), point.data() + L * q);
  parallel_for(context->threads, L, [&](int64_t i, int) {
    for (int64_t j = i + 1; j < L; ++j) {
      double *to = point.data() + L * q + pair_place(L, i, j) * block;
      std::fill_n(to, block, 0.0);
      for (int64_t h = 0; h < in.heads; ++h)
        add_scaled(in.maps[(h * L + i) * L + j], Span<const double>(in.values + h * block, block), Span<double>(to, block));
    }
  });
}

// From the products p_k,ij = sum_ab V_k(a, b) S_ij(a, b) of pairs i < j and P_k = sum_{i < j} A_k,ij S_ij of all terms: V of term H + h is
// that of term h transposed, and so is A.
void FactoredAttention::share_products(const AttentionSums &sums) const {
  const int64_t H = shape.heads, L = shape.sites, q = shape.colors;
  parallel_for(context->threads, H, [&](int64_t h, int) {
    double *map = sums.maps + h * L * L, *other = map + H * L * L;
    for (int64_t i = 0; i < L; ++i) {
      map[i * L + i] = other[i * L + i] = 0;
      for (int64_t j = i + 1; j < L; ++j) {
        const double up = 0.5 * map[i * L + j], low = 0.5 * other[i * L + j];
        map[i * L + j] = other[j * L + i] = up;
        map[j * L + i] = other[i * L + j] = low;
      }
    }
    if (sums.values == nullptr) return;
    double *values = sums.values + h * q * q, *transposed = values + H * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) values[a * q + b] = transposed[b * q + a] = 0.5 * (values[a * q + b] + transposed[b * q + a]);
  });
}

// With S_ij the derivatives by J_ij, i < j, half of them belongs to C_ij and half to C_ji:
//     dA_h,ij = sum_ab V_h(a, b) S_ij(a, b) / 2,   dV_h(a, b) = sum_{i < j} (A_h,ij S_ij(a, b) + A_h,ji S_ij(b, a)) / 2.
void FactoredAttention::sum_slope(const AttentionInput &in, Span<const double> slope, const AttentionSums &sums) {
  const int64_t L = in.sites, q = in.colors, block = q * q;
  const double *pairs = slope.data() + L * q;
  if (sums.fields != nullptr) std::copy_n(slope.data(), L * q, sums.fields);
  if (point_pass_.laid_out()) {
    point_pass_.pull_back(Threads(context->threads).at_most(team_), target_, terms_of(in), pairs, sums.maps, sums.values);
    return share_products(sums);
  }
  const auto map_row = [&](int64_t row) {
    const int64_t i = row % L;
    const double *v = in.values + row / L * block;
    double *to = sums.maps + row * L;
    for (int64_t j = 0; j < L; ++j) {
      to[j] = 0;
      if (j == i) continue;
      const double *s = pairs + pair_place(L, std::min(i, j), std::max(i, j)) * block;
      const int64_t down = i < j ? q : 1, right = i < j ? 1 : q;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) to[j] += 0.5 * v[a * q + b] * s[a * down + b * right];
    }
  };
  parallel_for(context->threads, in.heads * L, [&](int64_t row, int) { map_row(row); });
  if (sums.values == nullptr) return;
  parallel_for(context->threads, in.heads, [&](int64_t h, int) {
    const double *map = in.maps + h * L * L;
    double *to = sums.values + h * block;
    std::fill_n(to, block, 0.0);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = i + 1; j < L; ++j) {
        const double up = 0.5 * map[i * L + j], low = 0.5 * map[j * L + i], *s = pairs + pair_place(L, i, j) * block;
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) to[a * q + b] += up * s[a * q + b] + low * s[b * q + a];
      }
  });
}

}  // namespace atp
