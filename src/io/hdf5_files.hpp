// SPDX-License-Identifier: MIT
// Models and alignments in HDF5; docs/formats.md has the layout. A build without HDF5 throws ATP_E_UNSUPPORTED.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

void write_alignment_hdf5(Context &context, const Alignment &alignment, const char *path);
void write_model_hdf5(Context &context, const Model &model, const char *path);

// Files may be damaged or made by hand. Types, ranks, extents, ranges and finiteness are checked, and
// allocations are in proportion to the size of the file. Throw ATP_E_OPEN, ATP_E_FORMAT, ATP_E_NOT_FINITE or
// ATP_E_MEMORY.
// `colors`: of a file that says nothing but 'sequences'; 0: the largest of them plus one, at least 2.
Alignment *read_alignment_hdf5(Context &context, const char *path, int64_t colors = 0);
Model *read_model_hdf5(Context &context, const char *path);
// The same from the bytes of a file.
Alignment *alignment_from_hdf5(Context &context, const Text &image, int64_t colors = 0);
Model *model_from_hdf5(Context &context, const Text &image);

// "model", "alignment" or "unknown".
const char *hdf5_kind(Context &context, const char *path);
const char *hdf5_kind(Context &context, const Text &image);

}  // namespace atp
