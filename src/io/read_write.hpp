// SPDX-License-Identifier: MIT
// Alignments from and to files of every format.
#pragma once

#include "base/options.hpp"
#include "data/alignment.hpp"
#include "data/text.hpp"
#include "io/source.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_OPT_FORMAT or the content decides which reader it is; alphabet may be NULL.
Alignment *read_alignment(const Source &source, const char *alphabet, const Options &options);

// The same from the bytes of a file, packed by gzip or not; the name decides where the content leaves a choice.
Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options);

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path);

}  // namespace atp
