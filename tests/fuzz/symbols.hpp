// SPDX-License-Identifier: MIT
// The body of the fuzz targets of readers of symbols: the first byte chooses alphabet and policy, the others are the file.
#pragma once

#include "fuzz.hpp"

#include "alignment/sequence_text.hpp"

namespace atp_fuzz {

inline const char *const kAlphabets[] = {"-ACGU", "-ACDEFGHIKLMNPQRSTVWY", ".ACGU", "_*^", "aA-b", "-A", "", "AA"};

inline int read_symbols(atp::SequenceFormat format, const uint8_t *data, size_t size) {
  using namespace atp;
  if (size < 1) return 0;
  const char *symbols = kAlphabets[data[0] % 8];
  const atp_unknown policy = static_cast<atp_unknown>(ATP_UNKNOWN_GAP + data[0] / 8 % 3);
  const int64_t n = static_cast<int64_t>(size) - 1;
  const Text text{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  content_of(text.bytes);
  run(
      512 * n + (1 << 16), [&](Context &context) { return parse_sequences(context, text, format, symbols, policy); },
      [&](const Alignment &a) {
        inspect_alignment(a);
        check(a.count() * a.sites() <= n, "no symbols out of nothing");
      });
  return 0;
}

}  // namespace atp_fuzz
