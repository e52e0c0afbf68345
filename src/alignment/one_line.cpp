// SPDX-License-Identifier: MIT
#include "alignment/one_line.hpp"

#include "base/error.hpp"

namespace atp {

namespace {

// Bytes of the UTF-8 character that begins with a byte above 127; 1 for a byte that begins none.
int64_t character_bytes(const unsigned char *text, int64_t bytes) {
  const int64_t length = text[0] >= 0xc2 && text[0] < 0xe0   ? 2
                         : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                         : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                             : 1;
  for (int64_t k = 1; k < length; ++k)
    if (k == bytes || text[k] >> 6 != 2) return 1;
  return length;
}

}  // namespace

void check_one_line(const char *text, int64_t bytes, const char *what) {
  const auto *c = reinterpret_cast<const unsigned char *>(text);
  for (int64_t k = 0, length = 1; k < bytes; k += length) {
    length = c[k] < 0x80 ? 1 : character_bytes(c + k, bytes - k);
    // Codes 128..159, as a byte and in UTF-8.
    const unsigned code = length == 1 ? c[k] : length == 2 ? (c[k] & 0x1fu) << 6 | (c[k + 1] & 0x3fu) : 0xa0;
    if (code < ' ' || (code >= 127 && code < 0xa0))
      fail(ATP_E_VALUE, "%s: byte %lld has the code %u, must be one line without control characters", what, static_cast<long long>(k),
           code);
  }
}

}  // namespace atp
