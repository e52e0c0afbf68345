// SPDX-License-Identifier: MIT
#include "learn/likelihood/centered.hpp"

#include "learn/dense/centred_slopes.hpp"

namespace atp {

void center_slope(const DenseShape &pairs, const Statistics &statistics, Span<double> slope, Threads threads) {
  shift_slopes(pairs, statistics.family(0), nullptr, -1, slope, threads);
}

void add_means(const DenseShape &pairs, const Statistics &statistics, double factor, Span<double> point, Threads threads) {
  const int64_t L = pairs.sites, q = pairs.colors;
  parallel_for(threads, L, [&](int64_t i, int) {
    double *h = point.data() + i * q;
    for (int64_t k = 0; k < pairs.degree(i); ++k) {
      const double *f = statistics.family(pairs.neighbor(i, k)), *J = point.data() + L * q + pairs.pair(i, k) * q * q;
      const int64_t down = k < pairs.below(i) ? 1 : q, right = k < pairs.below(i) ? q : 1;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) h[a] += factor * J[a * down + b * right] * f[b];
    }
  });
}

void stretch(const DenseShape &pairs, const Statistics &statistics, double factor, Span<double> point, Threads threads) {
  const int64_t q = pairs.colors;
  add_means(pairs, statistics, 1 - factor, point, threads);
  double *couplings = point.data() + pairs.sites * q;
  parallel_for(threads, pairs.sites, [&](int64_t i, int) {
    for (int64_t k = pairs.first_pair(i) * q * q; k < pairs.first_pair(i + 1) * q * q; ++k) couplings[k] *= factor;
  });
}

}  // namespace atp
