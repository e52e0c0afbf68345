// SPDX-License-Identifier: MIT
// Which sequences are neighbours of which: packed sequences, and the kernels that compare them in pairs.
#pragma once

#include "alignment/alignment.hpp"
#include "simd/identity.hpp"

#include <attopotts/alignment.h>

namespace atp {

// The largest number of differing columns between neighbours that are compared in so many; -1 for no neighbours.
// theta is a fraction of the columns. theta * columns counts as whole if it is whole up to rounding.
int64_t allowed_differences(double theta, int64_t columns, atp_weight_rule rule);

// Sequences as the kernels that compare them want them: in pieces of 64 columns, the columns sorted by information content, so that
// dissimilar sequences show their differences early. All pairs of sequences are tasks of tiles.
class PackedSequences {
 public:
  static constexpr int64_t kTile = 512;  // sequences: the first pieces of two tiles are 64 KiB

  static int64_t pieces_of(int64_t sites) { return (sites + kIdentityPiece - 1) / kIdentityPiece; }
  static std::size_t bytes(int64_t count, int64_t sites);
  // All sequences in their order. Throws ATP_E_TOO_LARGE above 2^31 - 1 sequences.
  PackedSequences(Arena &arena, const Alignment &alignment);
  // Packs these sequences instead, in this order: sequence k is now rows[k].
  void pack(Span<const int64_t> rows);

  int64_t count() const { return count_; }
  int64_t sites() const { return alignment_.sites(); }
  int64_t pieces() const { return pieces_; }
  const uint8_t *data() const { return packed_.data(); }
  int64_t tiles() const { return (count_ + kTile - 1) / kTile; }
  int64_t tasks() const { return tiles() * (tiles() + 1) / 2; }
  // Task t is the pair of tiles (a, b), a <= b, number t in the order b = 0, 1, ..., a = 0..b.
  IdentityBlock tiles_of(int64_t task) const;
  // Pairs of a sequence in [n_first, n_end) and one in [m_first, m_end).
  IdentityBlock block(int64_t n_first, int64_t n_end, int64_t m_first, int64_t m_end) const {
    return {data(), count_, pieces_, n_first, n_end, m_first, m_end};
  }

 private:
  template <class Row>
  void pack_each(int64_t count, Row &&row);

  const Alignment &alignment_;
  int64_t count_ = 0, pieces_;
  Span<int64_t> columns_;
  Span<uint8_t> packed_;
};

// Counts neighbours among packed sequences: those that differ in at most a fraction theta of the columns, or of the columns where both have
// a residue. With several thetas each pair is compared once.
class NeighbourCounter {
 public:
  static std::size_t bytes(int64_t count, int64_t sites, int64_t levels = 1);
  NeighbourCounter(Arena &arena, Target target, const Alignment &alignment, PackedSequences &packed, int64_t levels = 1);
  // thetas, [levels], do not fall.
  void set(Span<const double> thetas, atp_weight_rule rule, bool residues);
  // The packed sequence k is now rows[k] of the alignment.
  void pack(Span<const int64_t> rows);
  // False: nothing is a neighbour.
  bool any() const { return residues_only_ || allowed_[allowed_.size() - 1] >= 0; }
  // For all pairs of the block that are neighbours by theta number l and not by one before: ++neighbours[n][l], ++neighbours[m][l].
  void count(const IdentityBlock &block, int32_t *neighbours) const;

 private:
  void count_residues(int64_t k, int64_t n);

  const IdentityKernels &kernels_;
  const Alignment &alignment_;
  PackedSequences &packed_;
  bool residues_only_ = false;
  int64_t levels_;
  Span<int32_t> allowed_;   // [levels][sites + 1], by the number of compared columns
  Span<int32_t> level_of_;  // [sites + 1], by the number of differences
  Span<int32_t> residues_;  // of each packed sequence
};

}  // namespace atp
