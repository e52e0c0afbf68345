// SPDX-License-Identifier: MIT
#include "potts/pair_list.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <tuple>

namespace atp {

void check_pair_count(int64_t count, int64_t sites, const char *name) {
  if (count < 1 || count > all_pairs(sites))
    fail(ATP_E_VALUE, "%s has %lld pairs, must have 1..%lld with %lld sites", name, static_cast<long long>(count),
         static_cast<long long>(all_pairs(sites)), static_cast<long long>(sites));
}

void sort_pairs(const int64_t *pairs, int64_t sites, const char *name, Span<SitePair> sorted) {
  for (int64_t k = 0; k < sorted.size(); ++k) {
    const int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
    for (int64_t side : {int64_t{0}, int64_t{1}})
      if (const int64_t site = pairs[2 * k + side]; site < 0 || site >= sites)
        fail(ATP_E_VALUE, "%s" ATP_AT2 " is " ATP_INDEX ", must be a site in " ATP_INDEX ".." ATP_INDEX, name, static_cast<long long>(k),
             static_cast<long long>(side), static_cast<long long>(site), 0LL, static_cast<long long>(sites - 1));
    if (i == j)
      fail(ATP_E_VALUE, "%s" ATP_AT " is the pair of site " ATP_INDEX " with itself, must have two sites", name, static_cast<long long>(k),
           static_cast<long long>(i));
    sorted[k] = {std::min(i, j), std::max(i, j)};
  }
  const auto key = [](const SitePair &p) { return std::tie(p.first, p.second); };
  std::sort(sorted.begin(), sorted.end(), [&](const SitePair &x, const SitePair &y) { return key(x) < key(y); });
  for (int64_t k = 1; k < sorted.size(); ++k)
    if (key(sorted[k]) == key(sorted[k - 1]))
      fail(ATP_E_VALUE, "%s has the pair of sites " ATP_INDEX " and " ATP_INDEX " twice, must have it once", name,
           static_cast<long long>(sorted[k].first), static_cast<long long>(sorted[k].second));
}

}  // namespace atp
