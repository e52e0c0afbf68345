// SPDX-License-Identifier: MIT
#include "potts/pair_blocks.hpp"

namespace atp {

int64_t pair_directions(const Model &model) { return model.symmetric(0) ? 1 : 2; }

Span<double> pair_block(const Model &model, int64_t k, int64_t direction) {
  const SitePair pair = model.pairs[k];
  const int64_t i = direction == 0 ? pair.first : pair.second, j = direction == 0 ? pair.second : pair.first;
  const int64_t block = model.colors() * model.colors();
  return model.couplings.sub((i * model.sites() + j) * block, block);
}

void mirror_pair_blocks(Model &model) {
  const int64_t q = model.colors();
  for (int64_t k = 0; k < model.pairs.size(); ++k) {
    const Span<double> from = pair_block(model, k, 0), to = pair_block(model, k, 1);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) to[b * q + a] = from[a * q + b];
  }
}

void check_sorted_pairs(const Model &model, const char *name) {
  SitePair last{-1, -1};
  for (int64_t k = 0; k < model.pairs.size(); ++k) {
    const SitePair p = model.pairs[k];
    const bool sorted = p.first > last.first || (p.first == last.first && p.second > last.second);
    if (p.first < 0 || p.second <= p.first || p.second >= model.sites() || !sorted)
      fail(ATP_E_VALUE, "%s" ATP_AT " is " ATP_INDEX ", " ATP_INDEX ", must be two ascending sites of %lld, pairs in ascending order", name,
           static_cast<long long>(k), static_cast<long long>(p.first), static_cast<long long>(p.second),
           static_cast<long long>(model.sites()));
    last = p;
  }
}

}  // namespace atp
