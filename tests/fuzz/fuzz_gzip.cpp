// SPDX-License-Identifier: MIT
// A file of any format, packed by gzip or not: the first byte chooses alphabet and format that is asked for, the others are the file.
#include "symbols.hpp"

#include "alignment/options.hpp"
#include "io/alignment_files.hpp"

using namespace atp;

// HDF5 1.10 leaks memory if the header of an object is damaged.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() { return "leak:libhdf5"; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const char *alphabet = atp_fuzz::kAlphabets[data[0] % 8];
  static const char *const names[] = {"input", "input.a2m.gz", "input.aln"};
  Options options(kAlignmentOptions);
  options.set(ATP_OPT_FORMAT, int64_t{data[0] / 8 % 9});
  const int64_t n = static_cast<int64_t>(size) - 1;
  const Text bytes{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  atp_fuzz::run(
      1032 * (512 * n) + (1 << 22),  // deflate makes data 1032 times smaller
      [&](Context &context) { return alignment_from_bytes(context, bytes, names[data[0] / 72 % 3], alphabet, options); },
      [](const Alignment &a) { atp_fuzz::inspect_alignment(a); });
  return 0;
}
