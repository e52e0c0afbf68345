// SPDX-License-Identifier: MIT
// A sequence per line, alone or after its name.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return atp_fuzz::read_symbols(atp::SequenceFormat::lines, data, size); }
