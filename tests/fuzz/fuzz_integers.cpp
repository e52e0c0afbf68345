// SPDX-License-Identifier: MIT
// Matrices of whole numbers: the first byte is the number of colours, the others are the file.
#include "fuzz.hpp"

#include "alignment/sequence_text.hpp"

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const int64_t n = static_cast<int64_t>(size) - 1, colors = data[0] == 1 ? 0 : data[0];
  const Text text{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  content_of(text.bytes);
  atp_fuzz::run(
      64 * n + (1 << 16), [&](Context &context) { return parse_integers(context, text, colors); },
      [&](const Alignment &a) {
        atp_fuzz::inspect_alignment(a);
        atp_fuzz::check(2 * a.count() * a.sites() <= n + 1, "a number and a separator each");
      });
  return 0;
}
