// SPDX-License-Identifier: MIT
#include "learn/site_order.hpp"

#include "alignment/frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atp {

void order_sites(atp_order rule, const double *counts, int64_t colors, Span<double> entropies, Span<int64_t> order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  if (rule == ATP_ORDER_NATURAL) return;
  for (int64_t i = 0; i < order.size(); ++i) {
    const double entropy = entropy_of(counts + i * colors, colors);
    entropies[i] = std::isnan(entropy) ? 0 : rule == ATP_ORDER_ENTROPY_DESCENDING ? -entropy : entropy;
  }
  std::sort(order.begin(), order.end(),
            [&](int64_t i, int64_t j) { return entropies[i] != entropies[j] ? entropies[i] < entropies[j] : i < j; });
}

void write_places(Span<const int64_t> order, Span<int64_t> places) {
  for (int64_t k = 0; k < order.size(); ++k) places[order[k]] = k;
}

}  // namespace atp
