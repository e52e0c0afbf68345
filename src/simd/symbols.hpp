// SPDX-License-Identifier: MIT
// The symbols of a text of sequences and their colours, by a table of the bytes of ASCII.
#pragma once

#include "base/context.hpp"

namespace atp {

// For each byte below 128 its colour plus 1, or 0: a byte at which a run of symbols ends. Bytes from 128 on end one, too.
struct SymbolColors {
  static constexpr int kBytes = 128;
  uint8_t next[kBytes] = {};
};

struct SymbolKernels {
  // The length of the longest run of symbols at the beginning of n bytes.
  int64_t (*run)(const SymbolColors &colors, const char *text, int64_t n);
  // The same; writes the colours of the run. What it leaves in the rest of out[0..n) is not specified.
  int64_t (*map)(const SymbolColors &colors, const char *text, int64_t n, uint8_t *out);
};

extern const SymbolKernels symbol_scalar_kernels;
const SymbolKernels &symbol_kernels(Target target);

}  // namespace atp
