// SPDX-License-Identifier: MIT
// Reads a part of a file of records: FASTA, A2M, A3M.
#pragma once

#include "alignment/options.hpp"
#include "alignment/alignment.hpp"

namespace atp {

inline constexpr int64_t kMaxParts = int64_t{1} << 30;  // products of two part numbers stay in 64 bits

// The records that begin in bytes size * part / parts .. size * (part + 1) / parts - 1 of a file. Reads and holds about that many bytes.
// Throws ATP_E_VALUE (the option format is one that has no records; no record begins there), ATP_E_OPEN (not a regular file), ATP_E_READ,
// ATP_E_FORMAT (no records; lower case or '.' that may be insert columns or not), and what readers of FASTA throw.
Alignment *read_sequence_part(Context &context, const char *path, int64_t part, int64_t parts, const char *alphabet,
                              const Options &options);

}  // namespace atp
