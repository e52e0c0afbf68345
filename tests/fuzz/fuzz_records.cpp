// SPDX-License-Identifier: MIT
// FASTA, A2M or A3M, by their content.
#include "symbols.hpp"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return atp_fuzz::read_symbols(atp::SequenceFormat::records, data, size); }
