// SPDX-License-Identifier: MIT
#include "alignment/pair_counts.hpp"

#include <algorithm>

namespace atp {

void order_by_color(const Alignment &alignment, int64_t i, int64_t *order) {
  int64_t starts[257] = {};
  for (int64_t n = 0; n < alignment.count(); ++n) ++starts[alignment.sequence(n)[i] + 1];
  for (int64_t a = 1; a < 257; ++a) starts[a] += starts[a - 1];
  for (int64_t n = 0; n < alignment.count(); ++n) order[starts[alignment.sequence(n)[i]]++] = n;
}

void count_pairs(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, const int64_t *order, double *out) {
  const int64_t L = alignment.sites();
  std::fill_n(out + i * q * q, (L - i) * q * q, 0.0);
  for (int64_t k = 0; k < alignment.count(); ++k) {
    const int64_t n = order == nullptr ? k : order[k];
    const uint8_t *s = alignment.sequence(n);
    const double w = alignment.weights[n];
    if (s[i] < missing) continue;
    double *start = out + (s[i] - missing) * q;
    if (missing == 0)
      for (int64_t j = i; j < L; ++j) start[j * q * q + s[j]] += w;
    else
      for (int64_t j = i; j < L; ++j)
        if (s[j] >= missing) start[j * q * q + s[j] - missing] += w;
  }
}

}  // namespace atp
