// SPDX-License-Identifier: MIT
// A2M and A3M, also of two proteins.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  atp_fuzz::read_symbols(atp::SequenceFormat::paired, data, size);
  return atp_fuzz::read_symbols(atp::SequenceFormat::a2m, data, size);
}
