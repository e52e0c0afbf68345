// SPDX-License-Identifier: MIT
// Counts the neighbours of each sequence: the kernel of sequence weights.
#pragma once

#include "simd/targets.hpp"

#include <cstdint>

namespace atp {

// Sequences are stored in pieces of 64 columns: piece p of sequence n is at packed + (p * count + n) * 64,
// padded with zeros.
inline constexpr int64_t kIdentityPiece = 64;

// Pairs n in [n_first, n_end), m in [m_first, m_end), n < m, of packed sequences.
struct IdentityBlock {
  const uint8_t *packed;
  int64_t count, pieces, n_first, n_end, m_first, m_end;
  const uint8_t *piece(int64_t p, int64_t n) const { return packed + (p * count + n) * kIdentityPiece; }
};

// Levels of neighbours: those of a level may differ in as many places as those of the level before, or in more.
struct IdentityLimits {
  const int32_t *allowed;   // [levels][columns + 1]: the most differences in c compared columns; does not fall with c
  const int32_t *level_of;  // [columns + 1]: of differences in all columns, the first level that allows them; read with several levels
  int64_t levels, columns;  // columns: of all pieces, or a smaller number that no count of compared columns exceeds
};

// Pairs n in [n_first, n_end), m in [m_first, m_end), n < m, are neighbours of level l, the first that allows their differences:
// ++neighbours[n * levels + l], ++neighbours[m * levels + l].
struct IdentityKernels {
  // Differences in all columns.
  void (*count)(const IdentityBlock &block, const IdentityLimits &limits, int32_t *neighbours);
  // Colour 0 is a gap: differences in the columns where both have a residue. residues, [count]: the columns without a gap.
  void (*count_residues)(const IdentityBlock &block, const IdentityLimits &limits, const int32_t *residues, int32_t *neighbours);
};

extern const IdentityKernels identity_scalar_kernels;
const IdentityKernels &identity_kernels(Target target);

}  // namespace atp
