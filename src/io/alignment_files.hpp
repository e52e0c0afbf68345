// SPDX-License-Identifier: MIT
// Reads and writes files of alignments in every format.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/options.hpp"
#include "alignment/text.hpp"
#include "io/source.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_OPT_FORMAT or the content selects the reader. alphabet may be NULL.
Alignment *read_alignment(const Source &source, const char *alphabet, const Options &options);

// The same from the bytes of a file, compressed by gzip or not. The name decides if the content is ambiguous.
Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options);

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path);

inline constexpr int64_t kMaxParts = int64_t{1} << 30;  // products of two part numbers stay in 64 bits

// Reads a part of a file of records, FASTA, A2M or A3M: those that begin in bytes size * part / parts .. size * (part + 1) / parts - 1 of
// the file. Reads and holds about that many bytes.
// Throws ATP_E_VALUE (the option format is one that has no records; no record begins there), ATP_E_OPEN (not a regular file), ATP_E_READ,
// ATP_E_FORMAT (no records; lower case or '.' that may be insert columns or not), and what readers of FASTA throw.
Alignment *read_sequence_part(Context &context, const char *path, int64_t part, int64_t parts, const char *alphabet,
                              const Options &options);

}  // namespace atp
