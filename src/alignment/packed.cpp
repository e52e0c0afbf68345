// SPDX-License-Identifier: MIT
#include "alignment/packed.hpp"

namespace atp {

namespace {

// Sorts the columns by information content.
void order_columns(const Alignment &alignment, Span<int64_t> order, Span<double> same) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  for (int64_t i = 0; i < sites; ++i) {
    int64_t counts[256] = {};
    for (int64_t k = 0; k < n; ++k) ++counts[alignment.sequence(k)[i]];
    same[i] = 0;
    for (int64_t c : counts) same[i] += static_cast<double>(c) * static_cast<double>(c);
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return same[a] != same[b] ? same[a] < same[b] : a < b; });
}

}  // namespace

PackedSequences::PackedSequences(Arena &arena, const Alignment &alignment)
    : count_(alignment.count()), pieces_(pieces_of(alignment.sites())) {
  const int64_t n = count_, sites = alignment.sites();
  if (n > INT32_MAX)
    fail(ATP_E_TOO_LARGE, "the alignment has %lld sequences, must have at most 2^31 - 1 to be compared with each other",
         static_cast<long long>(n));
  const Span<int64_t> order = arena.take<int64_t>(sites);
  const Span<double> same = arena.take<double>(sites);
  packed_ = arena.take<uint8_t>(n, pieces_, kIdentityPiece);
  order_columns(alignment, order, same);
  std::fill(packed_.begin(), packed_.end(), uint8_t{0});
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = alignment.sequence(k);
    for (int64_t i = 0; i < sites; ++i) packed_[(i / kIdentityPiece * n + k) * kIdentityPiece + i % kIdentityPiece] = s[order[i]];
  }
}

}  // namespace atp
