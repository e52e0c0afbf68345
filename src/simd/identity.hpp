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
};

struct IdentityKernels {
  // For all pairs n in [n_first, n_end), m in [m_first, m_end), n < m, that differ in at most `allowed` places: ++neighbours[n],
  // ++neighbours[m].
  void (*count)(const uint8_t *packed, int64_t count, int64_t pieces, int64_t n_first, int64_t n_end, int64_t m_first, int64_t m_end,
                int64_t allowed, int32_t *neighbours);
  // Colour 0 is a gap. For all pairs of the block that differ in at most allowed[c] of the c columns where both have a residue:
  // ++neighbours[n], ++neighbours[m]. allowed, [64 * pieces + 1], does not fall; residues, [count], are the columns without a gap.
  void (*count_residues)(const IdentityBlock &block, const int32_t *allowed, const int32_t *residues, int32_t *neighbours);
};

extern const IdentityKernels identity_scalar_kernels;
const IdentityKernels &identity_kernels(Target target);

}  // namespace atp
