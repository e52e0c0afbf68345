// SPDX-License-Identifier: MIT
// Counts similar sequences with Highway: identity_scalar.cpp, but with whole pieces at a time.
#include "simd/identity.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/identity.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, kIdentityPiece>;
using V = hn::Vec<D>;

// The number of sequences that are compared with another one while its piece is in registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif

// The number of places where two pieces are equal.
HWY_INLINE int64_t equal_places(const uint8_t *HWY_RESTRICT a, const uint8_t *HWY_RESTRICT b) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t sum = 0;
  for (int64_t i = 0; i < kIdentityPiece; i += lanes)
    sum += static_cast<int64_t>(hn::CountTrue(d, hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i))));
  return sum;
}

// Compares the pieces after the first.
HWY_INLINE bool near(const uint8_t *packed, int64_t count, int64_t pieces, int64_t n, int64_t m, int64_t allowed, int64_t different) {
  for (int64_t p = 1; p < pieces; ++p) {
    different += kIdentityPiece - equal_places(packed + (p * count + n) * kIdentityPiece, packed + (p * count + m) * kIdentityPiece);
    if (different > allowed) return false;
  }
  return different <= allowed;
}

void count(const uint8_t *packed, int64_t count, int64_t pieces, int64_t n_first, int64_t n_end, int64_t m_first, int64_t m_end,
           int64_t allowed, int32_t *neighbours) {
  const auto pair = [&](int64_t n, int64_t m) HWY_ATTR {
    const int64_t different = kIdentityPiece - equal_places(packed + n * kIdentityPiece, packed + m * kIdentityPiece);
    if (different > allowed || !near(packed, count, pieces, n, m, allowed, different)) return;
    ++neighbours[n];
    ++neighbours[m];
  };
  int64_t n = n_first;
  for (; n + kRows <= n_end; n += kRows) {
    int64_t m = m_first > n ? m_first : n + 1;
    for (; m < m_end && m < n + kRows; ++m)
      for (int64_t k = n; k < m; ++k) pair(k, m);
    const uint8_t *HWY_RESTRICT rows = packed + n * kIdentityPiece;
    for (; m < m_end; ++m) {
      const uint8_t *HWY_RESTRICT other = packed + m * kIdentityPiece;
      for (int k = 0; k < kRows; ++k) {
        const int64_t different = kIdentityPiece - equal_places(rows + k * kIdentityPiece, other);
        if (HWY_LIKELY(different > allowed)) continue;
        if (!near(packed, count, pieces, n + k, m, allowed, different)) continue;
        ++neighbours[n + k];
        ++neighbours[m];
      }
    }
  }
  for (; n < n_end; ++n)
    for (int64_t m = m_first > n ? m_first : n + 1; m < m_end; ++m) pair(n, m);
}

// Columns where both pieces have a residue, and those of them where it differs.
struct Compared {
  int32_t shared = 0, different = 0;
};

HWY_INLINE Compared compare(const uint8_t *HWY_RESTRICT a, const uint8_t *HWY_RESTRICT b) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V zero = hn::Zero(d);
  Compared sum;
  for (int64_t i = 0; i < kIdentityPiece; i += lanes) {
    const V x = hn::LoadU(d, a + i), y = hn::LoadU(d, b + i);
    // The smaller of two colours is 0 if one of them is a gap.
    const auto both = hn::Ne(hn::Min(x, y), zero);
    sum.shared += static_cast<int32_t>(hn::CountTrue(d, both));
    sum.different += static_cast<int32_t>(hn::CountTrue(d, hn::And(both, hn::Ne(x, y))));
  }
  return sum;
}

void count_residues(const IdentityBlock &block, const int32_t *allowed, const int32_t *residues, int32_t *neighbours) {
  for (int64_t n = block.n_first; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) {
      const int32_t most = allowed[residues[n] < residues[m] ? residues[n] : residues[m]];
      Compared sum;
      for (int64_t p = 0; p < block.pieces && sum.different <= most; ++p) {
        const Compared piece =
            compare(block.packed + (p * block.count + n) * kIdentityPiece, block.packed + (p * block.count + m) * kIdentityPiece);
        sum.shared += piece.shared;
        sum.different += piece.different;
      }
      if (HWY_LIKELY(sum.different > most) || sum.different > allowed[sum.shared]) continue;
      ++neighbours[n];
      ++neighbours[m];
    }
}

}  // namespace
extern const IdentityKernels identity_table;
const IdentityKernels identity_table = {&count, &count_residues};
}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {
const IdentityKernels &identity_kernels(Target target) { ATP_DISPATCH(target, identity_table, identity_scalar_kernels); }
}  // namespace atp
#endif
