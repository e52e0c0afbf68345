// SPDX-License-Identifier: MIT
// FASTA.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return atp_fuzz::read_symbols(atp::SequenceFormat::fasta, data, size); }
