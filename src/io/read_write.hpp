// SPDX-License-Identifier: MIT
// Reads and writes alignments in every format.
#pragma once

#include "alignment/options.hpp"
#include "alignment/alignment.hpp"
#include "alignment/text.hpp"
#include "io/source.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_OPT_FORMAT or the content selects the reader. alphabet may be NULL.
Alignment *read_alignment(const Source &source, const char *alphabet, const Options &options);

// The same from the bytes of a file, compressed by gzip or not. The name decides if the content is ambiguous.
Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options);

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path);

}  // namespace atp
