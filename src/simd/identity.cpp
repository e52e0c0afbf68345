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

// Counts neighbours; inlined where the number of levels is known to be one.
class Counter {
 public:
  HWY_INLINE Counter(const IdentityBlock &block, const IdentityLimits &limits, int32_t *neighbours)
      : block_(block), limits_(limits), most_(limits.allowed[limits.levels * (limits.columns + 1) - 1]), neighbours_(neighbours) {}
  // Two sequences with so many differences in their first pieces.
  template <bool kLevels>
  HWY_INLINE void pair(int64_t n, int64_t m, int64_t different) const {
    if (HWY_LIKELY(different > most_)) return;
    for (int64_t p = 1; p < block_.pieces; ++p) {
      different += kIdentityPiece - equal_places(block_.piece(p, n), block_.piece(p, m));
      if (different > most_) return;
    }
    const int64_t levels = kLevels ? limits_.levels : 1, level = kLevels ? limits_.level_of[different] : 0;
    ++neighbours_[n * levels + level];
    ++neighbours_[m * levels + level];
  }

 private:
  const IdentityBlock &block_;
  const IdentityLimits &limits_;
  int64_t most_;
  int32_t *neighbours_;
};

template <bool kLevels>
HWY_INLINE void count_pairs(const IdentityBlock &block, const Counter &counter) {
  const auto pair = [&](int64_t n, int64_t m)
                        HWY_ATTR { counter.pair<kLevels>(n, m, kIdentityPiece - equal_places(block.piece(0, n), block.piece(0, m))); };
  int64_t n = block.n_first;
  for (; n + kRows <= block.n_end; n += kRows) {
    int64_t m = block.m_first > n ? block.m_first : n + 1;
    for (; m < block.m_end && m < n + kRows; ++m)
      for (int64_t k = n; k < m; ++k) pair(k, m);
    const uint8_t *HWY_RESTRICT rows = block.piece(0, n);
    for (; m < block.m_end; ++m) {
      const uint8_t *HWY_RESTRICT other = block.piece(0, m);
      for (int k = 0; k < kRows; ++k) counter.pair<kLevels>(n + k, m, kIdentityPiece - equal_places(rows + k * kIdentityPiece, other));
    }
  }
  for (; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) pair(n, m);
}

void count(const IdentityBlock &block, const IdentityLimits &limits, int32_t *neighbours) {
  const Counter counter(block, limits, neighbours);
  if (limits.levels > 1)
    count_pairs<true>(block, counter);
  else
    count_pairs<false>(block, counter);
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

// The first of several levels that allows so many differences in the shared columns.
int64_t level_of(const IdentityLimits &limits, const Compared &sum) {
  int64_t low = 0, high = limits.levels - 1;  // allowed by `high`
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sum.different > limits.allowed[middle * (limits.columns + 1) + sum.shared])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void count_residues(const IdentityBlock &block, const IdentityLimits &limits, const int32_t *residues, int32_t *neighbours) {
  const int32_t *allowed = limits.allowed + (limits.levels - 1) * (limits.columns + 1);
  for (int64_t n = block.n_first; n < block.n_end; ++n)
    for (int64_t m = block.m_first > n ? block.m_first : n + 1; m < block.m_end; ++m) {
      const int32_t most = allowed[residues[n] < residues[m] ? residues[n] : residues[m]];
      Compared sum;
      for (int64_t p = 0; p < block.pieces && sum.different <= most; ++p) {
        const Compared piece = compare(block.piece(p, n), block.piece(p, m));
        sum.shared += piece.shared;
        sum.different += piece.different;
      }
      if (HWY_LIKELY(sum.different > most) || sum.different > allowed[sum.shared]) continue;
      const int64_t level = level_of(limits, sum);
      ++neighbours[n * limits.levels + level];
      ++neighbours[m * limits.levels + level];
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
