// SPDX-License-Identifier: MIT
// Alignments and models from and to files of every format; what a file is.
#pragma once

#include "base/options.hpp"
#include "data/alignment.hpp"
#include "data/text.hpp"
#include "model/model.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_OPT_FORMAT or the content decides which reader it is; alphabet may be NULL.
Alignment *read_alignment(Context &context, const char *path, const char *alphabet, const Options &options);

// The same from the bytes of a file, packed by gzip or not; the name decides where the content leaves a choice.
Alignment *alignment_from_bytes(Context &context, const Text &bytes, const char *name, const char *alphabet, const Options &options);

void write_alignment(Context &context, const Alignment &alignment, atp_format format, const char *path);

// The content decides which reader it is, no alphabet.
Model *read_model(Context &context, const char *path);

// As atp_file_kind() says.
const char *file_kind(Context &context, const char *path);

}  // namespace atp
