// SPDX-License-Identifier: MIT
// The specification of the kernel that counts neighbours of sequences.
#include "simd/identity.hpp"

namespace atp {

namespace {

void count(const uint8_t *packed, int64_t count, int64_t pieces, int64_t n_first, int64_t n_end, int64_t m_first, int64_t m_end,
           int64_t allowed, int32_t *neighbours) {
  for (int64_t n = n_first; n < n_end; ++n)
    for (int64_t m = m_first > n ? m_first : n + 1; m < m_end; ++m) {
      int64_t different = 0;
      for (int64_t p = 0; p < pieces && different <= allowed; ++p) {
        const uint8_t *a = packed + (p * count + n) * kIdentityPiece, *b = packed + (p * count + m) * kIdentityPiece;
        for (int64_t i = 0; i < kIdentityPiece; ++i) different += a[i] != b[i] ? 1 : 0;
      }
      if (different > allowed) continue;
      ++neighbours[n];
      ++neighbours[m];
    }
}

void count_residues(const IdentityBlock &block, const int32_t *allowed, const int32_t *residues, int32_t *neighbours) {
  for (int64_t n = block.n_first; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) {
      // They share at most as many columns as the shorter one has.
      const int32_t most = allowed[residues[n] < residues[m] ? residues[n] : residues[m]];
      int32_t shared = 0, different = 0;
      for (int64_t p = 0; p < block.pieces && different <= most; ++p) {
        const uint8_t *a = block.packed + (p * block.count + n) * kIdentityPiece,
                      *b = block.packed + (p * block.count + m) * kIdentityPiece;
        for (int64_t i = 0; i < kIdentityPiece; ++i) {
          const bool both = a[i] != 0 && b[i] != 0;
          shared += both ? 1 : 0;
          different += both && a[i] != b[i] ? 1 : 0;
        }
      }
      if (different > most || different > allowed[shared]) continue;
      ++neighbours[n];
      ++neighbours[m];
    }
}

}  // namespace

const IdentityKernels identity_scalar_kernels = {count, count_residues};

}  // namespace atp
