// SPDX-License-Identifier: MIT
// Sequences as the kernels that compare them want them: in pieces of 64 columns, the columns sorted by information content, so that
// dissimilar sequences show their differences early. All pairs of sequences are tasks of tiles.
#pragma once

#include "alignment/alignment.hpp"
#include "simd/identity.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

class PackedSequences {
 public:
  static constexpr int64_t kTile = 512;  // sequences: the first pieces of two tiles are 64 KiB

  static std::size_t bytes(int64_t count, int64_t sites) {
    return Scratch::piece<int64_t>(sites) + Scratch::piece<double>(sites) +
           Scratch::piece<uint8_t>(count * pieces_of(sites) * kIdentityPiece);
  }
  // Throws ATP_E_TOO_LARGE above 2^31 - 1 sequences.
  PackedSequences(Arena &arena, const Alignment &alignment);

  int64_t count() const { return count_; }
  int64_t pieces() const { return pieces_; }
  const uint8_t *data() const { return packed_.data(); }
  int64_t tiles() const { return (count_ + kTile - 1) / kTile; }
  int64_t tasks() const { return tiles() * (tiles() + 1) / 2; }
  struct Tiles {
    int64_t a_first, a_end, b_first, b_end;
  };
  // Task t is the pair of tiles (a, b), a <= b, number t in the order b = 0, 1, ..., a = 0..b.
  Tiles tiles_of(int64_t task) const {
    int64_t b = static_cast<int64_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2);
    while (b * (b + 1) / 2 > task) --b;
    while ((b + 1) * (b + 2) / 2 <= task) ++b;
    const int64_t a = task - b * (b + 1) / 2;
    return {a * kTile, std::min(count_, (a + 1) * kTile), b * kTile, std::min(count_, (b + 1) * kTile)};
  }

 private:
  static int64_t pieces_of(int64_t sites) { return (sites + kIdentityPiece - 1) / kIdentityPiece; }
  int64_t count_, pieces_;
  Span<uint8_t> packed_;
};

}  // namespace atp
