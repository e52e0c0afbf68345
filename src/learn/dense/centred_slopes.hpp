// SPDX-License-Identifier: MIT
// Derivatives in centred fields, h'_i(a) = h_i(a) + c_i(a) sum_j sum_b J_ij(a, b) f_j(b) with f the family's frequencies. With G and g the
// derivatives by J and h at fixed fields, those by J at fixed centred fields are G_ij(a, b) - c_i(a) g_i(a) f_j(b) - f_i(a) c_j(b) g_j(b),
// and those by h' are g. For pairs whose sites predict each other.
#pragma once

#include "learn/dense/dense_data.hpp"

#include "base/team.hpp"

namespace atp {

// slope: of the fields [L][q], then of the couplings of the pairs; frequencies [L][q]; shares [L][q], the c_i(a), NULL: 1. From derivatives
// at fixed fields to those at fixed centred fields with sign -1, back with 1.
template <class Number>
void shift_slopes(const DenseShape &pairs, const double *frequencies, const double *shares, double sign, Span<Number> slope,
                  Threads threads) {
  const int64_t L = pairs.sites, q = pairs.colors;
  parallel_for(threads, L, [&](int64_t i, int) {
    const double *f = frequencies + i * q;
    const auto shared = [&](int64_t site, int64_t a) {
      return (shares == nullptr ? 1 : shares[site * q + a]) * static_cast<double>(slope[site * q + a]);
    };
    for (int64_t k = pairs.below(i); k < pairs.degree(i); ++k) {
      const int64_t j = pairs.neighbor(i, k);
      const double *g = frequencies + j * q;
      double other[kMaxColors];
      for (int64_t b = 0; b < q; ++b) other[b] = shared(j, b);
      Number *G = slope.data() + L * q + pairs.pair(i, k) * q * q;
      for (int64_t a = 0; a < q; ++a) {
        const double own = shared(i, a);
        for (int64_t b = 0; b < q; ++b)
          G[a * q + b] = static_cast<Number>(static_cast<double>(G[a * q + b]) + sign * (own * g[b] + f[a] * other[b]));
      }
    }
  });
}

}  // namespace atp
