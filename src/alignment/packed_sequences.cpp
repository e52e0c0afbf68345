// SPDX-License-Identifier: MIT
#include "alignment/packed_sequences.hpp"

#include <algorithm>
#include <cmath>

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

int64_t allowed_differences(double theta, int64_t columns, atp_weight_rule rule) {
  const double exact = theta * static_cast<double>(columns), whole = std::round(exact);
  const double x = std::fabs(exact - whole) <= 1e-9 * static_cast<double>(columns) ? whole : exact;
  switch (rule) {
    case ATP_WEIGHTS_STRICT: return static_cast<int64_t>(std::ceil(x)) - 1;
    case ATP_WEIGHTS_FLOOR: return static_cast<int64_t>(std::floor(x)) - 1;
    case ATP_WEIGHTS_INCLUSIVE:
    case ATP_WEIGHTS_RESIDUES: break;
  }
  return static_cast<int64_t>(std::floor(x));
}

std::size_t PackedSequences::bytes(int64_t count, int64_t sites) {
  return Scratch::piece<int64_t>(sites) + Scratch::piece<double>(sites) +
         Scratch::piece<uint8_t>(count * pieces_of(sites) * kIdentityPiece);
}

PackedSequences::PackedSequences(Arena &arena, const Alignment &alignment) : alignment_(alignment), pieces_(pieces_of(alignment.sites())) {
  const int64_t n = alignment.count();
  if (n > INT32_MAX)
    fail(ATP_E_TOO_LARGE, "the alignment has %lld sequences, must have at most 2^31 - 1 to be compared with each other", llong{n});
  columns_ = arena.take<int64_t>(sites());
  const Span<double> same = arena.take<double>(sites());
  packed_ = arena.take<uint8_t>(n, pieces_, kIdentityPiece);
  order_columns(alignment, columns_, same);
  pack_each(n, [](int64_t k) { return k; });
}

void PackedSequences::pack(Span<const int64_t> rows) {
  pack_each(rows.size(), [&](int64_t k) { return rows[k]; });
}

template <class Row>
void PackedSequences::pack_each(int64_t count, Row &&row) {
  count_ = count;
  const auto last = packed_.begin() + (pieces_ - 1) * count * kIdentityPiece;
  std::fill(last, last + count * kIdentityPiece, uint8_t{0});
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t *s = alignment_.sequence(row(k));
    for (int64_t i = 0; i < sites(); ++i) packed_[(i / kIdentityPiece * count + k) * kIdentityPiece + i % kIdentityPiece] = s[columns_[i]];
  }
}

IdentityBlock PackedSequences::tiles_of(int64_t task) const {
  int64_t b = static_cast<int64_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2);
  while (b * (b + 1) / 2 > task) --b;
  while ((b + 1) * (b + 2) / 2 <= task) ++b;
  const int64_t a = task - b * (b + 1) / 2;
  return block(a * kTile, std::min(count_, (a + 1) * kTile), b * kTile, std::min(count_, (b + 1) * kTile));
}

std::size_t NeighbourCounter::bytes(int64_t count, int64_t sites, int64_t levels) {
  return Scratch::piece<int32_t>(levels * (sites + 1)) + Scratch::piece<int32_t>(sites + 1) + Scratch::piece<int32_t>(count);
}

NeighbourCounter::NeighbourCounter(Arena &arena, Target target, const Alignment &alignment, PackedSequences &packed, int64_t levels)
    : kernels_(identity_kernels(target)), alignment_(alignment), packed_(packed), levels_(levels) {
  allowed_ = arena.take<int32_t>(levels, alignment.sites() + 1);
  level_of_ = arena.take<int32_t>(alignment.sites() + 1);
  residues_ = arena.take<int32_t>(alignment.count());
  for (int64_t k = 0; k < alignment.count(); ++k) count_residues(k, k);
}

void NeighbourCounter::set(Span<const double> thetas, atp_weight_rule rule, bool residues) {
  residues_only_ = residues;
  const int64_t row = alignment_.sites() + 1;
  for (int64_t l = 0; l < levels_; ++l) {
    allowed_[l * row] = -1;  // nothing to compare
    for (int64_t c = 1; c < row; ++c) allowed_[l * row + c] = static_cast<int32_t>(allowed_differences(thetas[l], c, rule));
  }
  int32_t level = 0;
  for (int64_t d = 0; d < row; ++d) {
    while (level + 1 < levels_ && d > allowed_[(level + 1) * row - 1]) ++level;
    level_of_[d] = level;
  }
}

void NeighbourCounter::pack(Span<const int64_t> rows) {
  packed_.pack(rows);
  for (int64_t k = 0; k < rows.size(); ++k) count_residues(k, rows[k]);
}

void NeighbourCounter::count_residues(int64_t k, int64_t n) {
  const uint8_t *s = alignment_.sequence(n);
  residues_[k] = static_cast<int32_t>(alignment_.sites() - std::count(s, s + alignment_.sites(), uint8_t{0}));
}

void NeighbourCounter::count(const IdentityBlock &b, int32_t *neighbours) const {
  const IdentityLimits limits = {allowed_.data(), level_of_.data(), levels_, alignment_.sites()};
  if (residues_only_)
    kernels_.count_residues(b, limits, residues_.data(), neighbours);
  else
    kernels_.count(b, limits, neighbours);
}

}  // namespace atp
