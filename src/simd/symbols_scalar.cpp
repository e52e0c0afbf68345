// SPDX-License-Identifier: MIT
// The specification of the kernels of symbols.
#include "simd/symbols.hpp"

namespace atp {

namespace {

uint8_t next_of(const SymbolColors &colors, char symbol) {
  const unsigned char byte = static_cast<unsigned char>(symbol);
  return byte < SymbolColors::kBytes ? colors.next[byte] : uint8_t{0};
}

int64_t run(const SymbolColors &colors, const char *text, int64_t n) {
  int64_t k = 0;
  while (k < n && next_of(colors, text[k]) != 0) ++k;
  return k;
}

int64_t map(const SymbolColors &colors, const char *text, int64_t n, uint8_t *out) {
  int64_t k = 0;
  for (; k < n; ++k) {
    const uint8_t next = next_of(colors, text[k]);
    if (next == 0) break;
    out[k] = static_cast<uint8_t>(next - 1);
  }
  return k;
}

}  // namespace

const SymbolKernels symbol_scalar_kernels = {run, map};

}  // namespace atp
