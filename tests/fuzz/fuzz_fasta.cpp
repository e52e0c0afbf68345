// SPDX-License-Identifier: MIT
// FASTA: the first byte chooses alphabet and policy, the others are the file.
#include "fuzz.hpp"

#include "data/fasta.hpp"

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  static const char *const alphabets[] = {"-ACGU", "-ACDEFGHIKLMNPQRSTVWY", ".ACGU", "_*^", "aA-b", "-A", "", "AA"};
  const char *symbols = alphabets[data[0] % 8];
  const atp_unknown policy = static_cast<atp_unknown>(ATP_UNKNOWN_GAP + data[0] / 8 % 3);
  const int64_t n = static_cast<int64_t>(size) - 1;
  const Text text{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  content_of(text.bytes);
  atp_fuzz::run(
      64 * n + (1 << 16), [&](Context &context) { return parse_fasta(context, text, symbols, policy); },
      [&](const Alignment &a) {
        atp_fuzz::inspect_alignment(a);
        atp_fuzz::check(a.count() * a.sites() <= n, "no symbols out of nothing");
      });
  return 0;
}
