// SPDX-License-Identifier: MIT
// Stockholm.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return atp_fuzz::read_symbols(atp::SequenceFormat::stockholm, data, size); }
