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

}  // namespace

const IdentityKernels identity_scalar_kernels = {count};

}  // namespace atp
