// SPDX-License-Identifier: MIT
// The specification of the kernel that counts neighbours of sequences.
#include "simd/identity.hpp"

namespace atp {

namespace {

void count(const IdentityBlock &block, const IdentityLimits &limits, int32_t *neighbours) {
  const int64_t levels = limits.levels, most = limits.allowed[levels * (limits.columns + 1) - 1];
  for (int64_t n = block.n_first; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) {
      int64_t different = 0;
      for (int64_t p = 0; p < block.pieces && different <= most; ++p) {
        const uint8_t *a = block.piece(p, n), *b = block.piece(p, m);
        for (int64_t i = 0; i < kIdentityPiece; ++i) different += a[i] != b[i] ? 1 : 0;
      }
      if (different > most) continue;
      const int64_t level = levels > 1 ? limits.level_of[different] : 0;
      ++neighbours[n * levels + level];
      ++neighbours[m * levels + level];
    }
}

void count_residues(const IdentityBlock &block, const IdentityLimits &limits, const int32_t *residues, int32_t *neighbours) {
  const int64_t levels = limits.levels, row = limits.columns + 1;
  const int32_t *allowed = limits.allowed + (levels - 1) * row;
  for (int64_t n = block.n_first; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) {
      // They share at most as many columns as the shorter one has.
      const int32_t most = allowed[residues[n] < residues[m] ? residues[n] : residues[m]];
      int32_t shared = 0, different = 0;
      for (int64_t p = 0; p < block.pieces && different <= most; ++p) {
        const uint8_t *a = block.piece(p, n), *b = block.piece(p, m);
        for (int64_t i = 0; i < kIdentityPiece; ++i) {
          const bool both = a[i] != 0 && b[i] != 0;
          shared += both ? 1 : 0;
          different += both && a[i] != b[i] ? 1 : 0;
        }
      }
      if (different > most || different > allowed[shared]) continue;
      int64_t level = 0;
      while (different > limits.allowed[level * row + shared]) ++level;
      ++neighbours[n * levels + level];
      ++neighbours[m * levels + level];
    }
}

}  // namespace

const IdentityKernels identity_scalar_kernels = {count, count_residues};

}  // namespace atp
