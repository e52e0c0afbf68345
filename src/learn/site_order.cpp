// SPDX-License-Identifier: MIT
#include "learn/site_order.hpp"

#include "alignment/frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atp {

void order_sites(atp_order rule, const Alignment &train, bool gaps_ignored, Span<double> conserved, Span<int64_t> order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  if (rule == ATP_ORDER_NATURAL) return;
  conservation(train, gaps_ignored, conserved.data());
  for (double &x : conserved) x = (std::isnan(x) ? 1 : x) * (rule == ATP_ORDER_ENTROPY ? 1 : -1);
  std::sort(order.begin(), order.end(),
            [&](int64_t i, int64_t j) { return conserved[i] != conserved[j] ? conserved[i] > conserved[j] : i < j; });
}

void write_places(Span<const int64_t> order, Span<int64_t> places) {
  for (int64_t k = 0; k < order.size(); ++k) places[order[k]] = k;
}

}  // namespace atp
