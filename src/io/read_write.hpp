// SPDX-License-Identifier: MIT
// Alignments and models from and to files of every format.
#pragma once

#include "base/options.hpp"
#include "data/alignment.hpp"
#include "model/model.hpp"

#include <attopotts/io.h>

namespace atp {

// The content decides which reader it is; alphabet may be NULL.
Alignment *read_alignment(Context &context, const char *path, const char *alphabet, const Options &options);

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path);

Model *read_model(Context &context, const char *path);

// "model", "alignment", "fasta", "integers", "state" or "unknown".
const char *file_kind(Context &context, const char *path);

}  // namespace atp
