// SPDX-License-Identifier: MIT
// A2M and A3M.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return atp_fuzz::read_symbols(atp::SequenceFormat::a2m, data, size); }
