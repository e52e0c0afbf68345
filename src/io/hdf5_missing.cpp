// SPDX-License-Identifier: MIT
// Replaces hdf5_files.cpp in a build without HDF5.
#include "io/hdf5_files.hpp"

namespace atp {

namespace {

[[noreturn]] void fail_unsupported(const char *label) {
  fail(ATP_E_UNSUPPORTED, "%s: this build has no HDF5 (Meson option hdf5)", ShownPath(label).text);
}

}  // namespace

void write_alignment_hdf5(Context &, const Alignment &, const char *path) { fail_unsupported(path); }
void write_model_hdf5(Context &, const Model &, const char *path) { fail_unsupported(path); }
Alignment *read_alignment_hdf5(Context &, const char *path, int64_t) { fail_unsupported(path); }
Model *read_model_hdf5(Context &, const char *path) { fail_unsupported(path); }
Alignment *alignment_from_hdf5(Context &, const Text &image, int64_t) { fail_unsupported(image.label); }
Model *model_from_hdf5(Context &, const Text &image) { fail_unsupported(image.label); }
const char *hdf5_kind(Context &, const char *) { return "unknown"; }
const char *hdf5_kind(Context &, const Text &) { return "unknown"; }

}  // namespace atp
