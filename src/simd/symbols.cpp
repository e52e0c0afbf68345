// SPDX-License-Identifier: MIT
// Runs of symbols with Highway. A byte is looked up in eight tables of 16 bytes, one for each value of its upper half, of which seven give
// 0: an index with bit 7 does. Those from byte 16 h on have the indices 0x70 + byte - 16 h, where the addition saturates. x86 looks at the
// lower four bits alone; elsewhere (NEON) an index of 16 or more gives 0, so that 0x70 is taken away again.
#include "simd/symbols.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/symbols.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<uint8_t>;
using V = hn::Vec<D>;

constexpr int kTables = SymbolColors::kBytes / 16;

struct Tables {
  explicit Tables(const SymbolColors &colors)
      : t2(table(colors, 2)),
        t3(table(colors, 3)),
        t4(table(colors, 4)),
        t5(table(colors, 5)),
        t6(table(colors, 6)),
        t7(table(colors, 7)),
        t0(table(colors, 0)),
        t1(table(colors, 1)) {}
  static V table(const SymbolColors &colors, int high) { return hn::LoadDup128(D(), colors.next + 16 * high); }
  static V one(V table, V bytes, int high) {
    const D d;
    const V above = hn::Set(d, uint8_t{0x70});
    V index = hn::SaturatedAdd(hn::Sub(bytes, hn::Set(d, static_cast<uint8_t>(16 * high))), above);
    if (HWY_ARCH_X86 == 0) index = hn::Xor(index, above);
    return hn::TableLookupBytesOr0(table, index);
  }
  V of(V bytes) const {
    const V a = hn::Or(hn::Or(one(t2, bytes, 2), one(t3, bytes, 3)), hn::Or(one(t4, bytes, 4), one(t5, bytes, 5)));
    const V b = hn::Or(hn::Or(one(t6, bytes, 6), one(t7, bytes, 7)), hn::Or(one(t0, bytes, 0), one(t1, bytes, 1)));
    return hn::Or(a, b);
  }
  V t2, t3, t4, t5, t6, t7, t0, t1;
};
static_assert(kTables == 8);

int64_t run(const SymbolColors &colors, const char *text, int64_t n) {
  const D d;
  const Tables tables(colors);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    const auto ends = hn::Eq(tables.of(hn::LoadU(d, reinterpret_cast<const uint8_t *>(text) + k)), hn::Zero(d));
    if (const intptr_t first = hn::FindFirstTrue(d, ends); first >= 0) return k + static_cast<int64_t>(first);
  }
  return k + symbol_scalar_kernels.run(colors, text + k, n - k);
}

int64_t map(const SymbolColors &colors, const char *text, int64_t n, uint8_t *out) {
  const D d;
  const Tables tables(colors);
  const V one = hn::Set(d, uint8_t{1});
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    const V next = tables.of(hn::LoadU(d, reinterpret_cast<const uint8_t *>(text) + k));
    hn::StoreU(hn::Sub(next, one), d, out + k);
    if (const intptr_t first = hn::FindFirstTrue(d, hn::Eq(next, hn::Zero(d))); first >= 0) return k + static_cast<int64_t>(first);
  }
  return k + symbol_scalar_kernels.map(colors, text + k, n - k, out + k);
}

}  // namespace

extern const SymbolKernels symbol_table;
const SymbolKernels symbol_table = {run, map};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const SymbolKernels &symbol_kernels(Target target) { ATP_DISPATCH(target, symbol_table, symbol_scalar_kernels) }

}  // namespace atp
#endif
